"""Pools: the slices that belong together, as one node sees them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from msgspec import Struct

from kplan.plugins.shared.devices.device import DeviceID, NodesOfDevices, PooledDevice
from kplan.plugins.shared.devices.rules import AllocatorRules, CounterScope
from kplan.plugins.shared.devices.slices import Slice
from kplan.plugins.shared.devices.usage import DeviceUsage

PoolID = tuple[str, str]
"""Driver and name of a pool."""

Counters = Mapping[str, Mapping[str, int]]
"""Nanos by counter by set."""


@dataclass(frozen=True, eq=False)
class PoolView:
    """A pool as some nodes see it.

    Attributes:
        driver: of its devices.
        name: of the pool.
        incomplete: slices are missing.
        problem: what is wrong with it; empty if it is valid.
        slices: with devices for the node, in the order in which they are tried.
        matched: whether the node reaches a device, by slice and device; devices may choose their nodes themselves.
        hidden: devices of the pool for other nodes that take of its counters.
        counters: what devices share, in the whole pool; None where each slice has its own.
    """

    driver: str
    name: str
    incomplete: bool
    problem: str
    slices: tuple[Slice, ...]
    matched: tuple[tuple[bool, ...], ...]
    hidden: tuple[PooledDevice, ...]
    counters: Counters | None

    @property
    def identity(self) -> PoolID:
        """Driver and name."""
        return self.driver, self.name

    @property
    def text(self) -> str:
        """As it stands in errors."""
        return f"{self.driver}/{self.name}"

    @cached_property
    def devices(self) -> tuple[PooledDevice, ...]:
        """All devices for the node, one after the other."""
        return tuple(device for item in self.slices for device in item.devices)

    @cached_property
    def reached(self) -> tuple[bool, ...]:
        """Whether the node reaches each of them."""
        return tuple(reached for matched in self.matched for reached in matched)

    @cached_property
    def binding(self) -> bool:
        """Whether a device has binding conditions."""
        return any(device.binding_conditions is not None for device in self.devices)

    def id_of(self, device: PooledDevice) -> DeviceID:
        """Name one of its devices in the whole cluster."""
        return DeviceID(self.driver, self.name, device.name)

    @cached_property
    def shape(self) -> tuple[object, ...]:
        """What a search sees of it besides its devices."""
        counters = None if self.counters is None else _tuple(self.counters)
        slices = tuple([(len(item.devices), item.counters) for item in self.slices])
        return self.incomplete, bool(self.problem), slices, self.matched, counters

    def use(self, usage: DeviceUsage, rules: AllocatorRules) -> PoolUse:
        """Say what of it is in use."""
        held, shares = [], []
        for position, device in enumerate(self.devices):
            identity = self.id_of(device)
            if identity in usage.holders:
                held.append(position)
            if identity in usage.shares:
                capacity = usage.capacity(identity)
                said = (
                    None
                    if capacity is None
                    else tuple(sorted((name, amount.nanos) for name, amount in capacity.items()))
                )
                shares.append((position, said))
        # in 1.34 and 1.35, shares alone take no counters
        available: tuple[object, ...] = ()
        groups: tuple[object, ...] = ()
        if self.counters is not None and self.counters:
            takers = [d for d in (*self.devices, *self.hidden) if d.consumes and self._takes(d, usage, rules)]
            available = _tuple(less(self.counters, takers))
            groups = (
                tuple((consume.counter_set, consume.groups) for d in takers for consume in d.consumes)
                if rules.groups
                else ()
            )
        return PoolUse(tuple(held), tuple(shares), available, groups)

    def _takes(self, device: PooledDevice, usage: DeviceUsage, rules: AllocatorRules) -> bool:
        identity = self.id_of(device)
        return identity in usage.holders or (identity in usage.shares and rules.shares_counters_once)


class PoolUse(Struct, frozen=True):
    """What of a pool is in use.

    Attributes:
        held: positions of devices that somebody has alone.
        shares: (position, (capacity, nanos)... or None where no share says) of devices that are shared.
        available: what is left of the pool's counters.
        groups: (set of counters, groups) of the devices that take of them.
    """

    held: tuple[int, ...]
    shares: tuple[tuple[int, tuple[tuple[str, int], ...] | None], ...]
    available: tuple[object, ...]
    groups: tuple[object, ...]


def _tuple(counters: Counters) -> tuple[object, ...]:
    return tuple((name, tuple(sorted(values.items()))) for name, values in sorted(counters.items()))


def less(counters: Counters, takers: Iterable[PooledDevice]) -> dict[str, dict[str, int]]:
    """Subtract from counters what devices take; may fall below 0."""
    left = {name: dict(values) for name, values in counters.items()}
    for device in takers:
        for consumption in device.consumes:
            mine = left.get(consumption.counter_set, {})
            for name, nanos in consumption.counters:
                if name in mine:
                    mine[name] -= nanos
    return left


Reached = Callable[[NodesOfDevices], bool]
"""Tells whether a node reaches what chooses its nodes so."""


def usable(item: Slice, rules: AllocatorRules) -> bool:
    """Tell whether a slice counts at all with the features that are on.

    Source: v0.37.2, v0.36.3 and v0.34.4 structured/internal GatherPools.
    """
    if not rules.partitionable and (item.per_device_given or (rules.counters_in_pool and item.counters)):
        return False
    return counted(item, rules)


def counted(item: Slice, rules: AllocatorRules) -> bool:
    """Tell whether a slice counts when it is asked whether its pool is complete."""
    return rules.groups or rules.minor < 37 or not item.grouped


def gather(
    slices: Sequence[Slice], everywhere: Mapping[PoolID, Sequence[Slice]], reached: Reached, rules: AllocatorRules
) -> list[PoolView]:
    """Make the pools of a node.

    Args:
        slices: that the node reaches, by name; all of them usable.
        everywhere: all slices of each pool that count for its being complete.
        reached: tells about devices that choose their nodes themselves.
        rules: of the version.

    Returns:
        in the order in which they are tried. Until 1.35 that order is random, here it is that of names.

    Source: v0.37.2, v0.36.3 and v0.34.4 structured/internal GatherPools, addSlice, buildPool.
    """
    by_pool: dict[PoolID, list[Slice]] = {}
    for item in slices:
        mine = by_pool.setdefault((item.driver, item.pool), [])
        if mine and item.generation != mine[0].generation:
            if item.generation < mine[0].generation:
                continue
            mine.clear()
        mine.append(item)
    pools = []
    for identity, mine in by_pool.items():
        pool = _pool(identity, mine, everywhere[identity], reached, rules)
        if pool is not None:
            pools.append(pool)
    return ordered(pools, rules)


def ordered(pools: Iterable[PoolView], rules: AllocatorRules) -> list[PoolView]:
    """Sort pools by driver and name, those with binding conditions last where the version does so."""
    return sorted(pools, key=lambda pool: order_of(pool, rules))


def order_of(pool: PoolView, rules: AllocatorRules) -> tuple[bool, bytes, bytes]:
    """Where a pool stands among those of a node."""
    return rules.binding_last and pool.binding, pool.driver.encode(), pool.name.encode()


def _pool(
    identity: PoolID, mine: list[Slice], all_slices: Sequence[Slice], reached: Reached, rules: AllocatorRules
) -> PoolView | None:
    """Make one pool; None for one that is being replaced."""
    generation, count = mine[0].generation, mine[0].count
    if not rules.knows_obsolete:
        return _built(identity, mine, (), reached, rules, incomplete=len(mine) != count)
    others: list[Slice] = []
    if len(mine) != count:
        if any(item.generation > generation for item in all_slices):
            return None
        same = [item for item in all_slices if item.generation == generation]
        if len(same) != count:
            return PoolView(*identity, True, "", (), (), (), {})
        names = {item.name for item in mine}
        others = [item for item in same if item.name not in names]
    return _built(identity, mine, others, reached, rules, incomplete=False)


def _built(
    identity: PoolID,
    mine: Sequence[Slice],
    others: Sequence[Slice],
    reached: Reached,
    rules: AllocatorRules,
    *,
    incomplete: bool,
) -> PoolView:
    if rules.binding_last and not rules.counters_in_pool:
        # 1.34 puts slices, not only pools, with binding conditions last
        mine = sorted(mine, key=lambda s: any(device.binding_conditions is not None for device in s.devices))
    counting = rules.partitionable and rules.counters_in_pool
    devices = [item for item in mine if not (counting and item.counters)]
    problem = _repeated(device.name for item in devices for device in item.devices)
    hidden: list[PooledDevice] = []
    counters: dict[str, dict[str, int]] | None = None
    if counting:
        sources = [item for item in mine if item.counters]
        if not rules.counters_everywhere:
            sources += [item for item in others if item.counters]
        away = [item for item in others if rules.counters_everywhere or not item.counters]
        counters = {name: dict(values) for item in sources for name, values in item.counters}
        problem = (
            problem
            or _repeated((name for item in sources for name, _ in item.counters), "counter set")
            or _unknown_counter(devices, counters)
            or _unknown_counter(away, counters)
        )
        hidden = [device for item in away for device in item.devices if device.consumes]
    if problem and rules.counters_in_pool:
        return PoolView(*identity, incomplete, problem, (), (), (), {})
    matched = tuple(tuple(not item.per_device or reached(device.nodes) for device in item.devices) for item in devices)
    own = None if rules.counter_scope is CounterScope.SLICE else counters or {}
    return PoolView(*identity, incomplete, problem, tuple(devices), matched, tuple(hidden), own)


def _repeated(names: Iterable[str], what: str = "device") -> str:
    """Say which name occurs twice; empty if none."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return f"duplicate {what} name {name}"
        seen.add(name)
    return ""


def _unknown_counter(slices: Iterable[Slice], counters: Counters) -> str:
    """Say which counter a device takes that is not there; empty if none.

    Source: v0.37.2 structured/internal/incubating validateDeviceCounterConsumption.
    """
    for item in slices:
        for device in item.devices:
            for consumption in device.consumes:
                known = counters.get(consumption.counter_set)
                if known is None:
                    return f"counter set {consumption.counter_set} not found"
                for name, _ in consumption.counters:
                    if name not in known:
                        return f"counter {name} not found in counter set {consumption.counter_set}"
    return ""
