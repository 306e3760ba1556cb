"""Pods that are alike: what is worked out for one of them holds for the others."""

from __future__ import annotations

from collections.abc import Hashable

import msgspec

from kplan.cluster import PodInfo
from kplan.cluster.owners import controller
from kplan.course.trial.as_new import without_node
from kplan.plugins.shared.claims import own_claims


def likeness(pod: PodInfo) -> Hashable:
    """Give a key that pods alike in all the scheduler reads of them share; the node of one that runs is left out.

    A nomination is no part of it: a nominated pod is like no other. Neither is a pod for which claims are made: that of
    one may be there, and that of the other not.
    """
    return _spec(pod), pod.key if own_claims(pod.pod) else ""


def template_likeness(pod: PodInfo) -> Hashable:
    """Give a key that pods of one template share; those of a DaemonSet, each tied to a node of its own, are alike."""
    if controller(pod)[0] != "DaemonSet":
        return _spec(pod)
    return pod.namespace, controller(pod), pod.priority, tuple(sorted(pod.requests.items()))


def _spec(pod: PodInfo) -> Hashable:
    owners = tuple((owner.kind, owner.name) for owner in pod.pod.metadata.owner_references or ())
    return pod.pod_class, msgspec.json.encode(without_node(pod.pod).spec), owners
