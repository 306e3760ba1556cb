"""PutNode: a node appears, is another than it was, or leaves; node rows stay sorted by name."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kplan.cluster.build import allocatable_of, fill_node, narrow, widen
from kplan.cluster.labels import NodeLabels
from kplan.objects.models import Node

if TYPE_CHECKING:
    from kplan.cluster.cluster import Cluster, Revert

_PER_NODE = (
    "allocatable",
    "requested",
    "non_zero_requested",
    "pod_count",
    "allowed_pods",
    "unschedulable",
    "taint_set",
    "feature_set",
)
"""Columns whose last axis is the node."""
_POINTERS = ("pod_node", "pod_nominated")
"""Columns that hold rows of nodes."""


@dataclass(frozen=True, slots=True)
class PutNode:
    """A node is put in place of the one of its name, or beside the others; None takes it out.

    A node that leaves holds no pod (they are removed first), and nominations to it are dropped. One that appears
    takes in the pods that say they run on it. Rows of nodes are numbered anew: none is kept over this change.
    """

    name: str
    node: Node | None

    def apply(self, cluster: Cluster) -> Revert:
        """Write, insert or delete one row."""
        row = cluster.node_index.get(self.name)
        if self.node is not None:
            assert self.node.name == self.name, f"{self.node.name} put as {self.name}"
            return _insert(cluster, self.node) if row is None else _replace(cluster, row, self.node)
        assert row is not None, f"no node {self.name}"
        return _delete(cluster, row)


def _replace(cluster: Cluster, row: int, node: Node) -> Revert:
    former, labels = cluster.nodes[row], cluster.labels
    unread = _write(cluster, row, node)
    cluster.nodes[row] = node
    if node.labels != former.labels:
        cluster.labels = NodeLabels(cluster.nodes)
    cluster.objects.version["nodes"] += 1

    def revert() -> None:
        cluster.nodes[row] = former
        fill_node(cluster, row, former)
        unread()
        cluster.labels = labels
        cluster.objects.version["nodes"] += 1

    return revert


def _write(cluster: Cluster, row: int, node: Node) -> Revert:
    """Fill a row, and return what takes back all that this made new beside it."""
    resources = cluster.resources
    taints, features = len(cluster.taint_sets), len(cluster.feature_sets)
    widen(cluster, sorted(set(allocatable_of(node)) - set(resources)))
    fill_node(cluster, row, node)

    def revert() -> None:
        cluster.distinct_taints.forget(taints)
        cluster.distinct_features.forget(features)
        narrow(cluster, resources)

    return revert


def _insert(cluster: Cluster, node: Node) -> Revert:
    nodes = cluster.nodes
    row = bisect_left(nodes, node.name.encode(), key=lambda other: other.name.encode())
    names = list(cluster.node_index)
    names.insert(row, node.name)
    back = _renumber(cluster, [*nodes[:row], node, *nodes[row:]], names)
    for name in _PER_NODE:
        setattr(cluster, name, np.insert(getattr(cluster, name), row, 0, axis=-1))
    cluster.counters.insert_node(row)
    for name in _POINTERS:
        column = getattr(cluster, name)
        setattr(cluster, name, np.where(column >= row, column + 1, column).astype(np.int32))
    unread = _write(cluster, row, node)
    at_home = [
        pod.row for pod in cluster.pods if pod.bound and not pod.gone and _waits_for(cluster, pod.row, node.name)
    ]
    for pod in at_home:
        cluster.move(pod, row, 1)

    def revert() -> None:
        for pod in reversed(at_home):
            cluster.move(pod, row, -1)
        unread()
        for name in _PER_NODE:
            setattr(cluster, name, np.delete(getattr(cluster, name), row, axis=-1))
        cluster.counters.delete_node(row)
        for name in _POINTERS:
            column = getattr(cluster, name)
            setattr(cluster, name, np.where(column > row, column - 1, column).astype(np.int32))
        back()

    return revert


def _waits_for(cluster: Cluster, pod: int, node: str) -> bool:
    """Whether a pod runs on a node that the cluster did not know."""
    return int(cluster.pod_node[pod]) < 0 and cluster.pods[pod].pod.spec.node_name == node


def _delete(cluster: Cluster, row: int) -> Revert:
    assert not (cluster.pod_node == row).any(), f"pods run on {cluster.node_name(row)}"
    node, nodes = cluster.nodes[row], cluster.nodes
    names = list(cluster.node_index)
    del names[row]
    back = _renumber(cluster, [*nodes[:row], *nodes[row + 1 :]], names)
    former = {name: getattr(cluster, name)[..., row].copy() for name in _PER_NODE}
    for name in _PER_NODE:
        setattr(cluster, name, np.delete(getattr(cluster, name), row, axis=-1))
    cluster.counters.delete_node(row)
    nominated = np.flatnonzero(cluster.pod_nominated == row)
    cluster.pod_nominated[nominated] = -1
    for name in _POINTERS:
        column = getattr(cluster, name)
        setattr(cluster, name, np.where(column > row, column - 1, column).astype(np.int32))

    def revert() -> None:
        for name in _POINTERS:
            column = getattr(cluster, name)
            setattr(cluster, name, np.where(column >= row, column + 1, column).astype(np.int32))
        cluster.pod_nominated[nominated] = row
        cluster.counters.insert_node(row)
        for name in _PER_NODE:
            column = np.insert(getattr(cluster, name), row, 0, axis=-1)
            column[..., row] = former[name]
            setattr(cluster, name, column)
        back()

    assert node.name not in cluster.node_index
    return revert


def _renumber(cluster: Cluster, nodes: list[Node], names: list[str]) -> Revert:
    former = (cluster.nodes, cluster.node_index, cluster.labels)
    cluster.nodes = nodes
    cluster.node_index = dict(zip(names, range(len(names)), strict=True))
    cluster.labels = NodeLabels(nodes)
    cluster.objects.version["nodes"] += 1

    def revert() -> None:
        cluster.nodes, cluster.node_index, cluster.labels = former
        cluster.objects.version["nodes"] += 1

    return revert
