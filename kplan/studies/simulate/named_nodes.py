"""Pods of manifests that name their node themselves: no scheduler is asked, and the kubelet there may refuse them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.owners import controller
from kplan.course.trial.kubelet import NotAdmitted, admitted
from kplan.framework.features import Features
from kplan.result.document_plan import Expanded
from kplan.wording.careful import evicts_on_its_node, not_admitted
from kplan.wording.owners import owner_text

KUBELET = "kubelet"
"""Who refuses such a pod, as ``Expanded.refused_by`` has it."""


class NamedNodes(Struct, frozen=True):
    """What becomes of pods that name their node.

    Attributes:
        change: what manifests came to, with how many name their node and what kubelets refuse or evict for them.
        refused: pods that do not run, whose room stays free.
    """

    change: tuple[Expanded, ...]
    refused: tuple[PodInfo, ...]


def with_named_nodes(
    change: Sequence[Expanded], cluster: Cluster, pods: Iterable[PodInfo], features: Features
) -> NamedNodes:
    """Say of each object how many of its pods name their node, and what kubelets refuse of them.

    Args:
        change: what manifests came to.
        cluster: the cluster, in which these pods count on their nodes.
        pods: pods of the manifests.
        features: of the version.
    """
    named: dict[str, list[PodInfo]] = {}
    for pod in pods:
        if pod.pod.spec.node_name and controller(pod)[0] != "Node":
            named.setdefault(owner_text(pod, cluster), []).append(pod)
    asked = admitted(cluster, [pod for pods in named.values() for pod in pods], features)
    told = []
    for expanded in change:
        mine = named.get(expanded.object, ())
        evicting = [evicts_on_its_node(pod.key, asked.evicting[pod.key]) for pod in mine if pod.key in asked.evicting]
        told.append(replace(expanded, named=len(mine), careful=(*expanded.careful, *evicting)))
    for expanded in change:
        why = [asked.refused[pod.key] for pod in named.get(expanded.object, ()) if pod.key in asked.refused]
        told += [_left_out(expanded, why)] if why else []
    refused = tuple(pod for pods in named.values() for pod in pods if pod.key in asked.refused)
    return NamedNodes(tuple(told), refused)


def _left_out(expanded: Expanded, why: Sequence[NotAdmitted]) -> Expanded:
    return Expanded(
        object=expanded.object,
        place=expanded.place,
        note=not_admitted(why[0]),
        refused=True,
        refused_pods=len(why),
        refused_by=KUBELET,
        workload=expanded.object,
        file=expanded.file,
        line=expanded.line,
        column=expanded.column,
    )
