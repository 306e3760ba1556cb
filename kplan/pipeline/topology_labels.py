"""Labels that a pod gets from its node when it is bound, where anything asks for them.

The API server copies zone and region of the node onto the pod (admission plugin PodTopologyLabels, on from 1.35); pods
that are scheduled after it may select it by them. Most clusters have no such selector: then nothing is done.
Source: v1.37.2 plugin/pkg/admission/podtopologylabels/admission.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from kplan.cluster import Change, Cluster, PodInfo, Relabel
from kplan.cluster.spread_labels import selected_by
from kplan.framework.features import Features
from kplan.objects.models import LabelSelector

GATE = "PodTopologyLabelsAdmission"
_LABELS = ("topology.kubernetes.io/zone", "topology.kubernetes.io/region")


def labels_of_binding(cluster: Cluster, pod: PodInfo, row: int, features: Features) -> tuple[Change, ...]:
    """What binding a pod to a node changes of its labels."""
    if not features.enabled(GATE) or not _asked_for(cluster):
        return ()
    there = cluster.nodes[row].labels
    labels = tuple((key, there[key]) for key in _LABELS if key in there and pod.labels.get(key) != there[key])
    return (Relabel(pod.row, labels),) if labels else ()


class _Read(Struct):
    """How many classes of pods were read, which are only ever added, and whether a term of one of them asks."""

    classes: int = 0
    asked: bool = False


def _asked_for(cluster: Cluster) -> bool:
    """Whether a term or constraint of any pod, or a selector of an object, names one of the labels."""
    if not cluster.spread_by.isdisjoint(_LABELS):
        return True
    read: _Read = cluster.objects.derived("who asks for labels of binding", (), _Read)
    if not read.asked and read.classes != len(cluster.pod_classes):
        for pod_class in cluster.pod_classes[read.classes :]:
            terms = (*pod_class.affinity, *pod_class.anti_affinity)
            weighted = (*pod_class.preferred_affinity, *pod_class.preferred_anti_affinity)
            selectors = (*(term.selector for term in terms), *(term.term.selector for term in weighted))
            read.asked |= any(
                requirement.key in _LABELS for selector in selectors for requirement in selector.requirements
            )
        read.classes = len(cluster.pod_classes)
    tables = ("pod_disruption_budgets", "services", "replication_controllers", "replica_sets", "stateful_sets")
    objects: bool = cluster.objects.derived(
        "objects that ask for labels of binding", tables, lambda: any(map(_is_in, _selected(cluster, tables)))
    )
    return read.asked or objects


def _selected(cluster: Cluster, tables: Iterable[str]) -> Iterator[Iterable[str]]:
    """Yield the label keys that selectors of objects name."""
    for name in tables:
        for item in cluster.objects.table(name).values():
            selector = getattr(getattr(item, "spec", None), "selector", None)
            yield selected_by(selector) if isinstance(selector, LabelSelector) else selector or ()


def _is_in(keys: Iterable[str]) -> bool:
    return any(key in _LABELS for key in keys)
