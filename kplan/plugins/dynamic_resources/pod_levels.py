"""Resources of a pod as a whole have to cover what its containers and its devices come to.

Source: kubernetes v1.37.2 and v1.36.3 nodeallocatabledynamicresources.go validatePodLevelResourcesCoverDRA,
validatePodLevelRequestsCoverDRA; component-helpers v0.37.2 resource/helpers.go GetContainerDRAAllocations,
addDRANodeAllocatableLimits.
"""

from __future__ import annotations

from kplan.objects.models import Pod
from kplan.objects.quantity import nanos
from kplan.objects.request_sums import (
    Amounts,
    add_to,
    amounts_of,
    claimed_amounts,
    container_limits,
    container_requests,
)
from kplan.objects.resource_names import is_hugepages_resource, is_pod_level_resource

_BELOW = "is insufficient to cover"


def uncovered(pod: Pod, minor: int) -> str:
    """Say which resource of the pod as a whole is too small; empty for none.

    Args:
        pod: with what its devices take in its status.
        minor: the version; from 1.37 on limits are looked at, too.
    """
    level = pod.spec.resources
    if level is None:
        return ""
    wanted = container_requests(pod)
    add_to(wanted, claimed_amounts(pod, minor))
    for name, raw in sorted((level.requests or {}).items()):
        if is_pod_level_resource(name) and wanted.get(name, 0) > nanos(raw):
            return f"pod level request for {name} {_BELOW} the aggregated container and node-allocatable DRA requests"
    return _limits(pod, amounts_of(level.limits)) if minor >= 37 and level.limits else ""


def _limits(pod: Pod, level: Amounts) -> str:
    together = container_limits(pod)
    for name, amount in claimed_amounts(pod).items():
        if name in together or is_hugepages_resource(name):
            together[name] = together.get(name, 0) + amount
    for name in sorted(together):
        if is_hugepages_resource(name) and name in level and together[name] > level[name]:
            return f"pod level limit for {name} {_BELOW} the aggregated container and node-allocatable DRA limits"
    for container in pod.spec.containers or ():
        mine = _of_container(pod, container.name or "")
        limits = amounts_of(container.resources.limits if container.resources is not None else None)
        for name in sorted(limits):
            if is_hugepages_resource(name) or name not in level:
                continue
            if limits[name] + mine.get(name, 0) > level[name]:
                return f"pod level limit for {name} {_BELOW} the limit and DRA overhead for container {container.name}"
    return ""


def _of_container(pod: Pod, name: str) -> Amounts:
    """What the claims that a container refers to take, whoever else refers to them [10^-9]."""
    total: Amounts = {}
    for claim in pod.status.node_allocatable_resource_claim_statuses or ():
        if name not in (claim.containers or ()):
            continue
        for mapped in claim.mapping or ():
            if mapped.quantity is not None:
                add_to(total, {mapped.name: nanos(mapped.quantity)})
        for overhead in claim.overhead or ():
            amounts = (overhead.per_pod, overhead.per_container)
            add_to(total, {overhead.name: sum(nanos(amount) for amount in amounts if amount is not None)})
    return total
