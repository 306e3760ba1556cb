"""From what a search found to what is written into a claim.

Source: dynamic-resource-allocation v0.37.2 structured/internal/incubating/allocator_incubating.go Allocate,
createNodeSelector; v1.37.2 pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go Reserve, bindClaim.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence

import msgspec

from kplan.cluster import PodInfo
from kplan.objects.lean import replace
from kplan.objects.models import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, ResourceClaim
from kplan.objects.models.devices import (
    AllocationResult,
    DeviceAllocationResult,
    DeviceRequestAllocationResult,
    DeviceToleration,
    ResourceClaimConsumer,
)
from kplan.plugins.dynamic_resources.claims import IN_FLIGHT
from kplan.plugins.dynamic_resources.found import ChosenDevice
from kplan.plugins.shared.devices.index import NodeDevices
from kplan.plugins.shared.devices.rules import AllocatorRules


def allocation(
    claim: ResourceClaim, chosen: Sequence[ChosenDevice], node: NodeDevices, node_name: str, rules: AllocatorRules
) -> AllocationResult:
    """Make the allocation of a claim.

    Args:
        claim: the claim.
        chosen: devices found for it.
        node: the devices of the node.
        node_name: name of the node.
        rules: of the version.
    """
    results = [_result(claim, i, device, node, rules) for i, device in enumerate(chosen)]
    return AllocationResult(
        devices=DeviceAllocationResult(results=results), node_selector=_reach(chosen, node, node_name, rules)
    )


def _result(
    claim: ResourceClaim, number: int, chosen: ChosenDevice, node: NodeDevices, rules: AllocatorRules
) -> DeviceRequestAllocationResult:
    pool, device = node.pools[chosen.place.pool], chosen.place.on(node)
    tolerations = _tolerations(claim, chosen.request) if rules.minor >= 35 else None
    return DeviceRequestAllocationResult(
        request=chosen.request,
        driver=pool.driver,
        pool=pool.name,
        device=device.name,
        admin_access=True if chosen.admin else None,
        tolerations=tolerations,
        binding_conditions=list(device.binding_conditions or ()) or None if rules.binding else None,
        binding_failure_conditions=list(device.failure_conditions) or None if rules.binding else None,
        share_id=_share_id(claim, number) if chosen.shared else None,
        consumed_capacity={name: str(amount) for name, amount in chosen.consumed} or None,
        skip_node_operations=list(device.skips) or None,
    )


def _share_id(claim: ResourceClaim, number: int) -> str:
    """Name a share; the scheduler draws a name, here it is the same every time."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"{claim.metadata.uid}/{claim.key}/{number}"))


def _tolerations(claim: ResourceClaim, full: str) -> list[DeviceToleration] | None:
    name, _, option = full.partition("/")
    for request in claim.spec.devices.requests or ():
        if request.name == name:
            if request.exactly is not None:
                return request.exactly.tolerations
            return next(
                (
                    device_sub_request.tolerations
                    for device_sub_request in request.first_available or ()
                    if device_sub_request.name == option
                ),
                None,
            )
    return None


def _reach(
    chosen: Iterable[ChosenDevice], node: NodeDevices, node_name: str, rules: AllocatorRules
) -> NodeSelector | None:
    """Say on which nodes the devices are to be had; None for all.

    Of devices that choose nodes by labels, all requirements count together.
    """
    fields: list[NodeSelectorRequirement] = []
    labels: list[NodeSelectorRequirement] = []
    for picked in chosen:
        device = picked.place.on(node)
        item = next(s for s in node.pools[picked.place.pool].slices if any(d is device for d in s.devices))
        nodes = device.nodes if item.per_device else item.nodes
        if nodes.name or (device.ties and rules.binds_to_node):
            named = NodeSelectorRequirement(key="metadata.name", operator="In", values=[node_name])
            return NodeSelector(node_selector_terms=[NodeSelectorTerm(match_fields=[named])])
        terms = nodes.selector.node_selector_terms if nodes.selector is not None else None
        for term in (terms or ())[:1]:
            _add_new(term.match_fields, fields)
            _add_new(term.match_expressions, labels)
    if not fields and not labels:
        return None
    term = NodeSelectorTerm(match_fields=fields or None, match_expressions=labels or None)
    return NodeSelector(node_selector_terms=[term])


def _add_new(more: Iterable[NodeSelectorRequirement] | None, requirements: list[NodeSelectorRequirement]) -> None:
    def same(a: NodeSelectorRequirement, b: NodeSelectorRequirement) -> bool:
        return (a.key, a.operator, set(a.values or ())) == (b.key, b.operator, set(b.values or ()))

    for requirement in more or ():
        if not any(same(requirement, known) for known in requirements):
            requirements.append(requirement)


def in_flight(claim: ResourceClaim, given: AllocationResult, group: str = "") -> ResourceClaim:
    """The claim once devices are found for it, and before that is written.

    Args:
        claim: the claim.
        given: what was found.
        group: key of the group of the pod it was found for; empty for none.
    """
    annotations = {**claim.annotations, IN_FLIGHT: group or "true"}
    return msgspec.structs.replace(
        claim,
        metadata=replace(claim.metadata, annotations=annotations),
        status=msgspec.structs.replace(claim.status, allocation=given),
    )


def reserved(claim: ResourceClaim, pod: PodInfo, to: ResourceClaimConsumer | None = None) -> ResourceClaim:
    """The claim as it is written before the pod is bound: allocated, and reserved for the pod, or for its group."""
    annotations = {name: value for name, value in claim.annotations.items() if name != IN_FLIGHT}
    consumer = to or ResourceClaimConsumer(resource="pods", name=pod.name, uid=pod.uid)
    mine = list(claim.status.reserved_for or ())
    if all(resource_claim_consumer.uid != consumer.uid for resource_claim_consumer in mine):
        mine.append(consumer)
    return msgspec.structs.replace(
        claim,
        metadata=replace(claim.metadata, annotations=annotations or None),
        status=msgspec.structs.replace(claim.status, reserved_for=mine),
    )
