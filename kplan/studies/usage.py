"""Usage: how full every node is, read from the columns as the scheduler counts them, before and after changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from kplan.cluster import Cluster
from kplan.objects.models import Node
from kplan.objects.well_known import ZONES
from kplan.result.document_usage import NodeUsage, PodUsage

INSTANCE_TYPES = ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")
POOLS = (
    "karpenter.sh/nodepool",
    "cloud.google.com/gke-nodepool",
    "eks.amazonaws.com/nodegroup",
    "alpha.eksctl.io/nodegroup-name",
    "kubernetes.azure.com/agentpool",
    "agentpool",
    "doks.digitalocean.com/node-pool",
    "oci.oraclecloud.com/node-pool",
    "kops.k8s.io/instancegroup",
    "nodepool",
    "node-pool",
    "nodegroup",
    "node-group",
    "pool",
)
"""Labels by which providers and people name the pool of a node, the most definite first."""


def usage(cluster: Cluster, before: Sequence[NodeUsage] = ()) -> tuple[NodeUsage, ...]:
    """Tell how full every node is, in order of names.

    Args:
        cluster: the cluster as it is now.
        before: what this function gave before the changes; what differs is told with both numbers.
    """
    pods = _pods(cluster)
    resources = list(cluster.resources.items())
    allocatable = {name: cluster.allocatable[row].tolist() for name, row in resources}
    requested = {name: cluster.requested[row].tolist() for name, row in resources}
    allocatable["pods"], requested["pods"] = cluster.allowed_pods.tolist(), cluster.pod_count.tolist()
    now = {
        node.name: NodeUsage(
            name=node.name,
            allocatable={name: amounts[row] for name, amounts in allocatable.items() if amounts[row]},
            requested={name: amounts[row] for name, amounts in requested.items() if amounts[row]},
            zone=_label(node, ZONES),
            pool=_label(node, POOLS),
            instance_type=_label(node, INSTANCE_TYPES),
            labels=dict(node.labels),
            taints=tuple(str(taint) for taint in cluster.taint_sets[int(cluster.taint_set[row])]),
            unschedulable=bool(cluster.unschedulable[row]),
            pods=tuple(pods.get(row, ())),
        )
        for row, node in enumerate(cluster.nodes)
    }
    if not before:
        return tuple(now.values())
    known = {node.name: node for node in before}
    both = {name: _compared(known.get(name), node) for name, node in now.items()}
    left = {name: _left(node) for name, node in known.items() if name not in now}
    return tuple(node for _, node in sorted((both | left).items(), key=lambda item: item[0].encode()))


def _pods(cluster: Cluster) -> dict[int, list[PodUsage]]:
    """Pods by node row, by name."""
    names = sorted(cluster.resources, key=cluster.resources.__getitem__)
    by_node: dict[int, list[PodUsage]] = {}
    placed = np.flatnonzero(cluster.pod_node >= 0)
    amounts = cluster.pod_request[:, placed].T.tolist()
    for row, node, mine in zip(placed.tolist(), cluster.pod_node[placed].tolist(), amounts, strict=True):
        pod = cluster.pods[row]
        counted = {name: amount for name, amount in zip(names, mine, strict=True) if amount}
        by_node.setdefault(node, []).append(PodUsage(pod=pod.key, amounts=counted, priority=pod.priority))
    for some in by_node.values():
        some.sort(key=lambda pod: pod.pod)
    return by_node


def _compared(before: NodeUsage | None, now: NodeUsage) -> NodeUsage:
    """Tell what differs between a node as it was and as it is."""
    if before is None:
        landed = tuple(replace(pod, change="lands") for pod in now.pods)
        return replace(now, before={}, change="appears", pods=landed)
    if before.pods == now.pods and before.requested == now.requested:
        return now
    was, there = {pod.pod for pod in before.pods}, {pod.pod for pod in now.pods}
    pods = [pod if pod.pod in was else replace(pod, change="lands") for pod in now.pods]
    pods += [replace(pod, change="leaves") for pod in before.pods if pod.pod not in there]
    return replace(now, before=before.requested, pods=tuple(sorted(pods, key=lambda pod: pod.pod)))


def _left(before: NodeUsage) -> NodeUsage:
    """Tell of a node that is gone."""
    gone = tuple(replace(pod, change="leaves") for pod in before.pods)
    return replace(before, before=before.requested, requested={}, change="leaves", pods=gone)


def _label(node: Node, keys: Sequence[str]) -> str:
    labels: Mapping[str, str] = node.labels
    return next((labels[key] for key in keys if labels.get(key)), "")
