"""Orders of pods that are kept while pods come and go at the end: what-ifs add a few to very many."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from kplan.cluster.pods import PodInfo

Rows = NDArray[np.intp]
_FEW = 256
"""Pods that are put into their places one by one; with more all are sorted anew."""


class Ranks:
    """The place of each pod in an order.

    Rows are only added and taken away at the end, so an order that is known holds for all rows before the first that
    is another pod now.
    """

    def __init__(self, key: Callable[[PodInfo], Any], every: Callable[[Sequence[PodInfo]], Rows] | None = None) -> None:
        """Make an order.

        Args:
            key: sorts pods; equal keys stand by row.
            every: gives the same order of all pods at once: intp[P], their rows; sorted by the key if None.
        """
        self._key = key
        self._every = every or self._sorted
        self._pods: list[PodInfo] = []
        self._order: Rows = np.zeros(0, dtype=np.intp)
        self._ranks: Rows = np.zeros(0, dtype=np.intp)
        self._generation = -1

    def of(self, pods: Sequence[PodInfo], generation: int) -> Rows:
        """intp[P], the place of each pod.

        Args:
            pods: all pods by row.
            generation: another number whenever rows were added or taken away.
        """
        if generation != self._generation:
            self._update(pods)
            self._generation = generation
        return self._ranks

    def order(self, pods: Sequence[PodInfo], generation: int) -> Rows:
        """intp[P], rows of the pods in order; arguments as of ``of``."""
        self.of(pods, generation)
        return self._order

    def _update(self, pods: Sequence[PodInfo]) -> None:
        same = self._same(pods)
        new = range(same, len(pods))
        if len(new) > _FEW:
            order = self._every(pods)
        else:
            kept = self._order[self._order < same]
            places = [
                bisect_left(kept, (self._key(pods[row]), row), key=lambda r: (self._key(pods[r]), r)) for row in new
            ]
            by_key = sorted(range(len(new)), key=lambda number: (self._key(pods[new[number]]), new[number]))
            order = np.insert(kept, [places[number] for number in by_key], [new[number] for number in by_key])
        self._order = order
        self._ranks = np.empty(len(order), dtype=np.intp)
        self._ranks[order] = np.arange(len(order))
        self._pods[same:] = pods[same:]

    def _sorted(self, pods: Sequence[PodInfo]) -> Rows:
        return np.array(sorted(range(len(pods)), key=lambda row: (self._key(pods[row]), row)), dtype=np.intp)

    def _same(self, pods: Sequence[PodInfo]) -> int:
        return same_rows(pods, self._pods)


class PickedPods:
    """Rows of the pods that a rule picks, kept while pods come and go at the end."""

    def __init__(self, rule: Callable[[PodInfo], bool]) -> None:
        """Begin.

        Args:
            rule: what no change of a pod makes another answer of.
        """
        self._rule = rule
        self._pods: list[PodInfo] = []
        self._rows: list[int] = []
        self._generation = -1

    def of(self, pods: Sequence[PodInfo], generation: int) -> Sequence[int]:
        """Rows in order; arguments as of ``Ranks.of``."""
        if generation != self._generation:
            same = same_rows(pods, self._pods)
            del self._rows[bisect_left(self._rows, same) :]
            self._rows += [row for row in range(same, len(pods)) if self._rule(pods[row])]
            self._pods[same:] = pods[same:]
            self._generation = generation
        return self._rows


def same_rows(pods: Sequence[PodInfo], before: Sequence[PodInfo]) -> int:
    """How many rows, from the first, hold the pods that were there before."""
    low, high = 0, min(len(pods), len(before))
    while low < high:
        middle = (low + high + 1) // 2
        if pods[middle - 1] is before[middle - 1]:
            low = middle
        else:
            high = middle - 1
    return low


def by_name(pods: Sequence[PodInfo]) -> Rows:
    """intp[P], rows of pods by namespace and name."""
    names = [pod.name for pod in pods]
    order = np.array(sorted(range(len(pods)), key=names.__getitem__), dtype=np.intp)
    spaces = [pod.namespace for pod in pods]
    place = {space: number for number, space in enumerate(sorted(set(spaces)))}
    numbers = np.array([place[space] for space in spaces], dtype=np.intp)
    return order[np.argsort(numbers[order], kind="stable")]
