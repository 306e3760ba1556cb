"""Trying a group: its pods one after another on the same nodes, each assumed before the next.

Source: kubernetes v1.37.2 pkg/scheduler/schedule_one_podgroup.go podGroupSchedulingDefaultAlgorithm,
podGroupSchedulingPlacementAlgorithm, podGroupPodSchedulingAlgorithm, findBestPodGroupPlacement.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from kplan.cluster import PodInfo
from kplan.framework.codes import Code, Point
from kplan.framework.findings import Failed
from kplan.framework.groups import GroupInfo, NodeSet, PlacementFeasiblePlugin, Proposal
from kplan.framework.preemption import NodeStatus
from kplan.framework.worlds import Rows
from kplan.pipeline.cycle import Cycle
from kplan.pipeline.entity import Steps, place_pod
from kplan.pipeline.profiles import Pipeline
from kplan.plugins.shared.pod_groups import feasible, quorum
from kplan.result import Outcome

UNSCHEDULABLE = "pod group is unschedulable"
NO_NODES = "no feasible placements found"
_SUCCESS = NodeStatus(Code.SUCCESS)


class Tries(Steps, Protocol):
    """A planner that can be tried on.

    Attributes:
        together: names what else is to be placed whole or not at all: a set of pods, by one of them; None for nothing.
    """

    together: Callable[[PodInfo], str] | None

    def trial(self) -> AbstractContextManager[Any]:
        """A planner over the same cluster that takes back what goes through it."""

    def group_cycle(self, pod: PodInfo, within: Rows | None, *, everything: bool) -> Cycle:
        """Start a cycle of one pod of a group."""


@dataclass(frozen=True, slots=True)
class TriedPod:
    """One pod that was tried.

    Attributes:
        pod: the pod.
        outcome: what its cycle came to.
        status: why it got no node; None if it got one.
        states: what its PreFilter plugins made, by plugin.
        skipped: names of those that had nothing to say.
    """

    pod: PodInfo
    outcome: Outcome
    status: NodeStatus | None
    states: Mapping[str, object] = field(default_factory=dict)
    skipped: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Tried:
    """What trying a group came to.

    Attributes:
        status: of the group.
        pods: those that were tried, in order; the others were not, once nothing could help any more.
        nodes: name of the set of nodes; empty for all.
    """

    status: NodeStatus = _SUCCESS
    pods: tuple[TriedPod, ...] = ()
    nodes: str = ""

    @property
    def assignments(self) -> dict[int, int]:
        """Node row by pod row, in order, of those that got one."""
        return {one.pod.row: one.outcome.placement.node for one in self.pods if one.outcome.placement is not None}


def try_group(trial: Tries, group: GroupInfo, pipeline: Pipeline, *, everything: bool) -> Tried:
    """Try a group on the planner of a trial, who has to take back what stays where it comes to nothing.

    Args:
        trial: the planner.
        group: the group.
        pipeline: plugins of its pods' profile.
        everything: ask every plugin about every node.
    """
    if group.asked or not pipeline.features.enabled("TopologyAwareWorkloadScheduling"):
        return _on(trial, group, pipeline, None, everything=everything)
    sets = node_sets(trial, group, pipeline)
    if isinstance(sets, NodeStatus):
        return Tried(sets)
    tried = []
    for nodes in sets:
        with trial.trial() as alone:
            tried.append(_on(alone, group, pipeline, nodes, everything=everything))
        if tried[-1].status.code is Code.ERROR:
            return tried[-1]
    fitting = [(nodes, one) for nodes, one in zip(sets, tried, strict=True) if one.status.code is Code.SUCCESS]
    if not fitting:
        why = tried[0].status
        text = f"0/{len(sets)} placements are available, first placement status: {_error(why)}"
        status = NodeStatus(Code.UNSCHEDULABLE, why.plugin, why.whys, message=f"{UNSCHEDULABLE}, {text}")
        return replace(tried[0], status=status)
    best = _best(trial, group, pipeline, fitting)
    if isinstance(best, NodeStatus):
        return Tried(best)
    return _on(trial, group, pipeline, best, everything=everything)


def _error(status: NodeStatus) -> str:
    """What a status is as an error: one that says so itself is that alone."""
    text = ", ".join(status.reasons)
    return UNSCHEDULABLE if text.startswith(UNSCHEDULABLE) else text


def node_sets(trial: Tries, group: GroupInfo, pipeline: Pipeline) -> tuple[NodeSet, ...] | NodeStatus:
    """Part the nodes into the sets that a group is tried on, or say why that cannot be."""
    every = NodeSet("", trial.cluster.all_rows)
    for plugin in pipeline.at(Point.PLACEMENT_GENERATE)[:1]:
        sets: tuple[NodeSet, ...] | Failed = plugin.placements(group, trial.cluster, every)
        if isinstance(sets, Failed):
            return NodeStatus(Code.ERROR, plugin.name, message=sets.message)
        return sets or NodeStatus(Code.UNSCHEDULABLE, plugin.name, message=NO_NODES)
    return (every,)


def _best(
    trial: Tries, group: GroupInfo, pipeline: Pipeline, fitting: Sequence[tuple[NodeSet, Tried]]
) -> NodeSet | NodeStatus:
    """The set of nodes with the highest score, the first by name of several."""
    if len(fitting) == 1:
        return fitting[0][0]
    proposals = [Proposal(nodes, one.assignments) for nodes, one in fitting]
    total = [0] * len(proposals)
    for plugin in pipeline.at(Point.PLACEMENT_SCORE):
        scores: list[int] | Failed = plugin.score_placements(group, trial.cluster, proposals)
        if isinstance(scores, Failed):
            return NodeStatus(Code.ERROR, plugin.name, message=scores.message)
        weight = pipeline.profile.placement_weights[plugin.name]
        total = [sum_so_far + score * weight for sum_so_far, score in zip(total, scores, strict=True)]
    return fitting[total.index(max(total))][0]


def _on(trial: Tries, group: GroupInfo, pipeline: Pipeline, nodes: NodeSet | None, *, everything: bool) -> Tried:
    """Try the pods of a group one after another on one set of nodes."""
    remaining, scheduled = len(group.waiting), group.scheduled
    name = nodes.name if nodes is not None else ""
    status = _feasible(group, pipeline, scheduled, remaining)
    if status.code is Code.UNSCHEDULABLE:
        text = f"{UNSCHEDULABLE}, {', '.join(status.reasons)}"
        return Tried(NodeStatus(status.code, status.plugin, status.whys, message=text), (), name)
    pods: list[TriedPod] = []
    for pod in group.waiting:
        one = _pod(trial, pod, nodes, everything=everything)
        pods.append(one)
        if one.status is not None and one.status.code is Code.ERROR:
            text = f"failed to schedule other pod from a pod group: {', '.join(one.status.reasons)}"
            return Tried(NodeStatus(Code.ERROR, message=text), tuple(pods), name)
        remaining -= 1
        scheduled += one.status is None
        status = _feasible(group, pipeline, scheduled, remaining)
        if status.code is Code.UNSCHEDULABLE:
            break
    if status.code is Code.WAIT:
        text = f"{UNSCHEDULABLE}, {', '.join(status.reasons)}"
        status = NodeStatus(Code.UNSCHEDULABLE, status.plugin, status.whys, message=text)
    return Tried(status, tuple(pods), name)


def _pod(trial: Tries, pod: PodInfo, nodes: NodeSet | None, *, everything: bool) -> TriedPod:
    """Try one pod and place it where it fits."""
    cycle = trial.group_cycle(pod, nodes.rows if nodes is not None else None, everything=everything)
    outcome = cycle.explain(preempt=False)
    if outcome.error:
        return TriedPod(pod, outcome, NodeStatus(Code.ERROR, message=outcome.error), cycle.states)
    if outcome.choice < 0:
        refused = NodeStatus(Code.UNSCHEDULABLE, message=outcome.fit_error)
        return TriedPod(pod, outcome, refused, cycle.states)
    outcome = place_pod(trial, cycle, outcome)
    failed = NodeStatus(Code.ERROR, message=outcome.error) if outcome.error else None
    return TriedPod(pod, outcome, failed, cycle.states, cycle.skipped)


def _feasible(group: GroupInfo, pipeline: Pipeline, scheduled: int, remaining: int) -> NodeStatus:
    """Whether the group has what it needs, or may still get it.

    Source: v1.37.2 framework/runtime/framework.go RunPlacementFeasiblePlugins.
    """
    waits: NodeStatus | None = None
    if group.asked:
        wanted = quorum(group.pod_group.spec.scheduling_policy)
        return feasible(group.key, wanted, scheduled, remaining) or _SUCCESS
    for plugin in pipeline.plugins.values():
        if not isinstance(plugin, PlacementFeasiblePlugin):
            continue
        answer = plugin.placement_feasible(group, scheduled, remaining)
        if answer is not None and answer.code is Code.UNSCHEDULABLE:
            return answer
        waits = answer or waits
    return waits or _SUCCESS
