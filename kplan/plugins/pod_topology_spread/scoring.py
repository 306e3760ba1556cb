"""The score: fewer pods in the node's domains is better, small topologies weigh as much as large ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from kplan.framework.comparing import Compared, NodeSets
from kplan.framework.plugin import MAX_NODE_SCORE
from kplan.framework.worlds import Int, Mask
from kplan.objects.selectors import Selector
from kplan.plugins.pod_topology_spread.constraints import (
    HOSTNAME,
    Constraint,
    counted_domains,
    domain_sums,
    inclusion,
    labelled_nodes,
)
from kplan.plugins.shared.services import live_pods

if TYPE_CHECKING:
    from kplan.cluster import Cluster, PodInfo
    from kplan.framework.worlds import Rows


class SoftSpread(Struct, frozen=True, eq=False):
    """One ScheduleAnyway constraint and what it counts.

    Attributes:
        max_skew: of the constraint.
        codes: int32[N], domain of each node, -1 for nodes without the label.
        counts: int64[V + 1], pods by domain; for the hostname int64[N], pods by node.
        by_node: whether ``counts`` is by node.
        weight: what one pod adds: the logarithm of the number of domains + 2.
        selector: of the pods that count.
        domains: int32[N], the domain that pods of a node count for, V for none; None where they are counted by node.
    """

    max_skew: int
    codes: NDArray[np.int32]
    counts: Int
    by_node: bool
    weight: float
    selector: Selector
    domains: NDArray[np.int32] | None = None


class Gathered(Struct, frozen=True, eq=False):
    """What never changes of some nodes, picked out once.

    Attributes:
        rows: intp[F], the nodes.
        ignored: bool[F], those that score 0.
        some: whether there are any.
        codes: int32[F] by constraint, domain of each, -1 for nodes without the label; None where each node is a domain.
    """

    rows: Rows
    ignored: Mask
    some: bool
    codes: tuple[NDArray[np.int32] | None, ...]


class SoftState(Struct, frozen=True, eq=False):
    """State of PreScore.

    Attributes:
        spreads: the constraints, in order.
        ignored: bool[N], nodes that lack a required topology key: they score 0.
        gathered: what was picked out last; all states of a streak share it.
    """

    spreads: tuple[SoftSpread, ...]
    ignored: Mask
    gathered: list[Gathered] = field(default_factory=list)

    def at(self, rows: Rows) -> Gathered:
        """Pick out what there is to know of nodes; it is known of those that were asked about last."""
        if self.gathered and self.gathered[0].rows is rows:
            return self.gathered[0]
        ignored, codes = self.ignored.take(rows), [spread.codes.take(rows) for spread in self.spreads]
        alone = [spread.by_node and bool((there >= 0).all()) for spread, there in zip(self.spreads, codes, strict=True)]
        picked = tuple(None if each else there for each, there in zip(alone, codes, strict=True))
        self.gathered[:] = [Gathered(rows, ignored, bool(ignored.any()), picked)]
        return self.gathered[0]


def prepare(
    pod: PodInfo,
    constraints: Sequence[Constraint],
    cluster: Cluster,
    rows: Rows,
    *,
    all_keys: bool,
    comparison: bool,
) -> SoftState:
    """Count pods by domain for each constraint, and the domains of the feasible nodes.

    Args:
        pod: the incoming pod.
        constraints: at least one.
        cluster: where.
        rows: intp[F], the feasible nodes.
        all_keys: False for the system's defaults alone: a node without a zone still spreads by hostname.
        comparison: the gate TaintTolerationComparisonOperators.

    Source: v1.37.2 plugins/podtopologyspread/scoring.go initPreScoreState, PreScore.
    """
    nodes = inclusion(pod, constraints, cluster, all_keys=all_keys, comparison=comparison)
    ignored = ~labelled_nodes(constraints, cluster) if all_keys else np.zeros(len(cluster.nodes), dtype=np.bool_)
    scored = rows[~ignored[rows]]
    return SoftState(
        tuple(_prepare(pod, constraint, cluster, scored, nodes.of(constraint)) for constraint in constraints),
        ignored,
    )


def _prepare(pod: PodInfo, constraint: Constraint, cluster: Cluster, scored: Rows, included: Mask) -> SoftSpread:
    column = cluster.labels.column(constraint.topology_key)
    live = live_pods(cluster, pod.namespace, constraint.selector)
    if constraint.topology_key == HOSTNAME:
        # Counted on the node itself: inclusion policies do not matter, and each node is a domain.
        return SoftSpread(constraint.max_skew, column.codes, live, True, _weight(len(scored)), constraint.selector)
    # Nodes without the label are a domain of their own: that of the empty value, should a node have it.
    unlabelled = max(column.code(""), -1)
    codes = column.codes if unlabelled < 0 else np.where(column.codes < 0, np.int32(unlabelled), column.codes)
    values = len(column.values)
    domains = counted_domains(codes, values, included)
    counts = domain_sums(domains, values, live)
    size = int(np.count_nonzero(np.bincount(codes[scored] + 1)))
    weight = _weight(size)
    return SoftSpread(constraint.max_skew, column.codes, counts, False, weight, constraint.selector, domains)


def one_more(state: SoftState, pod: PodInfo, cluster: Cluster, row: int) -> SoftState:
    """The same state once a pod like this one was placed on a node, of the same feasible nodes.

    Args:
        state: before that.
        pod: the incoming pod.
        cluster: with the other pod on the node.
        row: the node.
    """
    spreads = tuple(_one_more(spread, pod, cluster, row) for spread in state.spreads)
    return SoftState(spreads, state.ignored, state.gathered)


def _one_more(spread: SoftSpread, pod: PodInfo, cluster: Cluster, row: int) -> SoftSpread:
    counts = spread.counts
    if spread.domains is None:
        counts = live_pods(cluster, pod.namespace, spread.selector)
    else:
        domain = int(spread.domains[row])
        if domain < len(counts) - 1 and not spread.selector.empty and spread.selector.matches(pod.labels):
            counts = counts.copy()
            counts[domain] += 1
    return SoftSpread(
        spread.max_skew, spread.codes, counts, spread.by_node, spread.weight, spread.selector, spread.domains
    )


def compared(
    constraints: Sequence[Constraint], cluster: Cluster, rows: Rows, sets: NodeSets, *, all_keys: bool
) -> Compared:
    """Number of domains in each set of nodes, int64[W] for each constraint; arguments as of ``prepare``."""
    counts = labelled_nodes(constraints, cluster)[rows] if all_keys else np.ones(len(rows), dtype=np.bool_)
    keys = []
    for constraint in constraints:
        if constraint.topology_key == HOSTNAME:
            keys.append(sets.count(counts))
        else:
            codes = cluster.labels.column(constraint.topology_key).codes[rows].astype(np.int64)
            keys.append(sets.distinct(np.where(counts, codes + 1, -1)))
    return Compared(np.stack(keys, axis=1), counts)


def _weight(size: int) -> float:
    """Logarithm of the number of domains + 2.

    Go's own logarithm may differ from this in the last bit. No product of up to 30,000 pods with the logarithm for
    up to 15,000 domains comes close enough to a half for that bit to change a rounded score.

    Source: v1.37.2 plugins/podtopologyspread/scoring.go topologyNormalizingWeight.
    """
    return math.log(float(size + 2))


def score(state: SoftState, rows: Rows) -> Int:
    """Sum over the constraints of pods * weight + maxSkew - 1, rounded half up: int64[F], ignored nodes 0.

    Source: v1.37.2 plugins/podtopologyspread/scoring.go Score, scoreForCount.
    """
    here = state.at(rows)
    total = np.zeros(len(rows), dtype=np.float64)
    for spread, codes in zip(state.spreads, here.codes, strict=True):
        least = float(spread.max_skew - 1)
        if codes is None or spread.by_node:
            worth = spread.counts.take(rows) * spread.weight
            if least:
                worth += least
            if codes is not None:
                worth[codes < 0] = 0.0
            total += worth
        else:
            worth = spread.counts * spread.weight + least
            worth[-1] = 0.0  # of nodes without the label, whose code is -1
            total += worth.take(codes)
    return _rounded(total, here)


def _rounded(total: NDArray[np.float64], here: Gathered) -> Int:
    """math.Round of float64[..., F], half away from zero (no score is negative); 0 for ignored nodes."""
    rounded = total.astype(np.int64)
    # whole numbers of total + 0.5 would round 0.49999999999999994 up
    rounded += total - rounded >= 0.5
    if here.some:
        rounded[..., here.ignored] = 0
    return rounded


def score_sets(state: SoftState, rows: Rows, keys: Int) -> Int:
    """Raw scores int64[S, F] as of ``score``, in sets with these numbers of domains, int64[S, C]."""
    total = np.zeros((len(keys), len(rows)), dtype=np.float64)
    for spread, sizes in zip(state.spreads, keys.T.tolist(), strict=True):
        codes = spread.codes.take(rows)
        counts = spread.counts.take(rows if spread.by_node else codes)
        weights = np.array([_weight(size) for size in sizes])[:, np.newaxis]
        total += np.where(codes >= 0, counts * weights + float(spread.max_skew - 1), 0.0)
    return _rounded(total, state.at(rows))


def normalize(state: SoftState, rows: Rows, raw: Int) -> Int:
    """Turn counts into scores, 100 for the lowest: int64[..., F], ignored nodes 0.

    Source: v1.37.2 plugins/podtopologyspread/scoring.go NormalizeScore.
    """
    here = state.at(rows)
    ignored, some = here.ignored, here.some
    if some:
        highest = raw.max(axis=-1, keepdims=True, initial=0, where=~ignored)
        lowest = raw.min(axis=-1, keepdims=True, initial=_MOST, where=~ignored)
    else:  # a mask, even one that masks nothing, takes several times as long
        highest = raw.max(axis=-1, keepdims=True, initial=0)
        lowest = raw.min(axis=-1, keepdims=True, initial=_MOST)
    scaled: Int = _scaled(raw, highest, np.minimum(lowest, highest))
    if not highest.all():
        scaled = np.where(highest == 0, MAX_NODE_SCORE, scaled)
    if some:
        scaled[..., ignored] = 0
    return scaled


_MOST = int(np.iinfo(np.int64).max)
_FEW = 4096
"""Different raw scores that are divided once each."""


def _scaled(raw: Int, highest: Int, lowest: Int) -> Int:
    """Divide each raw score, or each that there may be; those of ignored nodes, below the lowest, come to anything."""
    if raw.ndim > 1 or int(highest[0]) - int(lowest[0]) > _FEW:
        return MAX_NODE_SCORE * (highest + lowest - raw) // np.maximum(highest, 1)
    table = MAX_NODE_SCORE * (highest - np.arange(int(highest[0]) - int(lowest[0]) + 1)) // np.maximum(highest, 1)
    return table.take(raw - lowest, mode="clip")
