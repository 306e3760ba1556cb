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

    def __init__(self, key: Callable[[PodInfo], Any]) -> None:
        """Make an order.

        Args:
            key: sorts pods; equal keys stand by row.
        """
        self._key = key
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

    def _update(self, pods: Sequence[PodInfo]) -> None:
        same = self._same(pods)
        new = range(same, len(pods))
        if len(new) > _FEW:
            order = np.array(sorted(range(len(pods)), key=lambda row: (self._key(pods[row]), row)), dtype=np.intp)
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

    def _same(self, pods: Sequence[PodInfo]) -> int:
        """How many rows, from the first, hold the pods that were ranked."""
        low, high = 0, min(len(pods), len(self._pods))
        while low < high:
            middle = (low + high + 1) // 2
            if pods[middle - 1] is self._pods[middle - 1]:
                low = middle
            else:
                high = middle - 1
        return low
