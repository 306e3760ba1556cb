"""Verbs on pods that are there: evict, delete, priority."""

from __future__ import annotations

from msgspec import Struct

from kplan.cluster import AddPods, Change, Cluster, PodInfo, Put, Remove
from kplan.cluster.owners import controller, returns, returns_where_it_was
from kplan.cluster.unbuild import pod_object
from kplan.errors import UsageError
from kplan.objects.kinds import BY_MODEL
from kplan.objects.lean import replace
from kplan.objects.models import Pod
from kplan.objects.whole_numbers import parse_int
from kplan.scenario.effect import Effect, bad_step, gone_notes
from kplan.scenario.going import going
from kplan.scenario.names import Scope, find_workload, is_workload, pods_of, resolve, workload_object
from kplan.words import count, listed


class Evict(Struct, frozen=True):
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
        gone = going(cluster, (pod.row for pod in pods), returns_where_it_was)
        lost = [cluster.pods[row] for row in gone.lost]
        notes = tuple(
            f"{pod.key} has no owner that recreates it: it is gone" for pod in lost[:3] if controller(pod)[0] != "Job"
        )
        notes += tuple(gone_notes(pod for pod in lost if controller(pod)[0] == "Job"))
        return Effect(gone.changes, gone.evicted, gone.lost, f"{_told(pods)} evicted", notes, held=gone.held)


class Delete(Struct, frozen=True):
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
            changes: list[Change] = [*going(cluster, (pod.row for pod in pods)).changes]
            item = workload_object(cluster, kind, space, name)
            if item is not None:
                changes.append(Put(BY_MODEL[type(item)].attribute, item.key, None))
            text = f"{self.what} deleted, with {count(len(pods), 'pod')}"
            return Effect(tuple(changes), (), tuple(pod.row for pod in pods), text)
        pods = resolve(cluster, [self.what], Scope(self.namespace))
        owned = [pod.key for pod in pods if returns(pod)]
        notes = (f"{owned[0]} is made again by its owner: --evict does that",) if owned else ()
        rows = tuple(pod.row for pod in pods)
        return Effect(going(cluster, rows).changes, (), rows, f"{_told(pods)} deleted", notes)


class SetPriority(Struct, frozen=True):
    """Pods have another priority; running ones stay where they are, and those that wait do so.

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
        pods = _meant(cluster, self.pods, self.namespace)
        changes: list[Change] = []
        for pod in pods:
            now = pod_object(cluster, pod)
            spec = replace(now.spec, priority=value, priority_class_name=class_name)
            changes += changed_pod(pod, replace(now, spec=spec))
        waits = tuple(pod.row for pod in pods if pod.waiting)
        return Effect(tuple(changes), text=f"{_told(pods)} with priority {value}", asked_about=waits)

    def _value(self, cluster: Cluster) -> tuple[int, str | None]:
        known = cluster.objects.table("priority_classes").get(self.priority)
        if known is not None:
            return known.value, known.name
        number = parse_int(self.priority, 32)
        if number is None:
            raise bad_step(self.flag, "neither a number nor a PriorityClass here")
        return number, None


def changed_pod(pod: PodInfo, now: Pod) -> tuple[Change, Change]:
    """Put a pod in place of another that has its name."""
    return Remove(pod.row), AddPods((now,))


def read_priority(text: str, namespace: str = "") -> SetPriority:
    """Read ``shop/web-0=1000`` or ``deploy/x=critical``.

    Raises:
        UsageError: there is no priority.
    """
    pods, equals, value = text.rpartition("=")
    if not equals:
        raise bad_step(f"--priority {text}", "which?")
    return SetPriority(pods, value, namespace)


def _meant(cluster: Cluster, text: str, namespace: str) -> list[PodInfo]:
    """Pods that a text means: one, or all of a workload."""
    if is_workload(text):
        return pods_of(cluster, *find_workload(cluster, text, namespace))
    return resolve(cluster, [text], Scope(namespace))


def _running(cluster: Cluster, text: str, namespace: str) -> list[PodInfo]:
    placed = [pod for pod in _meant(cluster, text, namespace) if pod.bound]
    if not placed:
        raise UsageError(f"--evict {text}: it runs on no node", code="not-running")
    return placed


def _told(pods: list[PodInfo]) -> str:
    return listed([pod.key for pod in pods], most=2 if len(pods) <= 2 else 1)
