"""Normalisation of raw scores to 0..100, as most Score plugins do it."""

import numpy as np
from numpy.typing import NDArray

MAX_NODE_SCORE = 100


def default_normalize(raw: NDArray[np.int64], *, reverse: bool = False) -> NDArray[np.int64]:
    """Scale to 0..100 by the maximum over the feasible nodes; all 0 stays 0 (100 when reversed).

    Args:
        raw: int64[F], raw scores of the feasible nodes, none negative.
        reverse: whether the lowest raw score is the best.

    Source: v1.37.2 framework/plugins/helper/normalize_score.go DefaultNormalizeScore.
    """
    highest = int(raw.max(initial=0))
    if highest == 0:
        return np.full_like(raw, MAX_NODE_SCORE) if reverse else raw
    score = MAX_NODE_SCORE * raw // highest
    return MAX_NODE_SCORE - score if reverse else score
