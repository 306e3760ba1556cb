"""How far what plugins say of pods of one template reaches: what placing one of them changes for the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kplan.cluster import PodInfo
from kplan.framework.codes import Point, Reads
from kplan.framework.findings import Skip
from kplan.framework.worlds import Rows
from kplan.pipeline.profiles import Pipeline
from kplan.result import NodeScores

_BY_NODE = Reads.NODE | Reads.USAGE
_POINTS = (Point.PRE_FILTER, Point.FILTER, Point.PRE_SCORE, Point.SCORE)


class Scored(Struct, frozen=True):
    """What plugins said of the nodes that fit.

    Attributes:
        rows: intp[F], those nodes.
        states: by plugin, what PreScore made, or Skip.
        raw: int64[F] by plugin.
        weighted: int64[F] by plugin, normalised and weighted.
        total: int64[F].
        problem: what scoring would have failed with, had more than one node fitted.
    """

    rows: Rows
    states: dict[str, Any]
    raw: dict[str, NDArray[np.int64]]
    weighted: dict[str, NDArray[np.int64]]
    total: NDArray[np.int64]
    problem: str = ""

    @property
    def skipped(self) -> tuple[str, ...]:
        """Plugins that PreScore skipped."""
        return tuple(name for name, state in self.states.items() if isinstance(state, Skip))

    def told(self) -> NodeScores:
        """The same as an outcome tells it, where no extender scored."""
        best = self.rows.take((self.total == self.total.max()).nonzero()[0])
        return NodeScores(self.rows, self.raw, self.weighted, self.total, self.skipped, tuple(best.tolist()))


@dataclass
class Reach:
    """How far the answers about pods of one template depend on others; told once for all of them, and when asked.

    Attributes:
        pipeline: who answers.
        pod: one of them.
    """

    pipeline: Pipeline
    pod: PodInfo

    @cached_property
    def still(self) -> Mapping[str, frozenset[str]]:
        """By point, names of plugins whose answers depend on nothing that placing a pod changes."""
        return self._within(Reads.NODE)

    @cached_property
    def by_node(self) -> Mapping[str, frozenset[str]]:
        """By point, names of plugins whose answer about a node depends on that node alone."""
        return self._within(_BY_NODE)

    @cached_property
    def idle(self) -> frozenset[str]:
        """Names of plugins that skip a pod again which they skipped once."""
        asked: dict[str, Any] = {plugin.name: plugin for point in _POINTS for plugin in self.pipeline.at(point)}
        return frozenset(
            name for name, plugin in asked.items() if hasattr(plugin, "stays_idle") and plugin.stays_idle(self.pod)
        )

    def stands(self, plugin: str, made: Any, point: str) -> bool:
        """Tell whether a plugin would make of the next pod what it made of the last one, at PreFilter or PreScore."""
        return plugin in self.still[point] or (isinstance(made, Skip) and plugin in self.idle)

    def _within(self, most: Reads) -> dict[str, frozenset[str]]:
        more = ~most.value  # of numbers: sets of flags as such take several times as long
        return {
            point.value: frozenset(p.name for p in self.pipeline.at(point) if not p.reads(point, self.pod).value & more)
            for point in _POINTS
        }
