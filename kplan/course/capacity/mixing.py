"""Mixes of node shapes: the cheapest with which all pods that are wanted are placed, by the scheduler's own choice.

Mixes are tried from the cheapest on, so that the first that works is the best; where there are too many of them, one is
built up from what a solver says, or node by node, and what is not needed is taken out again.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush

import numpy as np
from msgspec import Struct, field

from kplan.cluster import PodInfo
from kplan.course.moving.bounds import Demand, Float, demands
from kplan.course.moving.solver import Row, minimise
from kplan.course.trial.alike import likeness
from kplan.course.trial.what_if import WhatIf
from kplan.pipeline import Planner
from kplan.scenario.add_node import AddNode

TRIALS = 400
"""Mixes that are carried out."""
LOOKED_AT = 50_000
"""Mixes that are looked at, most of which are too small by amounts alone."""
Mix = tuple[int, ...]


class Shape(Struct, frozen=True):
    """One kind of node that can be had.

    Attributes:
        name: as it is called.
        verb: adds one.
        price: what one costs; 1 where nodes are counted.
        most: how many can be had.
    """

    name: str
    verb: AddNode
    price: float = 1.0
    most: int = 1000


class Mixed(Struct, frozen=True):
    """What came of it.

    Attributes:
        mix: nodes of each shape; None where no mix was found.
        cost: what they cost.
        bound: no mix costs less.
        proved: whether it is the cheapest.
        homeless: pods that fit on none of the shapes, not even alone; then no mix helps.
        left: pods that found no place in the best mix, where none was found.
        tried: mixes that were carried out.
    """

    mix: Mix | None
    cost: float = 0.0
    bound: float = 0.0
    proved: bool = False
    homeless: tuple[PodInfo, ...] = ()
    left: tuple[PodInfo, ...] = ()
    tried: int = 0


class Mixing(Struct):
    """A search for a mix.

    Attributes:
        planner: planner over the cluster, which is as before afterwards.
        wanted: pods that are to be placed, in the order of the queue.
        shapes: what can be had.
    """

    planner: Planner
    wanted: Sequence[PodInfo]
    shapes: Sequence[Shape]
    _known: dict[Mix, tuple[PodInfo, ...]] = field(default_factory=dict)
    _rows: list[Row] = field(default_factory=list)

    def run(self) -> Mixed:
        """Find the cheapest mix."""
        none = (0,) * len(self.shapes)
        if not self._left(none):
            return Mixed(none, proved=True, tried=1)
        homeless = self._learn()
        if homeless:
            return Mixed(None, homeless=tuple(homeless))
        bound, start = self._bound()
        for mix in self._cheapest_first(bound):
            if not self._left(mix):
                cost = self.cost(mix)
                return Mixed(mix, cost, max(bound, cost), proved=True, tried=len(self._known))
        built = self._built_up(start)
        if built is None:
            return Mixed(None, bound=bound, left=self._fewest_left(), tried=len(self._known))
        cost = self.cost(built)
        return Mixed(built, cost, bound, proved=cost <= bound * (1 + 1e-6), tried=len(self._known))

    def cost(self, mix: Mix) -> float:
        """What a mix costs."""
        return float(sum(number * shape.price for number, shape in zip(mix, self.shapes, strict=True)))

    def _left(self, mix: Mix) -> tuple[PodInfo, ...]:
        """Pods that find no place with a mix."""
        if mix not in self._known:
            with self.planner.trial(everything=False) as trial:
                trial.preempt = False
                _add(trial, self.shapes, mix)
                placed = {pod.row: trial.step(pod).outcome.last.placement for pod in self.wanted}
            self._known[mix] = tuple(pod for pod in self.wanted if placed[pod.row] is None)
        return self._known[mix]

    def _fewest_left(self) -> tuple[PodInfo, ...]:
        return min(self._known.values(), key=len)

    def _learn(self) -> list[PodInfo]:
        """Note what each shape offers to which pods; give those that fit on none."""
        each = (1,) * len(self.shapes)
        with self.planner.trial(everything=False, scored=False) as trial:
            cluster = trial.cluster
            added = _add(trial, self.shapes, each)
            free = {n.name: _free(trial, row) for row, n in enumerate(cluster.nodes) if n.name not in set(added)}
            at = [cluster.node_index[name] for name in added]
            offered = np.array([_free(trial, row) for row in at]).T
            for demand in demands(trial, self.wanted):
                self._rows += self._of(trial, demand, free, at, offered)
            fits: dict[object, bool] = {}
            for pod in self.wanted:
                alike = likeness(pod)
                if alike not in fits:
                    fits[alike] = bool(len(trial.cycle(pod).explain(preempt=False).feasible))
            # one that lacks another pod beside it may fit once that is placed
            drawn = {likeness(pod) for pod in self.wanted if pod.pod_class.affinity}
            return [pod for pod in self.wanted if not fits[likeness(pod)] and likeness(pod) not in drawn]

    def _of(
        self, trial: Planner, demand: Demand, free: dict[str, Float], at: Sequence[int], offered: Float
    ) -> Iterator[Row]:
        """What has to be offered by the shapes beside what is free on the nodes that are there."""
        names = [node.name for row, node in enumerate(trial.cluster.nodes) if demand.nodes[row]]
        have = np.sum([free[name] for name in names if name in free], axis=0)
        mine = demand.nodes[list(at)]
        for resource, amount in enumerate(demand.amounts.tolist()):
            left = amount - float(np.atleast_1d(have)[resource] if names and np.ndim(have) else 0.0)
            if left > 0:
                yield Row(np.where(mine, offered[resource], 0.0), left)

    def _bound(self) -> tuple[float, Mix | None]:
        """What a mix costs at least, and the mix that a solver would take by amounts alone."""
        prices = np.array([shape.price for shape in self.shapes])
        most = np.array([float(shape.most) for shape in self.shapes])
        bound = 0.0
        for row in self._rows:
            useful = row.values > 0
            if useful.any():
                bound = max(bound, float((prices[useful] / row.values[useful]).min()) * row.least)
        solved = minimise(prices, np.zeros(len(prices)), most, self._rows, whole=True)
        if solved is None:
            return bound * (1 - 1e-9), None
        start = tuple(round(x) for x in solved.amounts.tolist()) if solved.amounts is not None else None
        return max(bound * (1 - 1e-9), solved.bound * (1 - 1e-6)), start

    def _enough(self, mix: Mix) -> bool:
        """Whether a mix offers enough by amounts alone."""
        amounts = np.array(mix, dtype=np.float64)
        return all(float(row.values @ amounts) >= row.least * (1 - 1e-9) for row in self._rows)

    def _cheapest_first(self, bound: float) -> Iterator[Mix]:
        """Yield mixes that may be enough, the cheapest first and of equal ones those of fewer nodes, up to a limit."""
        heap: list[tuple[float, int, Mix, int]] = [(0.0, 0, (0,) * len(self.shapes), 0)]
        looked = tried = 0
        while heap and looked < LOOKED_AT and tried < TRIALS:
            cost, number, mix, first = heappop(heap)
            looked += 1
            if cost >= bound - 1e-9 and self._enough(mix):
                tried += 1
                yield mix
            for at in range(first, len(self.shapes)):
                if mix[at] < self.shapes[at].most:
                    more = (*mix[:at], mix[at] + 1, *mix[at + 1 :])
                    heappush(heap, (cost + self.shapes[at].price, number + 1, more, at))

    def _built_up(self, start: Mix | None) -> Mix | None:
        """Add what helps most for its price until all are placed, and take out what is not needed."""
        mix = start or (0,) * len(self.shapes)
        while left := self._left(mix):
            steps = [self._more(mix, at) for at in range(len(self.shapes)) if mix[at] < self.shapes[at].most]
            steps = [step for step in steps if len(self._left(step)) < len(left)]
            if not steps:
                return None
            mix = max(
                steps, key=lambda step: ((len(left) - len(self._left(step))) / (self.cost(step) - self.cost(mix)), step)
            )
        for at in sorted(range(len(self.shapes)), key=lambda at: -self.shapes[at].price):
            while mix[at] and not self._left(less := (*mix[:at], mix[at] - 1, *mix[at + 1 :])):
                mix = less
        return mix

    @staticmethod
    def _more(mix: Mix, at: int) -> Mix:
        return (*mix[:at], mix[at] + 1, *mix[at + 1 :])


def _free(trial: Planner, row: int) -> Float:
    """float64[R + 1], what a node has left of each resource; the last is a number of pods. No node that is cordoned."""
    cluster = trial.cluster
    left = cluster.allocatable[:, row] - cluster.requested[:, row]
    pods = int(cluster.allowed_pods[row]) - int(cluster.pod_count[row])
    return np.maximum(np.append(left, pods).astype(np.float64), 0.0)


def _add(trial: Planner, shapes: Sequence[Shape], mix: Mix) -> list[str]:
    """Add the nodes of a mix, with the pods of their DaemonSets; give their names."""
    what_if, names = WhatIf[None](trial), []
    for shape, number in zip(shapes, mix, strict=True):
        if number:
            before = set(trial.cluster.node_index)
            what_if.take(dataclasses.replace(shape.verb, count=number))
            names += [node.name for node in trial.cluster.nodes if node.name not in before]
    return names
