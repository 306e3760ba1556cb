"""Which nodes a live scheduler looks at: the order of its node tree, where it starts, and when it has enough.

Source: v1.37.2 pkg/scheduler/backend/cache/node_tree.go addNode, list; schedule_one.go findNodesThatPassFilters,
numFeasibleNodesToFind; component-helpers v0.37.2 node/topology GetZoneKey. The four minors do the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kplan.cluster import Cluster
from kplan.framework.worlds import Rows

MIN_NODES = 100
"""So many nodes that fit are looked for in any case."""
_MIN_PERCENTAGE, _MAX_PERCENTAGE, _NODES_PER_PERCENT = 5, 50, 125
_NUMBERS = 1 << 62
_FEW = 8
"""Windows of all nodes together up to which each is looked through: no order by score is made for so few."""
_ZONE = ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone")
_REGION = ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region")
_AT_ONCE = 1 << 18
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
    by_labels: dict[tuple[str | None, ...], int] = {}
    zones: dict[tuple[str, str], int] = {}
    met: list[int] = []
    turns, zone_of = [], []
    for node in cluster.nodes:
        get = node.labels.get
        labels = (get(_REGION[0]), get(_REGION[1]), get(_ZONE[0]), get(_ZONE[1]))
        zone = by_labels.get(labels)
        if zone is None:
            zone = by_labels[labels] = zones.setdefault((_either(*labels[:2]), _either(*labels[2:])), len(zones))
            met += [0] * (len(zones) - len(met))
        turns.append(met[zone])
        zone_of.append(zone)
        met[zone] += 1
    return np.lexsort((np.array(zone_of, dtype=np.intp), np.array(turns, dtype=np.intp))).astype(np.intp)


def _either(old: str | None, new: str | None) -> str:
    """Value of a label by its old name, or else by its new one."""
    return old if old is not None else new or ""


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
        maxima, width = values[..., self._around], 1
        while 2 * width <= self.size:
            maxima = np.maximum(maxima[..., :-width], maxima[..., width:])
            width *= 2
        last = self.size - width
        return np.maximum(maxima[..., : len(self)], maxima[..., last : last + len(self)])

    def count(self, mask: Mask) -> Int:
        """See NodeSets."""
        sums = np.concatenate(([0], np.cumsum(mask[self._around])))
        return (sums[self.size :] - sums[: len(self)]).astype(np.int64)

    def distinct(self, codes: Int) -> Int:
        """See NodeSets: each code counts in a window where it comes last."""
        around = codes[self._around]
        order = np.argsort(around, kind="stable")
        again = np.flatnonzero(around[order[1:]] == around[order[:-1]])
        first, last = order[again], order[again + 1]
        # a pair of neighbours of one code lies in the windows that start after last - K, up to first
        start = np.maximum(last - self.size + 1, 0)
        both = (start <= first) & (start < len(self)) & (around[first] >= 0)
        change = np.bincount(start[both], minlength=len(self) + 1)[: len(self) + 1].astype(np.int64)
        change -= np.bincount(np.minimum(first[both] + 1, len(self)), minlength=len(self) + 1)
        return self.count(codes >= 0) - np.cumsum(change)[: len(self)]

    def shares(self, total: Int, windows: Rows) -> NDArray[np.float64]:
        """float64[F], how often each node is drawn among the best of some windows.

        Args:
            total: int64[F], scores.
            windows: intp[J], those in which these scores hold.
        """
        count, length = len(self), len(self._around)
        if len(windows) * self.size <= _FEW * length:
            return self._one_by_one(total[np.newaxis], windows, np.zeros(count, dtype=np.intp))
        highest = self.highest(total)[windows]
        # all positions by score and place, so that the best of a window are neighbours
        level, lowest = total, int(total.min())
        if int(total.max()) - lowest >= _NUMBERS // length:
            levels, level = np.unique(total, return_inverse=True)
            highest, lowest = np.searchsorted(levels, highest), 0
        keys = np.sort((level[self._around] - lowest) * length + np.arange(length))
        order = keys % length
        at = (highest - lowest) * length
        start = np.searchsorted(keys, at + windows)
        end = np.searchsorted(keys, at + windows + self.size)
        each = self.weight[windows] / (end - start)
        gained = np.bincount(start, each, length + 1) - np.bincount(end, each, length + 1)
        return np.bincount(order % count, np.cumsum(gained)[:length], count).astype(np.float64, copy=False)

    def shares_of_groups(self, totals: Int, group: Rows) -> NDArray[np.float64]:
        """The same for all windows, where scores differ from group to group.

        Args:
            totals: int64[G, F], scores by group.
            group: intp[F], of each window.
        """
        sizes = np.bincount(group, minlength=len(totals))
        few = sizes * self.size <= _FEW * len(self._around)
        shares = self._one_by_one(totals, np.flatnonzero(few[group]), group)
        for number in np.flatnonzero(~few).tolist():
            shares += self.shares(totals[number], np.flatnonzero(group == number))
        return shares

    def _one_by_one(self, totals: Int, windows: Rows, group: Rows) -> NDArray[np.float64]:
        """The same, a window at a time: for groups of few."""
        shares = np.zeros(len(self), dtype=np.float64)
        inside = np.lib.stride_tricks.sliding_window_view(totals[:, self._around], self.size, axis=1)
        most = max(_AT_ONCE // self.size, 1)
        for start in range(0, len(windows), most):
            some = windows[start : start + most]
            values = inside[group[some], some]
            window, place = np.nonzero(values == values.max(axis=1, keepdims=True))
            each = self.weight[some] / np.bincount(window, minlength=len(some))
            shares += np.bincount((some[window] + place) % len(self), each[window], len(self))
        return shares
