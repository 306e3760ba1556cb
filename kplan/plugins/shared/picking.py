"""Which candidate for preemption is chosen: the rules in their order, and what is left is a tie."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from kplan.cluster import Cluster
from kplan.cluster.pods import NO_TIME
from kplan.framework.preemption import PickRule, Victims
from kplan.framework.worlds import Rows


def pick(cluster: Cluster, candidates: Mapping[int, Victims]) -> tuple[tuple[int, ...], PickRule | None]:
    """Choose among candidates; return the tie set, by name, and the rule that decided for it.

    Source: v1.37.2 preemption/preemption.go pickOneNodeForPreemption; util.GetEarliestPodStartTime.
    """
    rows, scores = _by_rule(cluster, candidates)
    left = np.arange(len(rows))
    decided: PickRule | None = None
    for rule, score in zip(PickRule, scores, strict=True):
        if len(left) == 1:
            break
        values = score()[left]
        kept = left[values == values.max()]
        if len(kept) < len(left):
            decided = rule
        left = kept
    return tuple(rows[left].tolist()), decided


def ranked(cluster: Cluster, candidates: Mapping[int, Victims]) -> tuple[Rows, NDArray[np.int64]]:
    """Rows of candidates, ascending, and int64[C], the place of each by all rules: 0 for the best, one for equals."""
    rows, scores = _by_rule(cluster, candidates)
    by_rule = [-score() for score in scores]
    order = np.lexsort(by_rule[::-1])
    differs = np.zeros(len(rows), dtype=np.bool_)
    for values in by_rule:
        differs[1:] |= values[order][1:] != values[order][:-1]
    place = np.zeros(len(rows), dtype=np.int64)
    place[order] = np.cumsum(differs)
    return rows, place


def _by_rule(
    cluster: Cluster, candidates: Mapping[int, Victims]
) -> tuple[Rows, tuple[Callable[[], NDArray[np.int64]], ...]]:
    """Rows of candidates, ascending, and for each rule what gives int64[C], the highest for the best."""
    rows = np.array(sorted(candidates), dtype=np.intp)
    chosen = [candidates[row] for row in rows.tolist()]
    sizes = np.array([len(victims.pods) for victims in chosen], dtype=np.int64)
    pods = np.fromiter(chain.from_iterable(victims.pods for victims in chosen), dtype=np.intp, count=int(sizes.sum()))
    first = np.cumsum(sizes) - sizes
    priority = cluster.pod_priority[pods]
    return rows, (
        lambda: -np.array([victims.pdb_violations for victims in chosen], dtype=np.int64),
        lambda: -priority[first],
        lambda: -np.add.reduceat(priority + 2**31, first),
        lambda: -sizes,
        lambda: _earliest_start(priority, cluster.pod_start[pods], first, sizes),
    )


def _earliest_start(
    priority: NDArray[np.int64], start: NDArray[np.int64], first: NDArray[np.int64], sizes: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Earliest start among the victims of the highest priority; a pod without start time counts as starting now.

    Args:
        priority: int64[V], of the victims, those of one node after the other.
        start: int64[V], likewise [seconds since 1970].
        first: int64[M], position of the first victim of each node.
        sizes: int64[M], victims of each node.
    """
    highest = np.repeat(np.maximum.reduceat(priority, first), sizes)
    return np.minimum.reduceat(np.where(priority == highest, start, NO_TIME), first)
