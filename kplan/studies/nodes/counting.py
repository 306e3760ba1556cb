"""What is special in the numbers of nodes: pods that leave, hold room or count nowhere, and more than containers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from kplan.cluster import Cluster, PodInfo
from kplan.studies.doubts import plan_doubts
from kplan.words import amounts, count, joined, listed

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
        told = joined(
            f"{amounts(name, amount)[0]}{' cpu' if name == 'cpu' else '' if name == 'memory' else f' {name}'}"
            for name, amount in sums.items()
            if amount
        )
        verb = "is being deleted and counts until it is gone" if len(rows) == 1 else "are being deleted and count until"
        verb = verb if len(rows) == 1 else f"{verb} they are gone"
        yield f"{count(len(rows), 'pod')} {verb}{f': {told}' if told else ''}"
    nominated = np.flatnonzero(cluster.pod_nominated >= 0)
    nominated = nominated[among[cluster.pod_nominated[nominated]]]
    waiting = [pod for pod in cluster.pods if pod.waiting]
    if waiting:
        text = f"{count(len(waiting), 'waiting pod')} {'counts' if len(waiting) == 1 else 'count'} nowhere"
        if len(nominated):
            nodes = sorted({cluster.node_name(int(cluster.pod_nominated[row])) for row in nominated})
            text += f"; {len(nominated):,} nominated, with room kept on {listed(nodes)}"
        yield text
    lost = [pod for pod in cluster.pods if pod.bound and not pod.gone and cluster.pod_node[pod.row] < 0]
    if lost:
        names = sorted({pod.pod.spec.node_name or "" for pod in lost})
        yield f"{count(len(lost), 'pod')} on nodes that are not here count nowhere: {listed(names)}"
    yield from _more_than_containers(cluster, among)
    if "Pod" in cluster.state.completeness.partial or not cluster.state.completeness.has("Pod"):
        yield from (doubt.text for doubt in plan_doubts(cluster.state.completeness, (), frozenset({"Pod"})))


def _more_than_containers(cluster: Cluster, among: Mask) -> Iterator[str]:
    placed = [cluster.pods[row] for row in np.flatnonzero(cluster.pod_node >= 0) if among[cluster.pod_node[row]]]
    kinds = {
        "sidecars": sum(map(has_sidecar, placed)),
        "overhead": sum(1 for pod in placed if pod.pod.spec.overhead),
        "pod-level requests": sum(1 for pod in placed if pod.pod.spec.resources is not None),
    }
    told = [f"{name} of {count(number, 'pod')}" for name, number in kinds.items() if number]
    if told:
        yield f"{joined(told)} {'are' if len(told) > 1 or not told[0].startswith('overhead') else 'is'} counted in"


def has_sidecar(pod: PodInfo) -> bool:
    """Whether an init container of a pod runs as long as the pod."""
    return any(container.restart_policy == "Always" for container in pod.pod.spec.init_containers or ())
