"""The search: with how few moves a pod, or several, find a place, and below which number none can be found.

A pod that is wanted is put on each node where it fits or would fit once some pods are gone; those are then wanted in
turn, and so on, as long as no more pods leave than are allowed: no move, one, two. What all pods that are wanted leave
on the way is an assignment; whether its moves can be carried out one after the other, each pod landing before the next
one leaves, is tried at the end (``journey``).

That finds the fewest moves where pods that land can only be in each other's way. A pod with required affinity or a
spread constraint that must hold can be helped by one that lands: for it the moves are searched one by one, too.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct, field

from kplan.cluster import PodInfo
from kplan.course.moving.effort import Effort, EnoughTriedError
from kplan.course.moving.journey import Journey, WantedPods, take_off, travel
from kplan.course.moving.leaving import LeavingSets
from kplan.course.moving.movable import Movable
from kplan.course.moving.orders import in_some_order
from kplan.course.moving.related import drawn, related
from kplan.course.trial.alike import likeness
from kplan.pipeline import Planner
from kplan.pipeline.cycle import Cycle
from kplan.result import Outcome

MOST_MOVES = 4
"""Moves that are tried, unless more are asked for."""
CYCLES = 20_000
"""Cycles that one search may take."""
NODE_CYCLES = 4_000_000
"""The same, by nodes that are looked at: what bounds the time of large clusters."""
WAYS = 24
"""Assignments of one set of pods that are tried."""
SETS = 200
"""Sets of pods of one number that are tried, the cheapest first."""


class SearchResult(Struct, frozen=True):
    """What a search came to.

    Attributes:
        journeys: that work, cheapest first; none where none was found.
        bound: fewer moves than these are not enough: every move that could help was tried.
        tried: moves up to which was searched.
        sets: sets of pods that came into question at that number.
        helps: whether the leaving of any pod was worth trying; of a pod larger than every node none is.
    """

    journeys: tuple[Journey, ...] = ()
    bound: int = 0
    tried: int = 0
    sets: int = 0
    helps: bool = True

    @property
    def fewest(self) -> bool:
        """Whether fewer moves are not enough, as far as moves were found."""
        return bool(self.journeys) and self.bound == len(self.journeys[0].moves)


def fewest_moves(
    planner: Planner, wanted: WantedPods, movable: Movable, *, most: int = MOST_MOVES, cycles: int = CYCLES
) -> SearchResult:
    """Find the fewest moves with which pods find a place; the cluster is as before afterwards.

    Args:
        planner: planner over the cluster, on which the wanted pods wait.
        wanted: the pods.
        movable: which pods may be moved.
        most: moves that are tried.
        cycles: cycles that the search may take; of a large cluster fewer.
    """
    search = _MoveSearch(planner, wanted, movable, cycles)
    bound, whole = 0, True
    for number in range(most + 1):
        journeys, all_tried, sets = search.of(number)
        if journeys:
            return SearchResult(tuple(journeys), bound, number, sets)
        whole = whole and all_tried
        bound = number + 1 if whole else bound
        if search.spent:
            return SearchResult((), bound, number, sets, search.helps)
    return SearchResult((), bound, most, helps=search.helps)


@dataclasses.dataclass
class _MoveSearch:
    planner: Planner
    wanted: WantedPods
    movable: Movable
    cycles: int
    spent: bool = False
    helps: bool = False
    effort: Effort = dataclasses.field(init=False)
    leaving: LeavingSets = dataclasses.field(init=False)
    costs: dict[int, tuple[int, int, int, int, str]] = dataclasses.field(init=False, default_factory=dict)
    kinds: dict[int, int] = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        cluster = self.planner.cluster
        self.effort = Effort(min(self.cycles, NODE_CYCLES // max(1, len(cluster.nodes))))
        self.leaving = LeavingSets(self.movable.mask())
        # wanted pods alike are as good one as the other: each goes by the row of the first of its kind
        first: dict[object, int] = {}
        self.kinds = {row: first.setdefault(likeness(cluster.pods[row]), row) for row in self.wanted.rows}

    def of(self, number: int) -> tuple[list[Journey], bool, int]:
        """Search with a number of moves.

        Returns:
            journeys that work, whether all was tried, and how many sets of pods came into question.
        """
        depth = _Depth(self, number)
        self.leaving.cut = False
        try:
            depth.run()
        except EnoughTriedError:
            self.spent = depth.cut = True
        depth.cut = depth.cut or self.leaving.cut
        journeys = self._journeys(depth)
        if not journeys and depth.drawn and number and not self.spent:
            try:
                steps = _StepByStep(self, number)
                steps.run()
                journeys = self._journeys(steps)
                depth.cut = depth.cut or steps.cut
            except EnoughTriedError:
                self.spent = depth.cut = True
        return journeys, not depth.cut, len(depth.found)

    def _journeys(self, depth: _Depth) -> list[Journey]:
        """Carry out what was found, the cheapest sets of pods first, until one works."""
        sets = sorted(depth.found, key=lambda rows: sorted(map(self._cost, rows), reverse=True))
        for rows in sets[:SETS]:
            journey = self._journey(rows, depth.found[rows])
            if journey is not None:
                return [journey]
            depth.cut = depth.cut or rows in depth.full
        depth.cut = depth.cut or len(sets) > SETS
        return []

    def _cost(self, row: int) -> tuple[int, int, int, int, str]:
        if row not in self.costs:
            self.costs[row] = self.movable.cost(self.planner.cluster.pods[row])
        return self.costs[row]

    def _journey(self, rows: frozenset[int], ways: Sequence[Mapping[int, int]]) -> Journey | None:
        """Carry out the moves of some pods: where each goes by itself, or else to the nodes that were found."""
        for steered in (False, True):
            for way in ways if steered else ways[:1]:
                # whoever had to leave last has to land first
                order = [row for row in reversed(way) if row in rows]
                if steered and not in_some_order(self.planner, order, way):
                    continue
                journey = travel(self.planner, self.wanted, order, way, steered=steered)
                if journey is not None:
                    return journey
        return None


class _Depth(Struct):
    """The search with one number of moves.

    Attributes:
        search: the search.
        most: moves.
        found: by rows of the pods that leave, where they and the wanted ones go: row of the node by row of the pod.
        drawn: whether a pod came up that others may help by landing.
        homes: row of the node that each pod which left was on.
        cut: whether something was left out.
        full: sets of pods of which more assignments were left out.
    """

    search: _MoveSearch
    most: int
    found: dict[frozenset[int], list[dict[int, int]]] = field(default_factory=dict)
    drawn: bool = False
    homes: dict[int, int] = field(default_factory=dict)
    cut: bool = False
    _seen: set[tuple[object, ...]] = field(default_factory=set)
    full: set[frozenset[int]] = field(default_factory=set)

    def run(self) -> None:
        """Search."""
        cluster = self.search.planner.cluster
        pending = {row: cluster.pods[row] for row in self.search.wanted.rows}
        with self.search.planner.trial(everything=False, scored=False) as trial:
            self._go(trial, pending, {}, self.most)

    def _go(self, trial: Planner, pending: Mapping[int, PodInfo], placed: dict[int, int], left: int) -> None:
        """Find places for the pods that are pending, each by the row that it had at first."""
        if not left and self._is_full(pending, placed):
            return
        if not pending:
            # fewer moves were searched before
            if not left:
                moved = frozenset(placed) - set(self.search.wanted.rows)
                self.found.setdefault(moved, []).append(dict(placed))
            return
        kinds = self.search.kinds
        key = (
            tuple(sorted(kinds.get(row, row) for row in pending)),
            tuple(sorted((kinds.get(row, row), node) for row, node in placed.items())),
        )
        if key in self._seen:
            return
        self._seen.add(key)
        asked = {row: self.search.effort.ask(trial, pod) for row, pod in pending.items()}
        free = [row for row, (cycle, _) in asked.items() if not drawn(cycle)]
        self.drawn = self.drawn or len(free) < len(pending)
        if not left and any(not len(asked[row][1].feasible) for row in free):
            return
        first = min(free, key=lambda row: (len(asked[row][1].feasible), row), default=-1)
        for row in [first] if free else asked:
            self._place(trial, pending, placed, left, row, *asked[row])

    def _is_full(self, pending: Mapping[int, PodInfo], placed: Mapping[int, int]) -> bool:
        """Whether enough assignments of the pods that have left are known."""
        moved = frozenset((*pending, *placed)) - set(self.search.wanted.rows)
        if len(self.found.get(moved, ())) < WAYS:
            return False
        self.full.add(moved)
        return True

    def _place(
        self,
        trial: Planner,
        pending: Mapping[int, PodInfo],
        placed: dict[int, int],
        left: int,
        row: int,
        cycle: Cycle,
        outcome: Outcome,
    ) -> None:
        """Put one pod on each node where it fits, or would once others are gone."""
        pod = pending[row]
        rest = {other: pod_info for other, pod_info in pending.items() if other != row}
        last = not rest and not left
        for node in outcome.feasible.tolist():
            if node == self.homes.get(row, -1):
                continue
            with trial.trial() as deeper:
                if last or deeper.place(cycle, node).refused is None:
                    self._go(deeper, rest, {**placed, row: node}, left)
            if last:
                return  # of the last pod any place will do: its own scheduler chooses
        if not left:
            return
        for enough in list(self.search.leaving.enough(cycle, outcome, left)):
            self._leave(trial, rest, placed, left, row, pod, enough.pods, enough.node)
        helpers = np.flatnonzero(related(cycle)[: len(self.search.leaving.movable)] & self.search.leaving.movable)
        for other in helpers.tolist():
            if not trial.cluster.pods[other].gone:
                self._leave(trial, pending, placed, left, -1, pod, (other,), -1)

    def _leave(
        self,
        trial: Planner,
        rest: Mapping[int, PodInfo],
        placed: dict[int, int],
        left: int,
        row: int,
        pod: PodInfo,
        leave: Sequence[int],
        node: int,
    ) -> None:
        """Take pods off their nodes, put the one that they were in the way of in their place, and go on."""
        cluster = trial.cluster
        self.search.helps = True
        with trial.trial() as deeper:
            pending = dict(rest)
            for other in leave:
                self.homes[other] = int(cluster.pod_node[other])
                pending[other] = take_off(deeper, other)
            if row < 0:
                self._go(deeper, pending, placed, left - len(leave))
                return
            cycle, outcome = self.search.effort.ask(deeper, pod)
            if node in outcome.feasible and deeper.place(cycle, node).refused is None:
                self._go(deeper, pending, {**placed, row: node}, left - len(leave))


class _StepByStep(_Depth):
    """The search where pods that land may help: each move is carried out before the next.

    The last move is one of a pod in whose place a wanted one fits, or that one of them looks at; those before may be of
    any pod.
    """

    def run(self) -> None:
        """Search."""
        self.search.helps = True
        self.cut = len(self.search.wanted.rows) > 1  # of several, each goes to the first node where it fits
        with self.search.planner.trial(everything=False, scored=False) as trial:
            self._move(trial, {}, self.most)

    def _move(self, trial: Planner, placed: dict[int, int], left: int) -> None:
        key = (frozenset(placed.items()),)
        if key in self._seen:
            return
        self._seen.add(key)
        if not left:
            if self._all_fit(trial):
                self.found.setdefault(frozenset(placed), []).append(dict(placed))
            return
        candidates, anywhere = self._candidates(trial, last=left == 1)
        for row in candidates:
            if row in placed:
                continue
            home = int(trial.cluster.pod_node[row])
            with trial.trial() as deeper:
                copy = take_off(deeper, row)
                cycle, outcome = self.search.effort.ask(deeper, copy)
                nodes = [node for node in outcome.feasible.tolist() if node != home]
                for node in nodes[:1] if row in anywhere and left == 1 else nodes:
                    with deeper.trial() as landed:
                        if landed.place(cycle, node).refused is None:
                            self._move(landed, {**placed, row: node}, left - 1)

    def _candidates(self, trial: Planner, *, last: bool) -> tuple[list[int], frozenset[int]]:
        """Rows of pods that may move next, and those of which it does not matter where they land."""
        movable = self.search.leaving.movable
        there = movable & (trial.cluster.pod_node[: len(movable)] >= 0)
        if not last or len(self.search.wanted.rows) > 1:
            return np.flatnonzero(there).tolist(), frozenset()
        pod = trial.cluster.pods[self.search.wanted.rows[0]]
        cycle, outcome = self.search.effort.ask(trial, pod)
        close = related(cycle)[: len(movable)]
        useful = close.copy()
        for enough in self.search.leaving.enough(cycle, outcome, 1):
            useful[enough.pods[0]] = True
        return np.flatnonzero(there & useful).tolist(), frozenset(np.flatnonzero(useful & ~close).tolist())

    def _all_fit(self, trial: Planner) -> bool:
        with trial.trial() as deeper:
            for row in self.search.wanted.rows:
                cycle, outcome = self.search.effort.ask(deeper, trial.cluster.pods[row])
                if not len(outcome.feasible):
                    return False
                if len(self.search.wanted.rows) > 1 and deeper.place(cycle, int(outcome.feasible[0])).refused:
                    return False
        return True
