"""Silent nodes: no kubelet there says that a pod has ended, so what is deleted stays Terminating."""

from __future__ import annotations

from msgspec.structs import replace

from kplan.cluster.cluster import Cluster
from kplan.objects.models import Node, Pod

UNREACHABLE = "node.kubernetes.io/unreachable"
NOT_READY = "node.kubernetes.io/not-ready"
OUT_OF_SERVICE = "node.kubernetes.io/out-of-service"


def is_silent(node: Node) -> bool:
    """Whether nothing was heard of a node for so long that it counts as unreachable, and nobody says it is off.

    Source: v1.37.2 nodelifecycle monitorNodeHealth (Ready is Unknown, and the taint follows); podgc gcTerminating
    (pods of a node tainted out-of-service are deleted for good).
    """
    taints = {taint.key for taint in node.spec.taints or ()}
    if OUT_OF_SERVICE in taints:
        return False
    unknown = any(
        condition.type == "Ready" and condition.status == "Unknown" for condition in node.status.conditions or ()
    )
    return unknown or UNREACHABLE in taints


def heard_of(node: Node) -> Node:
    """A node as it is once its kubelet says again that it is ready."""
    conditions = [
        replace(condition, status="True") if condition.type == "Ready" else condition
        for condition in node.status.conditions or ()
    ]
    taints = [taint for taint in node.spec.taints or () if taint.key not in (UNREACHABLE, NOT_READY)]
    spec, status = replace(node.spec, taints=taints), replace(node.status, conditions=conditions)
    return replace(node, spec=spec, status=status)


def on_silent_node(cluster: Cluster, row: int) -> bool:
    """Whether a pod is on a silent node."""
    at = int(cluster.pod_node[row])
    return at >= 0 and is_silent(cluster.nodes[at])


def stays_terminating(cluster: Cluster, row: int) -> bool:
    """Whether a pod that is deleted stays where it is: its node is silent, and it has a grace period."""
    return on_silent_node(cluster, row) and not ends_at_once(cluster.pods[row].pod)


def ends_at_once(pod: Pod) -> bool:
    """Whether a pod that is deleted is gone at once, whether or not a kubelet says that it has ended.

    Source: v1.37.2 registry/core/pod strategy CheckGracefulDelete (a grace period of 0).
    """
    return pod.spec.termination_grace_period_seconds == 0
