"""How many kinds of pods that wait one question tries.

A pod like one that was tried costs little; one that differs costs a cycle of its own. A cluster has a few kinds of
them, a file that is made to be heavy one for each 190 bytes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kplan.cluster import PodInfo
from kplan.course.trial.alike import likeness

KINDS = 6_000
"""Kinds that a plan tries in a cluster of few nodes."""
_HALF = 2_500
"""Nodes with which it tries half as many: each is asked about each kind."""


def most_kinds(nodes: int) -> int:
    """How many kinds of pods a plan tries with so many nodes."""
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
