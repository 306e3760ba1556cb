"""Constraints of a claim while a search gives it devices.

Source: dynamic-resource-allocation v0.37.2 and v0.36.3 structured/internal/experimental/constraint.go,
allocator_experimental.go matchAttributeConstraint.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kplan.objects.models.devices import DeviceAttribute
from kplan.plugins.dynamic_resources.requests import ClaimConstraint, ClaimRequest
from kplan.plugins.shared.devices.device import PooledDevice
from kplan.plugins.shared.devices.rules import AllocatorRules

Lookup = Callable[[ClaimRequest, PooledDevice, str], DeviceAttribute | None]
"""Finds an attribute of a device, which the request may derive."""


def static_attribute(device: PooledDevice, driver: str, name: str) -> DeviceAttribute | None:
    """Find an attribute by its full name; one without a domain is the driver's."""
    attribute = device.attributes.get(name)
    if attribute is None:
        domain, slash, identifier = name.partition("/")
        if slash and domain == driver:
            attribute = device.attributes.get(identifier)
    return attribute


def scalar(attribute: DeviceAttribute) -> tuple[str, Any] | None:
    """Return (type, value) of a plain attribute; None for a list or one of no known type."""
    for kind in ("string_value", "int_value", "bool_value", "version_value"):
        value = getattr(attribute, kind)
        if value is not None:
            return kind, value
    return None


def members(attribute: DeviceAttribute) -> frozenset[tuple[str, Any]] | None:
    """Return the (type, value) of a list, or of a plain attribute as a list of one; None for one of no known type."""
    for kind in ("int_value", "bool_value", "string_value", "version_value"):
        values = getattr(attribute, f"{kind}s")
        if values:
            return frozenset((kind, value) for value in values)
    single = scalar(attribute)
    return None if single is None else frozenset((single,))


class Tracked:
    """One constraint, with the devices that were added so far.

    Attributes:
        constraint: what it says.
    """

    def __init__(self, constraint: ClaimConstraint, lookup: Lookup, rules: AllocatorRules) -> None:
        self.constraint = constraint
        self._lookup = lookup
        self._rules = rules
        self._values: list[Any] = []
        self._by_request: dict[str, Any] = {}
        self._count = 0

    def add(self, entry: str, request: ClaimRequest, device: PooledDevice) -> bool:
        """Add a device that is about to be given; False if it may not be."""
        if not self.constraint.about(entry, request):
            return True
        attribute = self._lookup(request, device, self.constraint.attribute)
        if attribute is None:
            return False
        if self.constraint.distinct:
            return self._add_distinct(entry, attribute)
        return self._add_matching(attribute)

    def remove(self, entry: str, request: ClaimRequest) -> None:
        """Take back the device that was added last."""
        if not self.constraint.about(entry, request):
            return
        self._count -= 1
        if self.constraint.distinct and self._rules.distinct_by_request:
            self._by_request.pop(entry, None)
        else:
            self._values.pop()

    def _add_matching(self, attribute: DeviceAttribute) -> bool:
        if self._rules.list_types:
            mine = members(attribute)
            common = mine if mine is None or not self._values else mine & self._values[-1]
            if not common:
                return False
            self._values.append(common)
        else:
            value = scalar(attribute)
            # the first device is taken whatever the type of its attribute, and none matches one of no known type
            if self._values and (value is None or self._values[0] != value):
                return False
            self._values.append(value)
        self._count += 1
        return True

    def _add_distinct(self, entry: str, attribute: DeviceAttribute) -> bool:
        value: Any = members(attribute) if self._rules.list_types else scalar(attribute)
        others = list(self._by_request.values()) if self._rules.distinct_by_request else self._values
        if value is None and (others or self._rules.list_types):
            return False
        if self._count and any(self._same(value, other) for other in others):
            return False
        if self._rules.distinct_by_request:
            self._by_request[entry] = value
        else:
            self._values.append(value)
        self._count += 1
        return True

    def _same(self, value: Any, other: Any) -> bool:
        if self._rules.distinct_always:
            return False
        if self._rules.list_types:
            return other is not None and bool(value & other)
        return bool(value == other)
