"""Device claims of a plan: what is written to them before their pod is bound."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from kplan.bind.wire.devices import devices_of
from kplan.cluster import Cluster, PodInfo
from kplan.cluster.device_claims import claims_by_pod
from kplan.objects.models import ResourceClaim
from kplan.plugins.dynamic_resources.extended import ANNOTATION
from kplan.plugins.dynamic_resources.writing import as_made
from kplan.result.document_base import Cause
from kplan.result.document_bind import BindDeviceClaim


def device_claims(cluster: Cluster, pod: PodInfo, before: Mapping[str, ResourceClaim]) -> Iterator[BindDeviceClaim]:
    """Yield the claims that are allocated, or reserved, for a pod that was just placed.

    Args:
        cluster: the cluster, with the pod placed.
        pod: the pod.
        before: the claims as they were before.
    """
    claims: Mapping[str, ResourceClaim] = cluster.objects.table("resource_claims")
    for key in claims_by_pod(cluster).of(pod.uid):
        now, then = claims[key], before.get(key)
        if not _reserved(now, pod) or (then is not None and _reserved(then, pod)):
            continue
        gets = then is None or then.status.allocation is None
        allocated = now.status.allocation if gets else None
        allocation: dict[str, Any] = msgspec.to_builtins(allocated) if allocated is not None else {}
        special = then is None and now.annotations.get(ANNOTATION) == "true"
        yield BindDeviceClaim(
            claim=key,
            uid="" if special else now.metadata.uid or "",
            devices=tuple(devices_of(allocation)),
            allocation=allocation,
            create=as_made(now) if special else None,
        )


def _reserved(claim: ResourceClaim, pod: PodInfo) -> bool:
    return any(user.uid == pod.uid for user in claim.status.reserved_for or ())


def waits_for_devices(cluster: Cluster, devices: Sequence[BindDeviceClaim]) -> Cause | None:
    """Tell of devices that have to be attached before a pod is bound, which kplan does not wait for."""
    claims: Mapping[str, ResourceClaim] = cluster.objects.table("resource_claims")
    for shown in devices:
        given = claims[shown.claim].status.allocation
        results = given.devices.results if given is not None else None
        if any(one.binding_conditions for one in results or ()):
            text = f"devices of claim {shown.claim} have binding conditions, which bind does not wait for"
            return Cause(code="binding-conditions", text=text)
    return None
