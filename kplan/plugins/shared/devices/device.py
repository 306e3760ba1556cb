"""PooledDevice: one device of a slice, read once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct, field

from kplan.objects import quantity
from kplan.objects.models.devices import Device as ApiDevice
from kplan.objects.models.devices import DeviceAttribute, DeviceCapacity, DeviceCounterConsumption, DeviceTaint
from kplan.objects.models.meta import NodeSelector
from kplan.objects.quantity import QuantityFormat
from kplan.plugins.shared.devices.cel_device import CelDevice, SemanticVersion


class DeviceID(NamedTuple):
    """Names a device in the whole cluster."""

    driver: str
    pool: str
    name: str

    def __str__(self) -> str:
        return "/".join(self)


class WrittenAmount(NamedTuple):
    """An amount of capacity, and how it is written.

    Attributes:
        nanos: the amount [10^-9].
        form: family of its suffix.
    """

    nanos: int
    form: QuantityFormat

    @classmethod
    def of(cls, raw: str | int | float) -> WrittenAmount:
        """Read an amount.

        Raises:
            QuantityError: it is none.
        """
        parsed = quantity.parse(raw)
        return cls(parsed.nanos, parsed.form)

    def __str__(self) -> str:
        return quantity.format_nanos(self.nanos, self.form)

    def plus(self, other: WrittenAmount) -> WrittenAmount:
        """Add, in the form of the first that is not zero."""
        return WrittenAmount(self.nanos + other.nanos, self.form if self.nanos else other.form)


class CapacityPolicy(NamedTuple):
    """Which amounts of a capacity may be asked for.

    Attributes:
        default: what counts where nothing is asked for.
        values: the amounts there are, ascending; None where they are not listed.
        least, most, step: the range there is; each None where it has none.
        ranged: whether there is a range.
    """

    default: WrittenAmount | None
    values: tuple[WrittenAmount, ...] | None
    least: WrittenAmount | None
    most: WrittenAmount | None
    step: WrittenAmount | None
    ranged: bool


class Capacity(NamedTuple):
    """One capacity of a device."""

    value: WrittenAmount
    policy: CapacityPolicy | None


class TaintOfDevice(NamedTuple):
    """A taint of a device.

    Attributes:
        key, value, effect: as in the API.
        rule: the DeviceTaintRule it comes from; empty for one of the slice.
    """

    key: str
    value: str
    effect: str
    rule: str = ""


class Consumption(NamedTuple):
    """What a device takes of a set of counters.

    Attributes:
        counters: (counter, nanos).
        groups: compatibility groups.
    """

    counter_set: str
    counters: tuple[tuple[str, int], ...]
    groups: tuple[str, ...]


class NodesOfDevices(NamedTuple):
    """Which nodes reach a slice or a device; nothing set is no node.

    Attributes:
        name: of the only node; empty for none.
        every: all nodes.
        selector: chosen by labels.
    """

    name: str
    every: bool
    selector: NodeSelector | None

    @property
    def given(self) -> bool:
        """Whether anything is set."""
        return bool(self.name) or self.every or self.selector is not None


class PooledDevice(Struct, frozen=True, eq=False):
    """One device.

    Attributes:
        name: in its pool.
        seen: what expressions see.
        attributes: by name as the slice has it.
        capacity: by name as the slice has it.
        multiple: ``allowMultipleAllocations``.
        taints: of the slice, then of rules.
        consumes: of counters.
        nodes: which nodes reach it, where the slice leaves that to each device.
        binding_conditions: that must hold before a pod is bound; None where the field is not there.
        failure_conditions: that fail the binding.
        ties: whether it ties its claim to the node.
        skips: operations of the node that it skips.
        kind: equal for devices that differ in name, place and attributes alone.
    """

    name: str
    seen: CelDevice
    attributes: Mapping[str, DeviceAttribute]
    capacity: Mapping[str, Capacity]
    multiple: bool
    taints: tuple[TaintOfDevice, ...]
    consumes: tuple[Consumption, ...]
    nodes: NodesOfDevices
    binding_conditions: tuple[str, ...] | None
    failure_conditions: tuple[str, ...]
    ties: bool
    skips: tuple[str, ...]
    kind: int


class Kinds(Struct, frozen=True):
    """Numbers devices that are alike."""

    numbers: dict[object, int] = field(default_factory=dict)

    def device(
        self, api: ApiDevice, driver: str, taints: tuple[TaintOfDevice, ...], skips: tuple[str, ...]
    ) -> PooledDevice:
        """Read a device.

        Args:
            api: the device.
            driver: of its slice.
            taints: those of rules, which come after its own.
            skips: operations of the node that its slice skips.

        Raises:
            QuantityError: a quantity cannot be read.
        """
        multiple = bool(api.allow_multiple_allocations)
        attributes = api.attributes or {}
        seen = tuple([(*qualified(name, driver), attribute_value(attribute)) for name, attribute in attributes.items()])
        capacity = {name: read_capacity(device_capacity) for name, device_capacity in (api.capacity or {}).items()}
        amounts = tuple([(*qualified(name, driver), amount.value.nanos) for name, amount in capacity.items()])
        consumes = tuple([_consumption(counter) for counter in api.consumes_counters or ()])
        all_taints = tuple([read_taint(taint) for taint in api.taints or ()]) + taints
        conditions = tuple(api.binding_conditions) if api.binding_conditions is not None else None
        failures = tuple(api.binding_failure_conditions or ())
        ties = bool(api.binds_to_node)
        key = (driver, multiple, tuple(capacity.items()), all_taints, consumes, conditions, failures, ties, skips)
        return PooledDevice(
            api.name,
            CelDevice(driver, multiple, seen, amounts),
            attributes,
            capacity,
            multiple,
            all_taints,
            consumes,
            NodesOfDevices(api.node_name or "", bool(api.all_nodes), api.node_selector),
            conditions,
            failures,
            ties,
            skips,
            self.numbers.setdefault(key, len(self.numbers)),
        )


def _consumption(consumption: DeviceCounterConsumption) -> Consumption:
    counters = tuple((name, quantity.nanos(counter.value)) for name, counter in (consumption.counters or {}).items())
    return Consumption(consumption.counter_set, counters, tuple(consumption.compatibility_groups or ()))


def read_taint(taint: DeviceTaint, rule: str = "") -> TaintOfDevice:
    """Read a taint; ``rule`` names the DeviceTaintRule it comes from."""
    return TaintOfDevice(taint.key, taint.value or "", taint.effect, rule)


@lru_cache(maxsize=4096)
def _plain_capacity(raw: str | int | float) -> Capacity:
    return Capacity(WrittenAmount.of(raw), None)


def read_capacity(capacity: DeviceCapacity) -> Capacity:
    """Read one capacity of a device.

    Raises:
        QuantityError: a quantity cannot be read.
    """
    policy = capacity.request_policy
    if policy is None:
        return _plain_capacity(capacity.value)
    reach = policy.valid_range

    def amount(raw: str | int | float | None) -> WrittenAmount | None:
        return None if raw is None else WrittenAmount.of(raw)

    return Capacity(
        WrittenAmount.of(capacity.value),
        CapacityPolicy(
            amount(policy.default),
            None if policy.valid_values is None else tuple(map(WrittenAmount.of, policy.valid_values)),
            amount(reach.min) if reach else None,
            amount(reach.max) if reach else None,
            amount(reach.step) if reach else None,
            reach is not None,
        ),
    )


def qualified(name: str, driver: str) -> tuple[str, str]:
    """Split a name into domain and identifier; without a domain it is the driver's."""
    if "/" not in name:
        return driver, name
    domain, _, identifier = name.partition("/")
    return domain, identifier


def attribute_value(attribute: DeviceAttribute) -> object:
    """Return the value of an attribute as expressions see it; None for one of no known type.

    Source: dynamic-resource-allocation v0.37.2 cel/compile.go getAttributeValue.
    """
    for values in (attribute.int_values, attribute.bool_values, attribute.string_values):
        if values is not None:
            return tuple(values)
    if attribute.version_values is not None:
        return tuple(map(SemanticVersion, attribute.version_values))
    for value in (attribute.int_value, attribute.bool_value, attribute.string_value):
        if value is not None:
            return value
    return SemanticVersion(attribute.version_value) if attribute.version_value is not None else None
