"""Labels that all nodes of a group share and no other node has: what tells a pool by one look."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from kplan.cluster import Cluster
from kplan.objects.well_known import HOSTNAME

_FIRST = ("pool", "nodegroup", "instance-type", "zone", "region")
_NEVER = frozenset({HOSTNAME, "kubernetes.io/os", "kubernetes.io/arch"})
_KEYS = 24
"""Label keys that are looked at, so that a node with hundreds of labels costs little."""


def common_labels(cluster: Cluster, rows: NDArray[np.intp], told: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Find the label, or two, that set these nodes apart; values alone, the telling keys first.

    Args:
        cluster: the cluster.
        rows: intp[K], the nodes.
        told: keys of labels that are told of already, which are left out.
    """
    total = len(cluster.nodes)
    if not len(rows) or len(rows) == total:
        return ()
    masks: dict[str, NDArray[np.bool_]] = {}
    for key in sorted(cluster.nodes[int(rows[0])].labels, key=_rank)[:_KEYS]:
        column = cluster.labels.column(key)
        code = int(column.codes[rows[0]])
        if key not in _NEVER | told and (column.codes[rows] == code).all():
            mask = column.codes == code
            if not mask.all():
                masks[key] = mask
    values = cluster.nodes[int(rows[0])].labels
    for key, mask in masks.items():
        if int(mask.sum()) == len(rows):
            return (values[key],)
    for one, two in combinations(masks, 2):
        if int((masks[one] & masks[two]).sum()) == len(rows):
            return values[one], values[two]
    return ()


def _rank(key: str) -> tuple[int, str]:
    place = next((i for i, word in enumerate(_FIRST) if word in key), len(_FIRST))
    return place, key
