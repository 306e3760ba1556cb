"""Consumable capacity: what a request takes of a device that may be given to many, and whether that is left.

Source: dynamic-resource-allocation v0.37.2 and v0.36.3 structured/internal/incubating/consumable_capacity.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kplan.objects.quantity import MAX_INT64, NANO_PER_MILLI, NANO_PER_UNIT, QuantityFormat
from kplan.plugins.shared.devices.device import Capacity, CapacityPolicy, PooledDevice, WrittenAmount
from kplan.plugins.shared.devices.rules import AllocatorRules

Asked = Mapping[str, WrittenAmount]
"""Amounts asked for, by capacity."""


class CapacityError(Exception):
    """An amount that cannot be worked with: it fails the pod from 1.37 on. Never leaves the plugin."""


def takes(asked: Asked | None, device: PooledDevice, rules: AllocatorRules) -> dict[str, WrittenAmount]:
    """Say what a request takes of each capacity of a device.

    Raises:
        CapacityError: an amount cannot be worked with.
    """
    amounts = {}
    for name, capacity in device.capacity.items():
        try:
            amount = _taken((asked or {}).get(name), capacity, rules)
        except CapacityError as error:
            raise CapacityError(f'capacity "{name}": {error}') from None
        if amount.nanos < 0 and rules.capacity_is_error:
            raise CapacityError(f'capacity "{name}": capacity value is negative')
        amounts[name] = amount
    return amounts


def fits(
    asked: Asked | None,
    device: PooledDevice,
    used: Mapping[str, int] | None,
    allocating: Mapping[str, int] | None,
    rules: AllocatorRules,
) -> bool:
    """Tell whether what a request takes of a device is left.

    Args:
        asked: amounts asked for.
        device: the device.
        used: what others have of it, in nanos by capacity.
        allocating: what this search has given of it already.
        rules: of the version.

    Raises:
        CapacityError: an amount cannot be worked with.
    """
    if any(name not in device.capacity for name in asked or ()):
        return False
    for name, amount in takes(asked, device, rules).items():
        capacity = device.capacity[name]
        if _breaks_policy(amount, capacity.policy, rules):
            return False
        if amount.nanos + (used or {}).get(name, 0) + (allocating or {}).get(name, 0) > capacity.value.nanos:
            return False
    return True


class Shortfall(NamedTuple):
    """A capacity of which too little is left.

    Attributes:
        name: of the capacity.
        needs: what the request would take [10^-9].
        left: what is left [10^-9].
        whole: what the device has in all [10^-9].
    """

    name: str
    needs: int
    left: int
    whole: int


def shortfalls(
    asked: Asked, device: PooledDevice, used: Mapping[str, int], rules: AllocatorRules
) -> Iterator[Shortfall]:
    """Name the capacities for which a device does not do: not there at all, outside of its policy, or not left.

    Args:
        asked: amounts asked for.
        device: the device.
        used: what others have of it, in nanos by capacity.
        rules: of the version.
    """
    for name, amount in asked.items():
        if name not in device.capacity:
            yield Shortfall(name, amount.nanos, 0, 0)
    try:
        amounts = takes(asked, device, rules)
    except CapacityError:
        amounts = dict(asked)
    for name, amount in amounts.items():
        capacity = device.capacity.get(name)
        if capacity is None:
            continue
        left = capacity.value.nanos - used.get(name, 0)
        if amount.nanos > left or _breaks_policy(amount, capacity.policy, rules):
            yield Shortfall(name, amount.nanos, left, capacity.value.nanos)


def _taken(asked: WrittenAmount | None, capacity: Capacity, rules: AllocatorRules) -> WrittenAmount:
    policy = capacity.policy
    if asked is None:
        return policy.default if policy is not None and policy.default is not None else capacity.value
    if policy is None:
        return asked
    if policy.ranged and policy.least is not None:
        return _stepped_up(asked, policy, rules)
    if policy.values is not None:
        return next((value for value in policy.values if asked.nanos <= value.nanos), asked)
    return asked


def _stepped_up(asked: WrittenAmount, policy: CapacityPolicy, rules: AllocatorRules) -> WrittenAmount:
    """Round up to the next amount of a range."""
    least = policy.least
    assert least is not None, "the caller has looked"
    if asked.nanos < least.nanos:
        return least
    if policy.step is None:
        return asked
    unit = _unit(policy, rules)
    if unit == NANO_PER_UNIT:
        if rules.capacity_is_error and asked.nanos > MAX_INT64 * NANO_PER_UNIT:
            raise CapacityError(_unfit(f"request {asked} exceeds MaxInt64"))
    elif asked.nanos % unit:
        raise CapacityError(_unfit(f"request {asked} is not a representable milli value"))
    first, step = _whole(least, unit), _whole(policy.step, unit)
    steps = -((first - _whole(asked, unit)) // step)
    if rules.capacity_is_error and first >= 0 and steps > (MAX_INT64 - first) // step:
        what = "MaxInt64" if unit == NANO_PER_UNIT else "the milli-value range"
        raise CapacityError(_unfit(f"rounding request {asked} up to the next step passes {what}"))
    form = policy.step.form if rules.capacity_is_error else QuantityFormat.BINARY_SI
    return WrittenAmount((first + step * steps) * unit, form)


def _unfit(why: str) -> str:
    return f"capacity request cannot be represented in the device's range arithmetic: {why}"


def _breaks_policy(amount: WrittenAmount, policy: CapacityPolicy | None, rules: AllocatorRules) -> bool:
    if policy is None or (policy.default is not None and policy.default.nanos == amount.nanos):
        return False
    if policy.ranged:
        return _outside(amount, policy, rules)
    return bool(policy.values) and all(amount.nanos != value.nanos for value in policy.values or ())


def _outside(amount: WrittenAmount, policy: CapacityPolicy, rules: AllocatorRules) -> bool:
    if policy.most is not None and amount.nanos > policy.most.nanos:
        return True
    if policy.step is None:
        return False
    unit = _unit(policy, rules)
    if unit == NANO_PER_MILLI and amount.nanos % unit:
        return True
    first = _whole(policy.least, unit) if policy.least is not None else 0
    return (_whole(amount, unit) - first) % _whole(policy.step, unit) != 0


def _unit(policy: CapacityPolicy, rules: AllocatorRules) -> int:
    """Nanos of the unit a range counts in: thousandths if all its amounts are whole ones, and the gate is on."""
    amounts = [amount for amount in (policy.least, policy.most, policy.step) if amount is not None]
    whole = all(amount.nanos % NANO_PER_MILLI == 0 for amount in amounts)
    stepped = policy.step is None or policy.step.nanos >= NANO_PER_MILLI
    return NANO_PER_MILLI if rules.fractional and whole and stepped else NANO_PER_UNIT


def _whole(amount: WrittenAmount, unit: int) -> int:
    """Units, rounded up, as Quantity.Value does."""
    return -(-amount.nanos // unit)
