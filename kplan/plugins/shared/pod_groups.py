"""Groups of pods: which group a pod is of, what its policy is, how many pods it has and where they are.

Source: kubernetes v1.37.2 and v1.36.3 pkg/scheduler/backend/cache/podgroupstate.go; v1.35.4
pkg/scheduler/backend/workloadmanager/podgroupinfo.go; v1.37.2 pkg/scheduler/framework/preemption/util.go
GetPodPriority; util/utils.go PodGroupPriority.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.groups import group_key, workload_key
from kplan.framework.codes import Code
from kplan.framework.features import Features
from kplan.framework.findings import About, Why
from kplan.framework.preemption import NodeStatus
from kplan.framework.reason_codes import AboutKind, ReasonCode
from kplan.objects.models import CompositePodGroup, PodGroup, SchedulingWorkload
from kplan.objects.models.groups import PodGroupSchedulingPolicy
from kplan.plugins.shared.group_trees import decides_priority, in_trees, root_of

GATE = "GenericWorkload"


class GroupCounts(Struct, frozen=True):
    """How many pods of a group there are.

    Attributes:
        every: all that the scheduler knows of, bound or waiting.
        scheduled: those with a node.
    """

    every: int
    scheduled: int


def key_of(pod: PodInfo, features: Features) -> str:
    """Key of the group a pod is of, as ``Cluster.in_group`` takes it; empty for none, or where groups are off."""
    if not features.enabled(GATE):
        return ""
    return group_key(pod.pod) if features.since(36) else workload_key(pod.pod)


def pod_groups(cluster: Cluster) -> Mapping[str, PodGroup]:
    """PodGroups by ``namespace/name``."""
    groups: Mapping[str, PodGroup] = cluster.objects.table("pod_groups")
    return groups


def group_of(pod: PodInfo, cluster: Cluster, features: Features) -> PodGroup | None:
    """The PodGroup a pod is of; None if it names none, or one that is not there."""
    return pod_groups(cluster).get(key_of(pod, features)) if features.since(36) else None


def quorum(policy: PodGroupSchedulingPolicy) -> int:
    """How many pods of a group have to have a node, or none gets one: 1 without a gang."""
    return policy.gang.min_count if policy.gang is not None else 1


def policy_of(pod: PodInfo, cluster: Cluster, features: Features) -> PodGroupSchedulingPolicy | None:
    """The policy of the group a pod is of; None for no group, or one that is not there.

    In 1.35 a group is part of a Workload.
    """
    group = group_of(pod, cluster, features)
    ref = pod.pod.spec.workload_ref
    if group is not None or ref is None or features.since(36):
        return group.spec.scheduling_policy if group is not None else None
    workload: SchedulingWorkload | None = cluster.objects.table("workloads").get(f"{pod.namespace}/{ref.name or ''}")
    templates = (workload.spec.pod_group_templates if workload is not None else None) or ()
    return next((template.scheduling_policy for template in templates if template.name == (ref.pod_group or "")), None)


def quorum_of(pod: PodInfo, cluster: Cluster, features: Features) -> int:
    """How many pods of the group of a pod have to have a node; 0 if there is no such group."""
    policy = policy_of(pod, cluster, features)
    return quorum(policy) if policy is not None else 0


def counts(pod: PodInfo, key: str, cluster: Cluster) -> GroupCounts:
    """Count the pods of a group, of those that wait the ones of the same scheduler.

    Pods that are being deleted count until they are gone.

    Args:
        pod: one of them.
        key: key of the group.
        cluster: the cluster.
    """
    pods = [cluster.pods[row] for row in cluster.in_group(key)]
    bound = scheduled(key, cluster)
    return GroupCounts(
        bound + sum(not pod_info.bound and pod_info.scheduler_name == pod.scheduler_name for pod_info in pods), bound
    )


def scheduled(key: str, cluster: Cluster) -> int:
    """Count the pods of a group that have a node."""
    return sum(cluster.pods[row].bound for row in cluster.in_group(key))


def feasible(key: str, wanted: int, scheduled: int, remaining: int, plugin: str = "") -> NodeStatus | None:
    """Tell whether a group has what it needs (None), may still get it (Wait), or cannot (Unschedulable).

    Args:
        key: key of the group.
        wanted: how many of its pods have to have a node.
        scheduled: its pods with a node, those of this cycle among them.
        remaining: its pods that are still to be tried.
        plugin: whose status it is.

    Source: v1.37.2 plugins/gangscheduling/gangscheduling.go PlacementFeasible.
    """
    if scheduled >= wanted:
        return None
    lost = scheduled + remaining < wanted
    said = "cannot be satisfied" if lost else "is not yet satisfied"
    text = f"minCount ({wanted}) {said}: {scheduled} scheduled, {remaining} remaining"
    why = Why(ReasonCode.GROUP_QUORUM, (About(AboutKind.GROUP, key),), text)
    return NodeStatus(Code.UNSCHEDULABLE if lost else Code.WAIT, plugin, (why,))


def priority_of(group: PodGroup) -> int:
    """Priority of a group."""
    return group.spec.priority or 0


def priority_in_group(pod: PodInfo, cluster: Cluster, features: Features) -> int:
    """Priority that decides who may evict a pod: that of its group, if it is of one, or of the one at the top."""
    group = group_of(pod, cluster, features)
    return priority_of(decides_priority(group, cluster, features)) if group is not None else pod.priority


def turn_of(pod: PodInfo, cluster: Cluster, features: Features) -> PodGroup | CompositePodGroup | None:
    """The group whose turn a pod has: its own, or the one at the top of its tree; None if one of them is not there."""
    group = group_of(pod, cluster, features)
    return root_of(group, cluster) if group is not None and in_trees(features) else group
