"""The search for devices of one node: the first way to give every request of every claim what it asks for.

The order in which devices are tried is the scheduler's own, so that the devices found are the same. A device that is
like one with which the search has failed at the same point is passed over: it would fail in the same way.

Source: dynamic-resource-allocation v0.37.2, v0.36.3, v0.35.4 and v0.34.4 structured/internal/{stable,incubating,
experimental} Allocate, allocateOne.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

from msgspec import Struct

from kplan.objects.models.devices import DeviceAttribute, DeviceClass
from kplan.plugins.dynamic_resources.constraints import members, scalar, static_attribute
from kplan.plugins.dynamic_resources.found import DevicePlace, PoolRef, ProblemRef, SearchOutcome, SearchStop
from kplan.plugins.dynamic_resources.ledger import Ledger
from kplan.plugins.dynamic_resources.plans import Key, Plans, RequestPlan
from kplan.plugins.dynamic_resources.requests import ALL, MAX_DEVICES, MAX_OPTIONS, ClaimWants
from kplan.plugins.shared.devices.index import NodeDevices
from kplan.plugins.shared.devices.rules import AllocatorRules

BUDGET = 400_000
"""Steps after which a search is given up, as the scheduler does after some seconds."""


class _TooMany(Exception):
    """More devices than a claim may have, whatever is chosen next."""


class _TimeOut(Exception):
    """The search takes too long."""


class _At(Struct, frozen=True):
    """A point of the search: which device of which request is next."""

    claim: int
    entry: int = 0
    option: int = 0
    device: int = 0

    @property
    def key(self) -> Key:
        return self.claim, self.entry, self.option

    def after(self, *, option: int) -> _At:
        """The next device of the same request."""
        return _At(self.claim, self.entry, option, self.device + 1)


def search(
    claims: Sequence[ClaimWants],
    node: NodeDevices,
    classes: Mapping[str, DeviceClass],
    rules: AllocatorRules,
    features: frozenset[str] = frozenset(),
) -> SearchOutcome:
    """Search for the devices of some claims.

    Args:
        claims: what is asked for.
        node: the devices.
        classes: by name.
        rules: of the version.
        features: what the node declares.
    """
    plans = Plans(claims, node, classes, rules)
    try:
        plans.prepare()
        begun = _Search(plans, features)
        if begun.begin():
            return SearchOutcome(tuple(map(tuple, begun.ledger.given)), score=_score(begun.ledger))
    except SearchStop as stop:
        return SearchOutcome(None, error=stop.parts, selector=stop.selector)
    except _TooMany:
        return SearchOutcome(None, error=("allocation max size exceeded",))
    except _TimeOut:
        return SearchOutcome(None, timed_out=True)
    return SearchOutcome(None, invalid=not rules.invalid_is_error and any(pool.problem for pool in node.pools))


def _score(ledger: Ledger) -> int:
    """What the options taken are worth, each once."""
    taken = {
        (chosen.claim, chosen.request): chosen.option
        for claim in ledger.given
        for chosen in claim
        if "/" in chosen.request
    }
    return sum(MAX_OPTIONS - option for option in taken.values())


class _Search:
    """One search."""

    def __init__(self, plans: Plans, features: frozenset[str]) -> None:
        self.ledger = Ledger(plans, features)
        self._plans, self._node, self._rules = plans, plans.node, plans.rules
        self._alike: dict[DevicePlace, Hashable] = {}
        self._steps = 0
        # which of several devices is free decides whether one that must be given meets a constraint, which is an error
        self._order_counts = any(
            plan.request.mode == ALL and plans.claims[claim].constraints for (claim, _, _), plan in plans.by_key.items()
        )

    def begin(self) -> bool:
        """Search from the start."""
        return self._from(_At(0), 0)

    def _from(self, at: _At, start: int, *, option_chosen: bool = False) -> bool:
        """Give everything from one point on.

        Args:
            at: the point.
            start: number of the device to begin with, over all pools.
            option_chosen: whether an option of a prioritized list is being tried.

        Raises:
            _TooMany: the claim would have too many devices whatever comes next.
        """
        self._steps += 1
        if self._steps > BUDGET:
            raise _TimeOut
        if at.claim >= len(self._plans.claims):
            return True
        entries = self._plans.claims[at.claim].entries
        if at.entry >= len(entries):
            try:
                return self._from(_At(at.claim + 1), 0)
            except _TooMany:
                return False
        if not option_chosen and entries[at.entry].prioritized:
            return self._first_option(at, len(entries[at.entry].options))
        plan = self._plans.by_key[at.key]
        if plan.request.mode == ALL and not plan.every:
            return False
        if at.device >= plan.count:
            return self._from(_At(at.claim, at.entry + 1), 0)
        if plan.count - at.device > MAX_DEVICES - len(self.ledger.given[at.claim]):
            raise _TooMany
        if plan.request.mode == ALL:
            return self._next_of_all(at, plan, option_chosen=option_chosen)
        return self._next(at, plan, start, option_chosen=option_chosen)

    def _first_option(self, at: _At, options: int) -> bool:
        too_many = True
        for option in range(options):
            try:
                if self._from(_At(at.claim, at.entry, option, at.device), 0, option_chosen=True):
                    return True
                too_many = False
            except _TooMany:
                continue
        if too_many:
            raise _TooMany
        return False

    def _next_of_all(self, at: _At, plan: RequestPlan, *, option_chosen: bool) -> bool:
        option = 0 if self._rules.forgets_option else at.option
        return self._with(at, plan, plan.every[at.device], 0, option, must=True, option_chosen=option_chosen) is True

    def _next(self, at: _At, plan: RequestPlan, start: int, *, option_chosen: bool) -> bool:
        failed: set[Hashable] = set()
        for number, place in self._candidates(at, plan, start):
            if failed and self._likeness(place) in failed:
                continue
            after = number + 1 if self._rules.resumes else 0
            done = self._with(at, plan, place, after, at.option, must=False, option_chosen=option_chosen)
            if done:
                return True
            if done is not None:
                failed.add(self._likeness(place))
        return False

    def _with(
        self,
        at: _At,
        plan: RequestPlan,
        place: DevicePlace,
        after: int,
        option: int,
        *,
        must: bool,
        option_chosen: bool,
    ) -> bool | None:
        """Go on with a device given; None if it cannot be given."""
        given = self.ledger.give(at.key, plan, place, must=must)
        if given is None:
            return None
        try:
            if self._from(at.after(option=option), after, option_chosen=option_chosen):
                return True
        except _TooMany:
            self.ledger.take_back(at.claim, given)
            raise
        self.ledger.take_back(at.claim, given)
        return False

    def _candidates(self, at: _At, plan: RequestPlan, start: int) -> Iterator[tuple[int, DevicePlace]]:
        """Devices that a request may get, as far as can be told without giving them."""
        number = -1
        for i, pool in enumerate(self._node.pools):
            if pool.problem and self._rules.invalid_is_error:
                raise SearchStop("pool ", PoolRef(i, bare=True), " is invalid: ", ProblemRef(i))
            if self._rules.skips_incomplete and (pool.incomplete or pool.problem):
                continue
            for position in range(len(pool.devices)):
                number += 1
                if number < start:
                    continue
                place = DevicePlace(i, position)
                if self.ledger.in_use(at.claim, plan.request, place):
                    continue
                if not self._plans.selectable(at.key, plan, place):
                    continue
                if self.ledger.has_capacity(at.claim, plan, place):
                    yield number, place

    def _likeness(self, place: DevicePlace) -> Hashable:
        """Equal for devices of a pool with which the search goes on in the same way."""
        known = self._alike.get(place)
        if known is None:
            known = self._alike[place] = self._worked_out_likeness(place)
        return known, self.ledger.sharing(place)

    def _worked_out_likeness(self, place: DevicePlace) -> Hashable:
        device = place.on(self._node)
        if self._rules.derived or (device.consumes and not self._rules.counters_in_pool) or self._order_counts:
            return place
        try:
            selected = tuple([self._plans.selectable(key, plan, place) for key, plan in self._plans.by_key.items()])
        except SearchStop:
            return place
        value: Callable[[DeviceAttribute], object] = members if self._rules.list_types else scalar
        names = {
            constraint.attribute
            for claim in self._plans.claims
            for constraint in claim.constraints
            if constraint is not None
        }
        attributes = ((name, static_attribute(device, device.seen.driver, name)) for name in sorted(names))
        values = tuple(
            [(name, None if attribute is None else (True, value(attribute))) for name, attribute in attributes]
        )
        return place.pool, selected, values, device.kind
