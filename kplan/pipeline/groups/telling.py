"""What a group's turn is to each of its pods: what the scheduler says to it, and what it tells the plan.

Source: kubernetes v1.37.2 and v1.36.3 pkg/scheduler/schedule_one_podgroup.go submitPodGroupAlgorithmResult.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from kplan.cluster import Change, Cluster, Nominate
from kplan.framework.codes import Code
from kplan.framework.findings import Why
from kplan.framework.groups import GroupInfo, GroupPostFilter
from kplan.framework.preemption import NodeStatus
from kplan.pipeline.groups.tried import UNSCHEDULABLE, TriedGroup, TriedMember
from kplan.plugins.shared.pod_groups import quorum
from kplan.result import EventKind, Outcome, PlanEvent
from kplan.result.group import GroupOutcome
from kplan.result.outcome import Preempted


class Cycled(Struct, frozen=True):
    """What one cycle came to.

    Attributes:
        group: for the group.
        outcomes: for each of its pods, by row, in order.
        cleared: rows of other pods that lose their nomination once its victims leave.
    """

    group: GroupOutcome
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    cleared: tuple[int, ...] = ()


def joined(turns: Sequence[Cycled]) -> dict[int, PlanEvent]:
    """What became of each pod of a group over its turns, by row: the victims of each are told once."""
    last = turns[-1]
    group, outcomes = last.group, dict(last.outcomes)
    for turn in reversed(turns[:-1]):
        group = replace(turn.group, then=group)
        outcomes = dict(_before(turn, group, outcomes))
    return {row: PlanEvent(event_kind(outcome), outcome) for row, outcome in outcomes.items()}


def _before(turn: Cycled, whole: GroupOutcome, later: Mapping[int, Outcome]) -> Iterator[tuple[int, Outcome]]:
    """Put a turn before the later ones; its victims go with the first pod that has a node in the end."""
    bearer = next((row for row, outcome in later.items() if outcome.last.placement is not None), None)
    bearer = next(iter(turn.outcomes)) if bearer is None else bearer
    for row, outcome in turn.outcomes.items():
        victims = whole.victims if row == bearer else ()
        preempted = Preempted(whole.nominated.get(row, -1), victims, (), _of(later[row], whole))
        yield row, replace(outcome, group=whole, preempted=preempted)


def _of(outcome: Outcome, whole: GroupOutcome) -> Outcome:
    """The same, and all turns behind it, as part of the first turn."""
    preempted = outcome.preempted
    if preempted is not None:
        preempted = replace(preempted, then=_of(preempted.then, whole))
    return replace(outcome, group=whole, preempted=preempted)


def event_kind(outcome: Outcome) -> EventKind:
    """What became of a pod of a group."""
    if outcome.victims:
        return EventKind.PREEMPTED
    last = outcome.last
    if last.placement is not None:
        return EventKind.PLACED
    return EventKind.FAILED if last.error else EventKind.PENDING


def said_of(parts: Mapping[str, TriedGroup], told: GroupPostFilter | None) -> dict[str, NodeStatus]:
    """What the scheduler says in the end of each group of a tree that came to nothing, by key.

    What PodGroupPostFilter plugins say is added to the status of each group; to one that several groups share it is
    added as often.

    Args:
        parts: what each came to.
        told: what the plugins said; None if they were not asked.
    """
    if told is None:
        return {key: group.status for key, group in parts.items()}
    text = ", ".join(told.reasons)
    if told.code is Code.ERROR:
        return {key: NodeStatus(Code.ERROR, message=text) for key in parts}
    shared = Counter(id(part.status) for part in parts.values())

    def with_text(status: NodeStatus) -> NodeStatus:
        message = ", ".join((*status.reasons, *[text] * shared[id(status)]))
        return NodeStatus(status.code, status.plugin, status.whys, message=message)

    return {key: with_text(group.status) for key, group in parts.items()}


def parts_of(
    group: GroupInfo, parts: Mapping[str, TriedGroup], statuses: Mapping[str, NodeStatus]
) -> tuple[GroupOutcome, ...]:
    """What the turn of a group of groups is to each group with pods below it; none for another group.

    Args:
        group: the group.
        parts: what each came to, by key.
        statuses: their statuses in the end, by key.
    """
    if not group.composite:
        return ()
    return tuple(
        GroupOutcome(
            leaf.key,
            tuple(pod.row for pod in leaf.waiting),
            quorum(leaf.pod_group.spec.scheduling_policy),
            leaf.scheduled,
            status=statuses[leaf.key],
            found=parts[leaf.key].assignments,
            refused=tuple(member.pod.row for member in parts[leaf.key].pods if member.status is not None),
            nodes=parts[leaf.key].nodes,
        )
        for leaf in group.leaves
    )


def said_to(member: TriedMember, status: NodeStatus, *, waits: bool) -> Outcome:
    """What the scheduler says to a pod whose group is not placed.

    Args:
        member: the pod.
        status: of its group.
        waits: whether the group fits once others are gone.
    """
    text = ", ".join(status.reasons)
    if status.code is Code.ERROR:
        return _failed(member, status)
    if member.status is None:
        whys: tuple[Why, ...] = status.whys
        text = text if waits else f"{UNSCHEDULABLE}, {text}"
        held = NodeStatus(Code.UNSCHEDULABLE, status.plugin, whys, message=text)
        return replace(member.outcome, fit_error=text, held=held)
    return _refused(member)


def said_by_pod(member: TriedMember, status: NodeStatus, *, waits: bool) -> Outcome:
    """The same in 1.36: what Permit said to a pod, not what became of the group, is told."""
    if status.code is Code.ERROR:
        return _failed(member, status)
    if member.goes_to < 0 or (waits and member.status is not None):
        return _refused(member)
    why = status if waits else member.permit
    text = ", ".join(why.reasons) if why is not None else ""
    text = text if waits else f"{UNSCHEDULABLE}, {text}"
    held = NodeStatus(Code.UNSCHEDULABLE, why.plugin if why else "", why.whys if why else (), message=text)
    return replace(member.outcome, fit_error=text, held=held)


def _failed(member: TriedMember, status: NodeStatus) -> Outcome:
    own = member.status is not None and member.status.code is Code.ERROR and member.outcome.error
    return member.outcome if own else replace(member.outcome, error=", ".join(status.reasons), held=status)


def _refused(member: TriedMember) -> Outcome:
    if member.outcome.diagnosis is not None or member.outcome.fit_error or member.status is None:
        return member.outcome
    return replace(member.outcome, fit_error=", ".join(member.status.reasons), held=member.status)


def cleared(
    cluster: Cluster, outcomes: Mapping[int, Outcome], status: NodeStatus, *, waits: bool, by_pod: bool
) -> Sequence[Change]:
    """Nominations that a failed cycle takes away.

    Those of pods that fitted, or of all where something failed; in 1.36 also those of pods for which nobody can leave.

    Args:
        cluster: the cluster.
        outcomes: what became of each pod, by row.
        status: of the group.
        waits: whether it fits once others are gone.
        by_pod: whether its pods evict others one by one.
    """
    failed = status.code is Code.ERROR
    rows = [row for row, outcome in outcomes.items() if failed or (outcome.held and outcome.scores and not waits)]
    if by_pod:
        tried = {row: outcome.preemption for row, outcome in outcomes.items() if outcome.preemption is not None}
        useless = [row for row, preemption in tried.items() if preemption.eligible and not preemption.candidates]
        rows += [*useless, *(row for row in tried if outcomes[row].held and not waits)]
    return [Nominate(row, -1) for row in dict.fromkeys(rows) if cluster.pod_nominated[row] >= 0]
