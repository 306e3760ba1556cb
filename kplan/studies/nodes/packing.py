"""How pods are packed: fragmentation and balance, in numbers that two states can be compared by.

**Open** nodes are those that take any pod: not cordoned, without a taint that keeps pods away (not ready, unreachable,
a control plane), below their pod limit. Only what is free there counts as free.

**Fragmentation** of a resource: of what is free of it on open nodes, the share that the cluster's own pods could not
use where it lies. For every node: what is free, times the share of pods (of those that ask for the resource) for
which there is not enough room on that node, of this resource or of another. 0 % means that every free piece has room
for every pod; 100 % that no pod fits anywhere. Taints, affinity and volumes are left out of it: it is about amounts.
The pods are all that are not bound to a node by their nature (DaemonSet and static pods), running and waiting.

**Balance** has two numbers. Between nodes: the standard deviation of requested by allocatable over open nodes, in
percentage points; 0 means that all are equally full. Within nodes: the mean distance of cpu and memory fullness, in
percentage points; 0 means that no node runs out of one while the other lies idle.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from kplan.cluster import Cluster
from kplan.cluster.owners import of_its_node
from kplan.result.document_nodes import ResourceTotal
from kplan.wording.nodes import CONTROL_PLANE, POD_LIMIT

Int = NDArray[np.int64]
Mask = NDArray[np.bool_]
Workload = Mapping[tuple[tuple[str, int], ...], int]
"""Number of pods by what they request: (resource, amount), sorted, without zeros."""

KUBERNETES_TAINTS = "node.kubernetes.io/"
CONTROL_PLANE_TAINTS = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")
KEEPS_AWAY = ("NoSchedule", "NoExecute")


def closed_by(cluster: Cluster) -> dict[str, Mask]:
    """bool[N] by why a node does not take any pod: ``cordoned``, ``not-ready``, ``control plane``, ``pod limit``.

    A taint of people's own does not close a node: the pods of its pool tolerate it.
    """
    closed = {"cordoned": cluster.unschedulable.copy()}
    for number, taints in enumerate(cluster.taint_sets):
        here = cluster.taint_set == number
        for taint in taints:
            its = taint.key.startswith(KUBERNETES_TAINTS)
            if (its or taint.key in CONTROL_PLANE_TAINTS) and taint.effect in KEEPS_AWAY:
                name = taint.key.removeprefix(KUBERNETES_TAINTS) if its else CONTROL_PLANE
                name = "cordoned" if name == "unschedulable" else name
                closed[name] = closed.get(name, np.zeros(len(cluster.nodes), dtype=np.bool_)) | here
    closed[POD_LIMIT] = cluster.pod_count >= cluster.allowed_pods
    return closed


def open_nodes(cluster: Cluster) -> Mask:
    """bool[N], nodes that take any pod."""
    closed = np.zeros(len(cluster.nodes), dtype=np.bool_)
    for mask in closed_by(cluster).values():
        closed |= mask
    return ~closed


def reserved(cluster: Cluster) -> Mask:
    """bool[N], nodes with a taint of people's own that keeps pods away: room for those alone that tolerate it."""
    kept = np.zeros(len(cluster.nodes), dtype=np.bool_)
    for number, taints in enumerate(cluster.taint_sets):
        own = (taint for taint in taints if taint.effect in KEEPS_AWAY)
        if any(not taint.key.startswith(KUBERNETES_TAINTS) and taint.key not in CONTROL_PLANE_TAINTS for taint in own):
            kept |= cluster.taint_set == number
    return kept


def untainted(cluster: Cluster) -> Mask:
    """bool[N], nodes that no cordon and no taint of Kubernetes closes, however full they are."""
    closed = np.zeros(len(cluster.nodes), dtype=np.bool_)
    for name, mask in closed_by(cluster).items():
        if name != POD_LIMIT:
            closed |= mask
    return ~closed


def workload(clusters: Iterable[Cluster]) -> Workload:
    """Count the pods that choose their node, by what they request; running and waiting, over all the clusters."""
    by_request: Counter[tuple[tuple[str, int], ...]] = Counter()
    for cluster in clusters:
        # pods of one template share what was counted for them
        alike = Counter(id(pod.requests) for pod in cluster.pods if not pod.gone and not of_its_node(pod))
        each = {id(pod.requests): pod.requests for pod in cluster.pods}
        for identity, number in alike.items():
            requests = sorted((name, amount) for name, amount in each[identity].items() if amount)
            by_request[tuple(requests)] += number
    return by_request


def measure(cluster: Cluster, pods: Workload, among: Mask | None = None) -> dict[str, ResourceTotal]:
    """Measure every resource that a node has or a pod asks for.

    Args:
        cluster: the cluster as it is.
        pods: the pods by which fragmentation is judged.
        among: bool[N], the nodes looked at; all if None.
    """
    every = np.ones(len(cluster.nodes), dtype=np.bool_) if among is None else among
    here = open_nodes(cluster) & every
    left = (cluster.allocatable - cluster.requested).clip(min=0)
    free = left * here
    asked, useless = _useless(cluster, pods, free, here)
    totals: dict[str, ResourceTotal] = {}
    for name, row in cluster.resources.items():
        total, largest = int(free[row].sum()), int(free[row].max(initial=0))
        has = here & (cluster.allocatable[row] > 0)
        full = 100 * cluster.requested[row, has] / cluster.allocatable[row, has]
        totals[name] = ResourceTotal(
            requested=int(cluster.requested[row, every].sum()),
            allocatable=int(cluster.allocatable[row, every].sum()),
            free=total,
            closed=int(left[row, every & ~here].sum()),
            largest=largest,
            largest_node=cluster.node_name(int(free[row].argmax())) if largest else "",
            fragmented=round(100 * useless[row] / (total * asked[row]), 1) if total and asked[row] else None,
            fullness=round(float(full.mean()), 1) if len(full) else None,
            spread=round(float(full.std()), 1) if len(full) else None,
        )
    return totals


def _useless(cluster: Cluster, pods: Workload, free: Int, here: Mask) -> tuple[list[int], list[float]]:
    """By resource row: how many pods ask for it, and the sum over them of what is free where they do not fit."""
    asked = [0] * len(cluster.resources)
    useless = [0.0] * len(cluster.resources)
    for requests, count in pods.items():
        rows = {cluster.resources[name]: amount for name, amount in requests if name in cluster.resources}
        fits = here.copy()
        for row, amount in rows.items():
            fits &= free[row] >= amount
        fits &= all(name in cluster.resources for name, _ in requests)
        for row in rows:
            asked[row] += count
            useless[row] += count * float(free[row, ~fits].sum())
    return asked, useless


def within_nodes(cluster: Cluster, among: Mask | None = None) -> float | None:
    """Mean distance of cpu and memory fullness over open nodes [percentage points]; None where no node is open."""
    here = open_nodes(cluster) if among is None else open_nodes(cluster) & among
    here = here & (cluster.allocatable[0] > 0) & (cluster.allocatable[1] > 0)
    if not here.any():
        return None
    cpu = cluster.requested[0, here] / cluster.allocatable[0, here]
    memory = cluster.requested[1, here] / cluster.allocatable[1, here]
    return round(float(100 * np.abs(cpu - memory).mean()), 1)
