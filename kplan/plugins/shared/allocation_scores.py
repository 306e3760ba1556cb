"""Scores by how much of their resources nodes have in use, as several plugins give them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from kplan.framework.args import UtilizationShapePoint
from kplan.framework.plugin import MAX_NODE_SCORE, Scores
from kplan.framework.worlds import Int
from kplan.plugins.shared.resources import ScoredResource

MAX_UTILIZATION = 100
MAX_SHAPE_SCORE = 10
"""Highest score of a point in a configured shape."""

Scorer = Callable[[Sequence[ScoredResource]], Scores]
"""Scores M nodes by one resource or more: int64[M]."""


def least_allocated(uses: Sequence[ScoredResource]) -> Scores:
    """Score by the share left free, the mean weighted over the resources that each node has; 0 where overcommitted.

    Source: v1.37.2 noderesources/least_allocated.go leastResourceScorer.
    """
    score, weight = _weighed(uses, _free_percent)
    return score // (max(weight, 1) if isinstance(weight, int) else np.maximum(weight, 1))


def most_allocated(uses: Sequence[ScoredResource]) -> Scores:
    """Score by the share used, the mean weighted over the resources that each node has; full where overcommitted.

    Source: v1.37.2 noderesources/most_allocated.go mostResourceScorer.
    """
    score, weight = _weighed(uses, _used_percent)
    return score // (max(weight, 1) if isinstance(weight, int) else np.maximum(weight, 1))


class ScoreByShape:
    """Scores by a shape over utilization; a resource that is worth 0 on a node does not count there.

    Source: v1.37.2 noderesources/requested_to_capacity_ratio.go; helper/shape_score.go BuildBrokenLinearFunction.
    """

    def __init__(self, shape: Sequence[UtilizationShapePoint]) -> None:
        self._worth = worth_of(shape)

    def __call__(self, uses: Sequence[ScoredResource]) -> Scores:
        """Score nodes."""
        score, weight = _weighed(uses, self._of_utilization, skip_zero=True)
        mean = score / np.maximum(weight, 1)
        return rounded(mean)

    def _of_utilization(self, requested: Int, capacity: Int) -> Int:
        return self._worth.take(_used_percent(requested, capacity))


def rounded(mean: NDArray[np.float64]) -> Scores:
    """Round int64[M] as Go does: half away from zero; no score is negative."""
    whole = np.trunc(mean)
    return (whole + (mean - whole >= 0.5)).astype(np.int64)


def points_of(shape: Sequence[UtilizationShapePoint]) -> list[tuple[int, int]]:
    """Read a shape as points of (utilization [percent], score [0 to 100])."""
    return [(point.utilization, point.score * (MAX_NODE_SCORE // MAX_SHAPE_SCORE)) for point in shape]


def worth_of(shape: Sequence[UtilizationShapePoint]) -> Int:
    """int64[101], the score of each utilization [percent]; 0 without a shape."""
    points = points_of(shape) or [(0, 0)]
    return np.array([broken_linear(points, x) for x in range(MAX_UTILIZATION + 1)], dtype=np.int64)


def broken_linear(points: Sequence[tuple[int, int]], x: int) -> int:
    """Interpolate between (x, y) points that ascend in x, in integers, rounding toward zero; flat outside of them.

    Source: v1.37.2 framework/plugins/helper/shape_score.go BuildBrokenLinearFunction.
    """
    if x <= points[0][0]:
        return points[0][1]
    for (x0, y0), (x1, y1) in pairwise(points):
        if x <= x1:
            rise = (y1 - y0) * (x - x0)
            step = abs(rise) // (x1 - x0)
            return y0 + (step if rise >= 0 else -step)
    return points[-1][1]


def _free_percent(requested: Int, capacity: Int) -> Int:
    percent: Int = np.maximum(capacity - requested, 0) * MAX_NODE_SCORE // capacity
    return percent


def _used_percent(requested: Int, capacity: Int) -> Int:
    # more than all may be requested: containers without a request count for the defaults
    percent: Int = np.minimum(requested, capacity) * MAX_NODE_SCORE // capacity
    return percent


def _weighed(
    uses: Sequence[ScoredResource], worth: Callable[[Int, Int], Int], *, skip_zero: bool = False
) -> tuple[Int, Int | int]:
    """Sum up what resources are worth on each node, and their weights there.

    Args:
        uses: the resources.
        worth: of requested and capacity, int64[M] each, capacity never 0.
        skip_zero: whether a resource that is worth 0 does not weigh either.

    Returns:
        int64[M] sums of worth * weight and int64[M] sums of weights (one where equal), over the resources a node has.
    """
    score: Int | int = 0
    weight: Int | int = 0
    for use in uses:
        if use.everywhere and not skip_zero:
            value = worth(use.requested, use.allocatable)
            score = score + (value if use.weight == 1 else value * use.weight)
            weight = weight + use.weight
            continue
        counts = use.allocatable > 0
        value = worth(use.requested, np.where(counts, use.allocatable, 1))
        if skip_zero:
            counts &= value > 0
        score = score + np.where(counts, value * use.weight, 0)
        weight = weight + use.weight * counts
    assert not isinstance(score, int), "there is at least one resource"
    return score, weight
