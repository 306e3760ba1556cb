"""Explain: one pod's outcome and the facts behind it, as a document."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace

import msgspec

from kplan.cluster import PodInfo
from kplan.cluster.pods import DEFAULT_SCHEDULER
from kplan.course.alike import likeness
from kplan.course.as_new import as_new
from kplan.course.returning import after_eviction
from kplan.plugins.shared.own_claims import own_claims
from kplan.reasons.groups import Asked, Found, find_groups, narrowed
from kplan.remedies import remedies_of
from kplan.result import Outcome
from kplan.result.document import Answer, Event, Fix, NoHelp, PodExplanation, PodExplanations, Preempt
from kplan.result.document_base import API_VERSION, Cause
from kplan.studies.context import Context
from kplan.studies.doubts import missing_nodes, pod_doubts
from kplan.studies.explain import parts
from kplan.studies.explain.careful import careful
from kplan.studies.explain.explained import Explained
from kplan.studies.explain.in_turn import in_turn
from kplan.studies.explain.many import folded
from kplan.studies.explain.scoring import asked_node, goes_to, score_table, why_there
from kplan.wording.because import because
from kplan.wording.failing import gates
from kplan.wording.fixes import fixes, no_help
from kplan.wording.groups import Told, nearest_part, needs_of, tell
from kplan.wording.owners import owner_text
from kplan.wording.preempting import preempt_part
from kplan.wording.view import NODES_SHOWN
from kplan.words import count, listed


def explain_pods(context: Context, pods: Sequence[PodInfo], *, fold: bool) -> PodExplanation | PodExplanations:
    """Answer for pods: one document for one pod, a folded one for several or if ``fold``."""
    if pods:
        context = replace(context, doubts=(*context.doubts, *missing_nodes(context.planner.cluster)))
    if fold or len(pods) != 1:
        context = replace(context, brief=True)
        found = in_turn(context, pods, _explained, _same) if context.in_turn else _explain_all(context, pods)
        return folded(context, tuple(found))
    context = replace(context, brief=False)
    answer = in_turn(context, pods, _explained, _same)[0].answer if context.in_turn else explain_pod(context, pods[0])
    profile = "" if pods[0].scheduler_name == DEFAULT_SCHEDULER else pods[0].scheduler_name
    origin = msgspec.structs.replace(context.origin, profile=profile, event=_event_note(answer.event))
    return PodExplanation(**msgspec.structs.asdict(answer), api_version=API_VERSION, origin=origin)


def _explain_all(context: Context, pods: Sequence[PodInfo]) -> Iterator[Explained]:
    """Answer for each pod; waiting pods that are alike in all the scheduler reads are worked out once."""
    known: dict[object, Explained] = {}
    for pod in pods:
        if pod.bound or context.planner.cluster.pod_nominated[pod.row] >= 0:
            yield _explained(context, pod)
            continue
        alike = likeness(pod)
        found = known.get(alike)
        if found is None:
            found = known[alike] = _explained(context, pod)
            yield found
            continue
        yield _same(context, found, pod)


def _same(context: Context, found: Explained, pod: PodInfo) -> Explained:
    """Make of an answer that of another pod, which is alike in all the scheduler reads."""
    answer = found.answer
    if context.verdicts is not None:
        context.verdicts.same(pod.key, answer.pod)
    kept = tuple(msgspec.structs.replace(one, pod=pod.key) if one.pod == answer.pod else one for one in answer.kept)
    made = msgspec.structs.replace(
        answer,
        pod=pod.key,
        sentence=f"{pod.key} {found.says}",
        owner=owner_text(pod, context.planner.cluster),
        kept=kept,
        event=_event_of(pod, answer.event.text if answer.event is not None else ""),
    )
    return replace(found, answer=made)


def explain_pod(context: Context, pod: PodInfo) -> Answer:
    """Answer for one pod against the cluster as it is; a running pod is taken out first and put back."""
    return _explained(context, pod).answer


def _explained(context: Context, pod: PodInfo) -> Explained:
    if not pod.bound:
        return _answer(context, pod, runs_on="")
    with as_new(context.planner, pod) as waiting:
        return _answer(context, waiting, runs_on=pod.pod.spec.node_name or "")


def _answer(context: Context, pod: PodInfo, runs_on: str) -> Explained:
    cluster = context.planner.cluster
    cycle = context.planner.cycle(pod)
    asked = Asked(cluster, pod, cycle, cycle.explain())
    outcome = asked.outcome
    groups = find_groups(asked)
    told = [tell(asked, group, names=not context.brief) for group in groups]
    verdict = verdict_of(outcome)
    codes = frozenset(atom.code for group in groups for atom in group.atoms)
    doubts = (*context.doubts, *pod_doubts(pod, context.planner, verdict, codes))
    first = told[0] if told and verdict in ("PENDING", "PREEMPTS") else None
    shown = _only(context.node, groups, asked) if context.node else told
    if context.verdicts is not None and verdict != "GATED":
        rows = [item.view.group.rows for item in shown]
        context.verdicts.keep(pod.key, len(cluster.nodes), outcome.feasible, rows)
    facts = first.view.facts if first is not None else {}
    helps, helps_not = _remedies(context, asked, groups, verdict, waits=not runs_on)
    says, because = _says(asked, verdict, runs_on), _cause(asked, groups, told, verdict)
    answer = Answer(
        pod=pod.key,
        verdict=verdict,
        sentence=f"{pod.key} {says}",
        because=because,
        doubts=doubts,
        careful=tuple(careful(asked)),
        node=cluster.node_name(_place(outcome)) if _place(outcome) >= 0 else "",
        runs_on=runs_on,
        owner=owner_text(pod, cluster),
        feasible=len(outcome.feasible),
        nodes=len(cluster.nodes),
        groups=tuple(item.group for item in shown) if verdict != "GATED" else (),
        domains=parts.domains(facts),
        terms=parts.terms(facts, asked),
        volumes=parts.volumes(facts),
        attachments=parts.attachments(facts),
        kept=parts.kept(asked, groups[0]) if first is not None else (),
        nearest=nearest_part(first) if first is not None and asked.looked else None,
        preempt=_preempt(context, outcome, groups, waits=not runs_on) if verdict in ("PENDING", "PREEMPTS") else None,
        fixes=helps,
        no_help=helps_not,
        scores=score_table(outcome, cluster, NODES_SHOWN if context.brief else None) if verdict == "FITS" else None,
        event=_event(pod, outcome),
        asked_node=asked_node(outcome, cluster, context.node) if context.node and not shown else None,
    )
    own = own_claims(pod.pod) if context.brief and told else {}
    if own:  # its words are about claims of its own: those of its fold are not
        told = [tell(asked, groups[0], names=False, own=own)]
        shown = told if not context.node else shown
        because = _cause(asked, groups, told, verdict)
    if verdict == "GATED":
        because = Cause(code="scheduling-gates", text=_gates_text(asked))
        return Explained(answer, says, because.text, because)
    return Explained(answer, says, _shape(shown, because), because)


def _shape(shown: Sequence[Told], cause: Cause | None) -> Hashable:
    """What pods have in common whose cause is told once: what is wrong with the nearest nodes, and the amounts wanted.

    Where the nearest nodes are none that the pod chose, the cause is about the first of those that it did.
    """
    if not shown or cause is None or cause.code == "cycle-error":
        return cause.text if cause is not None else None
    groups = [one.group for one in shown]
    about = (group for group in groups if any(reason.code == cause.code for reason in group.reasons))
    return groups[0].text, needs_of(next(about, groups[0]))


def _preempt(context: Context, outcome: Outcome, groups: list[Found], *, waits: bool) -> Preempt | None:
    planner = context.planner
    after = after_eviction(planner, outcome) if waits and not context.brief else ()
    return preempt_part(outcome, planner.cluster, groups, after=after, everything=context.all_victims)


def _remedies(
    context: Context, asked: Asked, groups: list[Found], verdict: str, *, waits: bool
) -> tuple[tuple[Fix, ...], NoHelp | None]:
    """What would make a waiting pod fit, and what would not; of many pods it is told by cause (see ``fold``)."""
    if context.brief or not waits or verdict not in ("PENDING", "PREEMPTS"):
        return (), None
    found = remedies_of(context.planner, asked, groups)
    told = fixes(found, asked.pod, asked.cluster, evicts=verdict == "PREEMPTS")
    return told, no_help(found, asked)


def verdict_of(outcome: Outcome) -> str:
    """FITS, PREEMPTS, PENDING or GATED."""
    if outcome.gated:
        return "GATED"
    if outcome.error:
        return "PENDING"
    if outcome.choice >= 0:
        return "FITS"
    found = outcome.preemption
    return "PREEMPTS" if found is not None and found.picks else "PENDING"


def _place(outcome: Outcome) -> int:
    if outcome.gated or outcome.error:
        return -1
    found = outcome.preemption
    if outcome.choice < 0 and found is not None and found.picks:
        return found.picks[0]
    return outcome.choice


def _says(asked: Asked, verdict: str, runs_on: str) -> str:
    """The sentence about a pod, which its name goes before."""
    outcome, cluster = asked.outcome, asked.cluster
    total, feasible = len(cluster.nodes), len(outcome.feasible)
    if verdict == "GATED":
        number = len(asked.pod.pod.spec.scheduling_gates or ())
        return f"waits for {count(number, 'scheduling gate')}, no node is looked at"
    if verdict == "PREEMPTS":
        found = outcome.preemption
        assert found is not None
        victims = [cluster.pods[row].key for row in found.candidates[found.picks[0]].pods]
        name = cluster.node_name(found.picks[0])
        return f"runs on {name} after evicting {count(len(victims), 'pod')}: {listed(victims, most=2)}"
    if verdict == "FITS":
        fit = f"{feasible:,} of {total:,} nodes fit{'s' if feasible == 1 else ''}"
        if runs_on:
            today = cluster.node_name(outcome.choice)
            where = "would stay there today" if today == runs_on else f"would go to {today} today"
            if outcome.scores is not None and len(outcome.scores.best) > 1:
                tied = [cluster.node_name(row) for row in outcome.scores.best]
                where = f"would go to one of {count(len(tied), 'node')} that tie today: {listed(tied)}"
            return f"runs on {runs_on}, {where} ({fit})"
        return f"{goes_to(outcome, cluster)} ({fit})"
    if outcome.error and total:
        return "is not placed: its scheduling cycle fails"
    runs = f"runs on {runs_on}, but today " if runs_on else ""
    return f"{runs}fits 0 of {total:,} nodes"


def _cause(asked: Asked, groups: list[Found], told: list[Told], verdict: str) -> Cause | None:
    outcome = asked.outcome
    if verdict == "GATED":
        return _gate_cause(asked)
    if not asked.cluster.nodes:
        return Cause(code="no-nodes", text="there is no node at all")
    if outcome.error:
        return Cause(code="cycle-error", text=outcome.error)
    if verdict == "FITS":
        refused = ""
        if len(outcome.feasible) == 1 and told:
            refused = f"{told[0].group.text}" if len(told) == 1 else f"{len(told)} kinds of reasons refuse the others"
        return why_there(outcome, asked.cluster, refused)
    if not told:
        return Cause(code="unknown", text=outcome.fit_error)
    return because(told[0], groups[1:])


def _gate_cause(asked: Asked) -> Cause:
    fits = len(asked.outcome.feasible)
    without = "without them" if len(asked.pod.pod.spec.scheduling_gates or ()) > 1 else "without it"
    if asked.outcome.error or not fits:
        after = f"{without}, it would fit 0 of {len(asked.cluster.nodes):,} nodes"
    else:
        after = f"{without}, it {goes_to(asked.outcome, asked.cluster).replace('goes', 'would go', 1)}"
    return Cause(code="scheduling-gates", text=f"{_gates_text(asked)}; {after}")


def _gates_text(asked: Asked) -> str:
    return f"{gates(asked.pod, asked.outcome)} must be removed first"


def _only(node: str, groups: list[Found], asked: Asked) -> list[Told]:
    """Tell about one node alone."""
    found = narrowed(groups, asked.cluster.node_index[node])
    return [tell(asked, found)] if found is not None else []


def _event(pod: PodInfo, outcome: Outcome) -> Event | None:
    text = outcome.fit_error or outcome.error
    if outcome.gated and outcome.pre_enqueue is not None:
        text = ", ".join(outcome.pre_enqueue.reasons)
    return _event_of(pod, text)


def _event_of(pod: PodInfo, text: str) -> Event | None:
    """Set the scheduler's text beside the one in the pod's condition; of a gated pod that is the API server's own."""
    recorded, at = "", ""
    for condition in pod.pod.status.conditions or ():
        if condition.type == "PodScheduled" and condition.status == "False" and not pod.pod.spec.scheduling_gates:
            recorded, at = condition.message or "", condition.last_transition_time or ""
    return Event(text=text, recorded=recorded, recorded_at=at) if text or recorded else None


def _event_note(event: Event | None) -> str:
    if event is None or not event.recorded or not event.text:
        return ""
    at = f", {event.recorded_at[11:16]}" if len(event.recorded_at) >= 16 else ""
    if event.recorded == event.text:
        return f"same message as the scheduler's{at}"
    return f"the scheduler's message{at} differs (--event)"
