"""Places for all pods of some nodes: each combination is tried, not only what the scheduler would choose by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from kplan.cluster import Cluster
from kplan.course.moving.bounds import checked, eligible
from kplan.course.moving.effort import Effort, EnoughTriedError
from kplan.course.moving.emptying import leaving, shut
from kplan.course.moving.journey import Moved, WantedPods, take_off, travel
from kplan.course.moving.movable import Movable
from kplan.course.moving.related import drawn
from kplan.course.moving.room import Room, StepsLeft
from kplan.course.moving.room_rules import LeavingPods, room_rules
from kplan.course.trial.alike import likeness
from kplan.pipeline import Planner

CYCLES = 20_000
"""Cycles over all sets of nodes that are asked about."""


class Places(Struct):
    """Finds places, one after another.

    Attributes:
        planner: planner over the cluster, which is as before afterwards.
        movable: which pods may be moved.
        cut: whether something was left out.
        effort: what may still be asked, over all sets of nodes.
        steps: the same of what is looked at without asking.
    """

    planner: Planner
    movable: Movable
    cut: bool = False
    effort: Effort = field(default_factory=lambda: Effort(CYCLES))
    steps: StepsLeft = field(default_factory=StepsLeft)
    _eligible: dict[object, NDArray[np.bool_]] = field(default_factory=dict)

    def of(self, names: Sequence[str]) -> list[Moved] | None:
        """Find a place for each pod of some nodes, which are cordoned; None where none was found."""
        cluster = self.planner.cluster
        nodes = [cluster.node_index[name] for name in names]
        rows = [row for node in nodes for row in leaving(self.movable, cluster, node)]
        kinds = self._kinds(rows)
        try:
            with self.planner.trial(everything=False, scored=False) as trial:
                shut(trial, names)
                search = self._prepared(trial, kinds, nodes)
                way = search.go(trial, tuple(rows), {}) if search is not None else None
        except EnoughTriedError:
            self.cut = True
            return None
        if way is None:
            return None
        journey = travel(self.planner, WantedPods(()), list(way), way, steered=True, closed=nodes)
        self.cut = self.cut or journey is None
        return list(journey.moves) if journey is not None else None

    def _kinds(self, rows: Sequence[int]) -> list[_Kind]:
        """Put pods alike together, with the nodes on which they may be at all, whichever are cordoned for the plan."""
        cluster = self.planner.cluster
        alike: dict[object, list[int]] = {}
        for row in rows:
            alike.setdefault(likeness(cluster.pods[row]), []).append(row)
        for like, some in alike.items():
            if like not in self._eligible:
                self._eligible[like] = eligible(self.planner, cluster.pods[some[0]])
        return [_Kind(tuple(some), self._eligible[like]) for like, some in alike.items()]

    def _prepared(self, trial: Planner, kinds: Sequence[_Kind], nodes: Sequence[int]) -> _PlaceSearch | None:
        """Learn where each kind may land, whatever the order; None where there is no room then."""
        rows = [row for kind in kinds for row in kind.rows]
        numbers = {row: number for number, kind in enumerate(kinds) for row in kind.rows}
        closed = np.zeros(len(trial.cluster.nodes), dtype=np.bool_)
        closed[list(nodes)] = True
        cycles = []
        for kind in kinds:
            with trial.trial() as deeper:
                cycles.append(self.effort.ask(deeper, take_off(deeper, kind.rows[0]))[0])
        allowed = np.array([kind.eligible for kind in kinds], dtype=np.bool_).reshape(len(kinds), len(closed))
        rules = room_rules(LeavingPods(rows, numbers, closed), cycles, allowed)
        room = Room(asked_of(trial, [kind.rows[0] for kind in kinds]), rules, self.steps)
        search = _PlaceSearch(self.effort, numbers, room, any_order=any(map(drawn, cycles)))
        return search if search.hopeful(trial, rows, {}) else None


class _Kind(Struct, frozen=True):
    """Pods alike that leave.

    Attributes:
        rows: their rows.
        eligible: bool[N], the nodes on which they may be by what the nodes are.
    """

    rows: tuple[int, ...]
    eligible: NDArray[np.bool_]


class _PlaceSearch(Struct):
    """The search for places of the pods of some nodes.

    Attributes:
        effort: what may still be asked.
        kinds: the kind of each row; pods of one kind are alike.
        room: whether there is room, whatever the order.
        any_order: whether pods that land may help others, so that their order matters.
    """

    effort: Effort
    kinds: Mapping[int, int]
    room: Room
    any_order: bool
    _seen: set[tuple[object, ...]] = field(default_factory=set)

    def hopeful(self, trial: Planner, rows: Sequence[int], placed: Mapping[int, int]) -> bool:
        """Whether there is room for the pods that are left, as far as amounts and rules tell without an order."""
        counts = Counter(self.kinds[row] for row in rows)
        left = tuple(counts[kind] for kind in range(len(self.room.asked)))
        landed = Counter((self.kinds[row], node) for row, node in placed.items())
        return self.room.possible(free_room(trial.cluster), left, landed)

    def go(self, trial: Planner, rows: tuple[int, ...], placed: Mapping[int, int]) -> Mapping[int, int] | None:
        """Place the pods that are left; give row of the node by row of the pod, in order."""
        if not rows:
            return placed
        # pods alike are as good one as the other: those that landed on one node, and those still on one
        homes = trial.cluster.pod_node
        key = (
            tuple(sorted((self.kinds[row], node) for row, node in placed.items())),
            tuple(sorted((self.kinds[row], int(homes[row])) for row in rows)),
        )
        if key in self._seen or not self.hopeful(trial, rows, placed):
            return None
        self._seen.add(key)
        tried: set[tuple[int, int]] = set()
        for row in rows if self.any_order else rows[:1]:
            like = (self.kinds[row], int(homes[row]))
            if like in tried:
                continue
            tried.add(like)
            rest = tuple(other for other in rows if other != row)
            with trial.trial() as left:
                cycle, outcome = self.effort.ask(left, take_off(left, row))
                for node in outcome.feasible.tolist():
                    with left.trial() as landed:
                        if landed.place(cycle, node).refused is not None:
                            continue
                        placement = self.go(landed, rest, {**placed, row: node})
                        if placement is not None:
                            return placement
        return None


def asked_of(planner: Planner, rows: Sequence[int]) -> NDArray[np.int64]:
    """int64[K, R + 1], what some pods ask for, as far as that is checked; the last is a number of pods."""
    cluster = planner.cluster
    amounts = np.ones((len(rows), len(cluster.resources) + 1), dtype=np.int64)
    amounts[:, :-1] = cluster.pod_request[: len(cluster.resources), list(rows)].T
    for at, row in enumerate(rows):
        amounts[at, ~checked(planner, cluster.pods[row])] = 0
    return amounts


def free_room(cluster: Cluster) -> NDArray[np.int64]:
    """int64[R + 1, N], what each node has left; the last is a number of pods."""
    free = np.vstack([cluster.allocatable - cluster.requested, cluster.allowed_pods - cluster.pod_count])
    room: NDArray[np.int64] = free.astype(np.int64)
    return room


def carry(trial: Planner, moves: Sequence[Moved]) -> None:
    """Carry moves out as they are told; the planner's cluster is changed."""
    for move in moves:
        copy = take_off(trial, move.row)
        to = trial.cluster.node_index[move.to]
        cycle = trial.group_cycle(copy, np.array([to], dtype=np.intp), everything=False)  # it is known where it lands
        cycle.explain(preempt=False)
        trial.place(cycle, to)
