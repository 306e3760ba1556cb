"""A group of pods as one entity of the queue: its cycle places so many of its pods at one time, or none.

Source: kubernetes v1.37.2 pkg/scheduler/schedule_one_podgroup.go scheduleOnePodGroup, podGroupCycle,
podGroupSchedulingDefaultAlgorithm, submitPodGroupAlgorithmResult.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from kplan.cluster import Nominate, PodInfo, Remove
from kplan.framework.codes import Code
from kplan.framework.groups import GroupInfo, GroupPostFilter
from kplan.framework.preemption import NodeStatus
from kplan.objects.models import PodGroup
from kplan.objects.models.groups import GangSchedulingPolicy, PodGroupSchedulingPolicy, PodGroupSpec
from kplan.pipeline.groups.room import find_room
from kplan.pipeline.groups.rules import invalid
from kplan.pipeline.groups.telling import Cycled, cleared, joined, parts_of, said_by_pod, said_of, said_to
from kplan.pipeline.groups.trees import counted_anew, in_the_end, tree, try_tree
from kplan.pipeline.groups.tried import TriedGroup, TriedMember, Tries
from kplan.pipeline.profiles import Pipeline
from kplan.plugins.shared.pod_groups import group_of, key_of, quorum, scheduled, turn_of
from kplan.result import EventKind, Outcome, PlanEvent
from kplan.result.group import GroupOutcome

MOST_TURNS = 4
"""Turns that a group has at once while others leave for it."""


def group_in(planner: Tries, pod: PodInfo) -> GroupInfo | None:
    """The group whose cycle a waiting pod is tried in; None where it is tried alone."""
    pipeline = planner.queue.pipelines.get(pod.scheduler_name)
    if pipeline is None or not pod.waiting:
        return None
    asked = planner.together(pod) if planner.together is not None else ""
    if asked:
        return _asked(planner, asked)
    cluster, features = planner.cluster, pipeline.features
    group = group_of(pod, cluster, features)
    if group is None or (not features.since(37) and planner.queue.kept_out(pod, cluster) is not None):
        return None
    root = turn_of(pod, cluster, features)
    if root is None or features.since(37):
        return tree(planner, root) if root is not None else None
    key = key_of(pod, features)
    mine = [cluster.pods[row] for row in cluster.in_group(key)]
    waiting = planner.queue.sort(
        pod_info for pod_info in mine if pod_info.waiting and planner.queue.responsible(pod_info)
    )
    # each is kept out by itself yet, and the others have their turn without it
    waiting = [pod_info for pod_info in waiting if planner.queue.kept_out(pod_info, cluster) is None]
    return GroupInfo(key, group, tuple(waiting), scheduled(key, cluster))


def _asked(planner: Tries, name: str) -> GroupInfo:
    """The set of pods that is to be placed whole or not at all."""
    assert planner.together is not None
    mine = [pod for pod in planner.cluster.pods if not pod.gone and planner.together(pod) == name]
    waiting = planner.queue.sort(pod for pod in mine if pod.waiting and planner.queue.responsible(pod))
    gang = PodGroupSchedulingPolicy(gang=GangSchedulingPolicy(min_count=len(mine)))
    spec = PodGroupSpec(scheduling_policy=gang, priority=min(pod.priority for pod in waiting))
    return GroupInfo(name, PodGroup(spec=spec), tuple(waiting), sum(pod.bound for pod in mine), asked=True)


class PodGroupCycle(Struct, frozen=True):
    """One turn of a group.

    Attributes:
        group: the group.
        pipeline: plugins of its pods' profile.
    """

    group: GroupInfo
    pipeline: Pipeline

    @classmethod
    def of(cls, planner: Tries, group: GroupInfo) -> PodGroupCycle:
        """The turn of a group with the profile of its first pod."""
        return cls(group, planner.queue.pipelines[group.waiting[0].scheduler_name])

    def steps(self, planner: Tries) -> dict[int, PlanEvent]:
        """Try the group, carry out what comes of it, and give what became of each of its pods, by row."""
        gated = self._gated(planner)
        if gated:
            return self._kept_out(gated)
        turns = [self._cycle(planner)]
        while len(turns) < MOST_TURNS and self._makes_room(planner, turns):
            self._carry_out(planner, turns[-1])
            group = self.group if self.group.asked else counted_anew(self.group, planner.cluster)
            turns.append(PodGroupCycle(group, self.pipeline)._cycle(planner))
        return joined(turns)

    def _makes_room(self, planner: Tries, turns: Sequence[Cycled]) -> bool:
        """Whether the last turn changes something for the next: pods leave, or its own were nominated for once."""
        last = turns[-1].group
        nominated = len(turns) == 1 and not self._by_pod
        return planner.preempt and last.makes_room and (bool(last.victims) or nominated)

    def _carry_out(self, planner: Tries, turn: Cycled) -> None:
        """Let victims leave; nominations move."""
        planner.apply(Remove(victim) for victim in turn.group.victims)
        if planner.move_nominations:
            planner.apply(Nominate(row, -1) for row in turn.cleared)
            planner.apply(Nominate(row, node) for row, node in turn.group.nominated.items())

    def _gated(self, planner: Tries) -> dict[int, NodeStatus]:
        """Why PreEnqueue keeps pods of the group out, by row; one keeps out all."""
        statuses = ((pod.row, planner.queue.kept_out(pod, planner.cluster)) for pod in self.group.waiting)
        return {row: status for row, status in statuses if status is not None}

    def _kept_out(self, gated: Mapping[int, NodeStatus]) -> dict[int, PlanEvent]:
        whole = self._outcome(gated=gated)
        events = {}
        for pod in self.group.waiting:
            own = gated.get(pod.row)
            held = None if own is not None else next(iter(gated.values()))
            outcome = Outcome(pod.key, pod.row, pre_enqueue=own, group=whole, held=held)
            events[pod.row] = PlanEvent(EventKind.GATED if outcome.gated else EventKind.PENDING, outcome)
        return events

    def _outcome(self, **fields: Any) -> GroupOutcome:
        group = self.group
        rows = tuple(pod.row for pod in group.waiting)
        wanted = quorum(group.pod_group.spec.scheduling_policy)
        groups = len(group.groups)
        return GroupOutcome(group.key, rows, wanted, group.scheduled, asked=group.asked, groups=groups, **fields)

    def _cycle(self, planner: Tries) -> Cycled:
        """One cycle: place the group, or find what would have to leave for it."""
        problem = "" if self.group.asked else invalid(self.group, planner.cluster, self.pipeline.features)
        if problem:
            status = NodeStatus(Code.ERROR, message=problem)
            return self._failed(planner, status, {}, TriedGroup(status))
        with planner.trial() as trial:
            tried = try_tree(trial, self.group, self.pipeline, everything=planner.everything)
            if tried.status.code is Code.SUCCESS:
                trial.keep()
        if tried.status.code is Code.SUCCESS:
            return self._placed(planner, tried)
        if tried.status.code is Code.ERROR and not self._by_pod:
            return self._failed(planner, tried.status, {}, tried)
        status, told = find_room(planner, self.group, self.pipeline, tried)
        nominated = told.nominated if told.code is Code.SUCCESS else {}
        return self._failed(planner, status, nominated, tried, told)

    def _placed(self, planner: Tries, tried: TriedGroup) -> Cycled:
        parts = in_the_end(self.group, tried)
        outcomes: dict[int, Outcome] = {}
        for leaf in self.group.leaves:
            part = parts[leaf.key]
            if part.status.code is Code.SUCCESS:
                mine = {pod.pod.row: pod.outcome for pod in part.pods}
                left = {row: outcome for row, outcome in mine.items() if outcome.placement is None}
                changes = cleared(planner.cluster, left, part.status, waits=True, by_pod=self._by_pod)
            else:
                mine = self._left_out(leaf, part, part.status, waits=False)
                changes = cleared(planner.cluster, mine, part.status, waits=False, by_pod=self._by_pod)
            planner.apply(changes)
            outcomes |= mine
        nodes = {row: node for row, node in tried.assignments.items() if tried.placed is None or row in tried.placed}
        refused = tuple(row for row, outcome in outcomes.items() if outcome.placement is None)
        of = parts_of(self.group, parts, {key: group.status for key, group in parts.items()})
        whole = self._outcome(found=nodes, refused=refused, nodes=tried.nodes, of=of)
        return Cycled(whole, {row: replace(outcome, group=whole) for row, outcome in outcomes.items()})

    def _failed(
        self,
        planner: Tries,
        status: NodeStatus,
        nominated: Mapping[int, int],
        tried: TriedGroup,
        told: GroupPostFilter | None = None,
    ) -> Cycled:
        """Nothing is placed: say to each pod what the scheduler says to it."""
        waits = told is not None and told.code is Code.SUCCESS
        parts = in_the_end(self.group, tried)
        statuses = said_of(parts, told) if self.group.composite else {self.group.key: status}
        whole = self._outcome(
            status=statuses[self.group.key],
            found=tried.assignments,
            refused=tuple(pod.pod.row for pod in tried.pods if pod.status is not None),
            nodes=tried.nodes,
            victims=told.victims if told is not None else (),
            nominated=nominated,
            pdb_violations=told.pdb_violations if told is not None else 0,
            under_way=told is not None and told.under_way,
            of=parts_of(self.group, parts, statuses),
        )
        outcomes: dict[int, Outcome] = {}
        for leaf in self.group.leaves:
            outcomes |= self._left_out(leaf, parts[leaf.key], statuses[leaf.key], waits=waits)
        for row, outcome in outcomes.items():
            outcomes[row] = replace(outcome, group=whole, nominated_to=nominated.get(row, -1))
        planner.apply(cleared(planner.cluster, outcomes, whole.status, waits=waits, by_pod=self._by_pod))
        lower = tuple(row for pod in tried.pods if pod.victims for row in _outranked(planner, pod))
        return Cycled(whole, outcomes, lower)

    def _left_out(self, group: GroupInfo, tried: TriedGroup, status: NodeStatus, *, waits: bool) -> dict[int, Outcome]:
        """What the scheduler says to each pod of a group that is not placed, by row.

        Args:
            group: the group, not one of groups.
            tried: what trying it came to.
            status: its status in the end.
            waits: whether it fits once others are gone.
        """
        asked = {member.pod.row: member for member in tried.pods}
        outcomes = {}
        by_pod = self._by_pod
        for pod in group.waiting:
            tried_member = asked.get(pod.row) or TriedMember(
                pod, Outcome(pod.key, pod.row), status if by_pod else tried.status
            )
            said = (
                said_by_pod(tried_member, status, waits=waits) if by_pod else said_to(tried_member, status, waits=waits)
            )
            outcomes[pod.row] = replace(said, placement=None, permit=None)
        return outcomes

    @property
    def _by_pod(self) -> bool:
        """Whether its pods evict others one by one, as in 1.36."""
        return not self.group.asked and not self.pipeline.features.since(37)


def _outranked(planner: Tries, member: TriedMember) -> list[int]:
    """Rows of pods of lower priority that are nominated to the node a pod evicts others from."""
    there = (planner.cluster.pods[row] for row in planner.cluster.nominated_on(member.goes_to))
    return [pod.row for pod in there if pod.priority < member.pod.priority and planner.queue.responsible(pod)]
