"""Scoring by preferred terms, and by required affinity terms of placed pods."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from kplan.framework.plugin import MAX_NODE_SCORE
from kplan.framework.worlds import Int
from kplan.plugins.inter_pod_affinity.terms import (
    TermKind,
    count_having,
    count_matching,
    domain_sums,
    merged,
    terms_about,
)

if TYPE_CHECKING:
    from kplan.cluster import Cluster, PodInfo
    from kplan.cluster.counters import Counter
    from kplan.framework.plugin import Scores


ScoreState = Int
"""int64[N], the sum of the weights of the node's domains."""


def prepare(pod: PodInfo, cluster: Cluster, *, hard_weight: int, keeps_selector: bool) -> ScoreState | None:
    """Sum up weights by domain; None if no term in play has a pod on a node with its label.

    Args:
        pod: the incoming pod.
        cluster: where.
        hard_weight: what a required affinity term of a placed pod weighs; 0 leaves them out.
        keeps_selector: see ``terms.merged``.

    Source: v1.37.2 interpodaffinity/scoring.go PreScore, processExistingPod, processTerm.
    """
    weights: dict[str, Int] = {}
    for key, weight, counter in _counted(pod, cluster, hard_weight=hard_weight, keeps_selector=keeps_selector):
        # A key whose weights cancel out is in play all the same.
        if counter.nodes[cluster.labels.column(key).present].any():
            weights[key] = weights.get(key, 0) + weight * counter.nodes
    if not weights:
        return None
    scores = np.zeros(len(cluster.nodes), dtype=np.int64)
    for key, nodes in weights.items():
        scores += domain_sums(cluster.labels.column(key), nodes)
    return scores


def _counted(
    pod: PodInfo, cluster: Cluster, *, hard_weight: int, keeps_selector: bool
) -> Iterator[tuple[str, int, Counter]]:
    """Give topology key, signed weight and counter of every term in play."""
    own = pod.pod_class
    for sign, preferred in ((1, own.preferred_affinity), (-1, own.preferred_anti_affinity)):
        for weighted in preferred:
            term = merged(weighted.term, cluster, keeps_selector=keeps_selector)
            yield term.topology_key, sign * weighted.weight, count_matching((term,), cluster)
    for weight, kind in ((hard_weight, TermKind.REQUIRED), (1, TermKind.PREFERRED), (-1, TermKind.PREFERRED_ANTI)):
        if weight:
            for term in terms_about(pod, kind, cluster):
                yield term.topology_key, weight, count_having(term, kind, cluster)


def normalize(raw: Scores) -> Scores:
    """Scale from lowest to highest, in floating point and rounded down.

    Args:
        raw: int64[..., F], of any sign.

    Source: v1.37.2 interpodaffinity/scoring.go NormalizeScore.
    """
    if not raw.size:
        return raw
    lowest, highest = raw.min(axis=-1, keepdims=True), raw.max(axis=-1, keepdims=True)
    # where all are equal, nothing is above the lowest
    share = (raw - lowest).astype(np.float64) / np.maximum(highest - lowest, 1).astype(np.float64)
    scaled: Scores = (float(MAX_NODE_SCORE) * share).astype(np.int64)
    return scaled
