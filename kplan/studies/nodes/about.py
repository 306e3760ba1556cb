"""What there is to say of a node itself: labels that tell its pool, conditions, the pods on it."""

from __future__ import annotations

from collections.abc import Iterator

from kplan.cluster import Cluster
from kplan.result.document_nodes import NodePod
from kplan.wording.node_story import pod_notes
from kplan.wording.owners import owner_text
from kplan.words import short_key

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
