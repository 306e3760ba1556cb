"""What leaves for a group that does not fit, and what the scheduler says of it.

Source: kubernetes v1.37.2 pkg/scheduler/framework/runtime/framework.go RunPodGroupPostFilterPlugins; v1.36.3
pkg/scheduler/schedule_one_podgroup.go podGroupCycle, runWorkloadAwarePreemption.
"""

from __future__ import annotations

from msgspec.structs import replace

from kplan.framework.codes import Code, Point
from kplan.framework.groups import GroupHandle, GroupInfo, GroupPostFilter
from kplan.framework.preemption import NodeStatus
from kplan.pipeline.groups.bench import GroupBench
from kplan.pipeline.groups.tried import TriedGroup, Tries
from kplan.pipeline.profiles import Pipeline

_NOT_REGISTERED = "default preemption plugin is not registered, workload aware preemption is disabled"
_CONSTRAINED = "workload aware preemption is not supported for pod groups with scheduling constraints"


def find_room(
    planner: Tries, group: GroupInfo, pipeline: Pipeline, tried: TriedGroup
) -> tuple[NodeStatus, GroupPostFilter]:
    """Find what leaves for a group.

    Args:
        planner: the planner, on whose cluster the group did not fit.
        group: the group.
        pipeline: plugins of its pods' profile.
        tried: what trying it came to.

    Returns:
        its status in the end, and who leaves: with code Success for a group that fits then.
    """
    if not group.asked and not pipeline.features.since(37):
        return _until_1_36(planner, group, pipeline, tried)
    told = _asked(planner, group, pipeline, tried)
    status = tried.status
    if told.code is Code.ERROR:
        return NodeStatus(Code.ERROR, message=", ".join(told.reasons)), told
    text = ", ".join((", ".join(status.reasons), ", ".join(told.reasons)))
    return NodeStatus(status.code, status.plugin, status.whys, message=text), told


def _handle(planner: Tries, group: GroupInfo, pipeline: Pipeline, tried: TriedGroup) -> GroupHandle:
    return GroupHandle(
        planner.cluster,
        {pod.pod.row: pod.cycle.states for pod in tried.pods if pod.cycle is not None},
        {pod.pod.row: pod.codes for pod in tried.pods},
        lambda pods: GroupBench(planner, group, pipeline, pods),
    )


def _asked(planner: Tries, group: GroupInfo, pipeline: Pipeline, tried: TriedGroup) -> GroupPostFilter:
    """Ask PodGroupPostFilter plugins one after another."""
    handle = _handle(planner, group, pipeline, tried)
    reasons: list[str] = []
    for plugin in pipeline.at(Point.POST_FILTER if group.asked else Point.POD_GROUP_POST_FILTER):
        if not hasattr(plugin, "pod_group_post_filter"):
            continue
        answer: GroupPostFilter = plugin.pod_group_post_filter(group, handle)
        if answer.code is Code.ERROR:
            text = f'error in "{plugin.name}" PodGroupPostFilter plugins: {", ".join(answer.reasons)}'
            return GroupPostFilter(Code.ERROR, (text,))
        if answer.code is not Code.UNSCHEDULABLE:
            return answer
        reasons += answer.reasons
    return GroupPostFilter(Code.UNSCHEDULABLE, tuple(reasons))


def _until_1_36(
    planner: Tries, group: GroupInfo, pipeline: Pipeline, tried: TriedGroup
) -> tuple[NodeStatus, GroupPostFilter]:
    """Who leaves in 1.36: for single pods, whatever becomes of the group; behind a gate, for all of it."""
    status = tried.status
    if not pipeline.features.enabled("WorkloadAwarePreemption") or status.code is not Code.UNSCHEDULABLE:
        code = Code.SUCCESS if tried.waits else Code.UNSCHEDULABLE
        return status, GroupPostFilter(code, (), tried.victims, tried.assignments if tried.waits else {})
    told = _for_all(planner, group, pipeline, tried)
    if told.code is Code.SUCCESS:
        # they are nominated where they fitted before anyone left
        return status, replace(told, nominated=tried.assignments)
    text = ", ".join(told.reasons)
    if told.code is Code.ERROR:
        return NodeStatus(Code.ERROR, message=text), told
    text = ", ".join((*status.reasons, text))
    return NodeStatus(status.code, status.plugin, status.whys, message=text), told


def _for_all(planner: Tries, group: GroupInfo, pipeline: Pipeline, tried: TriedGroup) -> GroupPostFilter:
    """Who leaves for all of a group, as the gate WorkloadAwarePreemption of 1.36 has it."""
    constraints = group.pod_group.spec.scheduling_constraints
    if constraints is not None and constraints.topology:
        return GroupPostFilter(Code.UNSCHEDULABLE, (_CONSTRAINED,))
    handle = _handle(planner, group, pipeline, tried)
    for plugin in pipeline.at(Point.POST_FILTER):
        if hasattr(plugin, "pod_group_post_filter"):
            answer: GroupPostFilter = plugin.pod_group_post_filter(group, handle)
            if answer.reasons or answer.code is not Code.UNSCHEDULABLE:
                return answer
    return GroupPostFilter(Code.UNSCHEDULABLE, (_NOT_REGISTERED,))
