"""How many kinds of pods that wait one question tries.

A pod like one that was tried costs little; one that differs costs a cycle of its own. A cluster has a few kinds of
them, a file that is made to be heavy one for each 190 bytes.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence

from kplan.cluster import Cluster, PodInfo
from kplan.course.trial.alike import likeness

KINDS = 6_000
"""Kinds that a plan tries in a cluster of few nodes."""
_HALF = 2_500
"""Nodes with which it tries half as many: each is asked about each kind."""
SMALL = 10_000_000
"""Length of a text that is answered within ten seconds, whatever is in it [bytes]. A cluster that has as many kinds of
pods that wait, each Job a kind of its own, is longer, or live: it is planned whole."""


def most_kinds(cluster: Cluster) -> int:
    """How many kinds of pods a plan tries."""
    return with_nodes(len(cluster.nodes)) if is_small(cluster) else sys.maxsize


def is_small(cluster: Cluster) -> bool:
    """Whether a cluster was read from a text that is answered within ten seconds."""
    return 0 < cluster.state.text <= SMALL


def with_nodes(nodes: int) -> int:
    """How many kinds of pods of a small text are tried with so many nodes."""
    return KINDS * _HALF // (_HALF + nodes)


def within(
    pods: Sequence[PodInfo], most: int, made: Collection[str] = frozenset()
) -> tuple[list[PodInfo], list[PodInfo]]:
    """Split pods into those of the first kinds, in the order given, and those of the kinds that come then.

    Args:
        pods: the pods, in the order in which they are tried.
        most: how many kinds are tried.
        made: pods, ``namespace/name``, that what-ifs made: they are tried, of however many kinds.
    """
    if len(pods) <= most:
        return list(pods), []
    kinds: set[int] = set()
    tried: list[PodInfo] = []
    rest: list[PodInfo] = []
    for pod in pods:
        if pod.key in made:
            tried.append(pod)
            continue
        kind = hash(likeness(pod))
        if kind in kinds or len(kinds) < most:
            kinds.add(kind)
            tried.append(pod)
        else:
            rest.append(pod)
    return tried, rest
