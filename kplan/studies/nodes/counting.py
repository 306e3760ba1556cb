"""What is special in the numbers of nodes: pods that leave, hold room or count nowhere, and more than containers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from kplan.cluster import Cluster, PodInfo
from kplan.studies.doubts import plan_doubts
from kplan.wording import nodes as words

Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]


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
    if "Pod" in cluster.state.completeness.partial or not cluster.state.completeness.has("Pod"):
        yield from (doubt.text for doubt in plan_doubts(cluster.state.completeness, (), frozenset({"Pod"})))


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
