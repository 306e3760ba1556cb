"""A streak: pods of one template behind one another, of which each changes nothing but the node it is placed on.

Of the second and all later ones, that one node is asked about again, by the plugins that read how full nodes are; all
else stands as the first was answered. A node that is full then ends the streak: the next pod has a whole cycle.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kplan.framework.codes import Point
from kplan.framework.findings import Failed
from kplan.framework.worlds import plain
from kplan.pipeline.profiles import Pipeline
from kplan.pipeline.reach import Reach, Scored
from kplan.pipeline.statuses import FilterPass

if TYPE_CHECKING:
    from kplan.cluster import Cluster, PodInfo


@dataclass(frozen=True, slots=True)
class Streak:
    """Who is asked again about the node that the last pod was placed on.

    Attributes:
        filters: Filter plugins.
        scorers: Score plugins, with their weights.
    """

    filters: tuple[Any, ...]
    scorers: tuple[tuple[Any, int], ...]

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
        """Say who is; None where what one node is like decides about others, too.

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
        if not all(
            reach.stands(plugin.name, made[plugin.name], point.value)
            for point, made in ((Point.PRE_FILTER, states), (Point.PRE_SCORE, scored.states))
            for plugin in pipeline.at(point)
            if plugin.name in made
        ):
            return None
        again = [plugin for plugin in filters if plugin.name not in reach.still[Point.FILTER.value]]
        scorers = list(_scorers(pipeline, reach, scored))
        alone = all(plugin.name in reach.by_node[Point.FILTER.value] for plugin in again) and all(
            plugin.name in reach.by_node[Point.SCORE.value] and not hasattr(plugin, "normalize")
            for plugin, _ in scorers
        )
        return cls(tuple(again), tuple(scorers)) if alone else None

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
        """Scores of all nodes, once one of them is scored again; None where a plugin fails.

        Args:
            pod: whom they are for.
            cluster: as it is now.
            states: by plugin, what PreFilter made; None for one that skipped.
            row: the node that is scored again.
            former: scores before.
        """
        at = int(np.searchsorted(former.rows, row))
        rows = former.rows[at : at + 1]
        raw, weighted, total = dict(former.raw), dict(former.weighted), former.total.copy()
        for plugin, weight in self.scorers:
            name = plugin.name
            state = former.states.get(name) if hasattr(plugin, "pre_score") else states.get(name)
            answer = plugin.score(pod, state, cluster, rows, None)
            if isinstance(answer, Failed):
                return None
            raw[name] = former.raw[name].copy()
            raw[name][at] = answer[0]
            if weight == 1:
                weighted[name] = raw[name]
            else:
                weighted[name] = former.weighted[name].copy()
                weighted[name][at] = answer[0] * weight
            total[at] += weighted[name][at] - former.weighted[name][at]
        return Scored(former.rows, former.states, raw, weighted, total)


def _scorers(pipeline: Pipeline, reach: Reach, scored: Scored) -> Iterator[tuple[Any, int]]:
    """Score plugins that were asked and would not say the same again."""
    for plugin in pipeline.at(Point.SCORE):
        if plugin.name in scored.raw and plugin.name not in reach.still[Point.SCORE.value]:
            yield plugin, pipeline.profile.weights.get(plugin.name, 1)
