"""What plugins said of nodes before, kept for all pods of which they would say the same, and asked again of few nodes.

Pods of many templates come one after the other in a drain, each placed before the next leaves. What a plugin says of a
node by that node alone is kept, and asked again about the nodes that were changed since; templates that differ in
nothing that the plugin reads share it (``RecallingPlugin``). Plugins that read where pods are, are asked each time.
It tells where a pod is placed; why nodes refuse one, a whole cycle tells.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from kplan.cluster import Cluster, PodInfo
from kplan.framework.codes import Compares, Cost, Point, Reads
from kplan.framework.findings import Failed, Ready, Skip
from kplan.framework.worlds import Mask, Rows, Worlds, plain
from kplan.pipeline.kept import alike
from kplan.pipeline.profiles import Pipeline
from kplan.pipeline.queue import Queue
from kplan.result import NodeScores

MOST_BYTES = 1 << 27
"""What may be kept of one cluster; once it is more, all of it is forgotten."""
MOST_TEMPLATES = 1 << 14
"""Of how many classes of pods templates are remembered; once there are more, all of them are forgotten."""
_OFTEN = 2
"""How often a template is met before what is said of it is kept."""
_NODE, _BY_NODE = Reads.NODE.value, (Reads.NODE | Reads.USAGE).value
_LIVE = (Reads.NODE | Reads.USAGE | Reads.PODS | Reads.OBJECTS).value
_NO_ROWS: NDArray[np.int64] = np.zeros(0, dtype=np.int64)


class _WholeCycleError(Exception):
    """Only a whole cycle tells what becomes of the pod; never leaves this module."""


class _Column(Struct, eq=False):
    """What one plugin says at one point of every node.

    Attributes:
        plugin: who says it; as long as it is kept here, no other has its ``id``.
        pod: a pod that it is asked about.
        state: what it made of that.
        weight: what a score counts; 0 for a filter.
        by_taints: whether taints and cordons of nodes matter.
        by_usage: whether pods on nodes matter.
        said: bool[N], nodes that a filter lets the pod onto, or int64[N], scores: raw if they are normalised.
        level: whether all nodes have the same score, which ranks none; never so where pods matter.
        edited: how many changes of nodes were known when it was asked last.
        used: the same, of their pods.
    """

    plugin: Any
    pod: PodInfo
    state: Any
    weight: int
    by_taints: bool
    by_usage: bool
    said: NDArray[Any]
    edited: int
    used: int
    level: bool = False

    @property
    def changes(self) -> bool:
        """Whether it may say something else within an epoch."""
        return self.by_taints or self.by_usage

    def now(self, cluster: Cluster) -> NDArray[Any]:
        """What it says now: nodes that were changed since are asked about again."""
        touched = cluster.touched
        used = self.used if self.by_usage else len(touched.used)
        edited = self.edited if self.by_taints else len(touched.edited)
        self.used, self.edited = len(touched.used), len(touched.edited)
        if used != self.used or edited != self.edited:
            fresh = touched.since(used, edited)
            of_all = self.said[:1].copy()  # that of the first node may be among what is asked again
            said = self.said[fresh] = self.ask(cluster, plain(fresh))
            self.level = self.level and bool((said == of_all).all())
        return self.said

    def look(self) -> None:
        """See whether it ranks nodes; what ranks them once is taken to do so as long as it is kept."""
        if self.weight and not self.by_usage:
            self.level = bool((self.said == self.said[:1]).all())

    def ask(self, cluster: Cluster, worlds: Worlds) -> NDArray[Any]:
        """Ask the plugin about some nodes."""
        if not self.weight:
            return _let(self.plugin, self.pod, self.state, cluster, worlds)
        raw = self.plugin.score(self.pod, self.state, cluster, worlds.rows, None)
        if isinstance(raw, Failed):
            raise _WholeCycleError
        scores: NDArray[np.int64] = raw if hasattr(self.plugin, "normalize") else raw * self.weight
        return scores


class _Template(Struct, eq=False):
    """Who is asked about pods of one template.

    Attributes:
        pipeline: plugins of the profile.
        pod: one of them.
        met: how often one was met before anything was kept.
        whole: whether they need whole cycles.
        epoch: of the cluster when the rest was made; -1 for never.
        states: by plugin, what PreFilter made, for those where that stands.
        prepared: the same of PreScore.
        asked: PreFilter plugins that are asked each time.
        filters: what Filter plugins say by node.
        live: Filter plugins that are asked each time.
        scores: what Score plugins say by node, and nothing scales.
        scaled: what others say by node, before it is scaled.
        ranked: Score plugins that are asked each time.
    """

    pipeline: Pipeline
    pod: PodInfo
    met: int = 0
    whole: bool = False
    epoch: int = -1
    states: dict[str, Any] = field(default_factory=dict)
    prepared: dict[str, Any] = field(default_factory=dict)
    asked: list[Any] = field(default_factory=list)
    filters: list[_Column] = field(default_factory=list)
    live: list[Any] = field(default_factory=list)
    scores: list[_Column] = field(default_factory=list)
    scaled: list[_Column] = field(default_factory=list)
    ranked: list[Any] = field(default_factory=list)


class Recalled(Struct):
    """What plugins said, of one cluster.

    Attributes:
        cluster: the cluster.
    """

    cluster: Cluster
    _templates: dict[Hashable, list[_Template]] = field(default_factory=dict)
    _columns: dict[Hashable, _Column] = field(default_factory=dict)
    _bytes: int = 0
    _epoch: int = -1

    @classmethod
    def of(cls, cluster: Cluster) -> Recalled:
        """What is kept of a cluster."""
        recalled: Recalled = cluster.objects.derived("what plugins said", (), lambda: cls(cluster))
        return recalled

    def scores(self, pod: PodInfo, pipeline: Pipeline, queue: Queue) -> tuple[NodeScores, dict[str, Any]] | None:
        """Find the best nodes for a waiting pod, and what PreFilter made of it; None where only a whole cycle tells.

        Args:
            pod: a pod without a nomination.
            pipeline: plugins of its profile.
            queue: the queue that it waits in.
        """
        if not self._simple(pipeline):
            return None
        epoch = self.cluster.touched.epoch
        if len(self._templates) > MOST_TEMPLATES:
            self._templates.clear()
        if self._epoch != epoch or self._bytes > MOST_BYTES:
            self._columns, self._bytes, self._epoch = {}, 0, epoch
            for templates in self._templates.values():
                for known in templates:
                    known.epoch = -1
        template = self._template(pod, pipeline)
        if template is None or template.whole:
            return None
        self.cluster.touched.followed = True  # from here on: before, there is nothing to forget
        try:
            if template.epoch != epoch:
                self._begin(template, queue)
            return self._best(template, pod)
        except _WholeCycleError:
            template.whole = template.epoch != epoch
            return None

    def _simple(self, pipeline: Pipeline) -> bool:
        """Whether nobody else is asked, and no pod holds room on a node that it is nominated to."""
        if pipeline.callers or pipeline.profile.every_filter or not pipeline.at(Point.SCORE):
            return False
        return not self.cluster.nominations or int(self.cluster.pod_nominated.max(initial=-1)) < 0

    def _template(self, pod: PodInfo, pipeline: Pipeline) -> _Template | None:
        """The template of a pod; None where it is not met often enough."""
        templates = self._templates.setdefault((pod.pod_class.index, id(pipeline)), [])
        found = next((known for known in templates if alike(known.pod, pod)), None)
        if found is None:
            if len(templates) >= _MOST_ALIKE:
                templates.clear()
            found = _Template(pipeline, pod)
            templates.append(found)
        found.met += 1
        return found if found.met >= _OFTEN else None

    def _best(self, template: _Template, pod: PodInfo) -> tuple[NodeScores, dict[str, Any]]:
        """Score nodes that fit."""
        cluster = self.cluster
        states = template.states
        if template.asked:
            states = dict(states)
            for plugin in template.asked:
                states[plugin.name] = _made(plugin.pre_filter(pod, cluster))
        rows = _every(template.filters, cluster).nonzero()[0]
        for plugin in template.live:
            state = states.get(plugin.name)
            if not isinstance(state, Skip):
                rows = rows[_let(plugin, pod, state, cluster, plain(rows))]
        if not len(rows):
            raise _WholeCycleError
        prepared = dict(template.prepared)
        total = self._total(template, pod, states, prepared, rows)
        best = tuple(rows.take((total == total[total.argmax()]).nonzero()[0]).tolist())  # quicker than max()
        skipped = tuple([name for name, state in prepared.items() if isinstance(state, Skip)])
        return NodeScores(_NO_ROWS, {}, {}, _NO_ROWS, skipped, best), states

    def _total(
        self, template: _Template, pod: PodInfo, states: dict[str, Any], prepared: dict[str, Any], rows: Rows
    ) -> NDArray[np.int64]:
        """int64[F], what nodes are worth to a pod; what PreScore made is noted in ``prepared``."""
        cluster = self.cluster
        total = _sum(template.scores, cluster, rows)
        for column in template.scaled:
            said = column.now(cluster)
            raw = None if column.level else said.take(rows)
            if raw is not None and (raw != raw[0]).any():  # equals are ranked by none, however they are scaled
                total += column.plugin.normalize(column.pod, column.state, cluster, rows, raw) * column.weight
        for name, made in prepared.items():
            if made is _AGAIN:
                plugin = template.pipeline.plugins[name]
                prepared[name] = _made(plugin.pre_score(pod, _state(states, name), cluster, rows))
        for plugin in template.ranked:
            name = plugin.name
            if isinstance(prepared.get(name), Skip):
                continue
            state = prepared.get(name) if hasattr(plugin, "pre_score") else _state(states, name)
            raw = plugin.score(pod, state, cluster, rows, None)
            if isinstance(raw, Failed):
                raise _WholeCycleError
            if hasattr(plugin, "normalize"):
                raw = plugin.normalize(pod, state, cluster, rows, raw)
            total += raw * template.pipeline.profile.weights.get(name, 1)
        return total

    def _begin(self, template: _Template, queue: Queue) -> None:
        """Ask who says what of the pods of a template, and of whom it stands."""
        pipeline, pod, cluster = template.pipeline, template.pod, self.cluster
        for plugin in pipeline.at(Point.PRE_ENQUEUE):
            if hasattr(plugin, "pre_enqueue") and _reads(plugin, Point.PRE_ENQUEUE, pod) & ~_NODE:
                raise _WholeCycleError
        if queue.kept_out(pod, cluster) is not None:
            raise _WholeCycleError
        template.states, template.asked = {}, []
        for plugin in pipeline.at(Point.PRE_FILTER):
            if _reads(plugin, Point.PRE_FILTER, pod) & ~_NODE:
                template.asked.append(plugin)
            else:
                template.states[plugin.name] = _made(plugin.pre_filter(pod, cluster))
        template.filters, template.live = [], []
        for plugin in pipeline.at(Point.FILTER):
            self._begin_filter(template, plugin)
        template.prepared, template.scores, template.scaled, template.ranked = {}, [], [], []
        for plugin in pipeline.at(Point.PRE_SCORE):
            stands = _by_itself(plugin) and not _reads(plugin, Point.PRE_SCORE, pod) & ~_NODE
            state = _state(template.states, plugin.name)
            made = _made(plugin.pre_score(pod, state, cluster, cluster.all_rows)) if stands else _AGAIN
            template.prepared[plugin.name] = made
        for plugin in pipeline.at(Point.SCORE):
            self._begin_score(template, plugin)
        template.epoch = cluster.touched.epoch

    def _begin_filter(self, template: _Template, plugin: Any) -> None:
        """Ask a filter of all nodes, or find that it has to be asked each time."""
        state = template.states.get(plugin.name)
        if isinstance(state, Skip):
            return
        reads = _reads(plugin, Point.FILTER, template.pod)
        if reads & ~_BY_NODE or plugin in template.asked:
            template.live.append(plugin)
        elif plugin.cost is Cost.SEARCH and reads:
            raise _WholeCycleError
        else:
            column = self._column(template, plugin, Point.FILTER, state, 0)
            if column.changes or not column.said.all():
                template.filters.append(column)

    def _begin_score(self, template: _Template, plugin: Any) -> None:
        """The same of a Score plugin."""
        name, pod = plugin.name, template.pod
        prepares = hasattr(plugin, "pre_score")
        state = template.prepared.get(name) if prepares else _state(template.states, name)
        more = state is _AGAIN or bool(_reads(plugin, Point.SCORE, pod) & ~_BY_NODE)
        if more or plugin in template.asked or not _by_itself(plugin):
            template.ranked.append(plugin)
        elif not isinstance(state, Skip):
            weight = template.pipeline.profile.weights.get(name, 1)
            column = self._column(template, plugin, Point.SCORE, state, weight)
            if column.changes or not column.level:  # else it ranks nothing
                (template.scaled if hasattr(plugin, "normalize") else template.scores).append(column)

    def _column(self, template: _Template, plugin: Any, point: Point, state: Any, weight: int) -> _Column:
        """What a plugin says by node; templates that differ in nothing that it reads share it."""
        pod, cluster = template.pod, self.cluster
        read = plugin.read_of(point, pod, state) if hasattr(plugin, "read_of") else None
        key = (id(plugin), point, read if read is not None else template)
        known = self._columns.get(key)
        if known is None:
            touched = cluster.touched
            reads = _reads(plugin, point, pod)
            usage = bool(reads & Reads.USAGE.value)
            taints = bool(reads & _NODE) and getattr(plugin, "by_taints", True)
            known = _Column(plugin, pod, state, weight, taints, usage, _NO_ROWS, len(touched.edited), len(touched.used))
            known.said = known.ask(cluster, plain(cluster.all_rows))
            known.look()
            self._columns[key] = known
            self._bytes += known.said.nbytes
        return known


_MOST_ALIKE = 8
"""Templates of one class of pods that are told apart."""
_AGAIN = object()
"""What PreScore makes is to be asked each time."""


def _reads(plugin: Any, point: Point, pod: PodInfo) -> int:
    """What an answer depends on, as a number.

    Raises:
        _WholeCycleError: on volumes or devices.
    """
    reads: int = plugin.reads(point, pod).value
    if reads & ~_LIVE:
        raise _WholeCycleError
    return reads


def _state(states: dict[str, Any], name: str) -> Any:
    """What PreFilter made; None where it skipped the pod, or was not asked."""
    state = states.get(name)
    return None if isinstance(state, Skip) else state


def _by_itself(plugin: Any) -> bool:
    """Whether a plugin's raw score of a node is the same whichever others are scored."""
    return getattr(plugin, "compares", Compares.SET) is not Compares.SET


def _made(answer: Any) -> Any:
    """What PreFilter or PreScore made, or Skip."""
    if isinstance(answer, Skip):
        return answer
    if not isinstance(answer, Ready) or answer.nodes is not None:
        raise _WholeCycleError
    return answer.state


def _let(plugin: Any, pod: PodInfo, state: Any, cluster: Cluster, worlds: Worlds) -> Mask:
    """bool[M], nodes that a filter lets a pod onto."""
    findings = plugin.filter(pod, state, cluster, worlds)
    if findings.errors or findings.choice is not None:
        raise _WholeCycleError
    let: Mask = ~findings.failed
    return let


def _sum(columns: list[_Column], cluster: Cluster, rows: Rows) -> NDArray[np.int64]:
    """int64[F], the sum of scores at rows."""
    if not columns:
        return np.zeros(len(rows), dtype=np.int64)
    whole = columns[0].now(cluster)
    for column in columns[1:]:
        whole = whole + column.now(cluster)
    at: NDArray[np.int64] = whole.take(rows)
    return at


def _every(columns: list[_Column], cluster: Cluster) -> Mask:
    """bool[N], nodes that all of them let the pod onto."""
    if not columns:
        return np.ones(len(cluster.nodes), dtype=np.bool_)
    fits = columns[0].now(cluster).copy()
    for column in columns[1:]:
        fits &= column.now(cluster)
    return fits
