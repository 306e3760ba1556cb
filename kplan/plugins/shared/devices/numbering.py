"""Numbers for nodes, equal where a search that looks at certain names alone finds the same.

Drivers give every device an identifier of its own, so no two devices are alike in everything. Searches look at few of
the attributes: those that class, selectors and constraints mention. Devices that agree in these are of one kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kplan.plugins.shared.devices.device import PooledDevice
from kplan.plugins.shared.devices.pools import PoolUse, PoolView

Codes = NDArray[np.int64]


class Numbering:
    """Numbers of nodes and of groups of nodes.

    Attributes:
        names: attributes and capacities that are looked at; None for all.
        own: int64[N], by the pools that no other node sees.
        groups: by group, of the pools that its nodes share.
    """

    def __init__(self, names: frozenset[str] | None, nodes: int, groups: int) -> None:
        self.names = names
        self.own: Codes = np.zeros(nodes, dtype=np.int64)
        self.groups: list[int] = [0] * groups
        self._kinds: dict[PooledDevice, int] = {}
        self._kind_numbers: dict[Any, int] = {}
        self._signatures: dict[PoolView, int] = {}
        self._signature_numbers: dict[Any, int] = {}
        self._shapes: dict[Any, int] = {}
        self._states: dict[Any, int] = {}
        self._group_states: dict[Any, int] = {}

    def number_group(self, group: int, pools: Sequence[PoolView], uses: Sequence[PoolUse]) -> None:
        """Number a group; its pools count by name, as another group's pools are others."""
        key = tuple([(pool.identity, self._signature(pool), use) for pool, use in zip(pools, uses, strict=True)])
        self.groups[group] = self._group_states.setdefault(key, len(self._group_states))

    def number_node(self, row: int, pools: Sequence[PoolView], uses: Sequence[PoolUse], order: object) -> None:
        """Number a node.

        Args:
            row: the node.
            pools: its own.
            uses: what of them is in use.
            order: how its own pools and those of its group are tried.
        """
        shape = (tuple(map(self._signature, pools)), order)
        number = self._shapes.setdefault(shape, len(self._shapes) + 1)
        key = (number, tuple(uses))
        self.own[row] = self._states.setdefault(key, len(self._states) + 1)

    def detach(self) -> None:
        """Leave what was handed out as it is from here on."""
        self.own = self.own.copy()

    def _signature(self, pool: PoolView) -> int:
        known = self._signatures.get(pool)
        if known is None:
            key = (pool.shape, tuple(map(self._kind, pool.devices)))
            known = self._signatures[pool] = self._signature_numbers.setdefault(key, len(self._signature_numbers))
        return known

    def _kind(self, device: PooledDevice) -> int:
        known = self._kinds.get(device)
        if known is None:
            names, seen = self.names, device.seen.attributes
            shown = seen if names is None else tuple([entry for entry in seen if entry[1] in names])
            known = self._kind_numbers.setdefault((device.kind, shown), len(self._kind_numbers))
            self._kinds[device] = known
        return known
