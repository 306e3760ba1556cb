"""Owners in words, and pods counted by them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.owners import top_owner
from kplan.objects.kind_words import kind_word


def owner_text(pod: PodInfo, cluster: Cluster) -> str:
    """``deploy/shop/web``; the pod itself where nothing owns it."""
    kind, name = top_owner(pod, cluster)
    return f"{kind_word(kind)}/{pod.namespace}/{name}" if kind else f"pod/{pod.key}"


def comes_back(pod: PodInfo, cluster: Cluster) -> str:
    """Whether a controller makes the pod again, and which."""
    kind, name = top_owner(pod, cluster)
    if not kind:
        return "no, no owner"
    if kind == "Node":
        return "no, static pod"
    return f"yes, {kind_word(kind)}/{name}"


def by_number(names: Iterable[str]) -> dict[str, int]:
    """Count names, such as the owner of each pod: those that come up most first, then by name."""
    return dict(sorted(Counter(names).items(), key=lambda item: (-item[1], item[0])))


def folded_owner(owner: str, pod: str) -> str:
    """Owner to fold pods by: those that nothing owns are told together, by namespace.

    Args:
        owner: as ``owner_text`` gives it.
        pod: ``namespace/name``.
    """
    return f"pods of {pod.partition('/')[0]} without an owner" if owner == f"pod/{pod}" else owner
