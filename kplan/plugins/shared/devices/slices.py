"""ResourceSlices, read once: their devices with the taints of rules, their counters, and who reaches them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from kplan.framework.features import Features
from kplan.objects import quantity
from kplan.objects.models.devices import Device as ApiDevice
from kplan.objects.models.devices import (
    DeviceClass,
    DeviceSelector,
    DeviceTaintRule,
    DeviceTaintSelector,
    ResourceSlice,
)
from kplan.plugins.shared.devices.cel import expression
from kplan.plugins.shared.devices.cel_errors import ExpressionError
from kplan.plugins.shared.devices.device import Kinds, NodesOfDevices, PooledDevice, TaintOfDevice, read_taint

if TYPE_CHECKING:
    from kplan.cluster import Cluster

CounterSets = tuple[tuple[str, tuple[tuple[str, int], ...]], ...]
"""(set, (counter, nanos)...) in the order of the slice."""


class Slice(Struct, frozen=True, eq=False):
    """One ResourceSlice.

    Attributes:
        name: of the object.
        driver: of all its devices.
        pool: which it is a part of.
        generation: of the pool.
        count: how many slices the pool has at that generation.
        nodes: which nodes reach it.
        per_device: each device says itself which nodes reach it.
        per_device_given: whether that field is there at all.
        devices: in the order of the slice.
        counters: that devices share.
        grouped: whether a device names groups that may share counters.
    """

    name: str
    driver: str
    pool: str
    generation: int
    count: int
    nodes: NodesOfDevices
    per_device: bool
    per_device_given: bool
    devices: tuple[PooledDevice, ...]
    counters: CounterSets
    grouped: bool


def read_slices(cluster: Cluster, features: Features) -> list[Slice]:
    """Read all slices, by name, with the taints of DeviceTaintRules where those count.

    Raises:
        QuantityError: a quantity cannot be read.
    """
    kinds = Kinds()
    rules = _Rules(cluster, features) if _rules_count(features) else None
    slices = [_slice(item, kinds, rules) for item in cluster.objects.table("resource_slices").values()]
    return sorted(slices, key=lambda item: item.name.encode())


def _rules_count(features: Features) -> bool:
    """Tell whether DeviceTaintRules are looked at.

    Source: v1.37.2 pkg/scheduler/scheduler.go New (resourceslicetracker.Options).
    """
    gates = ("DRADeviceTaints", "DRADeviceTaintRules") if features.since(35) else ("DRADeviceTaints",)
    return all(map(features.enabled, gates))


def _slice(item: ResourceSlice, kinds: Kinds, rules: _Rules | None) -> Slice:
    spec = item.spec
    skips = tuple(spec.skip_node_operations or ())
    devices = tuple(
        kinds.device(device, spec.driver, rules.taints(spec.driver, spec.pool.name, device) if rules else (), skips)
        for device in spec.devices or ()
    )
    counters = tuple(
        (
            counter_set.name,
            tuple((name, quantity.nanos(counter.value)) for name, counter in (counter_set.counters or {}).items()),
        )
        for counter_set in spec.shared_counters or ()
    )
    return Slice(
        item.name,
        spec.driver,
        spec.pool.name,
        spec.pool.generation or 0,
        spec.pool.resource_slice_count or 0,
        NodesOfDevices(spec.node_name or "", bool(spec.all_nodes), spec.node_selector),
        bool(spec.per_device_node_selection),
        spec.per_device_node_selection is not None,
        devices,
        counters,
        any(consume.groups for device in devices for consume in device.consumes),
    )


class _Rules:
    """DeviceTaintRules, which add taints to the devices they select.

    Source: v0.37.2, v0.36.3 and v0.34.4 resourceslice/tracker/tracker.go applyPatches.
    """

    def __init__(self, cluster: Cluster, features: Features) -> None:
        rules: Mapping[str, DeviceTaintRule] = cluster.objects.table("device_taint_rules")
        self._classes: Mapping[str, DeviceClass] = cluster.objects.table("device_classes")
        # until 1.36 a rule without a selector is for all devices, from 1.37 for none
        self._rules = [rule for rule in rules.values() if rule.spec.device_selector or not features.since(37)]
        self._selects = not features.since(35)

    def taints(self, driver: str, pool: str, device: ApiDevice) -> tuple[TaintOfDevice, ...]:
        """Return the taints that rules give a device."""
        return tuple(
            read_taint(rule.spec.taint, rule.name)
            for rule in self._rules
            if self._chosen(rule.spec.device_selector or DeviceTaintSelector(), driver, pool, device)
        )

    def _chosen(self, selector: DeviceTaintSelector, driver: str, pool: str, device: ApiDevice) -> bool:
        named = zip((selector.driver, selector.pool, selector.device), (driver, pool, device.name), strict=True)
        if any(wanted is not None and wanted != name for wanted, name in named):
            return False
        return not self._selects or self._matches(selector, driver, device)

    def _matches(self, selector: DeviceTaintSelector, driver: str, device: ApiDevice) -> bool:
        """Whether the class and the selectors of a rule match, which rules of 1.34 may have."""
        texts = _expressions(selector.selectors)
        if selector.device_class_name is not None:
            chosen = self._classes.get(selector.device_class_name)
            if chosen is None:
                return False
            texts += _expressions(chosen.spec.selectors)
        seen = Kinds().device(device, driver, (), ()).seen
        try:
            return all(expression(text).matches(seen) for text in texts)
        except ExpressionError:
            return False


def _expressions(selectors: Iterable[DeviceSelector] | None) -> list[str]:
    return [selector.cel.expression for selector in selectors or () if selector.cel is not None]
