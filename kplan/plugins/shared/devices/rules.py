"""What the device allocator of a version does, and how it differs from that of others.

The scheduler has three allocators, of which the most stable one that supports all gates that are on is used. Their
rules differ by version more than by name, so they stand here as flags.

Source: dynamic-resource-allocation structured/allocator.go NewAllocator, and the stable, incubating and experimental
allocators of v0.34.4, v0.35.4, v0.36.3 and v0.37.2; kubernetes pkg/scheduler/framework/plugins/dynamicresources
AllocatorFeatures.
"""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache

from msgspec import Struct

from kplan.framework.features import Features


class Variant(IntEnum):
    """The allocators, the most stable first."""

    STABLE = 0
    INCUBATING = 1
    EXPERIMENTAL = 2


class CounterScope(IntEnum):
    """Which slices share counters of the same name."""

    SLICE = 0
    POOL_NAME = 1
    POOL = 2


class AllocatorRules(Struct, frozen=True):
    """The rules of one version with its gates.

    Attributes:
        admin_access, prioritized_list, partitionable, taints, binding, consumable: the feature of that name is on.
        fractional: ranges of capacity below 1 are stepped through in thousandths.
        list_types: attributes may be lists, which match where they intersect.
        derived: requests may derive attributes.
        groups: devices name groups that may share a set of counters.
        optional_operations: slices may skip operations of the node.
        minor: the minor version, of which the rules below are a matter.
        all_taints_count: a taint counts whatever its effect.
        checks_capacity_requests: a request for capacity is an error where that feature is off, not ignored.
        distinct_attribute: that constraint is known.
        distinct_by_request: of the devices of one request it remembers the last alone.
        distinct_always: any two devices count as distinct, whatever the attribute is (1.34 compares where values are
            kept, not the values).
        resumes: the search for a request's next device goes on behind the one before.
        shared_key: what is found out about one option of a prioritized list is taken for the next one, while requests
            are read.
        forgets_option: after the first of all devices, the search goes on as if the first option had been tried.
        leaks_counters: a device that is rejected after its counters were taken keeps them for the rest of the search.
        skips_incomplete: incomplete pools give no devices.
        invalid_is_error: coming to an invalid pool is an error; else such pools are passed over.
        knows_obsolete: a pool of which a newer generation is elsewhere is ignored.
        counters_everywhere: a slice with counters counts for every node.
        counters_in_pool: slices with counters hold no devices and serve the whole pool.
        counter_scope: see there.
        binding_last: pools with devices that have binding conditions come last.
        per_claim_limit: 32 devices are counted claim by claim, not request by request.
        shares_counters_once: a further share of a device takes no counters.
        shares_known_by_id: a share without capacity makes a device one that is shared.
        all_by_capacity: "all devices" leaves out those with too little capacity left.
        capacity_is_error: a capacity that cannot be worked with fails the pod.
        names_device: an error of a selector names the device.
        hints_at_optionals: and one about a missing key tells what to do.
        sees_multiple: selectors see whether a device allows multiple allocations; else none does.
        binds_to_node: a device may tie its claim to the node.
    """

    admin_access: bool
    prioritized_list: bool
    partitionable: bool
    taints: bool
    binding: bool
    consumable: bool
    fractional: bool
    list_types: bool
    derived: bool
    groups: bool
    optional_operations: bool
    minor: int
    all_taints_count: bool
    checks_capacity_requests: bool
    distinct_attribute: bool
    distinct_by_request: bool
    distinct_always: bool
    resumes: bool
    shared_key: bool
    forgets_option: bool
    leaks_counters: bool
    skips_incomplete: bool
    invalid_is_error: bool
    knows_obsolete: bool
    counters_everywhere: bool
    counters_in_pool: bool
    counter_scope: CounterScope
    binding_last: bool
    per_claim_limit: bool
    shares_counters_once: bool
    shares_known_by_id: bool
    all_by_capacity: bool
    capacity_is_error: bool
    names_device: bool
    hints_at_optionals: bool
    sees_multiple: bool
    binds_to_node: bool


@lru_cache(maxsize=64)
def allocator_rules(features: Features) -> AllocatorRules:
    """Work out the rules of a version with its gates."""
    on, minor = features.enabled, features.version.minor
    binding = on("DRADeviceBindingConditions") and on("DRAResourceClaimDeviceStatus")
    variant = _variant(features)
    since35, since36, since37 = features.since(35), features.since(36), features.since(37)
    experimental, stable = variant is Variant.EXPERIMENTAL, variant is Variant.STABLE
    full = experimental or (since36 and not stable)
    return AllocatorRules(
        admin_access=on("DRAAdminAccess"),
        prioritized_list=on("DRAPrioritizedList"),
        partitionable=on("DRAPartitionableDevices"),
        taints=on("DRADeviceTaints"),
        binding=binding,
        consumable=on("DRAConsumableCapacity"),
        fractional=on("DRAFractionalCapacityRange"),
        list_types=on("DRAListTypeAttributes"),
        derived=on("DRADerivedAttributes"),
        groups=on("DRADeviceCompatibilityGroups"),
        optional_operations=on("DRAOptionalNodeOperations"),
        minor=minor,
        all_taints_count=not since35,
        checks_capacity_requests=full,
        distinct_attribute=full,
        distinct_by_request=not since37,
        distinct_always=not since35,
        resumes=full and since36,
        shared_key=not since36,
        forgets_option=not since36,
        leaks_counters=not features.since(36, 3),
        skips_incomplete=since35,
        invalid_is_error=not since35,
        knows_obsolete=since35,
        counters_everywhere=since35 and not (since37 and full),
        counters_in_pool=since35,
        counter_scope=_scope(minor),
        binding_last=full,
        per_claim_limit=not features.since(37, 1),
        shares_counters_once=since35 and full,
        shares_known_by_id=since37,
        all_by_capacity=not since37,
        capacity_is_error=since37,
        names_device=since37,
        hints_at_optionals=since37,
        sees_multiple=full,
        binds_to_node=full,
    )


def _scope(minor: int) -> CounterScope:
    if minor < 35:
        return CounterScope.SLICE
    return CounterScope.POOL_NAME if minor < 37 else CounterScope.POOL


def _variant(features: Features) -> Variant:
    """The allocator that is used: the most stable that supports what is on."""
    on, minor = features.enabled, features.version.minor
    basic = any(map(on, ("DRAAdminAccess", "DRAPrioritizedList", "DRAPartitionableDevices", "DRADeviceTaints")))
    if minor < 35:
        # either gate counts by itself there
        more = any(map(on, ("DRADeviceBindingConditions", "DRAResourceClaimDeviceStatus", "DRAConsumableCapacity")))
        return Variant.EXPERIMENTAL if more else Variant.INCUBATING if basic else Variant.STABLE
    binding = on("DRADeviceBindingConditions") and on("DRAResourceClaimDeviceStatus")
    more = binding or on("DRAConsumableCapacity")
    if minor < 36:
        return Variant.EXPERIMENTAL if more else Variant.INCUBATING if basic else Variant.STABLE
    alpha = (
        "DRAListTypeAttributes",
        "DRAOptionalNodeOperations",
        "DRADerivedAttributes",
        "DRADeviceCompatibilityGroups",
    )
    if any(map(on, alpha)):
        return Variant.EXPERIMENTAL
    return Variant.INCUBATING if more or on("DRAFractionalCapacityRange") else Variant.STABLE
