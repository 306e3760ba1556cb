"""What was said of a pod that no node took, told of pods like it as long as nothing is changed.

A queue may hold thousands of pods of a template that no node has room for. Nothing comes of a cycle that places nobody
and evicts nobody, so the next of them meets the cluster as the one before it, and is told the same.
"""

from __future__ import annotations

from collections.abc import Hashable

from msgspec import Struct, field
from msgspec.structs import replace

from kplan.cluster import Cluster, PodInfo
from kplan.pipeline.kept import alike
from kplan.pipeline.profiles import Pipeline
from kplan.result import EventKind, PlanEvent

_MOST_OF_A_SORT = 30
"""Of pods of one class that ask for the same: those of a DaemonSet are each for a node of their own."""
_MOST = 64
"""Kinds of pods that are remembered at a time: each holds what was said of every node."""


class SamePods(Struct):
    """Pods that were refused since the cluster was changed last.

    Attributes:
        stamp: of the cluster when they were.
        known: one of each kind with what was told of it, by class, profile and what it requests.
    """

    stamp: int = -1
    known: dict[Hashable, list[tuple[PodInfo, PlanEvent]]] = field(default_factory=dict)

    def told(self, cluster: Cluster, pipeline: Pipeline, pod: PodInfo) -> PlanEvent | None:
        """What is told of a waiting pod; None where it has to be tried.

        Args:
            cluster: as it is.
            pipeline: plugins of the pod's profile.
            pod: a pod of no group.
        """
        if self.stamp != cluster.stamp or not self.known:
            return None
        for other, event in self.known.get(_sort(pipeline, pod), ()):
            if alike(other, pod) and _as_others(cluster, pod):
                return PlanEvent(event.kind, replace(event.outcome, pod=pod.key, row=pod.row))
        return None

    def note(self, cluster: Cluster, pipeline: Pipeline, pod: PodInfo, event: PlanEvent) -> None:
        """Take note of what came of a pod, if nothing did.

        Args:
            cluster: as it was left.
            pipeline: plugins of the pod's profile, which ask nobody else.
            pod: the pod.
            event: what is told of it.
        """
        outcome = event.outcome
        nothing = event.kind is EventKind.PENDING and outcome.preempted is None and outcome.placement is None
        if not nothing or outcome.error or outcome.kept_out or pipeline.callers or not _as_others(cluster, pod):
            return
        if self.stamp != cluster.stamp or len(self.known) >= _MOST:
            self.stamp, self.known = cluster.stamp, {}
        others = self.known.setdefault(_sort(pipeline, pod), [])
        if len(others) < _MOST_OF_A_SORT:
            others.append((pod, event))


def _sort(pipeline: Pipeline, pod: PodInfo) -> Hashable:
    return pod.pod_class.index, id(pipeline), *pod.requests.items()


def _as_others(cluster: Cluster, pod: PodInfo) -> bool:
    """Whether nothing is there for this pod alone: no nomination, no claim that is made for it or reserved for it."""
    spec = pod.pod.spec
    if spec.resource_claims or any(volume.ephemeral is not None for volume in spec.volumes or ()):
        return False
    return int(cluster.pod_nominated[pod.row]) < 0
