"""PutNode and RemoveNodes: nodes appear, are others than they were, or leave; node rows stay sorted by name."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kplan.cluster.build import allocatable_of, fill_node, narrow, widen
from kplan.cluster.cluster import Cluster, Revert
from kplan.cluster.labels import NodeLabels
from kplan.cluster.schema import PER_NODE, POINTERS
from kplan.objects.models import Node


class PutNode(Struct, frozen=True):
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


class RemoveNodes(Struct, frozen=True):
    """Many nodes leave at once, as PutNode takes out one; columns are written once for all of them."""

    names: tuple[str, ...]

    def apply(self, cluster: Cluster) -> Revert:
        """Delete rows."""
        rows = np.array(sorted(cluster.node_index[name] for name in self.names), dtype=np.intp)
        assert not np.isin(cluster.pod_node, rows).any(), f"pods run on some of {', '.join(self.names)}"
        there = np.ones(len(cluster.nodes), dtype=np.bool_)
        there[rows] = False
        names = [name for name, stays in zip(cluster.node_index, there.tolist(), strict=True) if stays]
        back = _renumber(cluster, [cluster.nodes[row] for row in np.flatnonzero(there).tolist()], names)
        former = {column.name: getattr(cluster, column.name)[..., rows].copy() for column in PER_NODE}
        was_nominated = np.flatnonzero(np.isin(cluster.pod_nominated, rows))
        nominated = cluster.pod_nominated[was_nominated].copy()
        cluster.pod_nominated[was_nominated] = -1
        for column in PER_NODE:
            setattr(cluster, column.name, getattr(cluster, column.name)[..., there])
        cluster.counters.keep_nodes(there)
        # how many rows before each are gone; -1, no node, stays
        shift = np.append(np.cumsum(~there), 0)
        for column in POINTERS:
            array = getattr(cluster, column.name)
            setattr(cluster, column.name, (array - shift[array]).astype(column.dtype))

        def revert() -> None:
            for name, values in former.items():
                setattr(cluster, name, _spread_out(getattr(cluster, name), there, values))
            cluster.counters.spread_nodes(there)
            row = np.append(np.flatnonzero(there), -1)
            for column in POINTERS:
                setattr(cluster, column.name, row[getattr(cluster, column.name)].astype(column.dtype))
            cluster.pod_nominated[was_nominated] = nominated
            back()

        return revert


def _spread_out(kept: Any, there: NDArray[np.bool_], rest: Any) -> Any:
    """Put values of some nodes back between those of the others."""
    whole = np.empty((*kept.shape[:-1], len(there)), dtype=kept.dtype)
    whole[..., there], whole[..., ~there] = kept, rest
    return whole


def _replace(cluster: Cluster, row: int, node: Node) -> Revert:
    former, labels = cluster.nodes[row], cluster.labels
    unread = _write(cluster, row, node)
    cluster.nodes[row] = node
    if node.labels != former.labels:
        cluster.labels = NodeLabels(cluster.nodes)
    cluster.objects.version["nodes"] += 1
    _touch(cluster, row, former, node)

    def revert() -> None:
        _touch(cluster, row, node, former)
        cluster.nodes[row] = former
        fill_node(cluster, row, former)
        unread()
        cluster.labels = labels
        cluster.objects.version["nodes"] += 1

    return revert


def _touch(cluster: Cluster, row: int, former: Node, node: Node) -> None:
    """Take note of a node that is another: what differs beside its taints and cordon may matter to other nodes, too."""
    if node.metadata is former.metadata and node.status is former.status:
        cluster.touched.node(row)
    else:
        cluster.touched.everything()


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
    _make_room(cluster, row)
    unread = _write(cluster, row, node)
    naming = cluster.naming
    nowhere = [cluster.pods[pod] for pod in naming[cluster.pod_node[naming] < 0].tolist()]
    at_home = [pod.row for pod in nowhere if pod.bound and not pod.gone and pod.pod.spec.node_name == node.name]
    for pod in at_home:
        cluster.move(pod, row, 1)

    def revert() -> None:
        for pod in reversed(at_home):
            cluster.move(pod, row, -1)
        unread()
        _close_up(cluster, row)
        back()

    return revert


def _delete(cluster: Cluster, row: int) -> Revert:
    assert not (cluster.pod_node == row).any(), f"pods run on {cluster.node_name(row)}"
    node, nodes = cluster.nodes[row], cluster.nodes
    names = list(cluster.node_index)
    del names[row]
    back = _renumber(cluster, [*nodes[:row], *nodes[row + 1 :]], names)
    former = {column.name: getattr(cluster, column.name)[..., row].copy() for column in PER_NODE}
    nominated = np.flatnonzero(cluster.pod_nominated == row)
    cluster.pod_nominated[nominated] = -1
    _close_up(cluster, row)

    def revert() -> None:
        _make_room(cluster, row)
        for name, values in former.items():
            getattr(cluster, name)[..., row] = values
        cluster.pod_nominated[nominated] = row
        back()

    assert node.name not in cluster.node_index
    return revert


def _make_room(cluster: Cluster, row: int) -> None:
    """Put a blank node into all columns; what points to it and the nodes behind it points one further."""
    for column in PER_NODE:
        setattr(cluster, column.name, np.insert(getattr(cluster, column.name), row, column.blank, axis=-1))
    cluster.counters.insert_node(row)
    _point(cluster, row, 1)


def _close_up(cluster: Cluster, row: int) -> None:
    """Take a node that nothing points to out of all columns."""
    for column in PER_NODE:
        setattr(cluster, column.name, np.delete(getattr(cluster, column.name), row, axis=-1))
    cluster.counters.delete_node(row)
    _point(cluster, row, -1)


def _point(cluster: Cluster, row: int, by: int) -> None:
    """Number the rows from one on anew in all columns that hold rows of nodes."""
    for column in POINTERS:
        array = getattr(cluster, column.name)
        setattr(cluster, column.name, np.where(array >= row, array + by, array).astype(column.dtype))


def _renumber(cluster: Cluster, nodes: list[Node], names: list[str]) -> Revert:
    former = (cluster.nodes, cluster.node_index, cluster.labels)
    cluster.nodes = nodes
    cluster.node_index = dict(zip(names, range(len(names)), strict=True))
    cluster.labels = NodeLabels(nodes)
    cluster.objects.version["nodes"] += 1
    cluster.touched.everything()

    def revert() -> None:
        cluster.nodes, cluster.node_index, cluster.labels = former
        cluster.objects.version["nodes"] += 1
        cluster.touched.everything()

    return revert
