"""Explain: one pod's outcome and the facts behind it, as a document."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

import msgspec
import numpy as np
from msgspec.structs import replace

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.pods import DEFAULT_SCHEDULER
from kplan.cluster.work import TOLD, TOLD_NODE
from kplan.course.evictions.returning import after_eviction
from kplan.course.readiness.serving import without
from kplan.course.trial.alike import likeness
from kplan.course.trial.as_new import as_new
from kplan.pipeline import Planner
from kplan.pipeline.entity import permit_of
from kplan.plugins.shared.claims import own_claims
from kplan.reasons.apart import told_apart
from kplan.reasons.careful import careful
from kplan.reasons.groups import NodeGroup, find_groups, narrowed
from kplan.reasons.run_cycle import RunCycle
from kplan.remedies.search import remedies_of
from kplan.result import Outcome
from kplan.result.document import Answer, Event, Fix, NoHelp, PodExplanation, PodExplanations, Preempt, ScoreRow
from kplan.result.document import Scores as ScoreTable
from kplan.result.document_asked import AskedNode
from kplan.result.document_base import API_VERSION, Cause
from kplan.studies.context import Context, Explained
from kplan.studies.doubts import missing_nodes, pod_doubts
from kplan.studies.explain.in_turn import in_turn
from kplan.studies.explain.many import folded
from kplan.studies.explain.of_group import with_group
from kplan.studies.explain.queue import queue_part
from kplan.wording import parts
from kplan.wording.answers import cause_of, event_note, gates_cause, says
from kplan.wording.attempts import down_text
from kplan.wording.careful import careful_text
from kplan.wording.device_parts import devices
from kplan.wording.fixes import fixes, no_help
from kplan.wording.groups import ToldGroup, nearest_part, needs_of, tell
from kplan.wording.held import SKIPPED, held_text, skipped_cause, skipped_event
from kplan.wording.landing import landing_part
from kplan.wording.not_tried import FEWER_ASKED, not_tried_doubt, unfinished_doubt
from kplan.wording.owners import owner_text
from kplan.wording.preempting import preempt_part, victims_after
from kplan.wording.scoring import asked_node
from kplan.wording.view import NODES_SHOWN

_FIRST = 0.85
"""What answers may take of the work that is left; the rest is for what would help."""


def explain_pods(context: Context, pods: Sequence[PodInfo], *, fold: bool) -> PodExplanation | PodExplanations:
    """Answer for pods: one document for one pod, a folded one for several or if ``fold``."""
    if pods:
        context = replace(context, doubts=(*context.doubts, *missing_nodes(context.planner.cluster)))
    if fold or len(pods) != 1:
        context = replace(context, brief=True)
        work = context.planner.cluster.work
        with work.within(work.up_to(_FIRST)):
            asked = in_turn(context, pods, _explained, _same) if context.in_turn else _explain_all(context, pods)
        return folded(context, _doubted(asked, len(pods)))
    context = replace(context, brief=False)
    answer = in_turn(context, pods, _explained, _same)[0].answer if context.in_turn else explain_pod(context, pods[0])
    profile = "" if pods[0].scheduler_name == DEFAULT_SCHEDULER else pods[0].scheduler_name
    origin = msgspec.structs.replace(context.origin, profile=profile, event=event_note(answer.event))
    return PodExplanation(**msgspec.structs.asdict(answer), api_version=API_VERSION, origin=origin)


def _doubted(explained: Sequence[Explained], total: int) -> tuple[Explained, ...]:
    """Add to answers the doubt about pods that there was no work left for."""
    if len(explained) == total:
        return tuple(explained)
    doubt = not_tried_doubt(total - len(explained), len(explained), ask=FEWER_ASKED)
    return tuple(
        replace(each, answer=msgspec.structs.replace(each.answer, doubts=(*each.answer.doubts, doubt)))
        for each in explained
    )


def _explain_all(context: Context, pods: Sequence[PodInfo]) -> list[Explained]:
    """Answer for each pod, as far as there is work left; waiting pods that are alike are worked out once."""
    work, known = context.planner.cluster.work, dict[object, Explained]()
    answers: list[Explained] = []
    for pod in pods:
        if pod.bound or context.planner.cluster.pod_nominated[pod.row] >= 0:
            explained = _explained(context, pod)
        else:
            alike = likeness(pod)
            former = known.get(alike)
            explained = _explained(context, pod) if former is None else _same(context, former, pod)
            known.setdefault(alike, explained)
        if work.left and answers:  # not all was tried of it
            break
        answers.append(explained)
    return answers


def _same(context: Context, explained: Explained, pod: PodInfo) -> Explained:
    """Make of an answer that of another pod, which is alike in all the scheduler reads."""
    answer = explained.answer
    if context.verdicts is not None:
        context.verdicts.same(pod.key, answer.pod)
    kept = tuple(msgspec.structs.replace(room, pod=pod.key) if room.pod == answer.pod else room for room in answer.kept)
    made = msgspec.structs.replace(
        answer,
        pod=pod.key,
        sentence=f"{pod.key} {explained.says}",
        owner=owner_text(pod, context.planner.cluster),
        kept=kept,
        event=_event_of(pod, answer.event.text if answer.event is not None else ""),
    )
    return replace(explained, answer=made)


def explain_pod(context: Context, pod: PodInfo) -> Answer:
    """Answer for one pod against the cluster as it is; a running pod is taken out first and put back."""
    return _explained(context, pod).answer


def _explained(context: Context, pod: PodInfo) -> Explained:
    if not pod.bound:
        return _skipped(context, pod) if pod.terminating else _answer(context, pod, runs_on="")
    with as_new(context.planner, pod) as waiting:
        return _answer(context, waiting, runs_on=pod.pod.spec.node_name or "")


def _skipped(context: Context, pod: PodInfo) -> Explained:
    """Answer for a pod that waits and is being deleted: no cycle is run for it."""
    cluster = context.planner.cluster
    cause = skipped_cause(pod.pod.metadata.deletion_timestamp or "")
    answer = Answer(
        pod=pod.key,
        verdict="PENDING",
        sentence=f"{pod.key} {SKIPPED}",
        because=cause,
        doubts=context.doubts,
        owner=owner_text(pod, cluster),
        feasible=0,
        nodes=len(cluster.nodes),
        event=_event_of(pod, skipped_event(pod.key)),
    )
    return Explained(answer, SKIPPED, cause.text, cause)


def _answer(context: Context, pod: PodInfo, runs_on: str) -> Explained:
    cluster = context.planner.cluster
    cluster.work.charge(TOLD + TOLD_NODE * len(cluster.nodes))
    asked = RunCycle.as_set(context.planner, pod)
    outcome = asked.outcome
    groups = find_groups(asked)
    told = [tell(asked, group, names=not context.brief) for group in groups]
    verdict = verdict_of(outcome)
    codes = frozenset(atom.code for group in groups for atom in group.atoms)
    doubts = (*context.doubts, *pod_doubts(pod, context.planner, verdict, codes, asked))
    first = told[0] if told and verdict in ("PENDING", "PREEMPTS") else None
    shown = _only(context.node, groups, asked) if context.node else told
    if context.verdicts is not None and verdict != "GATED":
        rows = [item.view.group.rows for item in shown]
        context.verdicts.keep(pod.key, len(cluster.nodes), outcome.feasible, rows)
    facts = first.view.facts if first is not None else {}
    helps, helps_not = _remedies(context, asked, groups, verdict, waits=not runs_on)
    if cluster.work.left:
        doubts, helps_not = (*doubts, unfinished_doubt(cluster.work.left)), None
    predicate = says(asked, verdict, runs_on)
    most = NODES_SHOWN if context.brief else None
    scores = score_table(outcome, cluster, most) if verdict == "FITS" else None
    because = cause_of(asked, groups, told, verdict, scores)
    answer = Answer(
        pod=pod.key,
        verdict=verdict,
        sentence=f"{pod.key} {predicate}",
        because=because,
        doubts=doubts,
        careful=tuple(map(careful_text, careful(asked))),
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
        devices=devices(shown) if first is not None else None,
        kept=parts.kept(asked, groups[0]) if first is not None else (),
        nearest=nearest_part(first) if first is not None and asked.looked else None,
        preempt=_preempt(context, asked, groups, waits=not runs_on) if verdict in ("PENDING", "PREEMPTS") else None,
        fixes=helps,
        no_help=helps_not,
        scores=scores,
        event=_event(pod, outcome),
        asked_node=_asked_node(context, outcome) if context.node and not shown else None,
        landing=landing_part(asked.landing, cluster),
        queue=queue_part(asked) if not runs_on else None,
        permit=held_text(permit_of(asked.cycle, outcome.choice)) if verdict == "FITS" else "",
    )
    own = own_claims(pod.pod) if context.brief and told else {}
    if own:  # its words are about claims of its own: those of its fold are not
        told = [tell(asked, groups[0], names=False, own=own)]
        shown = told if not context.node else shown
        because = cause_of(asked, groups, told, verdict, scores)
    if verdict == "GATED":
        because = gates_cause(asked)
        return Explained(answer, predicate, because.text, because)
    apart = told_apart(because.code if because is not None else "", groups, pod.pod)
    alone = Explained(answer, predicate, _shape(shown, because, apart), because)
    return alone if runs_on else with_group(context, pod, outcome, alone)


def _asked_node(context: Context, outcome: Outcome) -> AskedNode:
    cluster = context.planner.cluster
    return asked_node(outcome, cluster, score_table(outcome, cluster), context.node)


def _shape(shown: Sequence[ToldGroup], cause: Cause | None, apart: Hashable) -> Hashable:
    """What pods have in common whose cause is told once: what is wrong with the nearest nodes, and the amounts wanted.

    Where the nearest nodes are none that the pod chose, the cause is about the first of those that it did.
    """
    if not shown or cause is None or cause.code == "cycle-error":
        return cause.text if cause is not None else None
    groups = [group.group for group in shown]
    about = (group for group in groups if any(reason.code == cause.code for reason in group.reasons))
    return groups[0].text, needs_of(next(about, groups[0])), apart


def _preempt(context: Context, asked: RunCycle, groups: list[NodeGroup], *, waits: bool) -> Preempt | None:
    planner, outcome = context.planner, asked.outcome
    landing = asked.evicting
    after = _after(planner, outcome) if waits and not context.brief else ()
    everything = context.all_victims
    return preempt_part(outcome, planner.cluster, groups, after=tuple(after), everything=everything, landing=landing)


def _after(planner: Planner, outcome: Outcome) -> Iterator[str]:
    """What becomes of the victims on the chosen node, and whom they leave without a ready pod."""
    yield from victims_after(planner.cluster, after_eviction(planner, outcome))
    preemption = outcome.preemption
    if preemption is not None and preemption.picks:
        victims = preemption.candidates[preemption.picks[0]].pods
        down = down_text(unserved=without(planner.cluster, [planner.cluster.pods[row] for row in victims]))
        yield from (down,) if down else ()


def _remedies(
    context: Context, asked: RunCycle, groups: list[NodeGroup], verdict: str, *, waits: bool
) -> tuple[tuple[Fix, ...], NoHelp | None]:
    """What would make a waiting pod fit, and what would not; of many pods it is told by cause (see ``fold``)."""
    if context.brief or not waits or verdict not in ("PENDING", "PREEMPTS"):
        return (), None
    remedies = remedies_of(context.planner, asked, groups)
    told = fixes(remedies, asked.pod, asked.cluster, evicts=verdict == "PREEMPTS")
    return told, no_help(remedies, asked)


def verdict_of(outcome: Outcome) -> str:
    """FITS, PREEMPTS, PENDING or GATED."""
    if outcome.gated:
        return "GATED"
    if outcome.error:
        return "PENDING"
    if outcome.choice >= 0:
        return "FITS"
    preemption = outcome.preemption
    return "PREEMPTS" if preemption is not None and preemption.picks else "PENDING"


def _place(outcome: Outcome) -> int:
    if outcome.gated or outcome.error:
        return -1
    preemption = outcome.preemption
    if outcome.choice < 0 and preemption is not None and preemption.picks:
        return preemption.picks[0]
    return outcome.choice


def _only(node: str, groups: list[NodeGroup], asked: RunCycle) -> list[ToldGroup]:
    """Tell about one node alone."""
    group = narrowed(groups, asked.cluster.node_index[node])
    return [tell(asked, group)] if group is not None else []


def _event(pod: PodInfo, outcome: Outcome) -> Event | None:
    text = next(iter(outcome.event_texts), "")
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


def score_table(outcome: Outcome, cluster: Cluster, most: int | None = None) -> ScoreTable | None:
    """Lay out the scores, winner first, then by total and name; ``most`` rows, all if None."""
    scores = outcome.scores
    if scores is None or len(scores.rows) < 2:
        return None
    winner = outcome.choice
    chosen = scores.rows == winner
    order = np.lexsort((scores.rows, -scores.total, ~chosen)).tolist()
    differs = [plugin for plugin, values in scores.weighted.items() if np.ptp(values)]
    differs.sort(key=lambda plugin: -int(np.ptp(scores.weighted[plugin])))
    rows = tuple(
        ScoreRow(
            node=cluster.node_name(int(scores.rows[i])),
            total=int(scores.total[i]),
            plugins={plugin: int(scores.weighted[plugin][i]) for plugin in differs},
            raw={plugin: int(scores.raw[plugin][i]) for plugin in differs},
            chosen=int(scores.rows[i]) == winner,
        )
        for i in order[:most]
    )
    return ScoreTable(
        columns=tuple(differs),
        rows=rows,
        same={plugin: int(values[0]) for plugin, values in scores.weighted.items() if plugin not in differs},
        skipped=scores.skipped,
        more=len(order) - len(rows),
        tie=tuple(cluster.node_name(row) for row in scores.best) if len(scores.best) > 1 else (),
    )
