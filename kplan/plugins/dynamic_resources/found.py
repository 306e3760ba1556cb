"""What a search for devices comes to; names of claims and devices are filled in for each node it holds for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

from kplan.plugins.shared.devices.device import PooledDevice, WrittenAmount
from kplan.plugins.shared.devices.index import NodeDevices


class DevicePlace(NamedTuple):
    """Where a device stands among those of a node.

    Attributes:
        pool: position of its pool.
        device: position among the devices of the pool.
    """

    pool: int
    device: int

    def on(self, node: NodeDevices) -> PooledDevice:
        """The device of a node."""
        return node.pools[self.pool].devices[self.device]


class ClaimRef(NamedTuple):
    """Stands in an error for a claim, by its position."""

    number: int


class PoolRef(NamedTuple):
    """Stands in an error for a pool, ``driver/name``; ``bare`` for its name alone."""

    number: int
    bare: bool = False


class ProblemRef(NamedTuple):
    """Stands in an error for what is wrong with a pool."""

    number: int


class DeviceRef(NamedTuple):
    """Stands in an error for a device; ``bare`` for its name alone."""

    place: DevicePlace
    bare: bool = False


Part = str | ClaimRef | PoolRef | ProblemRef | DeviceRef


class SearchStop(Exception):
    """An error that ends a search; never leaves the plugin.

    Attributes:
        parts: the error.
        selector: whether a selector does not compile, or fails on a device.
    """

    def __init__(self, *parts: Part, selector: bool = False) -> None:
        super().__init__(parts)
        self.parts = parts
        self.selector = selector


class ChosenDevice(Struct, frozen=True):
    """One device that was found.

    Attributes:
        claim: position of the claim.
        request: what the result is filed under.
        option: position of the option that was taken; 0 for a plain request.
        place: which device.
        admin: whether with admin access.
        shared: whether it is a share of a device that may be given to many.
        consumed: what the share takes, by capacity.
    """

    claim: int
    request: str
    option: int
    place: DevicePlace
    admin: bool
    shared: bool
    consumed: tuple[tuple[str, WrittenAmount], ...]


class SearchOutcome(Struct, frozen=True):
    """What a search came to.

    Attributes:
        chosen: the devices, by claim; None if there is no way.
        invalid: there is no way, and a pool is invalid.
        error: the error that ended it, in parts; empty for none.
        selector: whether that is a selector which does not compile, or fails on a device.
        timed_out: it was given up.
        score: what the options taken are worth, over all claims.
    """

    chosen: tuple[tuple[ChosenDevice, ...], ...] | None
    invalid: bool = False
    error: tuple[Part, ...] = ()
    timed_out: bool = False
    score: int = 0
    selector: bool = False


def told(parts: Sequence[Part], claims: Sequence[str], node: NodeDevices) -> str:
    """Write an error for one node.

    Args:
        parts: the error.
        claims: keys of the claims searched for.
        node: its devices.
    """
    return "".join(_part(part, claims, node) for part in parts)


def _part(part: Part, claims: Sequence[str], node: NodeDevices) -> str:
    if isinstance(part, ClaimRef):
        return claims[part.number]
    if isinstance(part, PoolRef):
        pool = node.pools[part.number]
        return pool.name if part.bare else pool.text
    if isinstance(part, ProblemRef):
        return node.pools[part.number].problem
    if isinstance(part, DeviceRef):
        device = part.place.on(node)
        return device.name if part.bare else str(node.pools[part.place.pool].id_of(device))
    return part
