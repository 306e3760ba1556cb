"""A drain in turns: what becomes of the pods of each node, and how full the nodes are before and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from kplan.cluster import Cluster
from kplan.result.document_drain import DrainedPod, DrainTurn, NodeFullness

RESOURCES = ("cpu", "memory")
"""What is requested of a node in every cluster."""


def turns_of(nodes: Sequence[str], pods: Sequence[DrainedPod]) -> tuple[DrainTurn, ...]:
    """Count what becomes of the pods of each node.

    Args:
        nodes: nodes in the order in which they are drained.
        pods: what becomes of each pod.
    """
    return tuple(_turn(node, [pod for pod in pods if pod.node == node]) for node in nodes)


def _turn(node: str, pods: Sequence[DrainedPod]) -> DrainTurn:
    evicted = [pod for pod in pods if pod.fate == "evicted"]
    lands = Counter(pod.lands_on for pod in evicted if pod.lands_on)
    return DrainTurn(
        node=node,
        evicted=len(evicted),
        lands_on=dict(sorted(lands.items(), key=lambda item: (-item[1], item[0]))),
        waiting=sum(bool(pod.waits_for) for pod in evicted),
        pending=sum(not pod.lands_on and (bool(pod.instead) or pod.because is not None) for pod in evicted),
        gone=sum(not pod.instead and pod.because is None for pod in evicted),
        kept=sum(pod.fate in ("refused", "waits") for pod in pods),
    )


def fullness(cluster: Cluster) -> dict[str, dict[str, float]]:
    """Tell how much of the cpu and memory of each node is requested [percent], by node; none where there is none."""
    rows = {name: cluster.resources[name] for name in RESOURCES if name in cluster.resources}
    return {
        cluster.node_name(node): {
            name: round(100 * float(cluster.requested[row, node]) / float(cluster.allocatable[row, node]), 1)
            for name, row in rows.items()
            if cluster.allocatable[row, node] > 0
        }
        for node in range(len(cluster.nodes))
    }


def fuller(
    before: Mapping[str, Mapping[str, float]], after: Mapping[str, Mapping[str, float]], drained: Sequence[str]
) -> tuple[NodeFullness, ...]:
    """Hold the nodes after a drain against those before: those that were drained or changed, the fullest first.

    Args:
        before: how full each node was, see ``fullness``.
        after: how full it is.
        drained: nodes that were drained.
    """
    told = [
        NodeFullness(node=node, before=dict(before.get(node, {})), after=dict(full))
        for node, full in after.items()
        if node in drained or full != before.get(node)
    ]
    return tuple(sorted(told, key=lambda one: (-max(one.after.values(), default=0.0), one.node)))
