"""What requests come to on one node, before a search begins: their classes, how many devices, and which for "all".

Source: dynamic-resource-allocation v0.37.2, v0.36.3, v0.35.4 and v0.34.4 structured/internal/{stable,incubating,
experimental} Allocate, validateDeviceRequest, isSelectable, selectorsMatch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field

from kplan.objects.models.devices import DeviceClass
from kplan.plugins.dynamic_resources.capacity import CapacityError, fits
from kplan.plugins.dynamic_resources.found import ClaimRef, DevicePlace, DeviceRef, Part, PoolRef, SearchStop
from kplan.plugins.dynamic_resources.requests import ALL, EXACT_COUNT, MAX_DEVICES, ClaimRequest, ClaimWants, Entry
from kplan.plugins.shared.devices.cel import HINT, expression
from kplan.plugins.shared.devices.cel_device import CelDevice
from kplan.plugins.shared.devices.cel_errors import ExpressionError
from kplan.plugins.shared.devices.device import PooledDevice
from kplan.plugins.shared.devices.index import NodeDevices
from kplan.plugins.shared.devices.rules import AllocatorRules

Key = tuple[int, int, int]
"""Positions of claim, entry and option."""


class RequestPlan(Struct):
    """One request or option, and how many devices it comes to on this node.

    Attributes:
        request: what is asked for.
        entry: the entry of the claim it is, or is an option of.
        device_class: its class.
        count: devices it needs.
        every: the devices, where it is for all of them.
    """

    request: ClaimRequest
    entry: Entry
    device_class: DeviceClass
    count: int
    every: tuple[DevicePlace, ...] = ()


class Plans(Struct):
    """The plans of all requests of some claims.

    Attributes:
        claims: what is asked for.
        node: the devices.
        classes: by name.
        rules: of the version.
        by_key: the plans.
    """

    claims: Sequence[ClaimWants]
    node: NodeDevices
    classes: Mapping[str, DeviceClass]
    rules: AllocatorRules
    by_key: dict[Key, RequestPlan] = field(default_factory=dict)
    _matches: dict[tuple[DevicePlace, Key], bool] = field(default_factory=dict)

    def prepare(self) -> None:
        """Make them.

        Raises:
            Stop: a request cannot be met, or not be understood.
        """
        for number, claim in enumerate(self.claims):
            least = 0
            for entry_number, entry in enumerate(claim.entries):
                count = self._entry(number, entry_number, entry)
                if not self.rules.per_claim_limit and count > MAX_DEVICES - least:
                    why = f"adding {count} devices exceeds the claim limit of {MAX_DEVICES}"
                    raise SearchStop(
                        *("claim ", ClaimRef(number)),
                        f", request {entry.name}: {why}, with {least} already accounted for",
                    )
                least += count
            if self.rules.per_claim_limit and least > MAX_DEVICES:
                why = f"number of requested devices {least} exceeds the claim limit of {MAX_DEVICES}"
                raise SearchStop("claim ", ClaimRef(number), f": {why}")
            for i, constraint in enumerate(claim.constraints):
                if constraint is None or (constraint.distinct and not self.rules.distinct_attribute):
                    why = "empty constraint (unsupported constraint type?)"
                    raise SearchStop("claim ", ClaimRef(number), f", constraint #{i}: {why}")
        if self.rules.shared_key:
            self._matches.clear()

    def selectable(self, key: Key, plan: RequestPlan, place: DevicePlace) -> bool:
        """Tell whether class, selectors and the choice of nodes let a request have a device.

        Raises:
            Stop: a selector fails.
        """
        device = place.on(self.node)
        if not self.rules.binding and device.binding_conditions:
            return False
        known = self._matches.get((place, key))
        if known is None:
            known = self._matches[place, key] = self._matching(key[0], plan, place, device)
        return known

    def _entry(self, claim: int, number: int, entry: Entry) -> int:
        """Plan one entry; return the least number of devices it needs."""
        if entry.prioritized and not self.rules.prioritized_list:
            why = "has subrequests, but the DRAPrioritizedList feature is disabled"
            raise SearchStop("claim ", ClaimRef(claim), f", request {entry.name}: {why}")
        if self.rules.checks_capacity_requests and not self.rules.consumable:
            self._refuse_capacity(claim, entry)
        counts = []
        for option, request in enumerate(entry.options):
            told_apart = max(option - 1, 0) if self.rules.shared_key else option
            plan = self._plan((claim, number, told_apart), entry, request)
            self.by_key[claim, number, option] = plan
            counts.append(plan.count)
        return min(counts)

    def _refuse_capacity(self, claim: int, entry: Entry) -> None:
        why = "has capacity requests, but the DRAConsumableCapacity feature is disabled"
        for request in entry.options:
            if request.capacity is not None:
                by_option = entry.prioritized and self.rules.minor > 34
                named = f"subrequest {request.name}" if by_option else f"request {entry.name}"
                raise SearchStop("claim ", ClaimRef(claim), f", {named}: {why}")

    def _plan(self, key: Key, entry: Entry, request: ClaimRequest) -> RequestPlan:
        where = ("claim ", ClaimRef(key[0]), f", request {request.name}")
        if request.derived and not self.rules.derived and self.rules.minor >= 37:
            raise SearchStop(*where, ": cannot handle request with derived attributes, the feature is disabled")
        for i, selector in enumerate(request.selectors):
            if selector is None:
                raise SearchStop(*where, f", selector #{i}: CEL expression empty (unsupported selector type?)")
        if request.admin is not None and not self.rules.admin_access:
            raise SearchStop(*where, ": admin access is requested, but the feature is disabled")
        if not request.device_class:
            raise SearchStop(*where, ": missing device class name (unsupported request type?)")
        device_class = self.classes.get(request.device_class)
        if device_class is None:
            missing = f'deviceclass.resource.k8s.io "{request.device_class}" not found'
            raise SearchStop(*where, f": could not retrieve device class {request.device_class}: {missing}")
        plan = RequestPlan(request, entry, device_class, request.count)
        if request.mode == ALL:
            plan.every = tuple(self._every(key, plan, where))
            plan.count = len(plan.every)
        elif request.mode != EXACT_COUNT:
            raise SearchStop(*where, f": unsupported count mode {request.mode}")
        return plan

    def _every(self, key: Key, plan: RequestPlan, where: tuple[Part, ...]) -> Iterator[DevicePlace]:
        """All devices of the node that a request for all of them is about."""
        for i, pool in enumerate(self.node.pools):
            if pool.incomplete or pool.problem:
                state = "being updated" if pool.incomplete else "invalid"
                raise SearchStop(
                    *where, ": asks for all devices, but resource pool ", PoolRef(i), f" is currently {state}"
                )
            for position in range(len(pool.devices)):
                place = DevicePlace(i, position)
                if self.selectable(key, plan, place) and self._may_be_of_all(plan, place, where):
                    yield place

    def _may_be_of_all(self, plan: RequestPlan, place: DevicePlace, where: tuple[Part, ...]) -> bool:
        """Whether a device has the capacity asked for: what is left of it, or from 1.37 on what it has of its own."""
        if not self.rules.consumable:
            return True
        said = dict(self.node.uses[place.pool].shares).get(place.device) if self.rules.all_by_capacity else None
        try:
            return fits(dict(plan.request.capacity or ()), place.on(self.node), dict(said or ()), None, self.rules)
        except CapacityError as error:
            if not self.rules.capacity_is_error:
                return False
            raise SearchStop(*where, ": checking capacity for device ", DeviceRef(place, True), f": {error}") from None

    def _matching(self, claim: int, plan: RequestPlan, place: DevicePlace, device: PooledDevice) -> bool:
        seen = device.seen if self.rules.sees_multiple else device.seen._replace(multiple=False)
        of_class: tuple[Part, ...] = ("class ", plan.device_class.name)
        for i, selector in enumerate(plan.device_class.spec.selectors or ()):
            if selector.cel is not None and not self._holds(selector.cel.expression, seen, of_class, i, place):
                return False
        of_claim: tuple[Part, ...] = ("claim ", ClaimRef(claim))
        for i, text in enumerate(plan.request.selectors):
            if not self._holds(text or "", seen, of_claim, i, place):
                return False
        return self.node.pools[place.pool].reached[place.device]

    def _holds(self, text: str, seen: CelDevice, whose: tuple[Part, ...], number: int, place: DevicePlace) -> bool:
        try:
            return expression(text).matches(seen)
        except ExpressionError as error:
            raise self._cel_error(error, whose, number, place) from None

    def _cel_error(self, error: ExpressionError, whose: Sequence[Part], number: int, place: DevicePlace) -> SearchStop:
        if error.compile:
            return SearchStop(*whose, f": selector #{number}: CEL compile error: {error.text}", selector=True)
        text = error.text
        if self.rules.hints_at_optionals and "no such key:" in text:
            text += HINT
        on: tuple[Part, ...] = (" on device ", DeviceRef(place)) if self.rules.names_device else ()
        return SearchStop(*whose, f": selector #{number}", *on, f": CEL runtime error: {text}", selector=True)
