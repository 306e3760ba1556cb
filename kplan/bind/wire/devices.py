"""Writes of device claims: the finalizer, the allocation with the reservation, the claim for extended resources.

A claim is sent as it was just read, with its resourceVersion, and each write brings the question whether it happened.
Source: kubernetes v1.37.2 pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go bindClaim, Unreserve;
extendeddynamicresources.go createExtendedResourceClaimInAPI, patchPodExtendedResourceClaimStatus.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from kplan.bind.wire.client import MERGE_PATCH, Client
from kplan.bind.wire.writes import DONE, OPEN, Raw, Request, Reread, ServerFinding, gone, pod_path

FINALIZER = "resource.kubernetes.io/delete-protection"
PROTECT, ALLOCATE, RESERVE = "protect-claim", "allocate-claim", "reserve-claim"
MAKE, RELEASE, UNMAKE, NAME = "make-claim", "release-claim", "delete-claim", "name-claim"
COUNT, UNCOUNT = "count-node-amounts", "clear-node-amounts"
_BASE = "/apis/resource.k8s.io/v1"


def device_claim_path(key: str, subresource: str = "") -> str:
    """Path of a ResourceClaim by ``namespace/name``."""
    namespace, _, name = key.partition("/")
    return f"{_BASE}/namespaces/{namespace}/resourceclaims/{name}{'/' + subresource if subresource else ''}"


def devices_of(allocation: Mapping[str, Any] | None) -> list[str]:
    """Devices of an allocation: ``driver/pool/device`` for each result, in order."""
    results = ((allocation or {}).get("devices") or {}).get("results") or ()
    return [f"{result.get('driver')}/{result.get('pool')}/{result.get('device')}" for result in results]


def reserved_for(item: Mapping[str, Any], uid: str) -> bool:
    """Whether a claim is reserved for a pod."""
    return any(user.get("uid") == uid for user in item.get("status", {}).get("reservedFor") or ())


def _claim(item: Raw) -> Raw:
    return {**item, "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim"}


def protect(key: str, item: Raw) -> Request:
    """Add the finalizer without which the server takes no allocation for safe."""
    metadata = item["metadata"]
    body = _claim(item) | {"metadata": {**metadata, "finalizers": [*(metadata.get("finalizers") or ()), FINALIZER]}}

    def ask(client: Client) -> Reread:
        now = client.found(device_claim_path(key), what=f"asking for claim {key}")
        problem = gone(now, metadata["uid"], f"claim {key}")
        if problem is not None or now is None:
            return problem or OPEN
        return DONE if FINALIZER in (now["metadata"].get("finalizers") or ()) else OPEN

    return Request(PROTECT, key, f"protect claim {key}", "PUT", device_claim_path(key), body, ask)


def allocate(
    key: str, item: Raw, allocation: Mapping[str, Any], consumer: Mapping[str, Any], *, stamped: bool
) -> Request:
    """Write the allocation of a claim, and reserve it for a pod; the reservation alone where it has its devices.

    Args:
        key: ``namespace/name``.
        item: the claim as it was just read.
        allocation: what it gets; empty where it has its devices already.
        consumer: the pod.
        stamped: whether the time of the allocation is written with it.
    """
    status = dict(item.get("status") or {})
    if allocation:
        status["allocation"] = dict(allocation)
    if stamped and not (status.get("allocation") or {}).get("allocationTimestamp"):
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        status["allocation"] = {**status["allocation"], "allocationTimestamp": now}
    status["reservedFor"] = [*(status.get("reservedFor") or ()), dict(consumer)]
    names = ", ".join(name.partition("/")[2] for name in devices_of(allocation))
    text = f"give {names} to claim {key}" if allocation else f"reserve claim {key} for pod {consumer['name']}"
    uid = item["metadata"]["uid"]

    def ask(client: Client) -> Reread:
        now = client.found(device_claim_path(key), what=f"asking for claim {key}")
        return gone(now, uid, f"claim {key}") or standing(key, now or {}, allocation, str(consumer["uid"]))

    body = _claim(item) | {"status": status}
    kind = ALLOCATE if allocation else RESERVE
    return Request(kind, key, text, "PUT", device_claim_path(key, "status"), body, ask)


def standing(key: str, item: Mapping[str, Any], allocation: Mapping[str, Any], uid: str) -> Reread:
    """Tell from a claim whether it is as it is to be, open, or not possible any more."""
    there = item.get("status", {}).get("allocation")
    if reserved_for(item, uid):
        return DONE
    if allocation and there:
        names = ", ".join(name.partition("/")[2] for name in devices_of(there))
        return Reread(ServerFinding.CHANGED, f"claim {key} got {names or 'devices'} meanwhile", "claim-elsewhere")
    if not allocation and not there:
        return Reread(ServerFinding.CHANGED, f"claim {key} has lost its devices meanwhile", "claim-elsewhere")
    return OPEN


def make(manifest: Raw) -> Request:
    """Create the claim for extended resources; its name is always the same for a pod."""
    meta = manifest["metadata"]
    key = f"{meta['namespace']}/{meta['name']}"
    owner = meta["ownerReferences"][0]["uid"]

    def ask(client: Client) -> Reread:
        now = client.found(device_claim_path(key), what=f"asking for claim {key}")
        if now is None:
            return OPEN
        mine = any(reference.get("uid") == owner for reference in now["metadata"].get("ownerReferences") or ())
        return DONE if mine else Reread(ServerFinding.CHANGED, f"claim {key} is another pod's", "claim-recreated")

    return Request(
        MAKE, key, f"make claim {key}", "POST", f"{_BASE}/namespaces/{meta['namespace']}/resourceclaims", manifest, ask
    )


def name_claim(pod: str, uid: str, claim: str, mappings: Sequence[Mapping[str, Any]]) -> Request:
    """Write into the status of a pod which claim serves its extended resources."""
    status = {"resourceClaimName": claim, "requestMappings": list(mappings)}
    body = {"metadata": {"uid": uid}, "status": {"extendedResourceClaimStatus": status}}

    def ask(client: Client) -> Reread:
        now = client.found(pod_path(pod), what=f"asking for pod {pod}")
        problem = gone(now, uid, "the pod")
        if problem is not None or now is None:
            return problem or OPEN
        there = now.get("status", {}).get("extendedResourceClaimStatus") or {}
        return DONE if there.get("resourceClaimName") == claim else OPEN

    text = f"name claim {claim} in the status of {pod}"
    return Request(NAME, pod, text, "PATCH", pod_path(pod, "status"), body, ask, MERGE_PATCH)


def count_amounts(pod: str, uid: str, claims: Sequence[Mapping[str, Any]]) -> Request:
    """Write into the status of a pod what of its node's own resources its devices take; with no claims, take it out.

    An empty list says that it is meant: an old client leaves the field out.
    Source: nodeallocatabledynamicresources.go patchNodeAllocatableResourceClaimStatus,
    clearNodeAllocatableResourceClaimStatus.
    """
    field, names = "nodeAllocatableResourceClaimStatuses", sorted(str(claim["resourceClaimName"]) for claim in claims)
    body = {"metadata": {"uid": uid}, "status": {field: [dict(claim) for claim in claims]}}

    def ask(client: Client) -> Reread:
        now = client.found(pod_path(pod), what=f"asking for pod {pod}")
        problem = gone(now, uid, "the pod")
        if problem is not None or now is None:
            return problem or OPEN
        there = sorted(status.get("resourceClaimName", "") for status in now.get("status", {}).get(field) or ())
        return DONE if there == names else OPEN

    what = f"claim {', '.join(names)} takes" if len(names) == 1 else f"claims {', '.join(names)} take"
    text = f"write what {what} of the node in the status of {pod}" if names else f"clear that in the status of {pod}"
    kind = COUNT if names else UNCOUNT
    return Request(kind, pod, text, "PATCH", pod_path(pod, "status"), body, ask, MERGE_PATCH)


def release(key: str, item: Raw, uid: str) -> Request:
    """Take the reservation of a pod back; the devices stay the claim's until its controller frees them."""
    status = dict(item.get("status") or {})
    status["reservedFor"] = [user for user in status.get("reservedFor") or () if user.get("uid") != uid]

    def ask(client: Client) -> Reread:
        now = client.found(device_claim_path(key), what=f"asking for claim {key}")
        return DONE if now is None or not reserved_for(now, uid) else OPEN

    body = _claim(item) | {"status": status}
    return Request(RELEASE, key, f"release claim {key}", "PUT", device_claim_path(key, "status"), body, ask)


def unmake(key: str, item: Raw) -> Request:
    """Delete the claim for extended resources of a pod that is held back."""
    uid = item["metadata"]["uid"]

    def ask(client: Client) -> Reread:
        now = client.found(device_claim_path(key), what=f"asking for claim {key}")
        left = now is None or now["metadata"]["uid"] != uid or now["metadata"].get("deletionTimestamp")
        return DONE if left else OPEN

    body = {"kind": "DeleteOptions", "apiVersion": "v1", "preconditions": {"uid": uid}}
    return Request(UNMAKE, key, f"delete claim {key}", "DELETE", device_claim_path(key), body, ask)
