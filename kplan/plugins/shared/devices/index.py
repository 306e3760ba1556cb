"""The devices of a cluster by node, so that nodes which are alike are looked at once.

A node's devices are its *own* pools, which no other node sees, and those of its *group*: nodes that see the same shared
slices. Own pools that are alike in everything but names, and alike in what of them is in use, have the same number;
what a search finds for one of them holds for all. Use of devices is followed as claims change: a change touches the
nodes that see the device, not the others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from msgspec import Struct, field

from kplan.framework.features import Features
from kplan.framework.worlds import Mask
from kplan.plugins.shared.devices.device import DeviceID, NodesOfDevices
from kplan.plugins.shared.devices.numbering import Codes, Numbering
from kplan.plugins.shared.devices.pools import PoolID, PoolUse, PoolView, counted, gather, order_of, usable
from kplan.plugins.shared.devices.rules import CounterScope, allocator_rules
from kplan.plugins.shared.devices.slices import Slice, read_slices
from kplan.plugins.shared.devices.usage import DeviceUsage, device_usage

if TYPE_CHECKING:
    from kplan.cluster import Cluster


class NodeDevices(Struct, frozen=True):
    """The pools of one node, in the order in which they are tried.

    Attributes:
        pools: the pools.
        uses: what of each is in use.
    """

    pools: tuple[PoolView, ...]
    uses: tuple[PoolUse, ...]


class Numbers(NamedTuple):
    """Nodes by number.

    Attributes:
        codes: int64[N].
        searches: what they found, by what was asked for and the number of the node; kept with the numbers, as it
            holds as long as they do.
    """

    codes: Codes
    searches: dict[Any, Any]


class _Group(Struct):
    """Nodes that see the same shared slices."""

    slices: list[Slice]
    pools: list[PoolView]
    uses: list[PoolUse] = field(default_factory=list)


class DeviceIndex:
    """Pools by node, and numbers of nodes that are alike.

    Attributes:
        rules: of the version.
        slices: all slices that count, by name.
    """

    def __init__(self, cluster: Cluster, features: Features, usage: DeviceUsage) -> None:
        self.rules = allocator_rules(features)
        self._cluster = cluster
        self._usage = usage
        every = read_slices(cluster, features)
        self.slices = [item for item in every if usable(item, self.rules)]
        self._everywhere: dict[PoolID, list[Slice]] = defaultdict(list)
        for item in every:
            if counted(item, self.rules):
                self._everywhere[item.driver, item.pool].append(item)
        self._masks: dict[int, Mask] = {}
        count = len(cluster.nodes)
        self._group_of: Codes = np.zeros(count, dtype=np.int64)
        self._groups: list[_Group] = []
        self._own: list[tuple[PoolView, ...]] = [()] * count
        self._own_uses: list[list[PoolUse]] = [[] for _ in range(count)]
        self._order: list[tuple[tuple[bool, int], ...]] = [()] * count
        self._same_names: list[tuple[int, ...]] = [()] * count
        self._numberings: dict[bool, Numbering] = {}
        self._found: dict[bool, dict[Any, Any]] = {False: {}, True: {}}
        self._seers: dict[DeviceID, list[tuple[int, int]]] = defaultdict(list)
        self._group_seers: dict[DeviceID, list[tuple[int, int]]] = defaultdict(list)
        self._build()
        self._at = len(usage.changed)

    # --- questions

    def numbers(self, names: frozenset[str] | None) -> Numbers:
        """Number nodes, equal where the same search finds the same, names of objects aside; brought up to date first.

        Args:
            names: attributes and capacities that the search looks at; None for all.
        """
        self._refresh()
        numbering = self._numbering(names)
        known = self._found[names is None]
        if len(self._groups) == 1:
            return Numbers(numbering.own, known)
        by_group = np.array(numbering.groups, dtype=np.int64)
        return Numbers(numbering.own + (by_group[self._group_of] << 32), known)

    def _numbering(self, names: frozenset[str] | None) -> Numbering:
        """The numbering by all names asked about so far, so that what is found once serves many searches."""
        known = self._numberings.get(names is None)
        if known is not None and (names is None or (known.names is not None and names <= known.names)):
            return known
        every = names if known is None or names is None or known.names is None else names | known.names
        made = Numbering(every, len(self._cluster.nodes), len(self._groups))
        for number, group in enumerate(self._groups):
            made.number_group(number, group.pools, group.uses)
        for row in range(len(self._cluster.nodes)):
            if self._order[row]:
                self._number_node(made, row)
        self._found[names is None] = {}
        self._numberings[names is None] = made
        return made

    def _number_node(self, numbering: Numbering, row: int) -> None:
        order = (self._order[row], self._same_names[row])
        numbering.number_node(row, self._own[row], self._own_uses[row], order)

    def node(self, row: int) -> NodeDevices:
        """The pools of a node, brought up to date first."""
        self._refresh()
        group = self._groups[int(self._group_of[row])]
        order = self._order[row]
        pools = tuple(self._own[row][i] if own else group.pools[i] for own, i in order)
        uses = tuple(self._own_uses[row][i] if own else group.uses[i] for own, i in order)
        return NodeDevices(pools, uses)

    def mask(self, choice: NodesOfDevices) -> Mask:
        """bool[N] of the nodes that a choice takes.

        Source: v0.37.2 structured/internal/incubating/pools_incubating.go NodeMatches.
        """
        cluster = self._cluster
        if choice.name:
            mask = np.zeros(len(cluster.nodes), dtype=np.bool_)
            row = cluster.node_index.get(choice.name)
            if row is not None:
                mask[row] = True
            return mask
        if choice.every:
            return np.ones(len(cluster.nodes), dtype=np.bool_)
        if choice.selector is None:
            return np.zeros(len(cluster.nodes), dtype=np.bool_)
        known = self._masks.get(id(choice.selector))
        if known is None:
            known = self._masks[id(choice.selector)] = cluster.labels.selector(choice.selector)
        return known

    # --- building

    def _build(self) -> None:
        own: dict[int, list[Slice]] = defaultdict(list)
        shared: list[tuple[Slice, Mask]] = []
        columns: list[Mask] = []
        for item in self.slices:
            everywhere = self.rules.counters_everywhere and bool(item.counters)
            if item.nodes.name and not everywhere:
                row = self._cluster.node_index.get(item.nodes.name)
                if row is not None:
                    own[row].append(item)
                continue
            reached, parts = self._reach(item, everywhere=everywhere)
            if reached.any():
                shared.append((item, reached))
                columns += [reached, *parts]
        self._group(shared, columns)
        for group in range(len(self._groups)):
            self._build_group(group)
        for row in range(len(self._cluster.nodes)):
            self._build_node(row, own.get(row, []))

    def _reach(self, item: Slice, *, everywhere: bool) -> tuple[Mask, list[Mask]]:
        """Masks of the nodes that a slice is for, and of those of each of its devices that choose for themselves."""
        if everywhere:
            return np.ones(len(self._cluster.nodes), dtype=np.bool_), []
        if item.nodes.given:
            reached = self.mask(item.nodes)
            return reached, [self.mask(device.nodes) for device in item.devices] if item.per_device else []
        if not item.per_device:
            return np.zeros(len(self._cluster.nodes), dtype=np.bool_), []
        parts = [self.mask(device.nodes) for device in item.devices]
        return np.logical_or.reduce(parts) if parts else np.zeros(len(self._cluster.nodes), dtype=np.bool_), parts

    def _group(self, shared: Sequence[tuple[Slice, Mask]], columns: Sequence[Mask]) -> None:
        """Number nodes by which shared slices and devices they see."""
        count = len(self._cluster.nodes)
        if not columns or not count:
            self._groups = [_Group([], [])]
            return
        patterns, first, inverse = np.unique(
            np.packbits(np.array(columns), axis=0).T, axis=0, return_index=True, return_inverse=True
        )
        self._group_of = inverse.reshape(-1).astype(np.int64)
        self._groups = [
            _Group([item for item, reached in shared if reached[int(row)]], []) for row in first[: len(patterns)]
        ]

    def _build_group(self, number: int) -> None:
        group = self._groups[number]
        if not group.slices:
            return
        row = int(np.flatnonzero(self._group_of == number)[0])
        group.pools = gather(group.slices, self._everywhere, self._reached(row), self.rules)
        group.uses = [pool.use(self._usage, self.rules) for pool in group.pools]
        for i, pool in enumerate(group.pools):
            for device in (*pool.devices, *pool.hidden):
                self._group_seers[pool.id_of(device)].append((number, i))

    def _build_node(self, row: int, slices: list[Slice]) -> None:
        group = self._groups[int(self._group_of[row])]
        mine = {(item.driver, item.pool) for item in slices}
        if mine:
            joined = slices + [item for item in group.slices if (item.driver, item.pool) in mine]
            joined.sort(key=lambda item: item.name.encode())
            self._own[row] = tuple(gather(joined, self._everywhere, self._reached(row), self.rules))
        self._own_uses[row] = [pool.use(self._usage, self.rules) for pool in self._own[row]]
        entries = [(order_of(pool, self.rules), (True, i)) for i, pool in enumerate(self._own[row])]
        entries += [
            (order_of(pool, self.rules), (False, i)) for i, pool in enumerate(group.pools) if pool.identity not in mine
        ]
        self._order[row] = tuple(entry for _, entry in sorted(entries))
        if self.rules.partitionable and self.rules.counter_scope is CounterScope.POOL_NAME:
            names = [(self._own[row] if own else group.pools)[i].name for own, i in self._order[row]]
            self._same_names[row] = tuple(map(names.index, names))
        for i, pool in enumerate(self._own[row]):
            for device in (*pool.devices, *pool.hidden):
                self._seers[pool.id_of(device)].append((row, i))

    def _reached(self, row: int) -> Any:
        return lambda choice: bool(self.mask(choice)[row])

    # --- following

    def _refresh(self) -> None:
        """Look again at the nodes and groups that see a device whose use has changed."""
        changed = self._usage.changed
        if self._at == len(changed):
            return
        devices = dict.fromkeys(changed[self._at :])
        self._at = len(changed)
        for numbering in self._numberings.values():
            numbering.detach()
        for row, pools in _by_first(seer for device in devices for seer in self._seers.get(device, ())).items():
            for i in pools:
                self._own_uses[row][i] = self._own[row][i].use(self._usage, self.rules)
            for numbering in self._numberings.values():
                self._number_node(numbering, row)
        for number, pools in _by_first(s for device in devices for s in self._group_seers.get(device, ())).items():
            group = self._groups[number]
            for i in pools:
                group.uses[i] = group.pools[i].use(self._usage, self.rules)
            for numbering in self._numberings.values():
                numbering.number_group(number, group.pools, group.uses)


def _by_first(pairs: Iterable[tuple[int, int]]) -> dict[int, set[int]]:
    by_first: dict[int, set[int]] = {}
    for first, second in pairs:
        by_first.setdefault(first, set()).add(second)
    return by_first


@lru_cache(maxsize=64)
def _name(features: Features) -> str:
    return f"device-index-{features.version}-{sorted(features.gates)}"


def device_index(cluster: Cluster, features: Features) -> DeviceIndex:
    """Return the devices of a cluster by node, for a version with its gates; made anew when slices or nodes change."""
    kinds = ("resource_slices", "device_classes", "device_taint_rules", "nodes")
    index: DeviceIndex = cluster.objects.derived(
        _name(features),
        kinds,
        lambda: DeviceIndex(
            cluster, features, device_usage(cluster, consumable=features.enabled("DRAConsumableCapacity"))
        ),
    )
    return index
