"""GangScheduling: so many pods of a group get a node, or none does.

What it checks:  that the group of the pod is there and has as many pods as its minCount, before the pod is queued; in
                 the cycle of a group, that minCount of its pods have or still may get a node; at Permit, that they
                 have one.
Rejects with:    "waiting for pods's pod group ... to appear in scheduling queue" (1.35: "... workload ...", and "pod
                 group ... doesn't exist for a workload ..."), "waiting for minCount pods from a gang to appear in
                 scheduling queue" (UnschedulableAndUnresolvable); "minCount (3) cannot be satisfied: 1 scheduled, 1
                 remaining" (Unschedulable); "waiting for minCount pods from a gang to be scheduled" (1.35: "to be
                 waiting on permit") (Wait); 'waiting for composite pod group "a" tree to meet quorum', "failed to build
                 hierarchy snapshot: ..." (UnschedulableAndUnresolvable)
Not modelled:    of a gang whose pods wait for several profiles, those of other profiles do not count.
Source:          kubernetes v1.37.2, v1.36.3 and v1.35.4
                 pkg/scheduler/framework/plugins/gangscheduling/gangscheduling.go
"""

from typing import ClassVar

from msgspec import Struct

from kplan.cluster import Cluster, PodInfo
from kplan.framework.codes import Cost, Point, Reads
from kplan.framework.features import Features
from kplan.framework.findings import About, Refused, Why
from kplan.framework.groups import GroupInfo
from kplan.framework.preemption import NodeStatus
from kplan.framework.reason_codes import AboutKind, ReasonCode
from kplan.objects.models import CompositePodGroup
from kplan.objects.models.groups import PodGroupSchedulingPolicy
from kplan.plugins.shared.group_trees import in_trees, key_of_group, lineage, ready, root_of
from kplan.plugins.shared.pod_groups import (
    counts,
    feasible,
    group_of,
    key_of,
    policy_of,
    quorum,
    scheduled,
    turn_of,
)

FEW = "waiting for minCount pods from a gang to appear in scheduling queue"
WAITS = "waiting for minCount pods from a gang to be scheduled"
WAITS_IN_1_35 = "waiting for minCount pods from a gang to be waiting on permit"
WAITS_IN_TREE = 'waiting for composite pod group "{}" tree to meet quorum'
UNBUILT = "failed to build hierarchy snapshot: "


def _not_there(text: str, key: str) -> Refused:
    return Refused.of(ReasonCode.GROUP_MISSING, text, About(AboutKind.GROUP, key))


class GangScheduling(Struct, frozen=True):
    """Holds pods of gangs back until there are enough of them."""

    name: ClassVar[str] = "GangScheduling"
    cost: ClassVar[Cost] = Cost.COLUMNS

    args: None
    features: Features

    def reads(self, point: Point, pod: PodInfo) -> Reads:
        """Read pods and groups, if the pod is of one."""
        return Reads.PODS | Reads.OBJECTS if key_of(pod, self.features) else Reads(0)

    def pre_enqueue(self, pod: PodInfo, cluster: Cluster) -> Refused | None:
        """Refuse a pod whose group is not there, or has too few pods."""
        key = key_of(pod, self.features)
        if not key:
            return None
        if in_trees(self.features):
            return self._pre_enqueue_in_tree(pod, key, cluster)
        policy = self._policy(pod, cluster)
        if isinstance(policy, Why):
            return Refused((policy,))
        if policy.gang is None or counts(pod, key, cluster).every >= policy.gang.min_count:
            return None
        return Refused.of(ReasonCode.GROUP_TOO_SMALL, FEW, About(AboutKind.GROUP, key))

    def _pre_enqueue_in_tree(self, pod: PodInfo, key: str, cluster: Cluster) -> Refused | None:
        """Refuse a pod whose group, or one above it, is not there, or whose tree has too few pods."""
        group = group_of(pod, cluster, self.features)
        if group is None:
            return _not_there(f"{UNBUILT}pod group object not found in state for podgroup/{key}", key)
        missing = lineage(group, cluster).missing
        if missing:
            return _not_there(f"{UNBUILT}composite pod group object not found in state for {missing}", missing)
        root = root_of(group, cluster)
        assert root is not None
        if ready(root, cluster, lambda leaf: counts(pod, leaf.key, cluster).every):
            return None
        text = FEW if root is group else WAITS_IN_TREE.format(root.name)
        return Refused.of(ReasonCode.GROUP_TOO_SMALL, text, About(AboutKind.GROUP, key_of_group(root)))

    def permit(self, pod: PodInfo, cluster: Cluster, row: int) -> Refused | None:
        """Let a placed pod wait until enough of its gang have a node."""
        key = key_of(pod, self.features)
        root = turn_of(pod, cluster, self.features) if key and in_trees(self.features) else None
        if isinstance(root, CompositePodGroup):
            if ready(root, cluster, lambda leaf: scheduled(leaf.key, cluster)):
                return None
            about = About(AboutKind.GROUP, key_of_group(root))
            return Refused.of(ReasonCode.GROUP_WAITS, WAITS_IN_TREE.format(root.name), about)
        policy = self._policy(pod, cluster) if key else None
        if policy is None or isinstance(policy, Why) or policy.gang is None:
            return None
        if counts(pod, key, cluster).scheduled >= policy.gang.min_count:
            return None
        text = WAITS if self.features.since(36) else WAITS_IN_1_35
        return Refused.of(ReasonCode.GROUP_WAITS, text, About(AboutKind.GROUP, key))

    def placement_feasible(self, group: GroupInfo, done: int, remaining: int) -> NodeStatus | None:
        """Tell whether a group has what it needs (None), may still get it (Wait), or cannot (Unschedulable).

        Args:
            group: the group.
            done: its pods with a node, those of this cycle among them; of a group of groups, its groups that have
                what they need.
            remaining: its pods, or groups, that are still to be tried.
        """
        wanted = quorum(group.pod_group.spec.scheduling_policy)
        return feasible(group.key, wanted, done, remaining, self.name)

    def _policy(self, pod: PodInfo, cluster: Cluster) -> PodGroupSchedulingPolicy | Why:
        """The policy of the pod's group, or what is wrong with the group."""
        policy = policy_of(pod, cluster, self.features)
        if policy is not None:
            return policy
        named, ref = pod.pod.spec.scheduling_group, pod.pod.spec.workload_ref
        about = (About(AboutKind.GROUP, key_of(pod, self.features)),)
        if self.features.since(36):
            name = (named.pod_group_name if named is not None else None) or ""
            text = f'waiting for pods\'s pod group "{name}" to appear in scheduling queue'
            return Why(ReasonCode.GROUP_MISSING, about, text)
        workload, group = (ref.name or "", ref.pod_group or "") if ref is not None else ("", "")
        text = f'waiting for pods\'s workload "{workload}" to appear in scheduling queue'
        if f"{pod.namespace}/{workload}" in cluster.objects.table("workloads"):
            text = f'pod group "{group}" doesn\'t exist for a workload "{workload}"'
        return Why(ReasonCode.GROUP_MISSING, about, text)
