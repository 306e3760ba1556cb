"""What the pods of a group have to have in common before it is tried.

Source: kubernetes v1.37.2 pkg/scheduler/schedule_one_podgroup.go validatePodGroup, validateScheduledPods; v1.36.3
frameworkForPodGroup, which asks for one schedulerName alone.
"""

from __future__ import annotations

from kplan.cluster import Cluster, PodInfo
from kplan.framework.features import Features
from kplan.framework.groups import GroupInfo
from kplan.plugins.shared.pod_groups import priority_of

_ANY = "PreemptLowerPriority"
_OTHER_NAME = 'all pods in a single pod group should have the same .spec.schedulerName set, got: "{}" and "{}"'


def invalid(group: GroupInfo, cluster: Cluster, features: Features) -> str:
    """Say, in the scheduler's words, why a group is not tried at all; empty if it is.

    Args:
        group: the group.
        cluster: holds its pods that have a node already.
        features: version and gates.
    """
    scheduler, priority = group.waiting[0].scheduler_name, priority_of(group.pod_group)
    if not features.since(37):
        others = (pod.scheduler_name for pod in group.waiting if pod.scheduler_name != scheduler)
        other = next(others, "")
        return _OTHER_NAME.format(other, scheduler) if other else ""
    by_group = features.enabled("PodGroupPreemptionPolicy")
    policy = (group.pod_group.spec.preemption_policy or _ANY) if by_group else ""
    rows = (row for leaf in group.leaves for row in cluster.in_group(leaf.key))
    bound = [cluster.pods[row] for row in rows if cluster.pods[row].bound]
    for pod in (*group.waiting, *bound):
        problem = _differs(pod, scheduler, priority)
        if problem:
            return problem
        own = pod.pod.spec.preemption_policy or _ANY
        if by_group and own != policy:
            same = "all pods in a single pod group should have the same preemption policy as the pod group's"
            return f"{same} preemption policy, got {own} and {policy}"
        policy = policy or own
        if own != policy:
            return f"all pods in a single pod group should have the same preemption policy, got {own} and {policy}"
    return ""


def _differs(pod: PodInfo, scheduler: str, priority: int) -> str:
    """Why a pod is not one of its group's kind; empty if it is."""
    if pod.scheduler_name != scheduler:
        return _OTHER_NAME.format(pod.scheduler_name, scheduler)
    if pod.priority != priority:
        same = "all pods in a single pod group should have the same priority as the pod group's priority"
        return f"{same}, got {pod.priority} and {priority}"
    return ""
