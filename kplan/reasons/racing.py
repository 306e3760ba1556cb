"""Two schedulers that race for one node: pods that wait for another scheduler and want the room that this pod takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from kplan.cluster import Cluster, PodInfo
from kplan.objects.selectors import tolerated
from kplan.reasons.run_cycle import RunCycle

OTHERS = 400
"""Pods of other schedulers that are looked at."""
_KEEPS_AWAY = ("NoSchedule", "NoExecute")


@dataclass(frozen=True, slots=True)
class RacesWith:
    """Pods of another scheduler that fit the node a pod goes to, and not beside it.

    Attributes:
        scheduler: their schedulerName.
        pods: how many.
        node: its name.
    """

    scheduler: str
    pods: int
    node: str


def races(asked: RunCycle, row: int) -> Iterator[RacesWith]:
    """Yield schedulers whose waiting pods want the same room, by name.

    Whether one fits is told by amounts, cordon, taints, nodeSelector and required node affinity alone: what else the
    other scheduler asks is not known.

    Args:
        asked: the pod's cycle.
        row: of the node it goes to.
    """
    cluster = asked.cluster
    others = islice(_others(asked), OTHERS)
    by_scheduler = Counter(other.scheduler_name for other in others if _wants_the_same(cluster, asked.pod, other, row))
    for scheduler, pods in sorted(by_scheduler.items()):
        yield RacesWith(scheduler, pods, cluster.node_name(row))


def _others(asked: RunCycle) -> Iterator[PodInfo]:
    """Pods that wait for schedulers that no profile here is."""
    cluster, queue = asked.cluster, asked.cycle.queue
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
