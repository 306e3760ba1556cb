"""A node by itself: its use by resource, what closes it, what leaves it; its labels, conditions and pods."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.cluster import CPU, FIXED_RESOURCES, MEMORY
from kplan.framework.doubt import Doubt
from kplan.objects.well_known import UNSCHEDULABLE
from kplan.result.document_nodes import NodePod, NodeRow, ResourceUse
from kplan.studies.doubts import plan_doubts
from kplan.studies.nodes.packing import KEEPS_AWAY, closed_by
from kplan.wording import nodes as words
from kplan.wording.node_story import pod_notes
from kplan.wording.owners import owner_text
from kplan.words import short_key

Int = NDArray[np.int64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]


class Usage(Struct, frozen=True, eq=False):
    """What the rows of nodes are made from.

    Attributes:
        cluster: the cluster.
        closed: bool[N] by why nodes take no pod.
        leaving: int64[R, N], requests of pods that are being deleted.
        leaving_count: int64[N], those pods.
        kept: int64[N], pods that are nominated.
    """

    cluster: Cluster
    closed: dict[str, Mask]
    leaving: Int
    leaving_count: Int
    kept: Int

    @classmethod
    def of(cls, cluster: Cluster) -> Usage:
        """Add up what columns do not tell apart."""
        rows = leaving_rows(cluster)
        nodes = cluster.pod_node[rows]
        leaving = np.zeros_like(cluster.requested)
        leaving_count = np.zeros(len(cluster.nodes), dtype=np.int64)
        kept = np.zeros(len(cluster.nodes), dtype=np.int64)
        for resource in range(len(cluster.resources)):
            np.add.at(leaving[resource], nodes, cluster.pod_request[resource, rows])
        np.add.at(leaving_count, nodes, 1)
        np.add.at(kept, cluster.pod_nominated[cluster.pod_nominated >= 0], 1)
        return cls(cluster, closed_by(cluster), leaving, leaving_count, kept)

    def row(self, node: int, pool_label: str = "") -> NodeRow:
        """Tell the use of one node, every resource that it has or that a pod on it asks for."""
        cluster = self.cluster
        resources: dict[str, ResourceUse] = {}
        for name, at in cluster.resources.items():
            requested, there = int(cluster.requested[at, node]), int(cluster.allocatable[at, node])
            if requested or there or name in FIXED_RESOURCES[:2]:
                leaving = int(self.leaving[at, node])
                resources[name] = ResourceUse(
                    requested=requested, allocatable=there, free=there - requested, terminating=leaving
                )
        fullest, full = _fullest(cluster, node, resources)
        return NodeRow(
            node=cluster.node_name(node),
            pool=cluster.nodes[node].labels.get(pool_label, "") if pool_label else "",
            pods=int(cluster.pod_count[node]),
            allowed_pods=int(cluster.allowed_pods[node]),
            resources=resources,
            non_zero_requested={
                "cpu": int(cluster.non_zero_requested[CPU, node]),
                "memory": int(cluster.non_zero_requested[MEMORY, node]),
            },
            closed=tuple(name for name, mask in self.closed.items() if mask[node]),
            taints=taints_of(cluster, node),
            terminating=int(self.leaving_count[node]),
            kept=int(self.kept[node]),
            fullest=fullest,
            full=full,
        )


def taints_of(cluster: Cluster, node: int) -> tuple[str, ...]:
    """Taints of a node that keep pods away, as they would be typed; that of a cordon is left out."""
    taints = cluster.taint_sets[cluster.taint_set[node]]
    return tuple(str(taint) for taint in taints if taint.effect in KEEPS_AWAY and taint.key != UNSCHEDULABLE)


def _fullest(cluster: Cluster, node: int, resources: dict[str, ResourceUse]) -> tuple[str, float]:
    shares = {name: use.requested / use.allocatable for name, use in resources.items() if use.allocatable > 0}
    if cluster.allowed_pods[node] > 0:
        shares["pods"] = int(cluster.pod_count[node]) / int(cluster.allowed_pods[node])
    if not shares:
        return "", 0.0
    name = max(shares, key=lambda key: shares[key])
    return name, round(100 * shares[name], 1)


_BAD_WHEN = {"Ready": ("False", "Unknown")}
"""Values of a condition that are not as they should be; of all others it is True."""


def about(cluster: Cluster, row: int) -> str:
    """Kubelet, pool, instance type and zone, as far as its labels say."""
    node = cluster.nodes[row]
    told: dict[str, str] = {}
    for ending in ("pool", "nodegroup", "instance-type", "zone"):
        for key, value in sorted(node.labels.items()):
            if key.endswith(ending) and value not in told:
                told[value] = f"{short_key(key)} {value}"
                break
    if node.status.node_info is not None and node.status.node_info.kubelet_version:
        return ", ".join([*told.values(), f"kubelet {node.status.node_info.kubelet_version}"])
    return ", ".join(told.values())


def conditions(cluster: Cluster, row: int) -> Iterator[str]:
    """Say what its kubelet reports that is not as it should be; the scheduler reads taints alone."""
    for condition in cluster.nodes[row].status.conditions or ():
        if condition.status in _BAD_WHEN.get(condition.type, ("True",)):
            reason = f" ({condition.reason})" if condition.reason else ""
            since = f" since {condition.last_transition_time}" if condition.last_transition_time else ""
            yield f"{condition.type} {condition.status}{reason}{since}"


def runs(cluster: Cluster, row: int) -> tuple[NodePod, ...]:
    """Pods on the node, those with the greatest part of any of its resources first."""
    names = list(cluster.resources)
    there = cluster.allocatable[:, row]
    made: list[tuple[float, NodePod]] = []
    for number in cluster.pods_on(row):
        pod = cluster.pods[number]
        taken = {name: int(cluster.pod_request[at, number]) for at, name in enumerate(names)}
        share = max((taken[name] / int(there[at]) for at, name in enumerate(names) if there[at] > 0), default=0.0)
        taken = {name: amount for name, amount in taken.items() if amount}
        item = NodePod(
            pod=pod.key,
            owner=owner_text(pod, cluster),
            priority=pod.priority,
            amounts=taken,
            note=", ".join(pod_notes(cluster, pod)),
        )
        made.append((share, item))
    made.sort(key=lambda entry: (-entry[0], entry[1].pod))
    return tuple(item for _, item in made)


def leaving_rows(cluster: Cluster) -> Rows:
    """Rows of the pods on nodes that are being deleted."""
    terminating = np.array([item.terminating for item in cluster.pod_classes], dtype=np.bool_)
    if not len(terminating):
        return np.zeros(0, dtype=np.intp)
    return np.flatnonzero(terminating[cluster.pod_class] & (cluster.pod_node >= 0))


def counted(cluster: Cluster, among: Mask) -> Iterator[str]:
    """What is special in the numbers: pods that leave, hold room, or count nowhere; what is more than containers."""
    rows = leaving_rows(cluster)
    rows = rows[among[cluster.pod_node[rows]]]
    if len(rows):
        sums = {name: int(cluster.pod_request[row, rows].sum()) for name, row in cluster.resources.items()}
        yield words.leaving(len(rows), sums)
    nominated = np.flatnonzero(cluster.pod_nominated >= 0)
    nominated = nominated[among[cluster.pod_nominated[nominated]]]
    waiting = [pod for pod in cluster.pods if pod.waiting]
    if waiting:
        kept_on = sorted({cluster.node_name(int(cluster.pod_nominated[row])) for row in nominated})
        yield words.waiting(len(waiting), len(nominated), kept_on)
    lost = [pod for pod in cluster.pods if pod.bound and not pod.gone and cluster.pod_node[pod.row] < 0]
    if lost:
        names = sorted({pod.pod.spec.node_name or "" for pod in lost})
        yield words.nowhere(len(lost), names)
    yield from _more_than_containers(cluster, among)


def count_doubts(cluster: Cluster) -> tuple[Doubt, ...]:
    """Why the numbers may be wrong: pods that the source does not hold."""
    completeness = cluster.state.completeness
    if completeness.has("Pod") and "Pod" not in completeness.partial:
        return ()
    return tuple(plan_doubts(completeness, (), frozenset({"Pod"})))


def _more_than_containers(cluster: Cluster, among: Mask) -> Iterator[str]:
    placed = [cluster.pods[row] for row in np.flatnonzero(cluster.pod_node >= 0) if among[cluster.pod_node[row]]]
    sidecars = sum(map(has_sidecar, placed))
    overhead = sum(1 for pod in placed if pod.pod.spec.overhead)
    pod_level = sum(1 for pod in placed if pod.pod.spec.resources is not None)
    if sidecars or overhead or pod_level:
        yield words.more_than_containers(sidecars, overhead, pod_level)


def has_sidecar(pod: PodInfo) -> bool:
    """Whether an init container of a pod runs as long as the pod."""
    return any(container.restart_policy == "Always" for container in pod.pod.spec.init_containers or ())
