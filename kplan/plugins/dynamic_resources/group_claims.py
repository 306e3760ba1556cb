"""Claims that a group brings along for its pods: reserved for the group, not for each of its pods.

Source: kubernetes v1.37.2 pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go
podResourceClaimBindings, PodGroupPostFilter, deallocatePodGroupClaims; v1.36.3 unreservePodGroupClaims; staging
k8s.io/dynamic-resource-allocation/resourceclaim BindTo, IsForPod, IsForPodGroup, IsReservedForPod, NameFromPodGroup.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from kplan.cluster import Cluster, PodInfo
from kplan.framework.features import Features
from kplan.framework.findings import About, Why
from kplan.framework.reason_codes import AboutKind, ReasonCode
from kplan.objects.models import PodGroup, ResourceClaim
from kplan.objects.models.devices import ResourceClaimConsumer
from kplan.objects.models.meta import OwnerReference
from kplan.objects.models.pod import PodResourceClaim
from kplan.plugins.shared.pod_groups import group_of

GATE = "DRAWorkloadResourceClaims"
API_GROUP = "scheduling.k8s.io"
UNRESERVED = "ResourceClaim unreserved for PodGroup"
DEALLOCATED = "deallocation of PodGroup ResourceClaim completed"


class GroupFailure(Struct, frozen=True):
    """What keeps the claims of a group from being looked at.

    Attributes:
        text: the scheduler's words.
    """

    text: str


def consumer_of(pod: PodInfo, entry: PodResourceClaim, cluster: Cluster, features: Features) -> ResourceClaimConsumer:
    """What a claim is reserved for: the pod, or its group where that brings the same claim along."""
    group = group_of(pod, cluster, features) if features.enabled(GATE) else None
    for own in (group.spec.resource_claims if group is not None else None) or ():
        same = own.resource_claim_name == entry.resource_claim_name
        if own.name == entry.name and same and own.resource_claim_template_name == entry.resource_claim_template_name:
            assert group is not None
            return _as_consumer(group)
    return ResourceClaimConsumer(resource="pods", name=pod.name, uid=pod.uid)


def _as_consumer(group: PodGroup) -> ResourceClaimConsumer:
    return ResourceClaimConsumer(
        api_group=API_GROUP, resource="podgroups", name=group.metadata.name or "", uid=group.metadata.uid or ""
    )


def group_name(pod: PodInfo, features: Features) -> str:
    """Name of the group that holds claims for the pod; empty for none, or where the gate is off."""
    named = pod.pod.spec.scheduling_group if features.enabled(GATE) else None
    return (named.pod_group_name if named is not None else None) or ""


def group_missing(pod: PodInfo, cluster: Cluster, features: Features) -> Why | None:
    """Say that the group which may bring claims along is not there; None if it is, or is not asked for."""
    name = group_name(pod, features)
    if not name or group_of(pod, cluster, features) is not None:
        return None
    about = (About(AboutKind.GROUP, f"{pod.namespace}/{name}"),)
    text = f"pod group object not found for pod group podgroup/{pod.namespace}/{name}"
    if not features.since(37):
        text = f'podgroup.scheduling.k8s.io "{name}" not found'
    return Why(ReasonCode.GROUP_MISSING, about, text)


def is_reserved_for(claim: ResourceClaim, pod: PodInfo, group: str) -> bool:
    """Whether a claim is reserved for the pod, or for its group."""
    return any(consumer.uid == pod.uid or _names(consumer, group) for consumer in claim.status.reserved_for or ())


def _names(consumer: ResourceClaimConsumer, group: str) -> bool:
    """Pods do not know the uid of their group: its name tells."""
    return (
        bool(group) and consumer.api_group == API_GROUP and consumer.resource == "podgroups" and consumer.name == group
    )


def owned_by_group(claim: ResourceClaim, group: str) -> bool:
    """Whether a claim was made for a group of that name."""
    owner = _controller(claim)
    prefix = f"{API_GROUP}/"
    return (
        owner is not None
        and owner.name == group
        and owner.kind == "PodGroup"
        and (owner.api_version or "").startswith(prefix)
    )


def _controller(claim: ResourceClaim) -> OwnerReference | None:
    return next((owner for owner in claim.metadata.owner_references or () if owner.controller), None)


def given_back(
    pod: PodInfo, lost: Iterable[ResourceClaim], cluster: Cluster, features: Features
) -> str | GroupFailure | None:
    """Free a claim of the pod's group, none of whose pods has a node: what the scheduler says of it; None for none.

    Args:
        pod: the first pod of the group that waits.
        lost: claims of its pods that are not to be had on some node (none before 1.37).
        cluster: the cluster.
        features: version and gates.
    """
    group = group_of(pod, cluster, features)
    if group is None:
        return None
    uid = group.metadata.uid
    for claim in lost:
        if all(consumer.uid == uid for consumer in claim.status.reserved_for or ()):
            return DEALLOCATED
    for of_group in _claims(group, cluster):
        if isinstance(of_group, GroupFailure):
            return of_group
        if of_group.status.allocation is not None and is_reserved_for(of_group, pod, group.metadata.name or ""):
            return UNRESERVED
    return None


def _claims(group: PodGroup, cluster: Cluster) -> Iterator[ResourceClaim | GroupFailure]:
    """The claims that a group brings along, and are its own."""
    made = {status.name: status.resource_claim_name for status in group.status.resource_claim_statuses or ()}
    claims = cluster.objects.table("resource_claims")
    for entry in group.spec.resource_claims or ():
        if entry.resource_claim_name is None and entry.name not in made:
            yield GroupFailure(f"PodGroup {group.key}: ResourceClaim not created yet")
            return
        name = entry.resource_claim_name or made.get(entry.name)
        if not name:
            continue
        key = f"{group.metadata.namespace or ''}/{name}"
        claim: ResourceClaim | None = claims.get(key)
        if claim is None:
            yield GroupFailure(f'could not find ResourceClaim "{key}"')
            return
        owner = _controller(claim)
        if entry.resource_claim_name is None and (owner is None or owner.uid != group.metadata.uid):
            continue
        yield claim
