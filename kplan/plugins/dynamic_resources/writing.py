"""PreBind: what is written to the claims of a pod before it is bound, as data.

Source: kubernetes v1.37.2 pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go PreBind, bindClaim;
extendeddynamicresources.go createExtendedResourceClaimInAPI, patchPodExtendedResourceClaimStatus.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from kplan.cluster import Cluster, PodInfo
from kplan.framework.features import Features
from kplan.framework.writes import DeviceWrite, NodeAmountsWrite
from kplan.objects.models import ResourceClaim
from kplan.plugins.dynamic_resources.claims import PodClaim
from kplan.plugins.dynamic_resources.filtering import BINDING_GATES
from kplan.plugins.dynamic_resources.reserving import written
from kplan.plugins.dynamic_resources.searching import NodeChoice
from kplan.plugins.dynamic_resources.state import ClaimsState


def claim_writes(
    pod: PodInfo, state: ClaimsState, cluster: Cluster, choice: NodeChoice | None, features: Features
) -> Iterator[DeviceWrite]:
    """Yield what is written for each claim that is not reserved for the pod yet.

    Args:
        pod: the pod, reserved on its node.
        state: its claims as they were before.
        cluster: the cluster, with the claims as they are to be.
        choice: what was found on the node.
        features: version and gates.
    """
    claims: Mapping[str, ResourceClaim] = cluster.objects.table("resource_claims")
    stamped = all(map(features.enabled, BINDING_GATES))
    for claim in state.claims:
        special = choice.special if claim.special and choice is not None else None
        if claim.special and special is None:
            continue
        item = written(claim.claim, special.spec, pod) if special is not None else claim.claim
        now = claims.get(item.key)
        if now is None or claim.reserved_for(pod):
            continue
        given = now.status.allocation if claim.allocation is None else None
        allocation: dict[str, Any] = msgspec.to_builtins(given) if given is not None else {}
        yield DeviceWrite(
            claim=item.key,
            allocation=allocation,
            consumer=_consumer(pod, claim),
            create=as_made(item) if special is not None else None,
            mappings=tuple(
                {
                    "containerName": request_mapping.container,
                    "resourceName": request_mapping.resource,
                    "requestName": request_mapping.request,
                }
                for request_mapping in (special.mappings if special is not None else ())
            ),
            stamped=stamped,
            waits=any(result.binding_conditions for result in (now.status.allocation.devices.results or ()))
            if now.status.allocation is not None
            else False,
        )


def amounts_writes(pod: PodInfo, cluster: Cluster) -> Iterator[NodeAmountsWrite]:
    """Yield what of the node's own resources the devices of a pod take, where they take any.

    Args:
        pod: the pod, reserved on its node: its status says so by then.
        cluster: the cluster.

    Source: PreBind, patchNodeAllocatableResourceClaimStatus.
    """
    statuses = cluster.pods[pod.row].pod.status.node_allocatable_resource_claim_statuses
    if statuses:
        yield NodeAmountsWrite(tuple(msgspec.to_builtins(status) for status in statuses))


def _consumer(pod: PodInfo, claim: PodClaim) -> dict[str, str]:
    """What a claim is reserved for, as it is written."""
    to = claim.consumer
    if to is None or to.resource == "pods":
        return {"resource": "pods", "name": pod.name, "uid": pod.uid}
    return {"apiGroup": to.api_group or "", "resource": to.resource, "name": to.name, "uid": to.uid}


def as_made(claim: ResourceClaim) -> dict[str, Any]:
    """The special claim as it is created, under a name that is the same however often that is tried."""
    metadata = claim.metadata
    owners = [
        {**msgspec.to_builtins(owner), "controller": True, "blockOwnerDeletion": True}
        for owner in metadata.owner_references or ()
    ]
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {
            "name": metadata.name,
            "namespace": metadata.namespace,
            "annotations": dict(metadata.annotations or {}),
            "ownerReferences": owners,
        },
        "spec": msgspec.to_builtins(claim.spec),
    }
