"""What a cycle keeps of the one before it, where that was of a pod like its own and only placed it.

A queue holds many pods of one template behind one another. What a plugin answers from nodes alone is then the same
again; what it answers from amounts requested there is the same but on the node that the last pod was placed on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kplan.cluster import PodInfo
from kplan.framework.codes import Point, Reads
from kplan.framework.findings import Skip
from kplan.framework.worlds import Rows
from kplan.pipeline.profiles import Pipeline
from kplan.pipeline.statuses import FilterPass, PluginAnswer

_BY_NODE = Reads.NODE | Reads.USAGE
_POINTS = (Point.PRE_FILTER, Point.FILTER, Point.PRE_SCORE, Point.SCORE)


@dataclass(frozen=True, slots=True)
class Scored:
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

    def _within(self, most: Reads) -> dict[str, frozenset[str]]:
        return {
            point.value: frozenset(p.name for p in self.pipeline.at(point) if not p.reads(point, self.pod) & ~most)
            for point in _POINTS
        }


@dataclass(frozen=True, slots=True)
class KeptAnswers:
    """The answers about a pod that was placed.

    Attributes:
        pipeline: who answered.
        pod: the pod.
        row: node that it was placed on.
        states: by plugin, what PreFilter made, or that it skipped the pod.
        limits: names of the nodes that PreFilter plugins allow.
        rows: intp[M], nodes that filters were asked about.
        run: what they answered.
        scored: scores.
        reach: of the plugins.
    """

    pipeline: Pipeline
    pod: PodInfo
    row: int
    states: dict[str, Any]
    limits: dict[str, frozenset[str]]
    rows: Rows
    run: FilterPass
    scored: Scored
    reach: Reach

    def holds_for(self, pod: PodInfo) -> bool:
        """Whether another pod is like this one in all that plugins read of it."""
        mine, other = self.pod.pod, pod.pod
        return (
            pod.pod_class is self.pod.pod_class
            and pod.priority == self.pod.priority
            and other.spec == mine.spec
            and other.status == mine.status
            and other.metadata.owner_references == mine.metadata.owner_references
        )

    def asked(self, plugin: str) -> PluginAnswer | None:
        """What a filter answered; None where every node passed."""
        return next((asked for asked in self.run.asked if asked.plugin == plugin), None)

    def position(self, rows: Rows) -> Rows:
        """intp[0 or 1], where the node that the pod was placed on is among sorted rows."""
        at = int(np.searchsorted(rows, self.row))
        return np.array([at] if at < len(rows) and rows[at] == self.row else [], dtype=np.intp)
