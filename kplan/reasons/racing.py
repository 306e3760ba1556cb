"""Two schedulers that race for one node: pods that wait for another scheduler and want the room that this pod takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kplan.cluster import Cluster, PodInfo
from kplan.objects.selectors import tolerated
from kplan.pipeline.queue import Queue
from kplan.reasons.run_cycle import RunCycle

Mask = NDArray[np.bool_]
OTHERS = 400
"""Pods of other schedulers that are looked at."""
_KEEPS_AWAY = ("NoSchedule", "NoExecute")


class RacesWith(Struct, frozen=True):
    """Pods of another scheduler that fit the node a pod goes to, and not beside it.

    Attributes:
        scheduler: their schedulerName.
        pods: how many.
        node: its name.
        more: on how many more nodes they do so with the pods of a plan.
    """

    scheduler: str
    pods: int
    node: str
    more: int = 0


def races(asked: RunCycle, row: int) -> Iterator[RacesWith]:
    """Yield schedulers whose waiting pods want the same room, by name.

    Whether one fits is told by amounts, cordon, taints, nodeSelector and required node affinity alone: what else the
    other scheduler asks is not known.

    Args:
        asked: the pod's cycle.
        row: of the node it goes to.
    """
    cluster = asked.cluster
    others = islice(_others(cluster, asked.cycle.queue), OTHERS)
    by_scheduler = Counter(other.scheduler_name for other in others if _wants_the_same(cluster, asked.pod, other, row))
    for scheduler, pods in sorted(by_scheduler.items()):
        yield RacesWith(scheduler, pods, cluster.node_name(row))


def plan_races(cluster: Cluster, queue: Queue, placed: Iterable[tuple[PodInfo, int]]) -> Iterator[RacesWith]:
    """Yield schedulers whose waiting pods want room that a plan takes, by name; as ``races`` tells whether one fits.

    Args:
        cluster: with the pods of the plan on their nodes.
        queue: who is responsible for which pods.
        placed: pods of the plan, and the rows of their nodes.
    """
    others = list(islice(_others(cluster, queue), OTHERS))
    if not others:
        return
    taken: dict[int, list[PodInfo]] = {}
    for pod, row in placed:
        taken.setdefault(row, []).append(pod)
    rows = np.array(sorted(taken), dtype=np.intp)
    pods: Counter[str] = Counter()
    nodes: dict[str, set[int]] = {}
    for other in others:
        lost = {int(row) for row in rows[_lost_to(cluster, taken, rows, other)] if _may_go_there(cluster, other, row)}
        if lost:
            pods[other.scheduler_name] += 1
            nodes.setdefault(other.scheduler_name, set()).update(lost)
    for scheduler, number in sorted(pods.items()):
        first, *more = sorted(nodes[scheduler])
        yield RacesWith(scheduler, number, cluster.node_name(first), len(more))


def _lost_to(cluster: Cluster, taken: dict[int, list[PodInfo]], rows: NDArray[np.intp], other: PodInfo) -> Mask:
    """bool[K], nodes that have room for another pod without pods that a plan has put there, and have none with them."""
    count = np.array([len(taken[row]) for row in rows.tolist()], dtype=np.int64)
    free_pods = cluster.allowed_pods[rows] - cluster.pod_count[rows]
    fits, fitted = free_pods >= 1, free_pods + count >= 1
    for name, amount in other.requests.items():
        at = cluster.resource(name)
        if at is None:
            return np.zeros(len(rows), dtype=np.bool_)
        free = cluster.allocatable[at, rows] - cluster.requested[at, rows]
        plan = np.array([sum(p.requests.get(name, 0) for p in taken[row]) for row in rows.tolist()], dtype=np.int64)
        fits &= free >= amount
        fitted &= free + plan >= amount
    lost: Mask = fitted & ~fits & ~cluster.unschedulable[rows]
    return lost


def _others(cluster: Cluster, queue: Queue) -> Iterator[PodInfo]:
    """Pods that wait for schedulers that no profile here is."""
    mine = ",".join(sorted(queue.pipelines))
    known: list[int] = cluster.objects.derived(f"OtherSchedulers:{mine}", (), list)
    seen: list[int] = cluster.objects.derived(f"OtherSchedulersSeen:{mine}", (), lambda: [0])
    known += [pod.row for pod in cluster.pods[seen[0] :] if not pod.bound and not queue.responsible(pod)]
    seen[0] = len(cluster.pods)
    pods = (cluster.pods[row] for row in known if row < len(cluster.pods))
    return (pod for pod in pods if pod.waiting and not queue.responsible(pod) and not pod.pod.spec.scheduling_gates)


def _wants_the_same(cluster: Cluster, pod: PodInfo, other: PodInfo, row: int) -> bool:
    """Whether another pod fits a node as it is, and not beside a pod."""
    beside = int(cluster.pod_count[row]) + 1 < int(cluster.allowed_pods[row])
    for name, amount in other.requests.items():
        at = cluster.resource(name)
        free = int(cluster.allocatable[at, row] - cluster.requested[at, row]) if at is not None else 0
        if free < amount:
            return False
        beside &= free - pod.requests.get(name, 0) >= amount
    return not beside and not cluster.unschedulable[row] and _may_go_there(cluster, other, row)


def _may_go_there(cluster: Cluster, other: PodInfo, row: int) -> bool:
    tolerations = other.pod.spec.tolerations or ()
    taints = (taint for taint in cluster.nodes[row].spec.taints or () if taint.effect in _KEEPS_AWAY)
    if not all(tolerated(tolerations, taint, comparison=False) for taint in taints):
        return False
    return bool(cluster.labels.required(other.pod)[row])
