"""What a cycle keeps of the one before it, where that was of a pod like its own and only placed it.

A queue holds many pods of one template behind one another. What a plugin answers from nodes alone is then the same
again; what it answers from amounts requested there is the same but on the node that the last pod was placed on.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct, field

from kplan.cluster import PodInfo
from kplan.framework.codes import Point
from kplan.framework.worlds import Int, Mask, Rows
from kplan.pipeline.profiles import Pipeline
from kplan.pipeline.reach import Reach, Scored
from kplan.pipeline.statuses import FilterPass, PluginAnswer
from kplan.pipeline.streak import Streak
from kplan.result import Diagnosis


class Told(Struct, frozen=True):
    """Raw scores of one plugin, of the nodes that it was asked about.

    Attributes:
        scores: int64[N].
        known: bool[N].
    """

    scores: Int
    known: Mask


class KeptAnswers(Struct, frozen=True):
    """The answers about a pod that was placed.

    Attributes:
        pipeline: who answered.
        pod: the pod.
        row: node that it was placed on.
        states: by plugin, what PreFilter made, or that it skipped the pod.
        limits: names of the nodes that PreFilter plugins allow.
        rows: intp[M], nodes that filters were asked about.
        filters: Filter plugins that were asked.
        run: what they answered.
        scored: scores.
        diagnosis: why the nodes that do not fit do not.
        reach: of the plugins.
        whole: whether the cycle was of all nodes, and no filter chose anything: a streak may begin.
        found: the streak, once it was asked about; a list that all cycles of one streak share.
        told: raw scores by Score plugin that scores a node by itself, wherever they are known; all cycles of the
            template share them.
    """

    pipeline: Pipeline
    pod: PodInfo
    row: int
    states: dict[str, Any]
    limits: dict[str, frozenset[str]]
    rows: Rows
    filters: tuple[Any, ...]
    run: FilterPass
    scored: Scored
    diagnosis: Diagnosis
    reach: Reach
    whole: bool
    found: list[Streak | None] = field(default_factory=list)
    told: dict[str, Told] = field(default_factory=dict)

    @property
    def streak(self) -> Streak | None:
        """Whom the next cycle asks again, worked out when there is one; None where it asks everyone."""
        if not self.found:
            streak = None
            if self.whole:
                streak = Streak.of(self.pipeline, self.reach, self.states, self.filters, self.run, self.scored)
            self.found.append(streak)
        return self.found[0]

    def holds_for(self, pod: PodInfo) -> bool:
        """Whether another pod is like this one in all that plugins read of it."""
        return alike(self.pod, pod)

    def scores(self, plugin: str, nodes: int) -> Told:
        """Raw scores of a plugin that scores each node by itself; that which took the last pod is not known any more.

        Args:
            plugin: its name.
            nodes: N.
        """
        told = self.told.get(plugin)
        if told is None:
            told = self.told[plugin] = Told(np.zeros(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.bool_))
            if plugin in self.scored.raw:
                told.scores[self.scored.rows] = self.scored.raw[plugin]
                told.known[self.scored.rows] = True
                self.forget(self.row, self.scored)
        return told

    def forget(self, row: int, scored: Scored) -> None:
        """A node took a pod: what it was scored by its use is not known any more.

        Args:
            row: the node.
            scored: scores of the pod; where PreScore made something else for it, nothing is known any more.
        """
        for name, told in self.told.items():
            if scored.states.get(name) is not self.scored.states.get(name):
                told.known[:] = False
            elif name not in self.reach.still[Point.SCORE.value]:
                told.known[row] = False

    def asked(self, plugin: str) -> PluginAnswer | None:
        """What a filter answered; None where every node passed."""
        return next((asked for asked in self.run.asked if asked.plugin == plugin), None)

    def position(self, rows: Rows) -> Rows:
        """intp[0 or 1], where the node that the pod was placed on is among sorted rows."""
        at = int(np.searchsorted(rows, self.row))
        return np.array([at] if at < len(rows) and rows[at] == self.row else [], dtype=np.intp)


def alike(one: PodInfo, pod: PodInfo) -> bool:
    """Whether two waiting pods are the same in all that plugins read of them."""
    mine, other = one.pod, pod.pod
    return (
        pod.pod_class is one.pod_class
        and pod.priority == one.priority
        and other.spec == mine.spec
        and other.status == mine.status
        and other.metadata.owner_references == mine.metadata.owner_references
    )
