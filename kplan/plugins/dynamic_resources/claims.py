"""The claims of a pod: which they are, whether they are as they should be, and where allocated ones are to be had.

Source: kubernetes v1.37.2, v1.36.3 and v1.34.4 pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go
foreachPodResourceClaim, PreFilter, isClaimReadyForBinding, isClaimTimeout;
staging/src/k8s.io/dynamic-resource-allocation/resourceclaim Name, IsForPod, IsReservedForPod.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from msgspec import Struct

from kplan.cluster import Cluster, PodInfo
from kplan.framework.features import Features
from kplan.framework.findings import About, Failed, Refused, Why
from kplan.framework.reason_codes import AboutKind, ReasonCode
from kplan.objects.models import ResourceClaim
from kplan.objects.models.devices import (
    AllocatedDeviceStatus,
    AllocationResult,
    DeviceRequestAllocationResult,
    ExactDeviceRequest,
    ResourceClaimConsumer,
)
from kplan.plugins.dynamic_resources.group_claims import consumer_of, group_name, is_reserved_for, owned_by_group
from kplan.plugins.shared.pod_groups import key_of

IN_FLIGHT = "kplan.dev/in-flight"
"""Annotation of a claim that a pod was given devices for and that is not written yet: others have to wait for it.
Its value is the key of the pod's group, if it is one of a group."""

SPECIAL_NAME = "<extended-resources>"
"""Name of the claim for extended resources until it is written."""

BINDING_TIMEOUT = timedelta(seconds=600)


class PodClaim(Struct, frozen=True):
    """A claim of a pod.

    Attributes:
        claim: the object.
        special: whether it is the one for extended resources, which the scheduler makes itself.
        shared: whether another pod of the group was given devices for it in the same cycle (1.36): to the pod it is to
            be had on every node then.
        consumer: what it is reserved for: the pod, or its group; None for the pod.
        group: name of the pod's group, which may hold it for the pod; empty for none.
    """

    claim: ResourceClaim
    special: bool = False
    shared: bool = False
    consumer: ResourceClaimConsumer | None = None
    group: str = ""

    @property
    def allocation(self) -> AllocationResult | None:
        """What it was given, as others can see it."""
        return None if self.in_flight else self.claim.status.allocation

    @property
    def in_flight(self) -> bool:
        """Whether devices were found for it and it is not written yet."""
        return IN_FLIGHT in self.claim.annotations

    def reserved_for(self, pod: PodInfo) -> bool:
        """Whether the pod may use it."""
        return is_reserved_for(self.claim, pod, self.group)


def lacking(pod: PodInfo, cluster: Cluster, features: Features) -> Why | None:
    """Say what is wrong with the first claim that is not as it should be; None for nothing."""
    return next((fault for fault in _claims(pod, cluster, features) if isinstance(fault, Why)), None)


def claims_of(pod: PodInfo, cluster: Cluster, features: Features) -> tuple[ResourceClaim, ...]:
    """List the claims of a pod, none of which lacks anything; those of a source that holds no claims are left out."""
    return tuple(claim.claim for claim in pod_claims(pod, cluster, features))


def pod_claims(pod: PodInfo, cluster: Cluster, features: Features) -> tuple[PodClaim, ...]:
    """The same, with what each is reserved for."""
    return tuple(claim for claim in _claims(pod, cluster, features) if isinstance(claim, PodClaim))


def _claims(pod: PodInfo, cluster: Cluster, features: Features) -> Iterator[PodClaim | Why]:
    """Give each claim, or what is wrong with it."""
    if not pod.pod.spec.resource_claims:
        return
    made = {status.name: status.resource_claim_name for status in pod.pod.status.resource_claim_statuses or ()}
    claims = cluster.objects.table("resource_claims")
    group = group_name(pod, features)
    for entry in pod.pod.spec.resource_claims:
        name = entry.resource_claim_name
        if name is None and entry.name not in made:
            text = f'pod "{pod.key}": ResourceClaim not created yet'
            yield Why(ReasonCode.DEVICE_CLAIM_NOT_CREATED, (About(AboutKind.DEVICE_CLAIM, entry.name),), text)
            continue
        name = name or made.get(entry.name)
        if not name:  # none was needed
            continue
        key = f"{pod.namespace}/{name}"
        about = (About(AboutKind.DEVICE_CLAIM, key),)
        claim = claims.get(key)
        if claim is None:
            if cluster.state.completeness.has("ResourceClaim"):
                yield Why(ReasonCode.DEVICE_CLAIM_MISSING, about, f'could not find ResourceClaim "{key}"')
            continue
        if claim.metadata.deletion_timestamp:
            yield Why(ReasonCode.DEVICE_CLAIM_BEING_DELETED, about, f'resourceclaim "{name}" is being deleted')
        elif entry.resource_claim_name is None and not _is_of(claim, pod, group):
            kind = "Pod" if features.since(36) else "pod"
            owners = f"neither Pod nor PodGroup {group} is the owner" if group else f"{kind} is not owner"
            text = f"ResourceClaim {key} was not created for {kind} {pod.key} ({owners})"
            yield Why(ReasonCode.DEVICE_CLAIM_NOT_OWNED, about, text)
        else:
            shared = claim.annotations.get(IN_FLIGHT, "") == (key_of(pod, features) or None)
            consumer = consumer_of(pod, entry, cluster, features)
            yield PodClaim(claim, shared=shared, consumer=consumer, group=group)


def problem(claim: PodClaim, cluster: Cluster, features: Features) -> Refused | Failed | None:
    """Say why devices for a claim cannot be looked for at all; None if they can."""
    key = claim.claim.key
    about = About(AboutKind.DEVICE_CLAIM, key)
    if claim.shared:
        return None
    if claim.in_flight:
        text = f"resource claim {key} is in the process of being allocated"
        return Refused.of(ReasonCode.DEVICE_CLAIM_BEING_ALLOCATED, text, about)
    classes = cluster.objects.table("device_classes")
    complete = cluster.state.completeness.has("DeviceClass")
    for request in claim.claim.spec.devices.requests or ():
        options: list[tuple[str, ExactDeviceRequest]] = []
        if request.exactly is not None:
            options = [(request.name, request.exactly)]
        elif not request.first_available:
            return _unsupported(about, request.name, "unknown request type")
        elif not features.enabled("DRAPrioritizedList"):
            why = "has subrequests, but the DRAPrioritizedList feature is disabled"
            return _unsupported(about, request.name, why)
        else:
            options = [(f"{request.name}/{option.name}", option) for option in request.first_available]
        for name, exact_device_request in options:
            if not exact_device_request.device_class_name:
                return Failed(f"request {name}: unsupported request type")
            if exact_device_request.device_class_name not in classes and complete:
                missing = About(AboutKind.DEVICE_CLASS, exact_device_request.device_class_name)
                text = f"request {name}: device class {missing.name} does not exist"
                return Refused.of(ReasonCode.DEVICE_CLASS_MISSING, text, about, missing)
    return None


def _unsupported(claim: About, request: str, why: str) -> Refused:
    text = f"resource claim {claim.name}, request {request}: {why}"
    return Refused.of(ReasonCode.DEVICE_REQUEST_UNSUPPORTED, text, claim, About(AboutKind.DEVICE_REQUEST, request))


def _is_of(claim: ResourceClaim, pod: PodInfo, group: str) -> bool:
    """Tell whether a claim was made for a pod, or for its group."""
    owners = [owner.uid for owner in claim.metadata.owner_references or () if owner.controller]
    return owners[:1] == [pod.uid] or (bool(group) and owned_by_group(claim, group))


def binding_fails(claim: ResourceClaim, now: datetime, timeout: timedelta) -> bool:
    """Tell whether devices of an allocated claim failed to be attached, or take too long.

    Args:
        claim: the claim.
        now: the time it is.
        timeout: how long it may take.
    """
    allocation = claim.status.allocation
    assert allocation is not None, "only allocated claims are asked about"
    attached, _ = attachment(claim)
    if attached is AttachmentState.WAITS:
        return _takes_too_long(allocation, now, timeout)
    return attached is AttachmentState.FAILED


class AttachmentState(StrEnum):
    """Whether the devices of an allocated claim are attached to the node, as their drivers say."""

    DONE = "done"
    WAITS = "waits"
    FAILED = "failed"


def attachment(claim: ResourceClaim) -> tuple[AttachmentState, str]:
    """Tell whether a pod with a claim may be bound by now, and which condition says that it never may.

    The first device that is not ready decides.
    """
    allocation = claim.status.allocation
    if allocation is None:
        return AttachmentState.WAITS, ""
    for result in allocation.devices.results or ():
        if not result.binding_conditions:
            continue
        status = _status(claim, result)
        if status is None:
            return AttachmentState.WAITS, ""
        held = {condition.type for condition in status.conditions or () if condition.status == "True"}
        failed = next((condition for condition in result.binding_failure_conditions or () if condition in held), "")
        if failed:
            return AttachmentState.FAILED, failed
        if not held >= set(result.binding_conditions):
            return AttachmentState.WAITS, ""
    return AttachmentState.DONE, ""


def _status(claim: ResourceClaim, result: DeviceRequestAllocationResult) -> AllocatedDeviceStatus | None:
    same = (result.driver, result.pool, result.device)
    return next(
        (device for device in claim.status.devices or () if (device.driver, device.pool, device.device) == same), None
    )


def _takes_too_long(allocation: AllocationResult, now: datetime, timeout: timedelta) -> bool:
    if allocation.allocation_timestamp is None:
        return False
    try:
        since = datetime.fromisoformat(allocation.allocation_timestamp)
    except ValueError:
        return False
    waits = any(result.binding_conditions is not None for result in allocation.devices.results or ())
    return waits and (since if since.tzinfo else since.replace(tzinfo=UTC)) + timeout < now
