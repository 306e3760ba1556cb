"""Reserve and PreBind: what the devices that were found change in the claims of a pod.

Source: kubernetes v1.37.2 pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go Reserve, PreBind,
bindClaim; extendeddynamicresources.go createExtendedResourceClaimInAPI.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import msgspec

from kplan.cluster import Change, Cluster, PodInfo, Put
from kplan.framework.features import Features
from kplan.objects.models import ResourceClaim
from kplan.objects.models.devices import AllocationResult, ResourceClaimSpec
from kplan.plugins.dynamic_resources.allocation import allocation, in_flight, reserved
from kplan.plugins.dynamic_resources.claims import SPECIAL_NAME, PodClaim
from kplan.plugins.dynamic_resources.searching import NodeChoice
from kplan.plugins.dynamic_resources.state import ClaimsState
from kplan.plugins.shared.devices.index import device_index
from kplan.plugins.shared.pod_groups import key_of

_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"


def reserve(
    pod: PodInfo, state: ClaimsState, cluster: Cluster, row: int, choice: NodeChoice, features: Features
) -> tuple[ResourceClaim, ...]:
    """Allocate what was found on a node, and give the claims with it; they are in flight from here on."""
    allocations = found_allocations(pod, state, cluster, row, choice, features)
    return tuple(in_flight(item, given, key_of(pod, features)) for _, item, given in allocations)


def found_allocations(
    pod: PodInfo, state: ClaimsState, cluster: Cluster, row: int, choice: NodeChoice, features: Features
) -> Iterator[tuple[PodClaim, ResourceClaim, AllocationResult]]:
    """Yield each claim that devices were found for on a node, as it is to be, and what it gets."""
    if not choice.outcome.chosen:
        return
    index = device_index(cluster, features)
    node, node_name = index.node(row), cluster.node_name(row)
    wanting = [claim for claim in state.wanting if not claim.special or choice.special is not None]
    for claim, chosen in zip(wanting, choice.outcome.chosen, strict=True):
        item = claim.claim
        if claim.special and choice.special is not None:
            item = written(item, choice.special.spec, pod)
        yield claim, item, allocation(item, chosen, node, node_name, index.rules)


def settle(pod: PodInfo, state: ClaimsState, cluster: Cluster, choice: NodeChoice | None) -> tuple[Change, ...]:
    """Write what Reserve allocated, and reserve every claim of the pod for it."""
    claims = cluster.objects.table("resource_claims")
    changes = []
    for claim in state.claims:
        item = claim.claim
        if claim.special:
            if choice is None or choice.special is None:
                continue
            item = written(item, choice.special.spec, pod)
        current: ResourceClaim | None = claims.get(item.key)
        if current is not None:
            changes.append(Put.of(reserved(current, pod, claim.consumer)))
    return tuple(changes)


def written(claim: ResourceClaim, spec: ResourceClaimSpec, pod: PodInfo) -> ResourceClaim:
    """Give the special claim what it asks for, and a name; the server draws one, here it is the same every time."""
    metadata = claim.metadata
    if metadata.name == SPECIAL_NAME:
        digest = hashlib.sha256(pod.uid.encode()).digest()[:5]
        suffix = "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in digest)
        metadata = msgspec.structs.replace(metadata, name=f"{pod.name}-extended-resources-"[:58] + suffix)
    return msgspec.structs.replace(claim, metadata=metadata, spec=spec)
