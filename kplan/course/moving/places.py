"""Places for all pods of some nodes: each combination is tried, not only what the scheduler would choose by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kplan.course.alike import likeness
from kplan.course.moving.bounds import eligible
from kplan.course.moving.effort import Effort, EnoughTriedError
from kplan.course.moving.emptying import leaving, shut
from kplan.course.moving.journey import Moved, WantedPods, take_off, travel
from kplan.course.moving.movable import Movable
from kplan.course.moving.related import drawn
from kplan.pipeline import Planner

CYCLES = 60_000
"""Cycles over all sets of nodes that are asked about."""


@dataclass
class Places:
    """Finds places, one after another.

    Attributes:
        planner: planner over the cluster, which is as before afterwards.
        movable: which pods may be moved.
        cut: whether something was left out.
        effort: what may still be asked, over all sets of nodes.
    """

    planner: Planner
    movable: Movable
    cut: bool = False
    effort: Effort = field(default_factory=lambda: Effort(CYCLES))
    _kinds: dict[int, tuple[int, int]] = field(default_factory=dict)
    _open: dict[int, NDArray[np.intp]] = field(default_factory=dict)
    _all_open: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, dtype=np.intp))

    def of(self, names: Sequence[str]) -> list[Moved] | None:
        """Find a place for each pod of some nodes, which are cordoned; None where none was found."""
        cluster = self.planner.cluster
        nodes = [cluster.node_index[name] for name in names]
        rows = [row for node in nodes for row in leaving(self.movable, cluster, node)]
        try:
            with self.planner.trial(everything=False, scored=False) as trial:
                shut(trial, names)
                any_order = any(self._drawn(trial, row) for row in rows)
                self._learn(rows, set(nodes))
                way = self._go(trial, tuple(rows), {}, set(), any_order=any_order)
        except EnoughTriedError:
            self.cut = True
            return None
        if way is None:
            return None
        journey = travel(self.planner, WantedPods(()), list(way), way, steered=True, closed=nodes)
        self.cut = self.cut or journey is None
        return list(journey.moves) if journey is not None else None

    def _learn(self, rows: Sequence[int], closed: set[int]) -> None:
        """Note which pods are alike, and on which of the nodes that are open each may be at all."""
        cluster = self.planner.cluster
        numbers: dict[object, int] = {}
        self._kinds = {
            row: (numbers.setdefault(likeness(cluster.pods[row]), len(numbers)), int(cluster.pod_node[row]))
            for row in rows
        }
        is_open = np.array([node not in closed for node in range(len(cluster.nodes))], dtype=np.bool_)
        self._open = {row: np.flatnonzero(eligible(self.planner, cluster.pods[row]) & is_open) for row in rows}
        self._all_open = np.flatnonzero(is_open)

    def _hopeless(self, trial: Planner, rows: Sequence[int]) -> bool:
        """Whether what is free is too little, for all of some pods or for one of them."""
        cluster = trial.cluster
        free = cluster.allocatable - cluster.requested
        asked = cluster.pod_request[:, list(rows)]
        wanted = asked.sum(axis=1)
        if ((wanted > 0) & (wanted > np.maximum(free[:, self._all_open], 0).sum(axis=1))).any():
            return True
        for at, row in enumerate(rows):
            wants = asked[:, at] > 0
            room = free[np.ix_(wants, self._open[row])] >= asked[wants, at][:, None]
            if not room.all(axis=0).any():
                return True
        return False

    def _drawn(self, trial: Planner, row: int) -> bool:
        with trial.trial() as deeper:
            return drawn(self.effort.ask(deeper, take_off(deeper, row))[0])

    def _go(
        self,
        trial: Planner,
        rows: tuple[int, ...],
        placed: Mapping[int, int],
        seen: set[tuple[tuple[int, ...], ...]],
        *,
        any_order: bool,
    ) -> Mapping[int, int] | None:
        """Place the pods that are left; give row of the node by row of the pod, in order."""
        if not rows:
            return placed
        # pods alike that leave one node are as good one as the other
        key = tuple(sorted((*self._kinds[row], node) for row, node in placed.items()))
        if key in seen or self._hopeless(trial, rows):
            return None
        seen.add(key)
        tried: set[tuple[int, int]] = set()
        for row in rows if any_order else rows[:1]:
            if self._kinds[row] in tried:
                continue
            tried.add(self._kinds[row])
            rest = tuple(other for other in rows if other != row)
            with trial.trial() as left:
                cycle, outcome = self.effort.ask(left, take_off(left, row))
                for node in outcome.feasible.tolist():
                    with left.trial() as landed:
                        if landed.place(cycle, node).refused is not None:
                            continue
                        placement = self._go(landed, rest, {**placed, row: node}, seen, any_order=any_order)
                        if placement is not None:
                            return placement
        return None


def carry(trial: Planner, moves: Sequence[Moved]) -> None:
    """Carry moves out as they are told; the planner's cluster is changed."""
    for move in moves:
        copy = take_off(trial, move.row)
        cycle = trial.cycle(copy)
        cycle.explain(preempt=False)
        trial.place(cycle, trial.cluster.node_index[move.to])
