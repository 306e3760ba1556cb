"""Copies of pods: what they have from the pod that they were made of need not be worked out again."""

from __future__ import annotations

from operator import attrgetter, is_

from kplan.cluster.pods import PodInfo
from kplan.objects.models import Pod

_PARTS = attrgetter("containers", "init_containers", "overhead", "resources", "affinity", "host_network")
"""What of a spec decides the class of a pod and what it counts."""
_TOLD = attrgetter(
    "conditions",
    "container_statuses",
    "init_container_statuses",
    "resources",
    "allocated_resources",
    "node_allocatable_resource_claim_statuses",
)
"""What of a status may let a pod count something else than it requests."""
_NOTHING_TOLD = (None,) * 6


def same_by_parts(one: PodInfo, copy: Pod) -> bool:
    """Whether a copy has from a pod, as the very same objects, all that decides its class and what it counts.

    Its status tells nothing, so that it counts what it requests.
    """
    mine, metadata = one.pod.metadata, copy.metadata
    return (
        all(map(is_, _PARTS(one.pod.spec), _PARTS(copy.spec)))
        and mine.labels is metadata.labels
        and mine.namespace is metadata.namespace
        and mine.deletion_timestamp is metadata.deletion_timestamp is None
        and _TOLD(copy.status) == _NOTHING_TOLD
        and one.pod.status.node_allocatable_resource_claim_statuses is None
    )
