"""Counters that devices share, while a search gives devices away.

Source: dynamic-resource-allocation v0.37.2, v0.36.3 and v0.34.4 structured/internal checkAvailableCounters;
v0.37.2 structured/internal/experimental/compatibility_groups.go.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from kplan.plugins.dynamic_resources.found import DevicePlace
from kplan.plugins.shared.devices.index import NodeDevices
from kplan.plugins.shared.devices.pools import less
from kplan.plugins.shared.devices.rules import AllocatorRules, CounterScope

_Counters = dict[str, dict[str, int]]


class CounterBook:
    """What is left of counters, and what this search has taken."""

    def __init__(self, node: NodeDevices, rules: AllocatorRules) -> None:
        self._node = node
        self._rules = rules
        self._available: dict[Hashable, _Counters] = {}
        self._taken: dict[Hashable, _Counters] = {}
        self._groups: dict[Hashable, dict[str, list[frozenset[str]]]] = {}

    def take(self, place: DevicePlace) -> bool:
        """Take what a device consumes; False, with nothing taken, if that is more than is left.

        Every counter of the scope has to be within what is left, also those the device does not touch.
        """
        scope = self._scope(place)
        available = self._available.get(scope)
        if available is None:
            available = self._available[scope] = self._left(place)
        self._add(scope, place, 1)
        taken = self._taken[scope]
        for name, counters in available.items():
            mine = taken.get(name, {})
            if any(nanos < mine.get(counter, 0) for counter, nanos in counters.items()):
                self._add(scope, place, -1)
                return False
        return True

    def short(self, place: DevicePlace) -> list[tuple[str, str, int, int]]:
        """Name the counters of which less is left than a device consumes: set, counter, consumed and left [10^-9]."""
        available = self._left(place)
        return [
            (consume.counter_set, name, nanos, available.get(consume.counter_set, {}).get(name, 0))
            for consume in place.on(self._node).consumes
            for name, nanos in consume.counters
            if nanos > available.get(consume.counter_set, {}).get(name, 0)
        ]

    def give_back(self, place: DevicePlace) -> None:
        """Give back what was taken for a device."""
        self._add(self._scope(place), place, -1)

    def join(self, place: DevicePlace) -> bool:
        """Place a device beside those that share its counters; False if their groups do not go together."""
        running = self._groups.setdefault(place.pool, self._baseline(place.pool))
        consumes = place.on(self._node).consumes
        for consumption in consumes:
            others = running.get(consumption.counter_set, [])
            mine = frozenset(consumption.groups)
            if others and not _go_together(others, mine):
                return False
        for consumption in consumes:
            running.setdefault(consumption.counter_set, []).append(frozenset(consumption.groups))
        return True

    def leave(self, place: DevicePlace) -> None:
        """Take back the device that joined last."""
        for consumption in place.on(self._node).consumes:
            self._groups[place.pool][consumption.counter_set].pop()

    def _scope(self, place: DevicePlace) -> Hashable:
        pool = self._node.pools[place.pool]
        if self._rules.counter_scope is CounterScope.POOL:
            return place.pool
        if self._rules.counter_scope is CounterScope.POOL_NAME:
            return pool.name
        return place.pool, self._slice(place)

    def _slice(self, place: DevicePlace) -> int:
        rest = place.device
        for i, item in enumerate(self._node.pools[place.pool].slices):
            if rest < len(item.devices):
                return i
            rest -= len(item.devices)
        raise AssertionError("a place is among the devices of its pool")

    def _left(self, place: DevicePlace) -> _Counters:
        if self._rules.counter_scope is not CounterScope.SLICE:
            available: Any = self._node.uses[place.pool].available
            return {name: dict(counters) for name, counters in available}
        item = self._node.pools[place.pool].slices[self._slice(place)]
        held = self._node.uses[place.pool].held
        devices = self._node.pools[place.pool].devices
        mine = [devices[position] for position in held if any(devices[position] is device for device in item.devices)]
        return less({name: dict(counters) for name, counters in item.counters}, mine)

    def _add(self, scope: Hashable, place: DevicePlace, sign: int) -> None:
        taken = self._taken.setdefault(scope, {})
        for consumption in place.on(self._node).consumes:
            counters = taken.setdefault(consumption.counter_set, {})
            for name, nanos in consumption.counters:
                counters[name] = counters.get(name, 0) + sign * nanos

    def _baseline(self, pool: int) -> dict[str, list[frozenset[str]]]:
        by_name: dict[str, list[frozenset[str]]] = {}
        groups: Any = self._node.uses[pool].groups
        for name, mine in groups:
            by_name.setdefault(name, []).append(frozenset(mine))
        return by_name


def _go_together(others: list[frozenset[str]], mine: frozenset[str]) -> bool:
    """Devices without groups go with each other alone; others need one group in common with all."""
    if not mine or not others[0]:
        return not mine and not others[0]
    common = mine
    for groups in others:
        common = common & groups if groups else common
    return bool(common)
