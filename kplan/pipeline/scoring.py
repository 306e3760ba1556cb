"""Score the nodes that fit: PreScore, Score and Normalize of all plugins, weighted and added up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace as changed
from numpy.typing import NDArray

from kplan.cluster import Change, Cluster, PodInfo, PutNode, Remove
from kplan.cluster.work import ASKED, WORLD
from kplan.framework.codes import Compares, Point
from kplan.framework.findings import Failed, Skip
from kplan.framework.worlds import Rows
from kplan.pipeline.kept import KeptAnswers
from kplan.pipeline.profiles import Pipeline
from kplan.pipeline.reach import Scored

_PRE_SCORE, _SCORE = Point.PRE_SCORE.value, Point.SCORE.value


class CycleError(Exception):
    """``Code.Error``: the cycle ends; never leaves the pipeline."""


class Scoring(Struct, frozen=True):
    """The scoring of one cycle.

    Attributes:
        cluster: the cluster as it is.
        pipeline: plugins of the pod's profile.
        pod: the pod.
        filtered: by plugin, the state that PreFilter made; None where it skipped the pod.
        choices: by plugin, what its filter chose.
        kept: answers about a pod like this one that was placed just before; None where there are none.
        bare: whether nodes are scored as if they held neither pods nor images: so the scheduler sees nodes that an
            extender has sent back whole, as nothing but the objects comes back.
    """

    cluster: Cluster
    pipeline: Pipeline
    pod: PodInfo
    filtered: Mapping[str, Any]
    choices: Mapping[str, Any]
    kept: KeptAnswers | None
    bare: bool = False

    def score(self, rows: Rows) -> Scored:
        """Score nodes.

        Args:
            rows: intp[F], nodes that fit.

        Raises:
            CycleError: a plugin fails; where only one node fits, the scheduler does not score, so that a Score plugin
                which fails is passed over.
        """
        before = self.kept.scored if self.kept is not None else None
        former = before if before is not None and np.array_equal(before.rows, rows) else None
        states = self._pre_score(rows, before, same=former is not None)
        undo = self.cluster.apply(stripped(self.cluster, rows)) if self.bare else None
        try:
            return self._all(rows, former, states)
        finally:
            if undo is not None:
                self.cluster.undo(undo)

    def _all(self, rows: Rows, former: Scored | None, states: dict[str, Any]) -> Scored:
        """Score by all plugins."""
        raw: dict[str, NDArray[np.int64]] = {}
        weighted: dict[str, NDArray[np.int64]] = {}
        total = np.zeros(len(rows), dtype=np.int64)
        problem = ""
        for plugin in self.pipeline.at(Point.SCORE):
            name = plugin.name
            if isinstance(states.get(name), Skip):
                continue
            # None where PreScore is turned off at its point: plugins then do as upstream's do
            state = states.get(name) if hasattr(plugin, "pre_score") else self.filtered.get(name)
            try:
                scores = raw[name] = self._raw(plugin, state, rows, former)
            except CycleError as failure:
                if len(rows) > 1:
                    raise
                problem = problem or str(failure)
                continue
            if former is not None and scores is former.raw.get(name):
                weighted[name] = former.weighted[name]
            else:
                if hasattr(plugin, "normalize"):
                    scores = plugin.normalize(self.pod, state, self.cluster, rows, scores)
                weight = self.pipeline.profile.weights.get(name, 1)
                weighted[name] = scores if weight == 1 else scores * weight
            total += weighted[name]
        return Scored(rows, states, raw, weighted, total, problem)

    def _pre_score(self, rows: Rows, former: Scored | None, *, same: bool) -> dict[str, Any]:
        """State of each plugin that has one, or Skip.

        Args:
            rows: nodes that fit.
            former: scores of a pod like this one that was placed just before; None where there are none.
            same: whether they are of the same nodes.
        """
        states: dict[str, Any] = {}
        for plugin in self.pipeline.at(Point.PRE_SCORE):
            name = plugin.name
            if (
                former is not None
                and self.kept is not None
                and (same or _by_itself(plugin))
                and self.kept.reach.stands(name, former.states[name], _PRE_SCORE)
            ):
                states[name] = former.states[name]
                continue
            self.cluster.work.charge(ASKED + WORLD * len(rows))
            answer = plugin.pre_score(self.pod, self.filtered.get(name), self.cluster, rows)
            if isinstance(answer, Failed):
                raise CycleError(f'running PreScore plugin "{name}": {answer.message}')
            states[name] = answer if isinstance(answer, Skip) else answer.state
        return states

    def _raw(self, plugin: Any, state: Any, rows: Rows, former: Scored | None) -> NDArray[np.int64]:
        """Scores of one plugin; where they stand as before, the former array itself."""
        kept, name = self.kept, plugin.name
        if kept is None or self.choices.get(name) is not None or name not in kept.reach.by_node[_SCORE]:
            return self._scores(plugin, state, rows)
        known = former.raw.get(name) if former is not None else None
        if known is None:
            return (
                self._scores(plugin, state, rows) if not _by_itself(plugin) else self._told(plugin, state, rows, kept)
            )
        if name in kept.reach.still[_SCORE]:
            return known
        at = kept.position(rows)
        if not len(at):
            return known
        scores = known.copy()
        scores[at] = self._scores(plugin, state, rows[at])
        return scores

    def _told(self, plugin: Any, state: Any, rows: Rows, kept: KeptAnswers) -> NDArray[np.int64]:
        """Scores of a plugin, where other nodes fit than for the last pod: it is asked about those not known."""
        if hasattr(plugin, "pre_score") and state is not kept.scored.states.get(plugin.name):
            return self._scores(plugin, state, rows)
        told = kept.scores(plugin.name, len(self.cluster.nodes))
        known = told.known.take(rows)
        if not known.all():
            fresh = rows[~known]
            told.scores[fresh] = self._scores(plugin, state, fresh)
            told.known[fresh] = True
        return told.scores.take(rows)

    def _scores(self, plugin: Any, state: Any, rows: Rows) -> NDArray[np.int64]:
        self.cluster.work.charge(ASKED + WORLD * len(rows))
        scores = plugin.score(self.pod, state, self.cluster, rows, self.choices.get(plugin.name))
        if isinstance(scores, Failed):
            raise CycleError(f'running Score plugins: plugin "{plugin.name}" failed with: {scores.message}')
        raw: NDArray[np.int64] = scores
        return raw


def _by_itself(plugin: Any) -> bool:
    """Whether a plugin's raw score of a node is the same whichever others are scored."""
    return getattr(plugin, "compares", Compares.SET) is not Compares.SET


def stripped(cluster: Cluster, rows: Rows) -> Iterator[Change]:
    """Yield what takes pods and images off nodes.

    Source: v1.37.2 pkg/scheduler/extender.go HTTPExtender.Filter, which makes NodeInfos of the nodes that came back.
    """
    for row in rows.tolist():
        yield from (Remove(pod) for pod in cluster.pods_on(row))
        node = cluster.nodes[row]
        if node.status.images:
            yield PutNode(node.name, changed(node, status=changed(node.status, images=None)))
