"""Nodes as boxes of pods, before and after: only those that take part in a journey."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kplan.cluster import Cluster
from kplan.course.moving import Journey
from kplan.result.document_moves import BoxedNode, BoxedPod


def boxes(cluster: Cluster, journey: Journey) -> tuple[BoxedNode, ...]:
    """Draw the nodes that pods leave or land on.

    Args:
        cluster: the cluster as it is before.
        journey: the journey.
    """
    homes = [(move.pod, move.home) for move in journey.moves]
    lands = [(move.pod, move.to) for move in journey.moves]
    names = dict.fromkeys([*(n for _, n in homes), *(n for _, n in journey.placed), *(n for _, n in lands)])
    resource = _resource(cluster, [key for key, _ in journey.placed])
    return tuple(_node(cluster, name, resource, homes, lands, journey.placed) for name in names)


def _resource(cluster: Cluster, wanted: Sequence[str]) -> str:
    """The resource of which the wanted pods ask for the largest part of a node; a device before cpu and memory."""
    pod = cluster.pods[cluster.pod_index[wanted[0]]]
    parts = {}
    for name, amount in pod.requests.items():
        row = cluster.resource(name)
        largest = int(cluster.allocatable[row].max()) if row is not None and len(cluster.nodes) else 0
        if amount and largest:
            parts[name] = amount / largest
    return max(parts, key=lambda name: (parts[name], name), default="cpu")


def _node(
    cluster: Cluster,
    name: str,
    resource: str,
    homes: Sequence[tuple[str, str]],
    lands: Sequence[tuple[str, str]],
    placed: Sequence[tuple[str, str]],
) -> BoxedNode:
    node, row = cluster.node_index[name], cluster.resources[resource]

    def box(key: str, change: str) -> BoxedPod:
        at = cluster.pod_index[key]
        amount = int(cluster.pod_request[row, at]) if key not in dict(placed) else _asks(cluster, at, resource)
        return BoxedPod(pod=key, amount=amount, change=change)

    leaves = {key for key, home in homes if home == name}
    here = [cluster.pods[at].key for at in np.flatnonzero(cluster.pod_node == node).tolist()]
    before = [box(key, "leaves" if key in leaves else "") for key in here]
    after = [box(key, "") for key in here if key not in leaves]
    after += [box(key, "lands") for key, to in lands if to == name]
    after += [box(key, "wanted") for key, to in placed if to == name]
    return BoxedNode(
        node=name,
        resource=resource,
        allocatable=int(cluster.allocatable[row, node]),
        before=_sorted(before),
        after=_sorted(after),
    )


def _asks(cluster: Cluster, pod: int, resource: str) -> int:
    return cluster.pods[pod].requests.get(resource, 0)


def _sorted(boxed: Sequence[BoxedPod]) -> tuple[BoxedPod, ...]:
    return tuple(sorted(boxed, key=lambda pod: (-pod.amount, pod.pod)))
