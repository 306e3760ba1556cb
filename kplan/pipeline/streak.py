"""A streak: pods of one template behind one another, of which each changes nothing but the node it is placed on.

What filters and Score plugins that read how full a node is say of it with one, two or three more pods of the template
is asked of all nodes at once, the first time that a node has so many more: after that it is looked up. As long as the
node takes another one, no node fits now that did not. Score plugins that read where pods are are asked about all nodes
again; all else stands as the first was answered. A node that is full ends the streak.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct, field

from kplan.cluster.changes import CountAhead
from kplan.framework.codes import Point
from kplan.framework.findings import Failed, Skip
from kplan.framework.worlds import Int, Mask, Rows, plain
from kplan.pipeline.profiles import Pipeline
from kplan.pipeline.reach import Reach, Scored
from kplan.pipeline.statuses import FilterPass

if TYPE_CHECKING:
    from kplan.cluster import Cluster, PodInfo


class Scorer(Struct, frozen=True):
    """A Score plugin that may not say the same again.

    Attributes:
        plugin: it.
        weight: of its scores.
        alone: whether it says the same again of all nodes but the one that took a pod.
        prepares: whether its PreScore is asked again.
    """

    plugin: Any
    weight: int
    alone: bool
    prepares: bool


class Level(Struct, frozen=True):
    """What is said of every node with so many more pods of the template than when the streak began.

    Attributes:
        fits: bool[F], whether the filters let one more onto it.
        raw: int64[F] by name of the Score plugin.
        problem: whether one of them fails.
    """

    fits: Mask
    raw: dict[str, Int]
    problem: bool


class Streak(Struct, frozen=True):
    """Who is asked again once a node took a pod.

    Attributes:
        filters: Filter plugins, about that node.
        scorers: Score plugins.
        rows: intp[F], nodes that fit.
        taken: int64[F], pods of the streak that each took since it began.
        levels: what is said of the nodes with none more, one, two ...
    """

    filters: tuple[Any, ...]
    scorers: tuple[Scorer, ...]
    rows: Rows
    taken: Int
    levels: list[Level] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        pipeline: Pipeline,
        reach: Reach,
        states: dict[str, Any],
        filters: tuple[Any, ...],
        run: FilterPass,
        scored: Scored,
    ) -> Streak | None:
        """Say who is; None where what one node is like decides whether others fit.

        Args:
            pipeline: plugins of the profile.
            reach: of the plugins.
            states: by plugin, what PreFilter made, or Skip.
            filters: the Filter plugins that PreFilter did not skip.
            run: what they said.
            scored: what Score plugins said.
        """
        if pipeline.callers or scored.problem or any(asked.findings.choice is not None for asked in run.asked):
            return None
        if not all(reach.stands(name, made, Point.PRE_FILTER.value) for name, made in states.items()):
            return None
        again = tuple(plugin for plugin in filters if plugin.name not in reach.still[Point.FILTER.value])
        if not all(plugin.name in reach.by_node[Point.FILTER.value] for plugin in again):
            return None
        preparing = {
            name for name, made in scored.states.items() if not reach.stands(name, made, Point.PRE_SCORE.value)
        }
        taken = np.zeros(len(scored.rows), dtype=np.int64)
        return cls(again, tuple(_scorers(pipeline, reach, scored, preparing)), scored.rows, taken)

    def took(self, row: int) -> None:
        """Take note of one more pod of the streak that a node took."""
        self.taken[self._at(row)] += 1

    def _at(self, row: int) -> int:
        return int(self.rows.searchsorted(row))

    def still_fits(self, pod: PodInfo, cluster: Cluster, states: dict[str, Any], row: int, former: Scored) -> bool:
        """Tell whether a node that took a pod takes another one.

        Args:
            pod: the other one.
            cluster: as it is now.
            states: by plugin, what PreFilter made; None for one that skipped.
            row: the node.
            former: scores before.
        """
        at = self._at(row)
        return bool(self._level(int(self.taken[at]), pod, cluster, states, former).fits[at])

    def _level(self, number: int, pod: PodInfo, cluster: Cluster, states: dict[str, Any], former: Scored) -> Level:
        """What is said of the nodes with so many more pods; the nodes are as before afterwards.

        It is asked for the first time about a node that took the last of them just now, so that none took more.
        """
        if number == len(self.levels):
            more = number - self.taken
            undo = cluster.apply([CountAhead(pod.row, self.rows, more)]) if more.any() else None
            try:
                self.levels.append(self._asked(pod, cluster, states, former))
            finally:
                if undo is not None:
                    cluster.undo(undo)
        return self.levels[number]

    def _asked(self, pod: PodInfo, cluster: Cluster, states: dict[str, Any], former: Scored) -> Level:
        worlds = plain(self.rows)
        fits = np.ones(len(self.rows), dtype=np.bool_)
        for plugin in self.filters:
            fits &= ~plugin.filter(pod, states.get(plugin.name), cluster, worlds).failed
        raw, problem = {}, False
        for scorer in self.scorers:
            if scorer.alone:
                plugin, name = scorer.plugin, scorer.plugin.name
                state = former.states.get(name) if hasattr(plugin, "pre_score") else states.get(name)
                said = plugin.score(pod, state, cluster, self.rows, None)
                problem |= isinstance(said, Failed)
                raw[name] = said
        return Level(fits, raw, problem)

    def scored(self, pod: PodInfo, cluster: Cluster, states: dict[str, Any], row: int, former: Scored) -> Scored | None:
        """Scores of all nodes, once one of them took a pod; None where the pod needs a cycle of its own.

        Args:
            pod: whom they are for.
            cluster: as it is now.
            states: by plugin, what PreFilter made; None for one that skipped.
            row: the node that took a pod.
            former: scores before.
        """
        at = self._at(row)
        level = self._level(int(self.taken[at]), pod, cluster, states, former)
        if level.problem:
            return None
        now = Scored(former.rows, dict(former.states), dict(former.raw), dict(former.weighted), former.total.copy())
        for scorer in self.scorers:
            name = scorer.plugin.name
            if scorer.alone:
                said = int(level.raw[name][at])
                now.raw[name], now.weighted[name] = former.raw[name].copy(), former.weighted[name].copy()
                now.raw[name][at] = said
                now.weighted[name][at] = said * scorer.weight
                now.total[at] += now.weighted[name][at] - former.weighted[name][at]
            elif not self._again(scorer, pod, cluster, states, row, former, now):
                return None
        return now

    @staticmethod
    def _again(
        scorer: Scorer,
        pod: PodInfo,
        cluster: Cluster,
        states: dict[str, Any],
        row: int,
        former: Scored,
        now: Scored,
    ) -> bool:
        """Ask a plugin about all nodes again; tell whether the pod needs no cycle of its own."""
        plugin, name, rows = scorer.plugin, scorer.plugin.name, former.rows
        if scorer.prepares:
            made = plugin.follow(pod, former.states[name], cluster, row) if hasattr(plugin, "follow") else None
            made = made or plugin.pre_score(pod, states.get(name), cluster, rows)
            if isinstance(made, Failed) or isinstance(made, Skip) is not isinstance(now.states[name], Skip):
                return False
            now.states[name] = made if isinstance(made, Skip) else made.state
            if isinstance(made, Skip):
                return True
        state = now.states.get(name) if hasattr(plugin, "pre_score") else states.get(name)
        said = plugin.score(pod, state, cluster, rows, None)
        if isinstance(said, Failed):
            return False
        now.raw[name] = said
        if hasattr(plugin, "normalize"):
            said = plugin.normalize(pod, state, cluster, rows, said)
        now.weighted[name] = said * scorer.weight
        now.total[:] += now.weighted[name] - former.weighted[name]
        return True


def _scorers(pipeline: Pipeline, reach: Reach, scored: Scored, preparing: set[str]) -> Iterator[Scorer]:
    """Score plugins that may not say the same again, or whose PreScore may no longer skip the pod."""
    for plugin in pipeline.at(Point.SCORE):
        prepares = plugin.name in preparing
        asked = plugin.name in scored.raw and plugin.name not in reach.still[Point.SCORE.value]
        if asked or prepares:
            alone = plugin.name in reach.by_node[Point.SCORE.value] and not hasattr(plugin, "normalize")
            weight = pipeline.profile.weights.get(plugin.name, 1)
            yield Scorer(plugin, weight, alone and not prepares, prepares)
