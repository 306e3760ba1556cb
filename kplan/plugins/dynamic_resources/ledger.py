"""What a search has given away so far: devices, shares, counters, and what constraints remember of them.

Source: dynamic-resource-allocation v0.37.2, v0.36.3, v0.35.4 and v0.34.4 structured/internal/{incubating,experimental}
allocateDevice, rollbackDevice.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from kplan.objects.models.devices import DeviceAttribute
from kplan.plugins.dynamic_resources.capacity import CapacityError, fits, takes
from kplan.plugins.dynamic_resources.constraints import Tracked, static_attribute
from kplan.plugins.dynamic_resources.counters import CounterBook
from kplan.plugins.dynamic_resources.derived import derived_attribute
from kplan.plugins.dynamic_resources.found import ChosenDevice, ClaimRef, DevicePlace, DeviceRef, SearchStop
from kplan.plugins.dynamic_resources.plans import Key, Plans, RequestPlan
from kplan.plugins.dynamic_resources.requests import ClaimRequest
from kplan.plugins.dynamic_resources.taints import blocks
from kplan.plugins.shared.devices.device import PooledDevice, WrittenAmount

OPTIONAL_NODE_OPERATIONS = "DRAOptionalNodeOperations"


class Given(Struct):
    """What giving one device away has changed, so that it can be taken back."""

    place: DevicePlace
    plan: RequestPlan
    joined: bool = False
    counted: bool = False
    constrained: int = 0
    marked: bool = False
    consumed: dict[str, int] | None = None
    first_share: bool = False
    listed: bool = False


class Ledger:
    """Gives devices to requests, and takes them back.

    Attributes:
        given: by claim, the devices given so far.
    """

    def __init__(self, plans: Plans, features: frozenset[str]) -> None:
        self.given: list[list[ChosenDevice]] = [[] for _ in plans.claims]
        self._plans, self._node, self._rules, self._features = plans, plans.node, plans.rules, features
        self._counters = CounterBook(plans.node, plans.rules)
        self._held = [frozenset(use.held) for use in plans.node.uses]
        self._shared = [dict(use.shares) for use in plans.node.uses]
        self._allocating: dict[DevicePlace, set[int]] = {}
        self._sharing: dict[DevicePlace, dict[str, int]] = {}
        self._constraints = [
            [
                Tracked(constraint, self._attribute, self._rules)
                for constraint in claim.constraints
                if constraint is not None
            ]
            for claim in plans.claims
        ]

    def in_use(self, claim: int, request: ClaimRequest, place: DevicePlace) -> bool:
        """Tell whether a device cannot be given because somebody has it."""
        if request.admin:
            return claim in self._allocating.get(place, ())
        return place.device in self._held[place.pool] or bool(self._allocating.get(place))

    def has_capacity(self, claim: int, plan: RequestPlan, place: DevicePlace) -> bool:
        """Tell whether what a request takes of a device is left.

        Raises:
            Stop: an amount cannot be worked with.
        """
        if not self._rules.consumable:
            return True
        said = self._shared[place.pool].get(place.device)
        asked = dict(plan.request.capacity or ())
        try:
            return fits(asked, place.on(self._node), dict(said or ()), self._sharing.get(place), self._rules)
        except CapacityError as error:
            if not self._rules.capacity_is_error:
                return False
            where = ("claim ", ClaimRef(claim), f", request {plan.request.name}: checking capacity for device ")
            raise SearchStop(*where, DeviceRef(place), f": {error}") from None

    def counters_short(self, place: DevicePlace) -> list[tuple[str, str, int, int]]:
        """Name the counters of which too little is left for a device; none where it is shared and counted already."""
        device = place.on(self._node)
        multiple = self._rules.consumable and device.multiple
        if multiple and self._rules.shares_counters_once and self._is_shared(place):
            return []
        return self._counters.short(place)

    def sharing(self, place: DevicePlace) -> object:
        """What others and this search have of a device that may be given to many; hashable."""
        mine = self._sharing.get(place)
        return self._shared[place.pool].get(place.device), None if mine is None else tuple(sorted(mine.items()))

    def give(self, key: Key, plan: RequestPlan, place: DevicePlace, *, must: bool) -> Given | None:
        """Give a device, if counters, taints, constraints and capacity let it; None if not.

        Args:
            key: claim, entry and option it is for.
            plan: of the request.
            place: the device.
            must: whether it is this one or none.

        Raises:
            Stop: it must be given, and a constraint does not let it.
        """
        device = place.on(self._node)
        claim = key[0]
        multiple = self._rules.consumable and device.multiple
        if not self._usable(claim, plan.request, place, device, multiple=multiple):
            return None
        given = Given(place, plan)
        if not self._take_counters(given, device, multiple=multiple):
            return None
        if self._rules.taints and blocks(device, plan.request, self._rules):
            self._reject(claim, given)
            return None
        if not self._constrain(claim, given, device):
            self._reject(claim, given)
            if must:
                where = ("claim ", ClaimRef(claim), f", request {plan.request.name}: cannot add device ")
                raise SearchStop(*where, DeviceRef(place), " because a claim constraint would not be satisfied")
            return None
        if not multiple:
            self._allocating.setdefault(place, set()).add(claim)
            given.marked = True
        if not self.has_capacity(claim, plan, place):
            self._reject(claim, given)
            return None
        consumed = self._share(given, device) if multiple else {}
        self.given[claim].append(
            ChosenDevice(
                claim,
                plan.request.full,
                key[2],
                place,
                bool(plan.request.admin),
                multiple,
                tuple(consumed.items()),
            )
        )
        given.listed = True
        return given

    def take_back(self, claim: int, given: Given) -> None:
        """Take a device back: the last one that was given."""
        if given.listed:
            self.given[claim].pop()
        if given.consumed is not None:
            if given.first_share:
                del self._sharing[given.place]
            else:
                mine = self._sharing[given.place]
                self._sharing[given.place] = {name: mine[name] - given.consumed.get(name, 0) for name in mine}
        if given.marked:
            self._allocating[given.place].discard(claim)
        for tracked in reversed(self._constraints[claim][: given.constrained]):
            tracked.remove(given.plan.entry.name, given.plan.request)
        if given.joined:
            self._counters.leave(given.place)
        if given.counted:
            self._counters.give_back(given.place)

    def _usable(
        self, claim: int, request: ClaimRequest, place: DevicePlace, device: PooledDevice, *, multiple: bool
    ) -> bool:
        if self.in_use(claim, request, place) and not (multiple and request.admin):
            return False
        if device.skips and not (self._rules.optional_operations and OPTIONAL_NODE_OPERATIONS in self._features):
            return False
        return self._rules.partitionable or not device.consumes

    def _take_counters(self, given: Given, device: PooledDevice, *, multiple: bool) -> bool:
        if not device.consumes:
            return True
        if multiple and self._rules.shares_counters_once and self._is_shared(given.place):
            return True
        if self._rules.groups:
            if not self._counters.join(given.place):
                return False
            given.joined = True
        if not self._counters.take(given.place):
            if given.joined:
                self._counters.leave(given.place)
            return False
        given.counted = True
        return True

    def _is_shared(self, place: DevicePlace) -> bool:
        shares = self._shared[place.pool]
        known = place.device in shares and (self._rules.shares_known_by_id or shares[place.device] is not None)
        return known or place in self._sharing

    def _constrain(self, claim: int, given: Given, device: PooledDevice) -> bool:
        for tracked in self._constraints[claim]:
            if not tracked.add(given.plan.entry.name, given.plan.request, device):
                return False
            given.constrained += 1
        return True

    def _share(self, given: Given, device: PooledDevice) -> Mapping[str, WrittenAmount]:
        amounts = takes(dict(given.plan.request.capacity or ()), device, self._rules)
        nanos = {name: amount.nanos for name, amount in amounts.items()}
        mine = self._sharing.get(given.place)
        given.first_share = mine is None
        before = mine or {}
        self._sharing[given.place] = {name: before.get(name, 0) + nanos.get(name, 0) for name in {**before, **nanos}}
        given.consumed = nanos
        return amounts

    def _reject(self, claim: int, given: Given) -> None:
        """Undo a device that cannot be given after all; before 1.36.3 its counters stay taken."""
        if self._rules.leaks_counters:
            given.counted = False
        self.take_back(claim, given)

    def _attribute(self, request: ClaimRequest, device: PooledDevice, name: str) -> DeviceAttribute | None:
        expressions = dict(request.derived) if self._rules.derived else {}
        if name in expressions:
            return derived_attribute(expressions[name], device)
        return static_attribute(device, device.seen.driver, name)
