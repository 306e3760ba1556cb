"""What devices stand for of a node's own resources, as their slices say, and what a claim comes to.

1.36 has one mapping a resource, 1.37 a mapping and an overhead.

Source: kubernetes v1.37.2 and v1.36.3 nodeallocatabledynamicresources.go buildNodeAllocatableDRAInfo,
addDeviceMapping, addDeviceOverhead, getDeviceFromSlices, filterSlicesForNode.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kplan.cluster import Cluster
from kplan.framework.features import Features
from kplan.objects import quantity
from kplan.objects.models import NodeSelector
from kplan.objects.models.devices import Device, DeviceRequestAllocationResult, ResourceSlice
from kplan.objects.models.meta import Quantity
from kplan.objects.models.pod import (
    NodeAllocatableMappedResources,
    NodeAllocatableOverheadResources,
    NodeAllocatableResourceClaimStatus,
)

_UNIT = quantity.NANO_PER_UNIT


class Unclear(Exception):
    """It cannot be told what a claim takes, which fails the pod; never leaves the plugin."""


class Takes(NamedTuple):
    """What a device takes of one resource.

    Attributes:
        resource: name of the resource.
        is_mapping: whether it is that resource; else it takes some of it besides.
        capacity: the capacity that it goes by; empty for a fixed amount.
        amount: fixed, or for each unit of the capacity; None for none.
        per_pod: overhead of each pod; None for none.
        per_container: overhead of each container; None for none.
    """

    resource: str
    is_mapping: bool
    capacity: str = ""
    amount: Quantity | None = None
    per_pod: Quantity | None = None
    per_container: Quantity | None = None


class StandsFor(NamedTuple):
    """One device of a slice.

    Attributes:
        item: the slice.
        device: the device.
        takes: of the node's resources, by name of the resource.
    """

    item: ResourceSlice
    device: Device
    takes: tuple[Takes, ...]

    def slice_reaches(self, cluster: Cluster, row: int) -> bool:
        """Whether the slice is for a node, or leaves that to its devices."""
        spec = self.item.spec
        return bool(spec.per_device_node_selection) or _reaches(
            cluster, row, spec.node_name, spec.node_selector, every=bool(spec.all_nodes)
        )

    def reaches(self, cluster: Cluster, row: int) -> bool:
        """Whether the device is for a node, where that is its own choice."""
        device = self.device
        return not self.item.spec.per_device_node_selection or _reaches(
            cluster, row, device.node_name, device.node_selector, every=bool(device.all_nodes)
        )


def _reaches(cluster: Cluster, row: int, name: str | None, selector: NodeSelector | None, *, every: bool) -> bool:
    if every or (name is not None and name == cluster.node_name(row)):
        return True
    return selector is not None and bool(cluster.labels.selector(selector)[row])


def stands_for(cluster: Cluster, features: Features) -> Mapping[tuple[str, str, str], Sequence[StandsFor]]:
    """Devices by driver, pool and name, in the order of their slices; in 1.36 any driver is as good as another."""
    since_37 = features.since(37)

    def make() -> dict[tuple[str, str, str], list[StandsFor]]:
        slices: Mapping[str, ResourceSlice] = cluster.objects.table("resource_slices")
        by_device: dict[tuple[str, str, str], list[StandsFor]] = {}
        for item in sorted(slices.values(), key=lambda resource_slice: resource_slice.name.encode()):
            for device in item.spec.devices or ():
                key = (item.spec.driver if since_37 else "", item.spec.pool.name, device.name)
                takes = _takes(device) if since_37 else _mapped(device)
                by_device.setdefault(key, []).append(StandsFor(item, device, takes))
        return by_device

    derived: Mapping[tuple[str, str, str], Sequence[StandsFor]] = cluster.objects.derived(
        f"node resources of devices {since_37}", ("resource_slices",), make
    )
    return derived


def _takes(device: Device) -> tuple[Takes, ...]:
    takes = []
    for name, resource in sorted((device.node_allocatable_resources or {}).items()):
        mapping, overhead = resource.mapping, resource.overhead
        if mapping is not None:
            capacity = mapping.capacity_key or ""
            amount = mapping.capacity_multiplier if capacity else mapping.device_multiplier
            takes.append(Takes(name, is_mapping=True, capacity=capacity, amount=amount))
        if overhead is not None and (overhead.per_pod is not None or overhead.per_container is not None):
            takes.append(Takes(name, is_mapping=False, per_pod=overhead.per_pod, per_container=overhead.per_container))
    return tuple(takes)


def _mapped(device: Device) -> tuple[Takes, ...]:
    mappings = device.node_allocatable_resource_mappings or {}
    return tuple(
        Takes(
            name,
            is_mapping=True,
            capacity=node_allocatable_resource_mapping.capacity_key or "",
            amount=node_allocatable_resource_mapping.allocation_multiplier,
        )
        for name, node_allocatable_resource_mapping in sorted(mappings.items())
    )


def claim_status(
    key: str,
    results: Sequence[tuple[DeviceRequestAllocationResult, StandsFor]],
    containers: list[str],
    features: Features,
) -> NodeAllocatableResourceClaimStatus | None:
    """Say what a claim takes of its node; None for nothing.

    Args:
        key: of the claim.
        results: its devices.
        containers: that refer to it.
        features: version and gates.

    Raises:
        Unclear: a device goes by consumed capacity, and its result has none.
    """
    mapped: dict[str, int] = {}
    per_pod: dict[str, int | None] = {}
    per_container: dict[str, int | None] = {}
    for result, device in results:
        for takes in device.takes:
            if takes.is_mapping:
                amount = _amount(key, result, takes, features)
                if amount is not None:
                    mapped[takes.resource] = mapped.get(takes.resource, 0) + amount
                continue
            _add(per_pod, takes.resource, takes.per_pod)
            _add(per_container, takes.resource, takes.per_container)
    if not mapped and not per_pod:
        return None
    name = key.partition("/")[2]
    written: dict[str, Quantity] = {
        resource: quantity.format_sum(resource, amount) for resource, amount in sorted(mapped.items())
    }
    if not features.since(37):
        return NodeAllocatableResourceClaimStatus(
            resource_claim_name=name, containers=containers or None, resources=written
        )
    return NodeAllocatableResourceClaimStatus(
        resource_claim_name=name,
        containers=containers or None,
        mapping=[NodeAllocatableMappedResources(name=resource, quantity=amount) for resource, amount in written.items()]
        or None,
        overhead=[
            NodeAllocatableOverheadResources(
                name=resource,
                per_pod=_written(resource, per_pod[resource]),
                per_container=_written(resource, per_container[resource]),
            )
            for resource in sorted(per_pod)
        ]
        or None,
    )


def _add(totals: dict[str, int | None], resource: str, amount: Quantity | None) -> None:
    before = totals.setdefault(resource, None)
    if amount is not None:
        totals[resource] = (before or 0) + quantity.nanos(amount)


def _written(resource: str, amount: int | None) -> str | None:
    return None if amount is None else quantity.format_sum(resource, amount)


def _amount(key: str, result: DeviceRequestAllocationResult, takes: Takes, features: Features) -> int | None:
    """What a device is of a resource [10^-9]; None where that is not the matter of this result."""
    if not takes.capacity:
        if takes.amount is None:
            return None if features.since(37) else 0
        return quantity.nanos(takes.amount)
    if result.consumed_capacity is None:
        field = "NodeAllocatableResources" if features.since(37) else "NodeAllocatableResourceMappings"
        raise Unclear(
            f"claim {key}, device {result.device}: ConsumedCapacity is nil, but Capacity key '{takes.capacity}' is set"
            f" in {field} for resource {takes.resource}"
        )
    consumed = result.consumed_capacity.get(takes.capacity)
    if consumed is None:
        return None
    amount = quantity.nanos(consumed)
    return amount if takes.amount is None else -(-amount * quantity.nanos(takes.amount) // _UNIT)
