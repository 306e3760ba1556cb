"""Pods that come back with another template than they had, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kplan.cluster import Cluster, PodInfo
from kplan.course.evictions.revised import other_revision
from kplan.words import listed


def of_another_template(pods: Iterable[PodInfo], cluster: Cluster) -> Iterator[str]:
    """Say which pods that left are made again of another revision than the one that they ran with."""
    by_revision: dict[str, list[str]] = {}
    for pod in pods:
        if revision := other_revision(pod, cluster):
            by_revision.setdefault(revision, []).append(pod.key)
    for revision, keys in by_revision.items():
        verb = "is" if len(keys) == 1 else "are"
        yield f"{listed(keys)} {verb} made again of another template, revision {revision}"
