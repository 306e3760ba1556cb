"""Answers about pods in words: what becomes of one, the one cause, its turn, and how many of many fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kplan.course.evictions.leaving import broken, leaving
from kplan.framework.reason_codes import ReasonCode
from kplan.reasons.groups import NodeGroup
from kplan.reasons.run_cycle import RunCycle
from kplan.result.document import Event
from kplan.result.document import Scores as ScoreTable
from kplan.result.document_asked import Turn
from kplan.result.document_base import Cause
from kplan.wording.because import because
from kplan.wording.failing import gates, plain_cause
from kplan.wording.groups import ToldGroup
from kplan.wording.landing import is_sampled, lands_on
from kplan.wording.preempting import breaking
from kplan.wording.scoring import goes_to, why_there
from kplan.words import count, every, listed, tallied


def says(asked: RunCycle, verdict: str, runs_on: str) -> str:
    """The sentence about a pod, which its name goes before."""
    outcome, cluster = asked.outcome, asked.cluster
    total, feasible = len(cluster.nodes), len(outcome.feasible)
    if verdict == "GATED":
        number = len(asked.pod.pod.spec.scheduling_gates or ())
        return f"waits for {count(number, 'scheduling gate')}, no node is looked at"
    if verdict == "PREEMPTS":
        preemption = outcome.preemption
        assert preemption is not None
        leave = leaving(cluster, preemption.candidates[preemption.picks[0]].pods)
        told = breaking([victim.pod.key for victim in leave], broken(leave))
        name = cluster.node_name(preemption.picks[0])
        where = f"runs on {name}"
        if is_sampled(asked.evicting):
            where = f"{lands_on(asked.evicting, cluster, preemption.picks[0], 'runs', 'on')}; on {name}"
        return f"{where} after evicting {count(len(leave), 'pod')}: {told}"
    if verdict == "FITS":
        fit = f"{feasible:,} of {total:,} nodes fit{'s' if feasible == 1 else ''}"
        if runs_on:
            today = cluster.node_name(outcome.choice)
            where = "would stay there today" if today == runs_on else f"would go to {today} today"
            if is_sampled(asked.landing):
                where = f"{lands_on(asked.landing, cluster, outcome.choice, 'would go')} today"
            elif outcome.scores is not None and len(outcome.scores.best) > 1:
                tied = [cluster.node_name(row) for row in outcome.scores.best]
                where = f"would go to one of {count(len(tied), 'node')} that tie today: {listed(tied)}"
            return f"runs on {runs_on}, {where} ({fit})"
        return f"{_goes(asked, 'goes')} ({fit})"
    if outcome.not_tried:
        return "is not tried"
    if outcome.error and total:
        return "is not placed: its scheduling cycle fails"
    runs = f"runs on {runs_on}, but today " if runs_on else ""
    return f"{runs}fits 0 of {total:,} nodes"


def cause_of(
    asked: RunCycle, groups: Sequence[NodeGroup], told: Sequence[ToldGroup], verdict: str, table: ScoreTable | None
) -> Cause:
    """The one cause of an answer.

    Args:
        asked: the pod's cycle.
        groups: nodes that refuse it.
        told: the first of them, in words.
        verdict: FITS, PREEMPTS, PENDING or GATED.
        table: scores of the best two nodes at least; None where nothing is scored.
    """
    outcome = asked.outcome
    if verdict == "GATED":
        return _gate_cause(asked)
    failing = next(
        (group for group in told if group.view.group.atoms[0].code == ReasonCode.DEVICE_SELECTOR_FAILS), None
    )
    if failing is not None and outcome.error:
        return Cause(code="cycle-error", text=because(failing, ()).text)
    plain = plain_cause(asked.cluster, asked.pod, outcome)
    if plain is not None:
        return plain
    if verdict == "FITS":
        refused = ""
        if len(outcome.feasible) == 1 and told:
            others = told[0].view.some_nodes()
            refused = (
                f"{others}: {told[0].group.text}"
                if len(told) == 1
                else (f"the others refuse it for {len(told)} kinds of reasons")
            )
        return why_there(outcome, asked.cluster, table, refused)
    if not told:
        return Cause(code="unknown", text=outcome.fit_error)
    return because(told[0], groups[1:])


def _gate_cause(asked: RunCycle) -> Cause:
    fits = len(asked.outcome.feasible)
    without = "without them" if len(asked.pod.pod.spec.scheduling_gates or ()) > 1 else "without it"
    if asked.outcome.error or not fits:
        after = f"{without}, it would fit 0 of {len(asked.cluster.nodes):,} nodes"
    else:
        after = f"{without}, it {_goes(asked, 'would go')}"
    return Cause(code=ReasonCode.SCHEDULING_GATES, text=f"{gates_cause(asked).text}; {after}")


def _goes(asked: RunCycle, verb: str) -> str:
    """Where a pod goes: to one node, to one of those that tie, or how often to which."""
    if is_sampled(asked.landing):
        return lands_on(asked.landing, asked.cluster, asked.outcome.choice, verb)
    return goes_to(asked.outcome, asked.cluster, verb)


def gates_cause(asked: RunCycle) -> Cause:
    """Which gates keep a pod out of the queue, whatever comes after."""
    return Cause(code=ReasonCode.SCHEDULING_GATES, text=f"{gates(asked.pod, asked.outcome)} must be removed first")


def event_note(event: Event | None) -> str:
    """Whether the pod's condition has the same message as would come now."""
    if event is None or not event.recorded or not event.text:
        return ""
    moment = event.recorded_at
    at = f" of {moment[:10]} {moment[11:16]} UTC" if len(moment) >= 16 else ""
    if event.recorded == event.text:
        return f"the same message as the scheduler's{at}"
    return f"the scheduler's message{at} differs (--event)"


def in_turn_sentence(sentence: str, turn: Turn) -> str:
    """A sentence about a pod that others wait before."""
    behind = turn.place - 1
    return f"{sentence}, behind {count(behind, 'other waiting pod')}" if behind else sentence


def turn_text(turn: Turn) -> str:
    """The pod's place in the queue, and what those before it came to."""
    before = turn.place - 1
    told = f"place {turn.place:,} of {turn.waiting:,}"
    if before == 1:
        told += f"; the one before it finds {'a node' if turn.placed else 'none'}"
    elif before:
        who = every(before) if turn.placed == before else f"{turn.placed:,} of the {before:,}"
        told += f"; {who} before it {'finds' if turn.placed == 1 else 'find'} a node"
    if turn.alone:
        where = f" on {turn.alone_node}" if turn.alone_node else ""
        told += f"; alone it would be {turn.alone}{where}"
    return told


def counts_sentence(counts: Mapping[str, int], *, waits: bool, causes: int, in_turn: bool) -> str:
    """How many pods fit, and how many do not.

    Args:
        counts: how many there are of each verdict.
        waits: whether all of them wait.
        causes: why pods fit no node: how many causes.
        in_turn: whether each was asked about in its turn, or alone.
    """
    total = sum(counts.values())
    pods = count(total, "waiting pod" if waits else "pod")
    how = "in its turn" if in_turn else "tried alone"
    if not total:
        return "no pod waits"
    if total == counts["FITS"]:
        return f"the {'waiting ' * waits}pod fits, {how}" if total == 1 else _all_fit(total, how, waits=waits)
    if counts["PENDING"]:
        fit = "fits" if counts["PENDING"] == 1 else "fit"
        text = f"{counts['PENDING']:,} of {pods} {fit} no node, for {count(causes, 'cause')}"
    else:
        fits = f"fits, {how}" if total == 1 else f"fit, each {how}"
        if counts["FITS"] == total:
            return f"{pods} {fits}"
        text = f"{total - counts['GATED']:,} of {pods} {fits}"
    rest = [f"{counts[word]:,} {word}" for word in ("PREEMPTS", "FITS", "GATED") if counts[word]]
    return f"{text}; {', '.join(rest)}" if rest else text


def _all_fit(total: int, how: str, *, waits: bool) -> str:
    """``all 12 waiting pods fit, each tried alone``."""
    return f"{every(total, 'waiting pod' if waits else 'pod')} fit, each {how}"


def fits_cause(nodes: Mapping[str, int], *, in_turn: bool) -> Cause:
    """Where pods that fit would go: each node with how many of them."""
    return Cause(code="fits", text=f"each {'in its turn' if in_turn else 'tried alone'}: on {tallied(nodes)}")
