"""A streak: pods of one template behind one another, of which each changes nothing but the node it is placed on.

Of the second and all later ones, filters are asked about that one node again; if it still takes one of them, no node
fits now that did not. Score plugins that read how full a node is are asked about it again, those that read where pods
are about all nodes; all else stands as the first was answered. A node that is full then ends the streak.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kplan.framework.codes import Point
from kplan.framework.findings import Failed, Skip
from kplan.framework.worlds import plain
from kplan.pipeline.profiles import Pipeline
from kplan.pipeline.reach import Reach, Scored
from kplan.pipeline.statuses import FilterPass

if TYPE_CHECKING:
    from kplan.cluster import Cluster, PodInfo


@dataclass(frozen=True, slots=True)
class Scorer:
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


@dataclass(frozen=True, slots=True)
class Streak:
    """Who is asked again once a node took a pod.

    Attributes:
        filters: Filter plugins, about that node.
        scorers: Score plugins.
    """

    filters: tuple[Any, ...]
    scorers: tuple[Scorer, ...]

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
        return cls(again, tuple(_scorers(pipeline, reach, scored, preparing)))

    def still_fits(self, pod: PodInfo, cluster: Cluster, states: dict[str, Any], row: int) -> bool:
        """Tell whether a node that took a pod takes another one.

        Args:
            pod: the other one.
            cluster: as it is now.
            states: by plugin, what PreFilter made.
            row: the node.
        """
        worlds = plain(np.array([row], dtype=np.intp))
        return not any(
            plugin.filter(pod, states.get(plugin.name), cluster, worlds).failed[0] for plugin in self.filters
        )

    def scored(self, pod: PodInfo, cluster: Cluster, states: dict[str, Any], row: int, former: Scored) -> Scored | None:
        """Scores of all nodes, once one of them took a pod; None where the pod needs a cycle of its own.

        Args:
            pod: whom they are for.
            cluster: as it is now.
            states: by plugin, what PreFilter made; None for one that skipped.
            row: the node that took a pod.
            former: scores before.
        """
        at = int(np.searchsorted(former.rows, row))
        now = Scored(former.rows, dict(former.states), dict(former.raw), dict(former.weighted), former.total.copy())
        for scorer in self.scorers:
            plugin, name = scorer.plugin, scorer.plugin.name
            if scorer.prepares:
                made = plugin.pre_score(pod, states.get(name), cluster, former.rows)
                if isinstance(made, Failed) or isinstance(made, Skip) is not isinstance(now.states[name], Skip):
                    return None
                now.states[name] = made if isinstance(made, Skip) else made.state
                if isinstance(made, Skip):
                    continue
            state = now.states.get(name) if hasattr(plugin, "pre_score") else states.get(name)
            rows = former.rows[at : at + 1] if scorer.alone else former.rows
            said = plugin.score(pod, state, cluster, rows, None)
            if isinstance(said, Failed):
                return None
            if scorer.alone:
                now.raw[name], now.weighted[name] = former.raw[name].copy(), former.weighted[name].copy()
                now.raw[name][at] = said[0]
                now.weighted[name][at] = said[0] * scorer.weight
                now.total[at] += now.weighted[name][at] - former.weighted[name][at]
            else:
                now.raw[name] = said
                if hasattr(plugin, "normalize"):
                    said = plugin.normalize(pod, state, cluster, rows, said)
                now.weighted[name] = said * scorer.weight
                now.total[:] += now.weighted[name] - former.weighted[name]
        return now


def _scorers(pipeline: Pipeline, reach: Reach, scored: Scored, preparing: set[str]) -> Iterator[Scorer]:
    """Score plugins that may not say the same again, or whose PreScore may no longer skip the pod."""
    for plugin in pipeline.at(Point.SCORE):
        prepares = plugin.name in preparing
        asked = plugin.name in scored.raw and plugin.name not in reach.still[Point.SCORE.value]
        if asked or prepares:
            alone = plugin.name in reach.by_node[Point.SCORE.value] and not hasattr(plugin, "normalize")
            weight = pipeline.profile.weights.get(plugin.name, 1)
            yield Scorer(plugin, weight, alone and not prepares, prepares)
