"""Trying a group: its pods one after another on the same nodes, each assumed before the next.

Source: kubernetes v1.37.2 pkg/scheduler/schedule_one_podgroup.go podGroupSchedulingDefaultAlgorithm,
podGroupSchedulingPlacementAlgorithm, podGroupPodSchedulingAlgorithm, findBestPodGroupPlacement.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from kplan.cluster import PodInfo
from kplan.framework.codes import Code, Point
from kplan.framework.findings import Failed
from kplan.framework.groups import GroupInfo, NodeSet, PlacementFeasiblePlugin, Proposal
from kplan.framework.preemption import NodeStatus
from kplan.pipeline.entity import place_pod
from kplan.pipeline.groups.by_pod import try_by_pod
from kplan.pipeline.groups.tried import (
    UNSCHEDULABLE,
    TriedGroup,
    TriedMember,
    Tries,
    failed_pod,
    refusal_codes,
    stopped,
)
from kplan.pipeline.profiles import Pipeline
from kplan.plugins.shared.pod_groups import feasible, quorum

NO_NODES = "no feasible placements found"
_SUCCESS = NodeStatus(Code.SUCCESS)


def try_group(
    trial: Tries, group: GroupInfo, pipeline: Pipeline, *, everything: bool, within: NodeSet | None = None
) -> TriedGroup:
    """Try a group on the planner of a trial, who has to take back what stays where it comes to nothing.

    Args:
        trial: the planner.
        group: the group, not one of groups.
        pipeline: plugins of its pods' profile.
        everything: ask every plugin about every node.
        within: the nodes that the group above it is tried on; None for all.
    """
    if group.asked or not pipeline.features.enabled("TopologyAwareWorkloadScheduling"):
        return _on(trial, group, pipeline, None, everything=everything)
    sets = node_sets(trial, group, pipeline, within)
    if isinstance(sets, NodeStatus):
        return TriedGroup(sets)
    tried = []
    for nodes in sets:
        with trial.trial() as alone:
            tried.append(_on(alone, group, pipeline, nodes, everything=everything))
        if tried[-1].status.code is Code.ERROR:
            return tried[-1]
    fitting = [
        (at, tried_group)
        for at, tried_group in zip(sets, tried, strict=True)
        if tried_group.waits or tried_group.status.code is Code.SUCCESS
    ]
    if not fitting:
        return replace(tried[0], status=none_available(tried[0].status, len(sets), pipeline))
    best = best_of(trial, group, pipeline, fitting)
    if isinstance(best, NodeStatus):
        return TriedGroup(best)
    return _on(trial, group, pipeline, best, everything=everything)


def none_available(first: NodeStatus, count: int, pipeline: Pipeline) -> NodeStatus:
    """The status of a group that fits none of so many sets of nodes, by that of the first."""
    text = f"0/{count} placements are available, first placement status: {_error(first)}"
    text = f"{UNSCHEDULABLE}, {text}" if pipeline.features.since(37) else text
    return NodeStatus(Code.UNSCHEDULABLE, first.plugin, first.whys, message=text)


def _error(status: NodeStatus) -> str:
    """What a status is as an error: one that says so itself is that alone."""
    text = ", ".join(status.reasons)
    return UNSCHEDULABLE if text.startswith(UNSCHEDULABLE) else text


def node_sets(
    trial: Tries, group: GroupInfo, pipeline: Pipeline, within: NodeSet | None = None
) -> tuple[NodeSet, ...] | NodeStatus:
    """Part the nodes, or those within a set, into the sets that a group is tried on, or say why that cannot be."""
    every = within or NodeSet("", trial.cluster.all_rows)
    for plugin in pipeline.at(Point.PLACEMENT_GENERATE)[:1]:
        sets: tuple[NodeSet, ...] | Failed = plugin.placements(group, trial.cluster, every)
        if isinstance(sets, Failed):
            return NodeStatus(Code.ERROR, plugin.name, message=sets.message)
        return sets or NodeStatus(Code.UNSCHEDULABLE, plugin.name, message=NO_NODES)
    return (every,)


def best_of(
    trial: Tries, group: GroupInfo, pipeline: Pipeline, fitting: Sequence[tuple[NodeSet, TriedGroup]]
) -> NodeSet | NodeStatus:
    """The set of nodes with the highest score, the first by name of several."""
    if len(fitting) == 1:
        return fitting[0][0]
    proposals = [Proposal(nodes, tried_group.assignments) for nodes, tried_group in fitting]
    total = [0] * len(proposals)
    for plugin in pipeline.at(Point.PLACEMENT_SCORE):
        scores: list[int] | Failed = plugin.score_placements(group, trial.cluster, proposals)
        if isinstance(scores, Failed):
            return NodeStatus(Code.ERROR, plugin.name, message=scores.message)
        weight = pipeline.profile.placement_weights[plugin.name]
        total = [sum_so_far + score * weight for sum_so_far, score in zip(total, scores, strict=True)]
    return fitting[total.index(max(total))][0]


def _on(trial: Tries, group: GroupInfo, pipeline: Pipeline, nodes: NodeSet | None, *, everything: bool) -> TriedGroup:
    """Try the pods of a group one after another on one set of nodes."""
    name = nodes.name if nodes is not None else ""
    if not group.asked and not pipeline.features.since(37):
        return try_by_pod(trial, group, nodes.rows if nodes is not None else None, name, everything=everything)
    remaining, scheduled = len(group.waiting), group.scheduled
    status = may_be(group, pipeline, scheduled, remaining)
    if status.code is Code.UNSCHEDULABLE:
        text = f"{UNSCHEDULABLE}, {', '.join(status.reasons)}"
        return TriedGroup(NodeStatus(status.code, status.plugin, status.whys, message=text), (), name)
    pods: list[TriedMember] = []
    for pod in group.waiting:
        pods.append(member := _pod(trial, pod, nodes, everything=everything))
        if (failed := stopped(pods, name)) is not None:
            return failed
        remaining -= 1
        scheduled += member.status is None
        status = may_be(group, pipeline, scheduled, remaining)
        if status.code is Code.UNSCHEDULABLE:
            break
    return TriedGroup(waits_in_vain(status), tuple(pods), name)


def waits_in_vain(status: NodeStatus) -> NodeStatus:
    """The status of a group that had all tried and still waits for more."""
    if status.code is not Code.WAIT:
        return status
    text = f"{UNSCHEDULABLE}, {', '.join(status.reasons)}"
    return NodeStatus(Code.UNSCHEDULABLE, status.plugin, status.whys, message=text)


def _pod(trial: Tries, pod: PodInfo, nodes: NodeSet | None, *, everything: bool) -> TriedMember:
    """Try one pod and place it where it fits."""
    cycle = trial.group_cycle(pod, nodes.rows if nodes is not None else None, everything=everything)
    outcome = cycle.explain(preempt=False)
    if outcome.error or outcome.choice < 0:
        return failed_pod(cycle, outcome)
    codes = refusal_codes(cycle, outcome)
    outcome = place_pod(trial, cycle, outcome)
    failed = NodeStatus(Code.ERROR, message=outcome.error) if outcome.error else None
    node = outcome.placement.node if outcome.placement is not None else -1
    return TriedMember(pod, outcome, failed, cycle, goes_to=node, codes=codes)


def may_be(group: GroupInfo, pipeline: Pipeline, scheduled: int, remaining: int) -> NodeStatus:
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
