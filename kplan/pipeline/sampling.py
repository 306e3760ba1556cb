"""Which nodes a live scheduler looks at: the order of its node tree, where it starts, and when it has enough.

Source: v1.37.2 pkg/scheduler/backend/cache/node_tree.go addNode, list; schedule_one.go findNodesThatPassFilters,
numFeasibleNodesToFind; component-helpers v0.37.2 node/topology GetZoneKey. The four minors do the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kplan.cluster import Cluster
from kplan.framework.worlds import Rows

MIN_NODES = 100
"""So many nodes that fit are looked for in any case."""
_MIN_PERCENTAGE, _MAX_PERCENTAGE, _NODES_PER_PERCENT = 5, 50, 125
_NUMBERS = 1 << 62
_SMALL = 1 << 15
_FEW = 8
"""Windows of all nodes together up to which each is looked through: no order by score is made for so few."""
_DOMAINS = 16
"""Codes up to which windows count each by itself."""
_ZONE = ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone")
_REGION = ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region")
AT_ONCE = 1 << 18
"""So many nodes of windows are looked through at one time, to bound memory."""
Int = NDArray[np.int64]
Mask = NDArray[np.bool_]


def scheduler_order(cluster: Cluster) -> Rows:
    """intp[N], rows of all nodes in the order in which the scheduler walks them: one of each zone in turn.

    Zones come in the order of their first nodes, nodes of a zone in that in which the scheduler met them: by name, as
    when it was started after they were there.
    """
    order: Rows = cluster.objects.derived("order of the node tree", ("nodes",), lambda: _order(cluster))
    return order


def _order(cluster: Cluster) -> Rows:
    labels = [node.metadata.labels or {} for node in cluster.nodes]
    regions, names = _by_either(labels, _REGION), _by_either(labels, _ZONE)
    both: Iterable[Any] = names if regions.count(None) == len(regions) else zip(regions, names, strict=True)
    met: dict[Any, int] = {}
    codes = [met.setdefault(values, len(met)) for values in both]
    zones: dict[tuple[str, ...], int] = {}
    zone_of = [zones.setdefault(_named(values), len(zones)) for values in met]
    by_zone = np.array(zone_of, dtype=np.intp)[np.array(codes, dtype=np.intp)]
    grouped = by_zone.argsort(kind="stable")
    sizes = np.bincount(by_zone, minlength=1)
    turns = np.empty_like(grouped)
    turns[grouped] = np.arange(len(grouped)) - (np.cumsum(sizes) - sizes)[by_zone[grouped]]
    return np.lexsort((by_zone, turns)).astype(np.intp, copy=False)


def _by_either(labels: Sequence[Mapping[str, str]], keys: tuple[str, str]) -> list[str | None]:
    """Value of a label of each node by its old name, or else by its new one."""
    old, new = ([of_node.get(key) for of_node in labels] for key in keys)
    if old.count(None) == len(old):
        return new
    return [either if either is not None else other for either, other in zip(old, new, strict=True)]


def _named(zone: str | tuple[str | None, ...] | None) -> tuple[str, ...]:
    """A zone, or a region and a zone, of which an empty one is as good as none."""
    return tuple(part or "" for part in zone) if isinstance(zone, tuple) else (zone or "",)


def nodes_to_find(percentage: int, nodes: int) -> int:
    """How many nodes that fit are enough.

    Args:
        percentage: percentageOfNodesToScore, 0 for adaptive [percent].
        nodes: how many there are to look at.
    """
    if nodes < MIN_NODES:
        return nodes
    if not percentage:
        percentage = max(_MIN_PERCENTAGE, _MAX_PERCENTAGE - nodes // _NODES_PER_PERCENT)
    return max(MIN_NODES, nodes * percentage // 100)


def alike(columns: Sequence[Int]) -> tuple[Rows, Rows]:
    """Numbers intp[W], the same where all of some int64[W] columns are, and the first place of each, intp[G]."""
    codes = np.zeros(len(columns[0]), dtype=np.int64)
    values = 1
    for column in columns:
        low, high = int(column.min()), int(column.max())
        if low == high:
            continue
        if high - low >= _NUMBERS // values:
            column, high = np.unique(column, return_inverse=True)[1], len(column)
            codes, values, low = np.unique(codes, return_inverse=True)[1], len(column), 0
        codes = codes * (high - low + 1) + (column - low)
        values *= high - low + 1
    if values == 1:
        return codes.astype(np.intp), np.zeros(1, dtype=np.intp)
    _, first, number = np.unique(codes, return_index=True, return_inverse=True)
    return number.astype(np.intp), first.astype(np.intp)


def narrow(values: Int) -> NDArray[np.signedinteger[Any]]:
    """The same numbers as int16, where all are small: those are looked through faster."""
    small = values.size and int(values.min()) > -_SMALL and int(values.max()) < _SMALL
    return values.astype(np.int16) if small else values


@dataclass(frozen=True)
class Windows:
    """F sets of nodes: those that fit, in the scheduler's order, and K of them from each one on, all around.

    Attributes:
        size: K, at most F.
        weight: float64[F], how often the walk starts where it meets each one first, 1 in all.
    """

    size: int
    weight: NDArray[np.float64]

    @classmethod
    def of(cls, order: Rows, feasible: Mask, size: int) -> tuple[Rows, Windows]:
        """Rows of the nodes that fit, in the scheduler's order, and their windows.

        Args:
            order: intp[N], all nodes, as walked.
            feasible: bool[N], by row.
            size: how many are enough.
        """
        places = np.flatnonzero(feasible[order])
        before = np.roll(places, 1)
        before[0] -= len(order)
        return order[places], cls(min(size, len(places)), (places - before) / len(order))

    def __len__(self) -> int:
        """F."""
        return len(self.weight)

    @cached_property
    def _around(self) -> Rows:
        """intp[F + K - 1], positions once around and on to the end of the last window."""
        return np.arange(len(self) + self.size - 1, dtype=np.intp) % len(self)

    def at(self, window: int) -> Rows:
        """intp[K], positions of one window."""
        return (window + np.arange(self.size, dtype=np.intp)) % len(self)

    def highest(self, values: Int) -> Int:
        """int64[..., F], the highest of int64[..., F] values in each window."""
        maxima, width = narrow(values)[..., self._around], 1
        while 2 * width <= self.size:
            maxima = np.maximum(maxima[..., :-width], maxima[..., width:])
            width *= 2
        last = self.size - width
        ends = np.maximum(maxima[..., : len(self)], maxima[..., last : last + len(self)])
        highest: Int = ends.astype(np.int64, copy=False)
        return highest

    def count(self, mask: Mask) -> Int:
        """See NodeSets."""
        sums = np.concatenate(([0], np.cumsum(mask[self._around])))
        return (sums[self.size :] - sums[: len(self)]).astype(np.int64)

    def distinct(self, codes: Int) -> Int:
        """See NodeSets: each code counts in a window where it comes last; few codes are counted each."""
        around = codes[self._around]
        if int(codes.max(initial=0)) < _DOMAINS:
            sums = np.zeros((_DOMAINS, len(around) + 1), dtype=np.int32)
            np.cumsum(around == np.arange(_DOMAINS)[:, np.newaxis], axis=1, out=sums[:, 1:])
            here = sums[:, self.size :] > sums[:, : len(self)]
            return np.asarray(np.count_nonzero(here, axis=0), dtype=np.int64)
        order = np.argsort(around, kind="stable")
        again = np.flatnonzero(around[order[1:]] == around[order[:-1]])
        first, last = order[again], order[again + 1]
        # a pair of neighbours of one code lies in the windows that start after last - K, up to first
        start = np.maximum(last - self.size + 1, 0)
        both = (start <= first) & (start < len(self)) & (around[first] >= 0)
        change = np.bincount(start[both], minlength=len(self) + 1)[: len(self) + 1].astype(np.int64)
        change -= np.bincount(np.minimum(first[both] + 1, len(self)), minlength=len(self) + 1)
        return self.count(codes >= 0) - np.cumsum(change)[: len(self)]

    def shares(self, total: Int) -> NDArray[np.float64]:
        """float64[F], how often each node is drawn among the best, by int64[F] scores."""
        return self.shares_of_groups(total[np.newaxis], np.zeros(len(self), dtype=np.intp))

    def shares_of_groups(self, totals: Int, group: Rows) -> NDArray[np.float64]:
        """The same, where scores differ from group to group of windows.

        Args:
            totals: int64[G, F], scores by group.
            group: intp[F], of each window; those of other groups are left out.
        """
        known = np.flatnonzero((group >= 0) & (group < len(totals)))
        sizes = np.bincount(group[known], minlength=len(totals))
        few = sizes * self.size <= _FEW * len(self._around)
        if few.all():
            return self._looked_through(totals, known, group)
        small, number = few[group[known]], np.cumsum(~few) - 1
        shares = self._sorted(totals[~few], known[~small], number[group[known[~small]]])
        return shares + self._looked_through(totals, known[small], group) if few.any() else shares

    def _sorted(self, totals: Int, windows: Rows, group: Rows) -> NDArray[np.float64]:
        """The same of some windows, from an order by score: where they are large and groups of many.

        Args:
            totals: int64[G, F], scores by group.
            windows: intp[J].
            group: intp[J], of these windows.
        """
        count, length = len(self), len(self._around)
        highest, low = self.highest(totals)[group, windows], int(totals.min())
        span = int(totals.max()) - low + 1
        if span >= _NUMBERS // (length * len(totals)):
            levels, at = np.unique(totals, return_inverse=True)
            totals, highest = at.reshape(totals.shape), np.searchsorted(levels, highest)
            low, span = 0, len(levels)
        # all positions by group, score and place, so that the best of a window are neighbours
        base = np.arange(len(totals)) * span - low
        keys = (totals + base[:, np.newaxis])[:, self._around] * length + np.arange(length)
        keys = np.sort(keys, axis=1).ravel()
        first = (highest + base[group]) * length + windows
        start, end = np.searchsorted(keys, first), np.searchsorted(keys, first + self.size)
        each = self.weight[windows] / (end - start)
        gained = np.bincount(start, each, len(keys) + 1) - np.bincount(end, each, len(keys) + 1)
        return np.bincount(self._around[keys % length], np.cumsum(gained)[:-1], count).astype(np.float64, copy=False)

    def _looked_through(self, totals: Int, windows: Rows, group: Rows) -> NDArray[np.float64]:
        """The same of some windows, each of which is looked through: where they are small, or groups of few."""
        shares = np.zeros(len(self), dtype=np.float64)
        inside = np.lib.stride_tricks.sliding_window_view(narrow(totals)[:, self._around], self.size, axis=1)
        most = max(AT_ONCE // self.size, 1)
        for start in range(0, len(windows), most):
            some = windows[start : start + most]
            values = inside[group[some], some]
            best = np.flatnonzero(values == values.max(axis=1, keepdims=True))
            window, place = best // self.size, best % self.size
            each = self.weight[some] / np.bincount(window, minlength=len(some))
            shares += np.bincount(self._around[some[window] + place], each[window], len(self))
        return shares
