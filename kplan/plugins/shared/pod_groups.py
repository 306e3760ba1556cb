"""Groups of pods: which group a pod is of, what its policy is, how many pods it has and where they are.

Source: kubernetes v1.37.2 and v1.36.3 pkg/scheduler/backend/cache/podgroupstate.go; v1.35.4
pkg/scheduler/backend/workloadmanager/podgroupinfo.go; v1.37.2 pkg/scheduler/framework/preemption/util.go
GetPodPriority; util/utils.go PodGroupPriority.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.groups import group_key, workload_key
from kplan.framework.features import Features
from kplan.objects.models import PodGroup
from kplan.objects.models.groups import PodGroupSchedulingPolicy

GATE = "GenericWorkload"


@dataclass(frozen=True, slots=True)
class GroupCounts:
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
    found: Mapping[str, PodGroup] = cluster.objects.table("pod_groups")
    return found


def group_of(pod: PodInfo, cluster: Cluster, features: Features) -> PodGroup | None:
    """The PodGroup a pod is of; None if it names none, or one that is not there."""
    return pod_groups(cluster).get(key_of(pod, features)) if features.since(36) else None


def quorum(policy: PodGroupSchedulingPolicy) -> int:
    """How many pods of a group have to have a node, or none gets one: 1 without a gang."""
    return policy.gang.min_count if policy.gang is not None else 1


def counts(pod: PodInfo, key: str, cluster: Cluster) -> GroupCounts:
    """Count the pods of a group, of those that wait the ones of the same scheduler.

    Pods that are being deleted count until they are gone.

    Args:
        pod: one of them.
        key: key of the group.
        cluster: the cluster.
    """
    pods = [cluster.pods[row] for row in cluster.in_group(key)]
    bound = sum(one.bound for one in pods)
    return GroupCounts(bound + sum(not one.bound and one.scheduler_name == pod.scheduler_name for one in pods), bound)


def priority_of(group: PodGroup) -> int:
    """Priority of a group."""
    return group.spec.priority or 0


def priority_in_group(pod: PodInfo, cluster: Cluster, features: Features) -> int:
    """Priority that decides who may evict a pod: that of its group, if it is of one."""
    group = group_of(pod, cluster, features)
    return priority_of(group) if group is not None else pod.priority


def leaves_whole(group: PodGroup | None) -> bool:
    """Whether the pods of a group may be evicted only all together."""
    return group is not None and group.spec.disruption_mode is not None and group.spec.disruption_mode.all is not None
