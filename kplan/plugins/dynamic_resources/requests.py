"""What claims ask for, read once: two claims that ask for the same are one to the search."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count

import msgspec
from msgspec import Struct

from kplan.objects.models.devices import DeviceConstraint, DeviceRequest, ExactDeviceRequest, ResourceClaimSpec
from kplan.plugins.shared.devices.device import WrittenAmount

EXACT_COUNT, ALL = "ExactCount", "All"
MAX_DEVICES = 32
"""Most devices of one claim."""
MAX_OPTIONS = 8
"""Most options of a prioritized list; what one is worth counts down from it."""


class TolerationRules(Struct, frozen=True):
    """A taint of devices that is tolerated."""

    key: str
    operator: str
    value: str
    effect: str


class ClaimRequest(Struct, frozen=True):
    """A request for devices of one class, or one option of a prioritized list.

    Attributes:
        name: of the request or the option.
        full: what the result is filed under: ``request`` or ``request/option``.
        device_class: name of the class.
        mode: ``ExactCount`` or ``All``.
        count: devices asked for.
        admin: whether it has admin access; None where nothing is said.
        selectors: expressions; None for a selector of no known kind.
        tolerations: of taints.
        capacity: (capacity, amount) asked for; None where nothing is said.
        derived: (attribute, expression) that are worked out.
    """

    name: str
    full: str
    device_class: str
    mode: str
    count: int
    admin: bool | None
    selectors: tuple[str | None, ...]
    tolerations: tuple[TolerationRules, ...]
    capacity: tuple[tuple[str, WrittenAmount], ...] | None
    derived: tuple[tuple[str, str], ...]


class Entry(Struct, frozen=True):
    """One entry of a claim's requests.

    Attributes:
        name: of the request.
        options: what would do, the best first; one for a plain request, none for one of no known kind.
        prioritized: whether it is a list.
    """

    name: str
    options: tuple[ClaimRequest, ...]
    prioritized: bool


class ClaimConstraint(Struct, frozen=True):
    """What devices must have in common, or must not.

    Attributes:
        requests: names it is about; all where none is given.
        attribute: fully qualified.
        distinct: whether the values must differ.
    """

    requests: frozenset[str]
    attribute: str
    distinct: bool

    def about(self, entry: str, request: ClaimRequest) -> bool:
        """Tell whether it is about a request."""
        return not self.requests or entry in self.requests or request.full in self.requests


@dataclass(frozen=True, slots=True)
class ClaimWants:
    """All that a claim asks for.

    Attributes:
        entries: its requests.
        constraints: None for one of no known kind.
        number: equal for claims that ask for the same.
    """

    entries: tuple[Entry, ...]
    constraints: tuple[ClaimConstraint | None, ...]
    number: int = field(default_factory=count().__next__, compare=False)


def wanted(spec: ResourceClaimSpec) -> ClaimWants:
    """Read what a claim asks for; the same object for the same request.

    Raises:
        QuantityError: a quantity cannot be read.
    """
    return _wanted(msgspec.json.encode(spec))


@lru_cache(maxsize=4096)
def _wanted(encoded: bytes) -> ClaimWants:
    devices = msgspec.json.decode(encoded, type=ResourceClaimSpec).devices
    return ClaimWants(
        tuple(map(_entry, devices.requests or ())),
        tuple(_constraint(constraint) for constraint in devices.constraints or ()),
    )


def _entry(request: DeviceRequest) -> Entry:
    if request.exactly is not None:
        return Entry(
            request.name, (_request(request.exactly, request.name, request.name, request.exactly.admin_access),), False
        )
    options = (
        _request(option, option.name, f"{request.name}/{option.name}", None) for option in request.first_available or ()
    )
    return Entry(request.name, tuple(options), True)


def _request(request: ExactDeviceRequest, name: str, full: str, admin: bool | None) -> ClaimRequest:
    asked = request.capacity
    return ClaimRequest(
        name,
        full,
        request.device_class_name,
        request.allocation_mode or EXACT_COUNT,
        request.count if request.count is not None else 1,
        admin,
        tuple(selector.cel.expression if selector.cel is not None else None for selector in request.selectors or ()),
        tuple(
            TolerationRules(each.key or "", each.operator or "", each.value or "", each.effect or "")
            for each in request.tolerations or ()
        ),
        None if asked is None else tuple((key, WrittenAmount.of(raw)) for key, raw in (asked.requests or {}).items()),
        tuple((each.name, each.expression) for each in request.derived_attributes or ()),
    )


def _constraint(constraint: DeviceConstraint) -> ClaimConstraint | None:
    names = frozenset(constraint.requests or ())
    if constraint.match_attribute is not None:
        return ClaimConstraint(names, constraint.match_attribute, distinct=False)
    if constraint.distinct_attribute is not None:
        return ClaimConstraint(names, constraint.distinct_attribute, distinct=True)
    return None
