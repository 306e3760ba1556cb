"""Whether what happened may let terms of a pod be met, or terms about it be gone.

Source: v1.37.2 interpodaffinity/plugin.go isSchedulableAfterAssignedPodChange, isSchedulableAfterNodeChange; v1.36.3
and v1.34.4 interpodaffinity/plugin.go isSchedulableAfterPodChange. Terms are matched without the labels of namespaces.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kplan.cluster.affinity import AffinityTerm, required_terms
from kplan.framework.events import Happened, Resource
from kplan.framework.features import Features
from kplan.objects.models import Node, Pod

if TYPE_CHECKING:
    from kplan.cluster import PodInfo


def wakes(pod: PodInfo, happened: Happened, features: Features) -> bool:
    """Tell whether it may; it is one of what InterPodAffinity asks to hear of."""
    old, new = happened.old, happened.new
    if happened.resource is Resource.TARGET_POD:
        # up to 1.35 it was taken for any other pod, and that has no node
        return features.since(36)
    if isinstance(new, Node):
        return _node(pod, old if isinstance(old, Node) else None, new)
    before, after = old if isinstance(old, Pod) else None, new if isinstance(new, Pod) else None
    if any(state is not None and not _is_placed(state, features) for state in (before, after)):
        return False
    near, apart = pod.pod_class.affinity, pod.pod_class.anti_affinity
    if after is not None:
        if before is None:
            return _all(near, after)
        if not _all(near, before) and _all(near, after):
            return True
        return _against(apart, before, features) and not _against(apart, after, features)
    if before is None:
        return False
    if _against(apart, before, features):
        return True
    affinity = before.spec.affinity.pod_anti_affinity if before.spec.affinity else None
    return features.since(36) and _against(required_terms(affinity, before.namespace), pod.pod, features)


def _is_placed(other: Pod, features: Features) -> bool:
    """Whether a pod has a node, or (from 1.36) is to have one."""
    return bool(other.spec.node_name or (features.since(36) and other.status.nominated_node_name))


def _all(terms: Sequence[AffinityTerm], other: Pod) -> bool:
    """Whether a pod is what all of some terms are about; of no terms there is none."""
    return bool(terms) and all(term.matches(other.namespace, other.labels, {}) for term in terms)


def _against(terms: Sequence[AffinityTerm], other: Pod, features: Features) -> bool:
    """Whether a pod is what one of some terms is about; up to 1.36, what all of them are about."""
    if not features.since(37):
        return _all(terms, other)
    return any(term.matches(other.namespace, other.labels, {}) for term in terms)


def _node(pod: PodInfo, old: Node | None, new: Node) -> bool:
    near, apart = pod.pod_class.affinity, pod.pod_class.anti_affinity
    if old is None:
        return bool(apart) or any(term.topology_key in new.labels for term in near)
    for terms, wants in ((near, new), (apart, old)):
        for term in terms:
            key = term.topology_key
            # one that has the label only on the side that helps, or another value of it
            if key in wants.labels and old.labels.get(key) != new.labels.get(key):
                return True
    return False
