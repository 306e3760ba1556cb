"""The Cluster: nodes and pods as columns, counters over them, and everything else by key."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, Protocol

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kplan.cluster.counters import Counters
from kplan.cluster.distinct import Distinct
from kplan.cluster.groups import GroupMembers
from kplan.cluster.labels import NodeLabels
from kplan.cluster.pods import PodClasses, PodInfo
from kplan.cluster.ranks import Ranks, by_name
from kplan.cluster.tables import ObjectTables
from kplan.cluster.touched import Touched
from kplan.cluster.work import Work
from kplan.objects.models import Node, Taint
from kplan.objects.requests import RequestRules
from kplan.objects.state import ClusterState

Int = NDArray[np.int64]
Index = NDArray[np.int32]
Revert = Callable[[], None]
"""What takes one change back."""


class Change(Protocol):
    """One step of the state: assume, victim, nomination, object, node, new pods (``changes``, ``node_changes``)."""

    def apply(self, cluster: Cluster) -> Revert:
        """Carry it out, called by ``Cluster.apply`` alone; return what takes exactly it back."""
        ...


_NODE_NAME = attrgetter("pod.spec.node_name")
CPU, MEMORY, EPHEMERAL_STORAGE = 0, 1, 2
"""Rows of the resources every cluster has."""
FIXED_RESOURCES = ("cpu", "memory", "ephemeral-storage")


class Undo(Struct, frozen=True):
    """What takes a series of changes back; undos are used in reverse order of their changes, each once."""

    reverts: tuple[Revert, ...]


class Cluster:
    """All columns of one cluster (see ``cluster.schema`` for each), made by ``cluster.build``.

    Attributes:
        state: what was read; columns and ``objects`` are what changes have made of it since.
        rules: how requests of pods are counted in this version.
        as_scheduler: schedulerName that every pod is taken to have; empty for its own.
        nodes: node objects by row; rows are sorted by name, bytewise.
        node_index: row by node name.
        pods: PodInfo by row; pods that ended are not among them.
        pod_index: row by ``namespace/name``.
        resources: row of each resource in ``allocatable``.
        distinct_taints: lists of taints by number.
        distinct_features: sets of declared features by number.
        labels: label columns and masks of nodes.
        counters: sums over the pods of each node.
        objects: all other objects by key.
        pod_generation: grows when pod rows are added or taken back.
        stamp: grows with everything that is changed or taken back.
        touched: nodes that were changed, in order.
        rooms: by name of a column of pods, the array with spare room that it is the first part of.
        pods_read: rows of the pods that were read: those behind them came later.
        nominations: whether any pod was ever nominated to a node.
        spread_by: labels that spread constraints name, of all pods that ever were there.
        controllers: kind and name of each controller of a pod, held once for all of its pods.
        work: what is worked out on it, and the most that may be.
    """

    allocatable: Int
    requested: Int
    non_zero_requested: Int
    pod_count: Int
    allowed_pods: Int
    unschedulable: NDArray[np.bool_]
    taint_set: Index
    feature_set: Index
    pod_node: Index
    pod_nominated: Index
    pod_class: Index
    pod_priority: Int
    pod_start: Int
    pod_request: Int
    pod_non_zero: Int

    def __init__(self, state: ClusterState, rules: RequestRules) -> None:
        self.state = state
        self.rules = rules
        self.as_scheduler = ""
        self.nodes: list[Node] = sorted(state.nodes, key=lambda node: node.name.encode())
        self.node_index: dict[str, int] = {node.name: i for i, node in enumerate(self.nodes)}
        self.pods: list[PodInfo] = []
        self.pod_index: dict[str, int] = {}
        self.resources: dict[str, int] = {}
        self.distinct_taints: Distinct[tuple[Taint, ...]] = Distinct()
        self.taint_sets = self.distinct_taints.items
        """Distinct lists of taints; the column ``taint_set`` points into them."""
        self.distinct_features: Distinct[frozenset[str]] = Distinct()
        self.feature_sets = self.distinct_features.items
        """Distinct sets of declared features; the column ``feature_set`` points into them."""
        self.classes = PodClasses()
        self.pod_classes = self.classes.items
        """Distinct classes of pods; the column ``pod_class`` points into them."""
        self.labels = NodeLabels(self.nodes)
        self.objects = ObjectTables(state)
        self.pod_generation = 0
        self.stamp = 0
        self.touched = Touched()
        self.rooms: dict[str, NDArray[Any]] = {}
        self.pods_read = 0
        self.nominations = False
        self.spread_by: set[str] = set()
        self.controllers: dict[tuple[str, str], tuple[str, str]] = {}
        self.work = Work()
        self.counters: Counters
        self._lowest: tuple[int, int | None] = (-1, None)
        self._all_rows = np.zeros(0, dtype=np.intp)
        self._naming: tuple[int, NDArray[np.intp]] = (-1, np.zeros(0, dtype=np.intp))
        self._groups = GroupMembers()
        self._everywhere: tuple[int, dict[int, bool]] = (-1, {})
        self._by_name = Ranks(lambda pod: (pod.namespace, pod.name), by_name)
        self._by_importance = Ranks(
            lambda pod: (-pod.priority, int(self.pod_start[pod.row]), pod.namespace, pod.name), self._all_by_importance
        )

    @property
    def all_rows(self) -> NDArray[np.intp]:
        """intp[N], every node; read only."""
        if len(self._all_rows) != len(self.nodes):
            self._all_rows = np.arange(len(self.nodes), dtype=np.intp)
            self._all_rows.flags.writeable = False
        return self._all_rows

    def node_name(self, row: int) -> str:
        """Name of the node of a row."""
        return self.nodes[row].name

    @property
    def pod_rank(self) -> NDArray[np.intp]:
        """intp[P], the place of each pod in the order of namespaces and names."""
        return self._by_name.of(self.pods, self.pod_generation)

    @property
    def pods_by_importance(self) -> NDArray[np.intp]:
        """intp[P], rows of pods by priority, the highest first, then the earliest start, then the name."""
        return self._by_importance.order(self.pods, self.pod_generation)

    @property
    def lowest_priority(self) -> int | None:
        """The lowest priority of the pods that are on nodes; None where there are none."""
        stamp, lowest = self._lowest
        if stamp != self.stamp:
            there = self.pod_priority[self.pod_node >= 0]
            lowest = int(there.min()) if len(there) else None
            self._lowest = (self.stamp, lowest)
        return lowest

    @property
    def naming(self) -> NDArray[np.intp]:
        """intp[K], rows of the pods whose spec names a node, whether that is there or not."""
        generation, rows = self._naming
        if generation != self.pod_generation:
            names = map(bool, map(_NODE_NAME, self.pods))
            rows = np.fromiter(names, dtype=np.bool_, count=len(self.pods)).nonzero()[0]
            self._naming = (self.pod_generation, rows)
        return rows

    def _all_by_importance(self, pods: Sequence[PodInfo]) -> NDArray[np.intp]:
        """intp[P], rows of all pods by importance."""
        count = len(pods)
        return np.lexsort((self.pod_rank, self.pod_start[:count], -self.pod_priority[:count]))

    def resource(self, name: str) -> int | None:
        """Row of a resource, or None if neither a node nor a pod knows it."""
        return self.resources.get(name)

    def is_everywhere(self, resource: int) -> bool:
        """Whether each node has some of a resource, by row."""
        epoch, known = self._everywhere
        if epoch != self.touched.epoch or resource not in known:
            known = {**(known if epoch == self.touched.epoch else {}), resource: bool(self.allocatable[resource].all())}
            self._everywhere = (self.touched.epoch, known)
        return known[resource]

    def namespace_labels(self, namespace: str) -> Mapping[str, str]:
        """Labels of a namespace; empty if the state does not hold it."""
        return self.objects.namespace_labels(namespace)

    def home_of(self, pod: int) -> str:
        """Name of the node that a pod is on; empty for none."""
        node = int(self.pod_node[pod])
        return self.node_name(node) if node >= 0 else ""

    def pods_of(self, namespaces: Collection[str]) -> Iterator[PodInfo]:
        """Yield the pods of some namespaces that were not removed, by row."""
        there = np.array([pod_class.namespace in namespaces for pod_class in self.pod_classes], dtype=np.bool_)
        pods = map(self.pods.__getitem__, np.flatnonzero(there[self.pod_class]).tolist())
        return (pod for pod in pods if not pod.gone)

    def pods_on(self, node: int) -> list[int]:
        """Rows of the pods on a node, by namespace and name."""
        rows = np.flatnonzero(self.pod_node == node).tolist()
        return sorted(rows, key=lambda row: (self.pods[row].namespace, self.pods[row].name))

    def in_group(self, key: str) -> list[int]:
        """Rows of the pods of a group that are there, by row; for its key see ``cluster.groups``."""
        rows = self._groups.of(self.pods, self.pod_generation).get(key, ())
        return [row for row in rows if not self.pods[row].gone]

    def nominated_on(self, node: int) -> list[int]:
        """Rows of the waiting pods nominated to a node, in order of rows."""
        rows: list[int] = np.flatnonzero(self.pod_nominated == node).tolist()
        return rows

    def apply(self, changes: Iterable[Change]) -> Undo:
        """Carry out changes in order; nothing else writes to columns."""
        self.stamp += 1
        return Undo(tuple(change.apply(self) for change in changes))

    def undo(self, undo: Undo) -> None:
        """Take changes back exactly."""
        self.stamp += 1
        for revert in reversed(undo.reverts):
            revert()

    def move(self, pod: int, node: int, sign: int) -> None:
        """Count a pod in on a node (sign 1) or out (-1). Called by changes alone."""
        self.pod_node[pod] = node if sign > 0 else -1
        if sign > 0:  # without a product: drains move hundreds of thousands
            self.requested[:, node] += self.pod_request[:, pod]
            self.non_zero_requested[:, node] += self.pod_non_zero[:, pod]
        else:
            self.requested[:, node] -= self.pod_request[:, pod]
            self.non_zero_requested[:, node] -= self.pod_non_zero[:, pod]
        self.pod_count[node] += sign
        self.counters.move(int(self.pod_class[pod]), node, sign)
        if self.touched.followed:
            self.touched.pods((node,))

    def count_ahead(self, pod: int, rows: NDArray[np.intp], times: Int) -> None:
        """Count pods like one in on nodes, int64[M] times on each, without placing any. Called by changes alone."""
        more = np.zeros(len(self.nodes), dtype=np.int64)
        more[rows] = times
        for amounts, asked in ((self.requested, self.pod_request), (self.non_zero_requested, self.pod_non_zero)):
            for resource in asked[:, pod].nonzero()[0]:
                amounts[resource] += asked[resource, pod] * more
        self.pod_count += more
        self.counters.count_ahead(int(self.pod_class[pod]), rows, times)
        if self.touched.followed:
            self.touched.pods(rows.tolist())
