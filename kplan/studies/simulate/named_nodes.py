"""Pods of manifests that name their node themselves: no scheduler is asked, and the kubelet there may refuse them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from msgspec.structs import replace

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.owners import of_its_node
from kplan.result.document_plan import Expanded
from kplan.wording.careful import node_has_no_room, node_is_not_there
from kplan.wording.owners import owner_text

KUBELET = "kubelet"
"""Who refuses such a pod, as ``Expanded.refused_by`` has it."""


def with_named_nodes(change: Sequence[Expanded], cluster: Cluster, pods: Iterable[PodInfo]) -> tuple[Expanded, ...]:
    """Say of each object how many of its pods name their node, and add what kubelets refuse of them.

    Args:
        change: what manifests came to.
        cluster: the cluster, in which these pods count on their nodes.
        pods: pods of the manifests.
    """
    named: dict[str, list[PodInfo]] = {}
    for pod in pods:
        if pod.pod.spec.node_name and not of_its_node(pod):
            named.setdefault(owner_text(pod, cluster), []).append(pod)
    refused = _refused(cluster, [pod for pods in named.values() for pod in pods])
    told = [replace(expanded, named=len(named.get(expanded.object, ()))) for expanded in change]
    for expanded in change:
        why = [refused[pod.key] for pod in named.get(expanded.object, ()) if pod.key in refused]
        told += [_left_out(expanded, why)] if why else []
    return tuple(told)


def _left_out(expanded: Expanded, why: Sequence[str]) -> Expanded:
    return Expanded(
        object=expanded.object,
        place=expanded.place,
        note=why[0],
        refused=True,
        refused_pods=len(why),
        refused_by=KUBELET,
        workload=expanded.object,
        file=expanded.file,
        line=expanded.line,
        column=expanded.column,
    )


def _refused(cluster: Cluster, pods: Sequence[PodInfo]) -> dict[str, str]:
    """Why nothing runs pods on the nodes that they name, by their keys; each before the next has its room.

    Source: v1.37.2 pkg/kubelet/lifecycle/predicate.go Admit (OutOfcpu and the like: the pod fails, and is not tried
    elsewhere); podgc gcOrphaned (pods of nodes that are not there are deleted).
    """
    homes = {pod.row: int(cluster.pod_node[pod.row]) for pod in pods}
    used = {at: cluster.requested[:, at].copy() for at in homes.values() if at >= 0}
    slots = {at: int(cluster.pod_count[at]) for at in used}
    for pod in pods:
        if homes[pod.row] >= 0:
            used[homes[pod.row]] -= cluster.pod_request[:, pod.row]
            slots[homes[pod.row]] -= 1
    why: dict[str, str] = {}
    for pod in pods:
        name, at = pod.pod.spec.node_name or "", homes[pod.row]
        if at < 0:
            why[pod.key] = node_is_not_there(pod.key, name)
            continue
        wants, free = cluster.pod_request[:, pod.row], np.maximum(cluster.allocatable[:, at] - used[at], 0)
        short = next((resource for resource, row in cluster.resources.items() if wants[row] > free[row]), "")
        if short:
            row = cluster.resources[short]
            why[pod.key] = node_has_no_room(pod.key, name, short, int(wants[row]), int(free[row]))
        elif slots[at] >= int(cluster.allowed_pods[at]):
            why[pod.key] = node_has_no_room(pod.key, name, "pods", 1, 0)
        else:
            used[at] += wants
            slots[at] += 1
    return why
