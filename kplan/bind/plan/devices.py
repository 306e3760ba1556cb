"""Device claims of a plan: what is written to them before their pod is bound."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from kplan.bind.wire.devices import devices_of
from kplan.cluster import Cluster, PodInfo
from kplan.cluster.device_claims import claims_by_pod
from kplan.objects.models import ResourceClaim
from kplan.plugins.dynamic_resources.extended import ANNOTATION
from kplan.plugins.dynamic_resources.writing import as_made
from kplan.result.document_bind import BindDeviceClaim


def device_claims(
    cluster: Cluster, pod: PodInfo, before: Mapping[str, ResourceClaim], *, planned: bool
) -> Iterator[BindDeviceClaim]:
    """Yield the claims that are allocated, or reserved, for a pod that was just placed.

    Args:
        cluster: the cluster, with the pod placed.
        pod: the pod.
        before: the claims as they were before.
        planned: whether the pod is not there yet, so that claims of templates have made-up names.
    """
    claims: Mapping[str, ResourceClaim] = cluster.objects.table("resource_claims")
    status = pod.pod.status.resource_claim_statuses if planned else None
    entries = {f"{pod.namespace}/{status_.resource_claim_name}": status_.name for status_ in status or ()}
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
            entry=entries.get(key, ""),
            uid="" if special or key in entries else now.metadata.uid or "",
            devices=tuple(devices_of(allocation)),
            allocation=allocation,
            create=as_made(now) if special else None,
        )


def _reserved(claim: ResourceClaim, pod: PodInfo) -> bool:
    return any(user.uid == pod.uid for user in claim.status.reserved_for or ())
