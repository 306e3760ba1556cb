"""A group of pods as one entity of the queue: its cycle places so many of its pods at one time, or none.

Source: kubernetes v1.37.2 pkg/scheduler/schedule_one_podgroup.go scheduleOnePodGroup, podGroupCycle,
podGroupSchedulingDefaultAlgorithm, submitPodGroupAlgorithmResult.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kplan.cluster import Change, Nominate, PodInfo, Remove
from kplan.framework.codes import Code, Point
from kplan.framework.findings import Why
from kplan.framework.groups import GroupHandle, GroupInfo, GroupPostFilter
from kplan.framework.preemption import NodeStatus
from kplan.objects.models import PodGroup
from kplan.objects.models.groups import GangSchedulingPolicy, PodGroupSchedulingPolicy, PodGroupSpec
from kplan.pipeline.group_bench import GroupBench
from kplan.pipeline.group_rules import invalid
from kplan.pipeline.group_trying import UNSCHEDULABLE, Tried, TriedPod, Tries, try_group
from kplan.pipeline.profiles import Pipeline
from kplan.plugins.shared.pod_groups import counts, group_of, key_of, quorum
from kplan.result import Event, EventKind, Outcome
from kplan.result.group import GroupOutcome
from kplan.result.outcome import Preempted


def group_in(planner: Tries, pod: PodInfo) -> GroupInfo | None:
    """The group whose cycle a waiting pod is tried in; None where it is tried alone."""
    pipeline = _pipeline(planner, pod)
    if pipeline is None or not pod.waiting:
        return None
    asked = planner.together(pod) if planner.together is not None else ""
    if asked:
        return _asked(planner, asked)
    if not pipeline.features.since(37):
        return None
    cluster, features = planner.cluster, pipeline.features
    group = group_of(pod, cluster, features)
    if group is None:
        return None
    key = key_of(pod, features)
    mine = [cluster.pods[row] for row in cluster.in_group(key)]
    waiting = planner.queue.sort(one for one in mine if one.waiting and planner.queue.responsible(one))
    return GroupInfo(key, group, tuple(waiting), counts(pod, key, cluster).scheduled)


def _asked(planner: Tries, name: str) -> GroupInfo:
    """The set of pods that is to be placed whole or not at all."""
    assert planner.together is not None
    mine = [pod for pod in planner.cluster.pods if not pod.gone and planner.together(pod) == name]
    waiting = planner.queue.sort(pod for pod in mine if pod.waiting and planner.queue.responsible(pod))
    gang = PodGroupSchedulingPolicy(gang=GangSchedulingPolicy(min_count=len(mine)))
    spec = PodGroupSpec(scheduling_policy=gang, priority=min(pod.priority for pod in waiting))
    return GroupInfo(name, PodGroup(spec=spec), tuple(waiting), sum(pod.bound for pod in mine), asked=True)


def _pipeline(planner: Tries, pod: PodInfo) -> Pipeline | None:
    return planner.queue.pipelines.get(pod.scheduler_name)


@dataclass(frozen=True, slots=True)
class PodGroupCycle:
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

    def steps(self, planner: Tries) -> dict[int, Event]:
        """Try the group, carry out what comes of it, and give what became of each of its pods, by row."""
        gated = self._gated(planner)
        if gated:
            return self._kept_out(gated)
        first = self._cycle(planner)
        if not first.group.makes_room or not planner.preempt:
            return {row: Event(_kind(outcome), outcome) for row, outcome in first.outcomes.items()}
        cleared = first.group
        planner.apply(Remove(victim) for victim in cleared.victims)
        if planner.move_nominations:
            planner.apply(Nominate(row, node) for row, node in cleared.nominated.items())
        again = PodGroupCycle(replace(self.group, scheduled=self._scheduled(planner)), self.pipeline)._cycle(planner)
        return dict(self._after_eviction(first, again))

    def _scheduled(self, planner: Tries) -> int:
        if self.group.asked:
            return self.group.scheduled
        return counts(self.group.waiting[0], self.group.key, planner.cluster).scheduled

    def _after_eviction(self, first: Cycled, again: Cycled) -> Iterator[tuple[int, Event]]:
        """Join two cycles: the victims are told once, with the first pod that has a node then."""
        whole = replace(first.group, then=again.group)
        bearer = next((row for row, one in again.outcomes.items() if one.placement is not None), None)
        bearer = next(iter(first.outcomes)) if bearer is None else bearer
        for row, outcome in first.outcomes.items():
            then = replace(again.outcomes[row], group=whole)
            victims = whole.victims if row == bearer else ()
            node = whole.nominated.get(row, -1)
            yield (
                row,
                Event(
                    EventKind.PREEMPTED if victims else _kind(then),
                    replace(outcome, group=whole, preempted=Preempted(node, victims, (), then)),
                ),
            )

    def _gated(self, planner: Tries) -> dict[int, NodeStatus]:
        """Why PreEnqueue keeps pods of the group out, by row; one keeps out all."""
        statuses = ((pod.row, planner.queue.kept_out(pod, planner.cluster)) for pod in self.group.waiting)
        return {row: status for row, status in statuses if status is not None}

    def _kept_out(self, gated: Mapping[int, NodeStatus]) -> dict[int, Event]:
        whole = self._outcome(gated=gated)
        events = {}
        for pod in self.group.waiting:
            own = gated.get(pod.row)
            held = None if own is not None else next(iter(gated.values()))
            outcome = Outcome(pod.key, pod.row, pre_enqueue=own, group=whole, held=held)
            events[pod.row] = Event(EventKind.GATED if outcome.gated else EventKind.PENDING, outcome)
        return events

    def _outcome(self, **fields: Any) -> GroupOutcome:
        group = self.group
        rows = tuple(pod.row for pod in group.waiting)
        wanted = quorum(group.pod_group.spec.scheduling_policy)
        return GroupOutcome(group.key, rows, wanted, group.scheduled, asked=group.asked, **fields)

    def _cycle(self, planner: Tries) -> Cycled:
        """One cycle: place the group, or find what would have to leave for it."""
        problem = "" if self.group.asked else invalid(self.group, planner.cluster, self.pipeline.features)
        if problem:
            return self._failed(planner, NodeStatus(Code.ERROR, message=problem), {}, Tried())
        with planner.trial() as trial:
            tried = try_group(trial, self.group, self.pipeline, everything=planner.everything)
            if tried.status.code is Code.SUCCESS:
                trial.keep()
        if tried.status.code is Code.SUCCESS:
            return self._placed(tried)
        if tried.status.code is Code.ERROR:
            return self._failed(planner, tried.status, {}, tried)
        told = self._post_filter(planner, tried)
        status = tried.status
        if told.code is Code.ERROR:
            status = NodeStatus(Code.ERROR, message=", ".join(told.reasons))
        else:
            text = ", ".join((", ".join(status.reasons), ", ".join(told.reasons)))
            status = NodeStatus(status.code, status.plugin, status.whys, message=text)
        nominated = told.nominated if told.code is Code.SUCCESS else {}
        return self._failed(planner, status, nominated, tried, told)

    def _placed(self, tried: Tried) -> Cycled:
        refused = tuple(one.pod.row for one in tried.pods if one.outcome.placement is None)
        whole = self._outcome(found=tried.assignments, refused=refused, nodes=tried.nodes)
        return Cycled(whole, {one.pod.row: replace(one.outcome, group=whole) for one in tried.pods})

    def _failed(
        self,
        planner: Tries,
        status: NodeStatus,
        nominated: Mapping[int, int],
        tried: Tried,
        told: GroupPostFilter | None = None,
    ) -> Cycled:
        """Nothing is placed: say to each pod what the scheduler says to it."""
        waits = told is not None and told.code is Code.SUCCESS
        whole = self._outcome(
            status=status,
            found=tried.assignments,
            refused=tuple(one.pod.row for one in tried.pods if one.status is not None),
            nodes=tried.nodes,
            victims=told.victims if told is not None else (),
            nominated=nominated,
            pdb_violations=told.pdb_violations if told is not None else 0,
            under_way=told is not None and told.under_way,
        )
        asked = {one.pod.row: one for one in tried.pods}
        outcomes = {}
        for pod in self.group.waiting:
            one = asked.get(pod.row) or TriedPod(pod, Outcome(pod.key, pod.row), tried.status)
            outcome = replace(_said(one, status, waits=waits), placement=None, permit=None)
            outcomes[pod.row] = replace(outcome, group=whole, nominated_to=nominated.get(pod.row, -1))
        planner.apply(_cleared(planner, outcomes, status, waits=waits))
        return Cycled(whole, outcomes)

    def _post_filter(self, planner: Tries, tried: Tried) -> GroupPostFilter:
        """Ask PodGroupPostFilter plugins for a way out.

        Source: v1.37.2 framework/runtime/framework.go RunPodGroupPostFilterPlugins.
        """
        handle = GroupHandle(
            planner.cluster,
            {one.pod.row: one.states for one in tried.pods},
            lambda pods: GroupBench(planner, self.group, self.pipeline, pods),
        )
        reasons: list[str] = []
        point = Point.POST_FILTER if self.group.asked else Point.POD_GROUP_POST_FILTER
        for plugin in self.pipeline.at(point):
            if not hasattr(plugin, "pod_group_post_filter"):
                continue
            answer: GroupPostFilter = plugin.pod_group_post_filter(self.group, handle)
            if answer.code is Code.ERROR:
                text = f'error in "{plugin.name}" PodGroupPostFilter plugins: {", ".join(answer.reasons)}'
                return GroupPostFilter(Code.ERROR, (text,))
            if answer.code is not Code.UNSCHEDULABLE:
                return answer
            reasons += answer.reasons
        return GroupPostFilter(Code.UNSCHEDULABLE, tuple(reasons))


@dataclass(frozen=True, slots=True)
class Cycled:
    """What one cycle came to.

    Attributes:
        group: for the group.
        outcomes: for each of its pods, by row, in order.
    """

    group: GroupOutcome
    outcomes: dict[int, Outcome] = field(default_factory=dict)


def _said(one: TriedPod, status: NodeStatus, *, waits: bool) -> Outcome:
    """What the scheduler says to a pod whose group is not placed.

    Source: v1.37.2 schedule_one_podgroup.go submitPodGroupAlgorithmResult.
    """
    text = ", ".join(status.reasons)
    if status.code is Code.ERROR:
        own = one.status is not None and one.status.code is Code.ERROR and one.outcome.error
        return one.outcome if own else replace(one.outcome, error=text, held=status)
    if one.status is None:
        whys: tuple[Why, ...] = status.whys
        text = text if waits else f"{UNSCHEDULABLE}, {text}"
        held = NodeStatus(Code.UNSCHEDULABLE, status.plugin, whys, message=text)
        return replace(one.outcome, fit_error=text, held=held)
    if one.outcome.diagnosis is not None or one.outcome.fit_error:
        return one.outcome
    return replace(one.outcome, fit_error=", ".join(one.status.reasons), held=one.status)


def _cleared(planner: Tries, outcomes: Mapping[int, Outcome], status: NodeStatus, *, waits: bool) -> Sequence[Change]:
    """Nominations that a failed cycle takes away: of pods that fitted, or of all where something failed."""
    if waits:
        return ()
    rows = [row for row, one in outcomes.items() if status.code is Code.ERROR or (one.held and one.scores)]
    return [Nominate(row, -1) for row in rows if planner.cluster.pod_nominated[row] >= 0]


def _kind(outcome: Outcome) -> EventKind:
    if outcome.placement is not None:
        return EventKind.PLACED
    return EventKind.FAILED if outcome.error else EventKind.PENDING
