"""Who serves: workloads that are left without a ready pod at one time, whether or not a budget covers them.

Pods of Jobs do not serve, those of DaemonSets and static ones belong to their node, and one that nothing owns is told
of by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from msgspec import Struct, field

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.owners import controller, top_owner
from kplan.cluster.work import SERVES
from kplan.course.trial.attempts import TriedPod
from kplan.objects.readiness import is_ready
from kplan.scenario.budgets import healthy

_DO_NOT_SERVE = frozenset({"", "Job", "CronJob", "DaemonSet", "Node"})


class OwnerOfPods(NamedTuple):
    """A workload."""

    kind: str
    namespace: str
    name: str


class Serving(Struct):
    """Ready pods by workload, while pods leave and others come in their place.

    Attributes:
        cluster: the cluster.
        ready: how many pods of a workload are ready now, of those that pods leave from.
        down: workloads of which none was ready at one time, though one had been, in order.
    """

    cluster: Cluster
    ready: Counter[OwnerOfPods] = field(default_factory=Counter)
    down: dict[OwnerOfPods, None] = field(default_factory=dict)
    _tops: dict[tuple[str, str, str], OwnerOfPods | None] = field(default_factory=dict)

    def count(self, going: Iterable[PodInfo]) -> None:
        """Count the ready pods of the workloads of some pods, before these leave."""
        new = {owner for owner in map(self.owner, going) if owner is not None and owner not in self.ready}
        if new:
            spaces = {owner.namespace for owner in new}
            mine = list(self.cluster.pods_of(spaces))
            self.cluster.work.charge(SERVES * len(mine))
            found = Counter(owner for pod in mine if (owner := self.owner(pod)) in new and healthy(pod))
            self.ready.update({owner: found[owner] for owner in new})

    def counted_with(self, victims: Collection[PodInfo]) -> None:
        """Count the ready pods that workloads had before some of theirs left, of which nobody asked so far."""
        new = {self.owner(victim) for victim in victims} - self.ready.keys()
        self.count(victims)
        for victim in filter(healthy, victims):
            owner = self.owner(victim)
            if owner is not None and owner in new:
                self.ready[owner] += 1

    def owner(self, pod: PodInfo) -> OwnerOfPods | None:
        """The workload that a pod serves for; None for none."""
        key = (pod.namespace, *controller(pod))
        if key not in self._tops:
            kind, name = top_owner(pod, self.cluster)
            self._tops[key] = None if kind in _DO_NOT_SERVE else OwnerOfPods(kind, pod.namespace, name)
        return self._tops[key]

    def left(self, pod: PodInfo, *, served: bool) -> None:
        """Take note that a pod is gone.

        Args:
            pod: the pod.
            served: whether it was ready.
        """
        owner = self.owner(pod)
        if owner is None or not served or owner not in self.ready:
            return
        self.ready[owner] -= 1
        if not self.ready[owner]:
            self.down[owner] = None

    def took(self, landings: Iterable[TriedPod[Any]]) -> None:
        """Take note of pods that were placed, and so are ready, and of those that were evicted for them."""
        landings = list(landings)
        evicted = [self.cluster.pods[row] for landing in landings for row in landing.evicts]
        if evicted:
            self.counted_with(evicted)
        for landing in landings:
            victims = [self.cluster.pods[row] for row in landing.evicts]
            for victim in victims:
                self.left(victim, served=is_ready(victim.pod))
            owner = self.owner(landing.pod)
            if landing.node and owner is not None and owner in self.ready:
                self.ready[owner] += 1


def evicted_all(cluster: Cluster, landings: Iterable[TriedPod[Any]]) -> tuple[OwnerOfPods, ...]:
    """Workloads of which no pod was ready at one time, as others that were placed evicted those that were.

    Args:
        cluster: the cluster once they were.
        landings: what became of pods, in order.
    """
    serving = Serving(cluster)
    serving.took(landings)
    return tuple(serving.down)


def left_all(cluster: Cluster, victims: Collection[PodInfo]) -> tuple[OwnerOfPods, ...]:
    """Workloads that were left without a ready pod when some pods left a cluster, which are gone from it."""
    serving = Serving(cluster)
    serving.counted_with(victims)
    return _down_once(serving, victims)


def without(cluster: Cluster, pods: Collection[PodInfo]) -> tuple[OwnerOfPods, ...]:
    """Workloads that are left without a ready pod once some pods are gone, all at once."""
    serving = Serving(cluster)
    serving.count(pods)
    return _down_once(serving, pods)


def _down_once(serving: Serving, pods: Collection[PodInfo]) -> tuple[OwnerOfPods, ...]:
    """Workloads that are down once pods have left which were counted."""
    for pod in pods:
        serving.left(pod, served=healthy(pod))
    return tuple(serving.down)
