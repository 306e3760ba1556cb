"""Counters: how many (or how much) of something the pods on each node amount to, kept as pods move.

A counter gives every PodClass an integer weight: 1 for classes a selector matches, say. Its column is the
sum of the weights of the pods on each node. Placing a pod adds one column of weights to one column of
counts, whatever the number of pods.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sized
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kplan.cluster.class_index import ClassIndex, Hooks, Mark, marks_of
from kplan.cluster.pods import PodClass
from kplan.cluster.work import CELL, CLASS, COUNTER, Work

Int = NDArray[np.int64]


class Placed(Protocol):
    """What counters read of a cluster: the classes of pods, and which pod of which class is on which node."""

    @property
    def nodes(self) -> Sized:
        """Nodes by row."""

    pod_classes: list[PodClass]
    """Distinct classes of pods."""
    pod_class: NDArray[np.int32]
    """int32[P], index in ``pod_classes``."""
    pod_node: NDArray[np.int32]
    """int32[P], the row of each pod's node; -1 for none."""
    pod_generation: int
    """Grows when rows of pods are added or taken back."""
    work: Work
    """What is worked out on it."""


class Counter:
    """One registered counter; ask it afresh in each cycle, its arrays move when the table grows."""

    __slots__ = ("_pods", "_pods_at", "_table", "index", "key")

    def __init__(self, table: Counters, index: int, key: Hashable) -> None:
        self._table = table
        self.index = index
        self.key = key
        self._pods: Int | None = None
        self._pods_at = -1

    @property
    def nodes(self) -> Int:
        """int64[N], the sum of the weights of the pods on each node; not to be written to."""
        counts: Int = self._table.counts[self.index]
        return counts

    @property
    def total(self) -> int:
        """Sum over all nodes."""
        return int(self.nodes.sum())

    @property
    def classes(self) -> Int:
        """int64[K], the weight of each PodClass; not to be written to."""
        return self._table.weights[self.index, : self._table.size]

    @property
    def pods(self) -> Int:
        """int64[P], the weight of each pod, wherever it is: what Worlds.total takes."""
        cluster = self._table.cluster
        if self._pods is None or self._pods_at != cluster.pod_generation:
            self._pods = self.classes[cluster.pod_class]
            self._pods_at = cluster.pod_generation
        return self._pods


class Counters:
    """All counters of a cluster.

    Attributes:
        weights: int64[S, K], weight of each class in each counter (both axes with spare room).
        counts: int64[S, N].
        size: number of classes known to the weights.
        index: the classes by mark.
    """

    def __init__(self, cluster: Placed) -> None:
        self.cluster = cluster
        self.weights: Int = np.zeros((0, 0), dtype=np.int64)
        self.counts: Int = np.zeros((0, len(cluster.nodes)), dtype=np.int64)
        self.size = 0
        self.index = ClassIndex(cluster.pod_classes)
        self._counters: dict[Hashable, Counter] = {}
        self._hooked: dict[Mark | None, list[int]] = {}
        self._weigh: list[Callable[[PodClass], int]] = []
        self._weighs: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        """bool[K], classes that have a weight in any counter."""

    def __len__(self) -> int:
        return len(self._weigh)

    def get(self, key: Hashable, weigh: Callable[[PodClass], int], hooks: Hooks = ()) -> Counter:
        """Return the counter of this key, registered on first sight.

        Args:
            key: identifies the rule; equal keys share a counter, so it holds all that ``weigh`` depends on.
            weigh: weight of a class. Not only of classes present now: it is asked again for later ones.
            hooks: marks without one of which, of each list, a class has no weight: it is not asked about others.
        """
        counter = self._counters.get(key)
        if counter is None:
            about = self.index.having(hooks, self.size)
            self._charge(len(self._counters), len(about))
            counter = self._counters[key] = Counter(self, len(self._counters), key)
            self._weigh.append(weigh)
            self._grow()
            row = self.weights[counter.index]
            for mark in self.index.narrowest(hooks) if hooks else (None,):
                self._hooked.setdefault(mark, []).append(counter.index)
            for pod_class in about:
                row[pod_class.index] = weigh(pod_class)
                self._weighs[pod_class.index] |= bool(row[pod_class.index])
            weights = row[self.cluster.pod_class]
            counted = np.flatnonzero((weights != 0) & (self.cluster.pod_node >= 0))  # most rules are about few pods
            np.add.at(self.counts[counter.index], self.cluster.pod_node[counted], weights[counted])
        elif counter.index not in self.cluster.work.met:
            self._charge(counter.index, len(self.index.having(hooks, self.size)))
        return counter

    def _charge(self, number: int, about: int) -> None:
        """Let this question pay for a counter that holds for some classes, whoever registered it."""
        self.cluster.work.charge_once(number, COUNTER + about * CLASS + self.size * CELL)

    def extend(self) -> None:
        """Weigh the classes that appeared since."""
        before = self.size
        self.size = len(self.cluster.pod_classes)
        self._grow()
        for pod_class in self.cluster.pod_classes[before:]:
            for index in self._hooked_on(pod_class):
                weight = self.weights[index, pod_class.index] = self._weigh[index](pod_class)
                self._weighs[pod_class.index] |= bool(weight)

    def _hooked_on(self, pod_class: PodClass) -> Iterable[int]:
        """Numbers of the counters that a class may have a weight in."""
        yield from self._hooked.get(None, ())
        for mark in marks_of(pod_class):
            yield from self._hooked.get(mark, ())

    def move(self, pod_class: int, node: int, sign: int) -> None:
        """Count one pod of a class in (sign 1) or out (-1) on a node."""
        if not self._weighs[pod_class]:
            return
        used = len(self._weigh)
        if sign > 0:
            self.counts[:used, node] += self.weights[:used, pod_class]
        else:
            self.counts[:used, node] -= self.weights[:used, pod_class]

    def count_ahead(self, pod_class: int, rows: NDArray[np.intp], times: Int) -> None:
        """Count pods of a class in on nodes, int64[M] times on each. Called by the cluster alone."""
        about = np.flatnonzero(self.weights[: len(self._weigh), pod_class])
        self.counts[np.ix_(about, rows)] += self.weights[about, pod_class, np.newaxis] * times

    def insert_node(self, row: int) -> None:
        """Make room for a node that holds no pod. Called by changes of nodes alone."""
        self.counts = np.insert(self.counts, row, 0, axis=1)

    def delete_node(self, row: int) -> None:
        """Drop a node that holds no pod. Called by changes of nodes alone."""
        self.counts = np.delete(self.counts, row, axis=1)

    def keep_nodes(self, there: NDArray[np.bool_]) -> None:
        """Drop nodes that hold no pod: bool[N] of those that stay. Called by changes of nodes alone."""
        self.counts = self.counts[:, there]

    def spread_nodes(self, there: NDArray[np.bool_]) -> None:
        """Make room for nodes that hold no pod: bool[N] of those that stayed. Called by changes of nodes alone."""
        counts = np.zeros((len(self.counts), len(there)), dtype=self.counts.dtype)
        counts[:, there] = self.counts
        self.counts = counts

    def _grow(self) -> None:
        """Keep spare room on both axes, doubling, so that growth costs little per counter."""
        rows, columns = self.weights.shape
        if len(self._weigh) > rows or self.size > columns:
            rows = max(rows, 2 * len(self._weigh), 8)
            columns = max(columns, self.size + self.size // 2, 8)
            weights = np.zeros((rows, columns), dtype=np.int64)
            weights[: self.weights.shape[0], : self.weights.shape[1]] = self.weights
            self.weights = weights
            weighs = np.zeros(columns, dtype=np.bool_)
            weighs[: len(self._weighs)] = self._weighs
            self._weighs = weighs
            counts = np.zeros((rows, len(self.cluster.nodes)), dtype=np.int64)
            counts[: self.counts.shape[0]] = self.counts
            self.counts = counts
