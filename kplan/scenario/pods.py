"""Verbs on pods that are there: evict, delete, priority."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec.structs import replace

from kplan.cluster import AddPods, Change, Cluster, PodInfo, Put, Remove
from kplan.cluster.owners import returns
from kplan.cluster.unbuild import pod_object
from kplan.errors import UsageError
from kplan.objects.models import Pod
from kplan.scenario.effect import Effect
from kplan.scenario.names import WORKLOAD_TABLES, Scope, find_workload, is_workload, pods_of, resolve
from kplan.scenario.nodes import HINTS


@dataclass(frozen=True, slots=True)
class Evict:
    """Pods leave their nodes, and their owners make others.

    Attributes:
        pods: a pod, or a workload for all of its pods.
        namespace: of a name without one.
    """

    pods: str
    namespace: str = ""

    @property
    def flag(self) -> str:
        """See Verb."""
        return f"--evict {self.pods}"

    def effect(self, cluster: Cluster) -> Effect:
        """See Verb."""
        pods = _running(cluster, self.pods, self.namespace)
        back = tuple(pod.row for pod in pods if returns(pod))
        lost = tuple(pod.row for pod in pods if not returns(pod))
        notes = tuple(f"{cluster.pods[row].key} has no owner that makes it again: it is gone" for row in lost[:3])
        return Effect(tuple(Remove(pod.row) for pod in pods), back, lost, f"{_told(pods)} evicted", notes)


@dataclass(frozen=True, slots=True)
class Delete:
    """Pods or workloads are deleted for good: nobody makes them again.

    Attributes:
        what: a pod without an owner, or a workload.
        namespace: of a name without one.
    """

    what: str
    namespace: str = ""

    @property
    def flag(self) -> str:
        """See Verb."""
        return f"--delete {self.what}"

    def effect(self, cluster: Cluster) -> Effect:
        """See Verb."""
        if is_workload(self.what):
            kind, space, name = find_workload(cluster, self.what, self.namespace)
            pods = pods_of(cluster, kind, space, name)
            changes: list[Change] = [Remove(pod.row) for pod in pods]
            table = WORKLOAD_TABLES[kind]
            if f"{space}/{name}" in cluster.objects.table(table):
                changes.append(Put(table, f"{space}/{name}", None))
            count = f"{len(pods):,} pod{'' if len(pods) == 1 else 's'}"
            return Effect(tuple(changes), (), tuple(p.row for p in pods), f"{self.what} deleted, with {count}")
        pods = resolve(cluster, [self.what], Scope(self.namespace))
        owned = [pod.key for pod in pods if returns(pod)]
        notes = (f"{owned[0]} is made again by its owner: --evict does that",) if owned else ()
        rows = tuple(pod.row for pod in pods)
        return Effect(tuple(map(Remove, rows)), (), rows, f"{_told(pods)} deleted", notes)


@dataclass(frozen=True, slots=True)
class SetPriority:
    """Pods have another priority; running ones stay where they are.

    Attributes:
        pods: a pod, or a workload for all of its pods.
        priority: the value, or the name of a PriorityClass.
        namespace: of a name without one.
    """

    pods: str
    priority: str
    namespace: str = ""

    @property
    def flag(self) -> str:
        """See Verb."""
        return f"--priority {self.pods}={self.priority}"

    def effect(self, cluster: Cluster) -> Effect:
        """See Verb."""
        value, class_name = self._value(cluster)
        if is_workload(self.pods):
            pods = pods_of(cluster, *find_workload(cluster, self.pods, self.namespace))
        else:
            pods = resolve(cluster, [self.pods], Scope(self.namespace))
        changes: list[Change] = []
        for pod in pods:
            now = pod_object(cluster, pod)
            spec = replace(now.spec, priority=value, priority_class_name=class_name)
            changes += changed_pod(pod, replace(now, spec=spec))
        return Effect(tuple(changes), text=f"{_told(pods)} with priority {value}")

    def _value(self, cluster: Cluster) -> tuple[int, str | None]:
        known = cluster.objects.table("priority_classes").get(self.priority)
        if known is not None:
            return known.value, known.name
        try:
            return int(self.priority), None
        except ValueError as error:
            raise UsageError(
                f"{self.flag}: neither a number nor a PriorityClass here", code="bad-step", hint=HINTS["--priority"]
            ) from error


def changed_pod(pod: PodInfo, now: Pod) -> tuple[Change, Change]:
    """Put a pod in place of another that has its name."""
    return Remove(pod.row), AddPods((now,))


def _running(cluster: Cluster, text: str, namespace: str) -> list[PodInfo]:
    if is_workload(text):
        pods = pods_of(cluster, *find_workload(cluster, text, namespace))
    else:
        pods = resolve(cluster, [text], Scope(namespace))
    placed = [pod for pod in pods if pod.bound]
    if not placed:
        raise UsageError(f"--evict {text}: it runs on no node", code="not-running")
    return placed


def _told(pods: list[PodInfo]) -> str:
    if len(pods) <= 2:
        return ", ".join(pod.key for pod in pods)
    return f"{pods[0].key}, +{len(pods) - 1:,}"
