"""Going: what becomes of pods that are evicted or deleted: made again now, later, or never.

A pod on a silent node stays there, Terminating: no kubelet says that it has ended. A ReplicaSet makes another as soon
as one is being deleted, a StatefulSet only once its name is free; an ordered one none as long as a lower pod of it is
not ready.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct

from kplan.admission import ordinal
from kplan.cluster import Change, Cluster, PodInfo, Terminate, leave
from kplan.cluster.owners import controller, fails_its_job, replaced, returns, waits_for_the_end
from kplan.cluster.silence import stays_terminating
from kplan.scenario.budgets import healthy
from kplan.scenario.effect import LeftUndone


class Going(Struct, frozen=True):
    """What becomes of pods that are evicted or deleted.

    Attributes:
        changes: they leave; those on a silent node stay there, Terminating.
        evicted: rows of those whose controllers make others now.
        lost: rows of those that nothing makes again.
        held: what keeps controllers from making others in place of the rest.
        silent: rows of those that stay on a silent node.
    """

    changes: tuple[Change, ...]
    evicted: tuple[int, ...]
    lost: tuple[int, ...]
    held: tuple[LeftUndone, ...] = ()
    silent: tuple[int, ...] = ()


def going(
    cluster: Cluster, rows: Iterable[int], again: Callable[[PodInfo], bool] = returns, *, off: bool = False
) -> Going:
    """Tell what becomes of pods that are evicted or deleted.

    Args:
        cluster: the cluster.
        rows: of the pods.
        again: whether a controller makes another.
        off: whether they are gone even where their node is silent: it leaves, or is known to be off.
    """
    pods = [cluster.pods[row] for row in rows]
    stay = {pod.row for pod in pods if not off and stays_terminating(cluster, pod.row)}
    ends = [Terminate(pod.row) for pod in pods if pod.row in stay and not pod.terminating]
    evicted, lost, held = [], [], []
    for pod in pods:
        if not again(pod) or fails_its_job(pod, cluster):
            lost.append(pod.row)
        elif (lower := not_ready_below(cluster, pod)) is not None:
            held.append(LeftUndone(lower.key, cluster.home_of(lower.row), controller(pod)))
        elif pod.row in stay and waits_for_the_end(pod, cluster):
            held.append(LeftUndone(pod.key, cluster.home_of(pod.row), controller(pod), silent=True))
        elif not replaced(pod, cluster):
            evicted.append(pod.row)
    changes = (*leave(cluster, (pod.row for pod in pods if pod.row not in stay)), *ends)
    return Going(changes, tuple(evicted), tuple(lost), tuple(held), tuple(sorted(stay)))


def not_ready_below(cluster: Cluster, pod: PodInfo) -> PodInfo | None:
    """The lowest pod of an ordered StatefulSet below one that is not ready, so that none is made; None for none.

    Source: v1.37.2 processReplica in pkg/controller/statefulset/stateful_set_control.go.
    """
    kind, name = controller(pod)
    item = cluster.objects.table("stateful_sets").get(f"{pod.namespace}/{name}") if kind == "StatefulSet" else None
    if item is None or item.spec.pod_management_policy == "Parallel":
        return None
    first = (item.spec.ordinals.start or 0) if item.spec.ordinals is not None else 0
    for number in range(first, ordinal(pod.name)):
        row = cluster.pod_index.get(f"{pod.namespace}/{name}-{number}")
        lower = cluster.pods[row] if row is not None else None
        if lower is not None and not lower.gone and not healthy(lower):
            return lower
    return None
