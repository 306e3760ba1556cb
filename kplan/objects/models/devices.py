"""Devices: what drivers offer, what claims ask for, and what they were given.

Not here: the opaque configuration of devices, which no verdict reads and which may hold anything.
"""

import msgspec

from kplan.objects.models.meta import Condition, Int64, Model, NodeSelector, Object, ObjectMeta, Quantity

# --- what is asked for


class CelDeviceSelector(Model):
    """``cel`` of a device selector."""

    expression: str = ""


class DeviceSelector(Model):
    """One condition on a device."""

    cel: CelDeviceSelector | None = None


class DeviceToleration(Model):
    """A taint of devices that a request tolerates."""

    key: str | None = None
    operator: str | None = None
    value: str | None = None
    effect: str | None = None
    toleration_seconds: Int64 | None = None


class CapacityRequirements(Model):
    """How much of the capacity of a device is asked for."""

    requests: dict[str, Quantity] | None = None


class DerivedAttribute(Model):
    """An attribute that is worked out for each device."""

    name: str = ""
    expression: str = ""


class ExactDeviceRequest(Model):
    """A request for devices of one class."""

    device_class_name: str = ""
    selectors: list[DeviceSelector] | None = None
    allocation_mode: str | None = None
    count: Int64 | None = None
    admin_access: bool | None = None
    tolerations: list[DeviceToleration] | None = None
    capacity: CapacityRequirements | None = None
    derived_attributes: list[DerivedAttribute] | None = None


class DeviceSubRequest(ExactDeviceRequest):
    """One of several requests, of which the first that can be met counts."""

    name: str = ""


class DeviceRequest(Model):
    """``spec.devices.requests[]``."""

    name: str = ""
    exactly: ExactDeviceRequest | None = None
    first_available: list[DeviceSubRequest] | None = None


class DeviceConstraint(Model):
    """What the devices of several requests must have in common, or must not."""

    requests: list[str] | None = None
    match_attribute: str | None = None
    distinct_attribute: str | None = None


class DeviceClaim(Model):
    """``spec.devices``."""

    requests: list[DeviceRequest] | None = None
    constraints: list[DeviceConstraint] | None = None


class ResourceClaimSpec(Model):
    """``spec`` of a claim."""

    devices: DeviceClaim = msgspec.field(default_factory=DeviceClaim)


# --- what was given


class DeviceRequestAllocationResult(Model):
    """A device, or a share of it, that was given to a request."""

    request: str = ""
    driver: str = ""
    pool: str = ""
    device: str = ""
    admin_access: bool | None = None
    tolerations: list[DeviceToleration] | None = None
    binding_conditions: list[str] | None = None
    binding_failure_conditions: list[str] | None = None
    share_id: str | None = msgspec.field(default=None, name="shareID")
    consumed_capacity: dict[str, Quantity] | None = None
    skip_node_operations: list[str] | None = None


class DeviceAllocationResult(Model):
    """``status.allocation.devices``."""

    results: list[DeviceRequestAllocationResult] | None = None


class AllocationResult(Model):
    """``status.allocation``."""

    devices: DeviceAllocationResult = msgspec.field(default_factory=DeviceAllocationResult)
    node_selector: NodeSelector | None = None
    allocation_timestamp: str | None = None


class ResourceClaimConsumer(Model):
    """Who may use a claim."""

    api_group: str | None = None
    resource: str = ""
    name: str = ""
    uid: str = ""


class AllocatedDeviceStatus(Model):
    """``status.devices[]``: what a driver says of a device that was given away."""

    driver: str = ""
    pool: str = ""
    device: str = ""
    share_id: str | None = msgspec.field(default=None, name="shareID")
    conditions: list[Condition] | None = None


class ResourceClaimStatus(Model):
    """``status`` of a claim."""

    allocation: AllocationResult | None = None
    reserved_for: list[ResourceClaimConsumer] | None = None
    devices: list[AllocatedDeviceStatus] | None = None


class ResourceClaim(Object):
    """A ResourceClaim."""

    spec: ResourceClaimSpec = msgspec.field(default_factory=ResourceClaimSpec)
    status: ResourceClaimStatus = msgspec.field(default_factory=ResourceClaimStatus)


class ResourceClaimTemplateSpec(Model):
    """``spec`` of a template: a claim to be made for each pod."""

    metadata: ObjectMeta | None = None
    spec: ResourceClaimSpec = msgspec.field(default_factory=ResourceClaimSpec)


class ResourceClaimTemplate(Object):
    """A ResourceClaimTemplate."""

    spec: ResourceClaimTemplateSpec = msgspec.field(default_factory=ResourceClaimTemplateSpec)


class DeviceClassSpec(Model):
    """``spec`` of a DeviceClass."""

    selectors: list[DeviceSelector] | None = None
    extended_resource_name: str | None = None


class DeviceClass(Object):
    """A DeviceClass."""

    spec: DeviceClassSpec = msgspec.field(default_factory=DeviceClassSpec)


# --- what is offered


class ResourcePool(Model):
    """``spec.pool``: slices of one generation that belong together."""

    name: str = ""
    generation: Int64 | None = None
    resource_slice_count: Int64 | None = None


class Counter(Model):
    """An amount that devices share."""

    value: Quantity = 0


class CounterSet(Model):
    """``spec.sharedCounters[]``."""

    name: str = ""
    counters: dict[str, Counter] | None = None


class DeviceCounterConsumption(Model):
    """What a device takes of a set of counters."""

    counter_set: str = ""
    counters: dict[str, Counter] | None = None
    compatibility_groups: list[str] | None = None


class DeviceAttribute(Model):
    """A fact about a device, of one type."""

    int_value: Int64 | None = msgspec.field(default=None, name="int")
    bool_value: bool | None = msgspec.field(default=None, name="bool")
    string_value: str | None = msgspec.field(default=None, name="string")
    version_value: str | None = msgspec.field(default=None, name="version")
    int_values: list[Int64] | None = msgspec.field(default=None, name="ints")
    bool_values: list[bool] | None = msgspec.field(default=None, name="bools")
    string_values: list[str] | None = msgspec.field(default=None, name="strings")
    version_values: list[str] | None = msgspec.field(default=None, name="versions")


class CapacityRequestPolicyRange(Model):
    """The amounts that may be asked for: from, to, in steps of."""

    min: Quantity | None = None
    max: Quantity | None = None
    step: Quantity | None = None


class CapacityRequestPolicy(Model):
    """Which amounts of a capacity may be asked for."""

    default: Quantity | None = None
    valid_values: list[Quantity] | None = None
    valid_range: CapacityRequestPolicyRange | None = None


class DeviceCapacity(Model):
    """A capacity of a device."""

    value: Quantity = 0
    request_policy: CapacityRequestPolicy | None = None


class DeviceTaint(Model):
    """A taint of a device."""

    key: str = ""
    value: str | None = None
    effect: str = ""
    time_added: str | None = None


class NodeAllocatableMapping(Model):
    """``mapping`` of a node resource that a device stands for."""

    capacity_key: str | None = None
    capacity_multiplier: Quantity | None = None
    device_multiplier: Quantity | None = None


class NodeAllocatableOverhead(Model):
    """``overhead`` of a node resource that a device stands for."""

    per_pod: Quantity | None = None
    per_container: Quantity | None = None


class NodeAllocatableResource(Model):
    """What of a node's own resources a device stands for (1.37)."""

    mapping: NodeAllocatableMapping | None = None
    overhead: NodeAllocatableOverhead | None = None


class NodeAllocatableResourceMapping(Model):
    """What of a node's own resources a device stands for (1.36)."""

    capacity_key: str | None = None
    allocation_multiplier: Quantity | None = None


class Device(Model):
    """``spec.devices[]`` of a slice."""

    name: str = ""
    attributes: dict[str, DeviceAttribute] | None = None
    capacity: dict[str, DeviceCapacity] | None = None
    consumes_counters: list[DeviceCounterConsumption] | None = None
    node_name: str | None = None
    node_selector: NodeSelector | None = None
    all_nodes: bool | None = None
    taints: list[DeviceTaint] | None = None
    binds_to_node: bool | None = None
    binding_conditions: list[str] | None = None
    binding_failure_conditions: list[str] | None = None
    allow_multiple_allocations: bool | None = None
    node_allocatable_resources: dict[str, NodeAllocatableResource] | None = None
    node_allocatable_resource_mappings: dict[str, NodeAllocatableResourceMapping] | None = None


class ResourceSliceSpec(Model):
    """``spec`` of a slice."""

    driver: str = ""
    pool: ResourcePool = msgspec.field(default_factory=ResourcePool)
    node_name: str | None = None
    node_selector: NodeSelector | None = None
    all_nodes: bool | None = None
    devices: list[Device] | None = None
    per_device_node_selection: bool | None = None
    shared_counters: list[CounterSet] | None = None
    skip_node_operations: list[str] | None = None
    partition_type_attribute: str | None = None


class ResourceSlice(Object):
    """A ResourceSlice."""

    spec: ResourceSliceSpec = msgspec.field(default_factory=ResourceSliceSpec)


class DeviceTaintSelector(Model):
    """``spec.deviceSelector``; class and selectors are of v1alpha3 alone."""

    device_class_name: str | None = None
    driver: str | None = None
    pool: str | None = None
    device: str | None = None
    selectors: list[DeviceSelector] | None = None


class DeviceTaintRuleSpec(Model):
    """``spec`` of a rule."""

    device_selector: DeviceTaintSelector | None = None
    taint: DeviceTaint = msgspec.field(default_factory=DeviceTaint)


class DeviceTaintRule(Object):
    """A DeviceTaintRule."""

    spec: DeviceTaintRuleSpec = msgspec.field(default_factory=DeviceTaintRuleSpec)
