"""What refuses one device to one request: the first thing that does, with the values and the names behind it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from kplan.objects.models import ResourceClaim
from kplan.objects.quantity import QuantityFormat, format_nanos
from kplan.plugins.dynamic_resources.capacity import shortfalls
from kplan.plugins.dynamic_resources.facts import DeviceVerdict, DeviceWhy, Short
from kplan.plugins.dynamic_resources.found import DevicePlace, SearchStop
from kplan.plugins.dynamic_resources.ledger import Ledger
from kplan.plugins.dynamic_resources.plans import Key, Plans, RequestPlan
from kplan.plugins.dynamic_resources.taints import untolerated
from kplan.plugins.shared.devices.cel import expression
from kplan.plugins.shared.devices.cel_device import CelDevice, SemanticVersion
from kplan.plugins.shared.devices.cel_errors import ExpressionError
from kplan.plugins.shared.devices.device import PooledDevice
from kplan.plugins.shared.devices.index import NodeDevices
from kplan.plugins.shared.devices.usage import DeviceUsage


def users_of(claims: Mapping[str, ResourceClaim], keys: Iterable[str]) -> tuple[str, ...]:
    """Name the pods that claims are reserved for: ``namespace/name``, each once."""
    users: dict[str, None] = {}
    for key in keys:
        claim = claims.get(key)
        for user in (claim.status.reserved_for if claim is not None else None) or ():
            if user.resource == "pods":
                users[f"{key.partition('/')[0]}/{user.name}"] = None
    return tuple(users)


class Judge(Struct, frozen=True):
    """Tells what refuses a device.

    Attributes:
        plans: of the requests.
        ledger: with nothing given yet.
        usage: which devices are in use.
        claims: all claims, by key.
    """

    plans: Plans
    ledger: Ledger
    usage: DeviceUsage
    claims: Mapping[str, ResourceClaim]

    @property
    def _node(self) -> NodeDevices:
        return self.plans.node

    def verdict(self, key: Key, plan: RequestPlan, place: DevicePlace) -> DeviceVerdict:
        """Say what refuses a device to a request, if anything does."""
        device = place.on(self._node)
        pool = self._node.pools[place.pool]
        identity = pool.id_of(device)
        name = str(identity)
        selector = self._selector(plan, device, name)
        if selector is not None:
            return selector
        if not pool.reached[place.device]:
            return DeviceVerdict(name, DeviceWhy.OTHER_NODE)
        if device.binding_conditions and not self.plans.rules.binding:
            return DeviceVerdict(name, DeviceWhy.NEEDS_BINDING)
        if self.ledger.in_use(key[0], plan.request, place):
            held = self._held(name, DeviceWhy.IN_USE, self.usage.holders.get(identity, ()))
            tainted = self._tainted(plan, device, name)  # then it would not do once it is free
            return held if tainted is None else replace(tainted, holders=held.holders, users=held.users)
        try:
            left = self.ledger.has_capacity(key[0], plan, place)
        except SearchStop:
            left = False
        if not left:
            return self._no_capacity(plan, place, name)
        return self._last(key, plan, place, name)

    def _held(self, name: str, why: DeviceWhy, holders: Iterable[str], short: tuple[Short, ...] = ()) -> DeviceVerdict:
        keys = tuple(dict.fromkeys(holders))
        return DeviceVerdict(name, why, holders=keys, users=users_of(self.claims, keys), short=short)

    def _no_capacity(self, plan: RequestPlan, place: DevicePlace, name: str) -> DeviceVerdict:
        device, pool = place.on(self._node), self._node.pools[place.pool]
        shares = self.usage.shares.get(pool.id_of(device), ())
        said = dict(dict(self._node.uses[place.pool].shares).get(place.device) or ())
        shortages = shortfalls(dict(plan.request.capacity or ()), device, said, self.plans.rules)
        short = tuple(
            Short(shortage.name, _amount(shortage.needs), _amount(shortage.left), _amount(shortage.whole))
            for shortage in shortages
        )
        return self._held(name, DeviceWhy.CAPACITY, (share.claim for share in shares), short)

    def _last(self, key: Key, plan: RequestPlan, place: DevicePlace, name: str) -> DeviceVerdict:
        """What only giving the device tells: taints, features, counters."""
        device = place.on(self._node)
        tainted = self._tainted(plan, device, name)
        if tainted is not None:
            return tainted
        if device.consumes and not self.plans.rules.partitionable:
            return DeviceVerdict(name, DeviceWhy.UNSUPPORTED)
        short = self.ledger.counters_short(place) if device.consumes else ()
        if short:
            told = tuple(
                Short(f"{each}/{counter}", _amount(needs), _amount(left)) for each, counter, needs, left in short
            )
            return self._held(name, DeviceWhy.COUNTERS, self._takers(place, {each for each, *_ in short}), told)
        return DeviceVerdict(name, DeviceWhy.NOTHING)

    def _tainted(self, plan: RequestPlan, device: PooledDevice, name: str) -> DeviceVerdict | None:
        """The first taint of a device that is not tolerated."""
        taint = untolerated(device, plan.request, self.plans.rules) if self.plans.rules.taints else None
        if taint is None:
            return None
        value = f"={taint.value}" if taint.value else ""
        return DeviceVerdict(name, DeviceWhy.TAINT, taint=f"{taint.key}{value}:{taint.effect}", rule=taint.rule)

    def _takers(self, place: DevicePlace, sets: set[str]) -> Iterable[str]:
        """Claims that hold devices which take of sets of counters."""
        pool = self._node.pools[place.pool]
        for device in (*pool.devices, *pool.hidden):
            if any(consume.counter_set in sets for consume in device.consumes):
                identity = pool.id_of(device)
                yield from self.usage.holders.get(identity, ())
                yield from (share.claim for share in self.usage.shares.get(identity, ()))

    def _selector(self, plan: RequestPlan, device: PooledDevice, name: str) -> DeviceVerdict | None:
        """The first selector that refuses a device."""
        of_class = [
            selector.cel.expression for selector in plan.device_class.spec.selectors or () if selector.cel is not None
        ]
        both = [(DeviceWhy.CLASS, text) for text in of_class]
        both += [(DeviceWhy.CLAIM, text or "") for text in plan.request.selectors]
        seen = device.seen if self.plans.rules.sees_multiple else device.seen._replace(multiple=False)
        for why, text in both:
            try:
                if expression(text).matches(seen):
                    continue
            except ExpressionError as error:
                return _failing(name, text, seen, error, of_class=why is DeviceWhy.CLASS)
            return DeviceVerdict(name, why, text, values=named_values(text, seen), seen=seen)
        return None


def _failing(name: str, text: str, seen: CelDevice, error: ExpressionError, *, of_class: bool) -> DeviceVerdict:
    known = [identifier for _, identifier, _ in (*seen.attributes, *seen.capacity)]
    by_lower = {same.lower(): same for same in known}
    near = get_close_matches(error.key.lower(), by_lower, n=1, cutoff=0.7) if error.key else ()
    return DeviceVerdict(
        name,
        DeviceWhy.FAILS,
        text,
        values=() if error.compile else named_values(text, seen),
        of_class=of_class,
        error=error.text,
        spots=error.spots,
        missing=error.key,
        close=by_lower[near[0]] if near else "",
        seen=seen,
    )


def named_values(text: str, seen: CelDevice) -> tuple[tuple[str, str], ...]:
    """The values of a device that an expression names: (``domain/name``, value), the driver first if it names that."""
    mentioned = expression(text).source.mentioned
    named: list[tuple[str, str]] = [("driver", seen.driver)] if mentioned is None or "driver" in mentioned else []
    entries: list[tuple[str, str, Any]] = [*seen.attributes, *((d, n, _amount(nanos)) for d, n, nanos in seen.capacity)]
    for domain, identifier, value in entries:
        if mentioned is None or identifier in mentioned:
            named.append((f"{domain}/{identifier}", written(value)))
    return tuple(named)


def _amount(nanos: int) -> str:
    return format_nanos(nanos, QuantityFormat.BINARY_SI)


def written(value: Any) -> str:
    """The value of an attribute as it is told."""
    if isinstance(value, SemanticVersion):
        return value.text
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(map(written, value))}]"
    return str(value)
