"""Devices in a list of nodes: how many of each class are free, where they lie, and who uses the others."""

from __future__ import annotations

import msgspec

from kplan.result.document_base import Part


class DeviceClassTotal(Part, frozen=True, kw_only=True, omit_defaults=False):
    """The devices of one class over the nodes shown.

    Attributes:
        devices: that the class selects.
        used: held by claims, alone or in shares.
        free: that a claim may get now: not held, not tainted, what they share with others left.
        tainted: free but for a taint with an effect that keeps claims away.
        blocked: free but for counters that they share with devices in use.
        largest: the most that are free on one node.
        largest_node: that node, the first by name; empty where none is free.
        pieces: how many nodes have how many free, by that number.
        most_wanted: the most that one request of a claim in this cluster asks for of the class; 0 if none asks.
        fragmented: share of the free ones that such a request could not use where they lie [percent].
        error: what a selector of the class fails with; empty if none does.
    """

    devices: int
    used: int
    free: int
    tainted: int
    blocked: int
    largest: int
    largest_node: str = ""
    pieces: dict[int, int] = msgspec.field(default_factory=dict)
    most_wanted: int = 0
    fragmented: float | None = None
    error: str = ""


class DeviceEntry(Part, frozen=True, kw_only=True):
    """One device.

    Attributes:
        name: in its pool.
        state: free, used, shared, tainted or blocked.
        classes: that select it.
        claims: that have it, ``namespace/name``.
        pods: that use those claims.
        taints: ``key=value:effect``.
    """

    name: str
    state: str
    classes: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    pods: tuple[str, ...] = ()
    taints: tuple[str, ...] = ()


class DevicePool(Part, frozen=True, kw_only=True):
    """A pool of devices.

    Attributes:
        driver: that publishes it.
        pool: its name.
        node: the only node that reaches it; empty where several do.
        nodes: how many of the nodes shown reach it.
        devices: in the order of its slices.
        free: how many of them are free.
        problem: what is wrong with the pool, so that nothing of it is given; empty if nothing is.
    """

    driver: str
    pool: str
    node: str
    nodes: int
    devices: tuple[DeviceEntry, ...]
    free: int
    problem: str = ""


class DeviceList(Part, frozen=True, kw_only=True):
    """Devices of the nodes shown.

    Attributes:
        sentence: how many there are and how many are free.
        classes: by name.
        pools: by node, driver and name; those of several nodes last.
        notes: what else there is to say.
    """

    sentence: str
    classes: dict[str, DeviceClassTotal]
    pools: tuple[DevicePool, ...]
    notes: tuple[str, ...] = ()
