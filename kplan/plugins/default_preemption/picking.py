"""Which of several candidates the scheduler evicts from.

Source: kubernetes v1.37.2 pkg/scheduler/framework/preemption/preemption.go pickOneNodeForPreemption.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from kplan.cluster import Cluster
from kplan.cluster.pods import NO_TIME
from kplan.framework.preemption import PickRule, Victims


def pick(cluster: Cluster, candidates: dict[int, Victims]) -> tuple[tuple[int, ...], PickRule | None]:
    """Choose among candidates; return the tie set, by name, and the rule that decided for it.

    Source: v1.37.2 preemption/preemption.go pickOneNodeForPreemption; util.GetEarliestPodStartTime.
    """
    rows = np.array(sorted(candidates), dtype=np.intp)
    chosen = [candidates[row] for row in rows.tolist()]
    sizes = np.array([len(victims.pods) for victims in chosen], dtype=np.int64)
    pods = np.fromiter(chain.from_iterable(victims.pods for victims in chosen), dtype=np.intp, count=int(sizes.sum()))
    first = np.cumsum(sizes) - sizes
    priority = cluster.pod_priority[pods]
    scores: tuple[Callable[[], NDArray[np.int64]], ...] = (
        lambda: -np.array([victims.pdb_violations for victims in chosen], dtype=np.int64),
        lambda: -priority[first],
        lambda: -np.add.reduceat(priority + 2**31, first),
        lambda: -sizes,
        lambda: _earliest_start(priority, cluster.pod_start[pods], first, sizes),
    )
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
