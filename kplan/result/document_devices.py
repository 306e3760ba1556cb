"""Devices in documents: which there are for a request on some nodes, and what refuses each of them."""

from __future__ import annotations

import msgspec

from kplan.result.document_base import Part


class CelError(Part, frozen=True, kw_only=True):
    """Where an expression does not compile.

    Attributes:
        line, column: in the expression, from 1.
        text: what is wrong there.
    """

    line: int
    column: int
    text: str


class DeviceAmount(Part, frozen=True, kw_only=True):
    """A capacity or a counter of which too little is left.

    Attributes:
        name: of the capacity, or ``set/counter``.
        needs: what is needed.
        left: what is left.
        whole: what there is in all; empty where that is not known.
    """

    name: str
    needs: str
    left: str
    whole: str = ""


class DeviceSet(Part, frozen=True, kw_only=True):
    """Devices that the same thing refuses to a request.

    Attributes:
        devices: ``pool/device``.
        driver: of the devices.
        why: nothing, in-use, class-selector, claim-selector, selector-fails, taint, capacity, counters, other-node,
            binding-conditions-unsupported or feature-off.
        text: the same in words.
        expression: the selector that refuses them.
        values: what it names, and what the devices have of that.
        error: what it fails with, in the scheduler's words.
        errors: where it does not compile.
        claims: that have the devices, ``namespace/name``.
        pods: that use those claims.
        taint: that is not tolerated, ``key=value:effect``.
        rule: the DeviceTaintRule that the taint is from.
        amounts: of which too little is left.
    """

    devices: tuple[str, ...]
    driver: str
    why: str
    text: str
    expression: str = ""
    values: dict[str, str] = msgspec.field(default_factory=dict)
    error: str = ""
    errors: tuple[CelError, ...] = ()
    claims: tuple[str, ...] = ()
    pods: tuple[str, ...] = ()
    taint: str = ""
    rule: str = ""
    amounts: tuple[DeviceAmount, ...] = ()


class DeviceNodes(Part, frozen=True, kw_only=True):
    """Nodes that have the same for a request.

    Attributes:
        nodes: their names.
        text: what they lack.
        usable: devices that nothing refuses by themselves.
        sets: their devices; none where the nodes have no devices.
        notes: pools that are incomplete or invalid.
    """

    nodes: tuple[str, ...]
    usable: int
    text: str = ""
    sets: tuple[DeviceSet, ...] = ()
    notes: tuple[str, ...] = ()


class DeviceRequest(Part, frozen=True, kw_only=True):
    """A request of a claim, and what nodes have for it.

    Attributes:
        claim: ``namespace/name``; of extended resources the claim that the scheduler would make.
        request: ``request`` or ``request/option``.
        device_class: the class.
        count: devices asked for; 0 for all.
        selectors: of the claim.
        nodes: nearest first.
    """

    claim: str
    request: str
    device_class: str = msgspec.field(name="class")
    count: int
    selectors: tuple[str, ...] = ()
    nodes: tuple[DeviceNodes, ...] = ()


class DeviceConstraint(Part, frozen=True, kw_only=True):
    """A constraint that keeps devices of a node from being given together.

    Attributes:
        claim: ``namespace/name``.
        node: the node.
        attribute: that devices must share, or must not.
        rule: matchAttribute or distinctAttribute.
        values: devices that would do by themselves, by value of the attribute; an empty value for none.
    """

    claim: str
    node: str
    attribute: str
    rule: str
    values: dict[str, int]


class AllocatedClaim(Part, frozen=True, kw_only=True):
    """A claim that has devices which are not to be had on some nodes.

    Attributes:
        claim: ``namespace/name``.
        devices: ``driver/pool/device``.
        nodes: where it is to be had.
        pods: it is reserved for.
        failed: whether its devices could not be attached.
    """

    claim: str
    devices: tuple[str, ...]
    nodes: tuple[str, ...]
    pods: tuple[str, ...] = ()
    failed: bool = False


class DeviceAttribute(Part, frozen=True, kw_only=True):
    """An attribute, or a capacity, for which a selector fails, as a device is without it.

    Attributes:
        attribute: ``domain/name``.
        values: devices of the cluster by their value of it, the most frequent first; empty where none has it.
    """

    attribute: str
    values: dict[str, int]


class Devices(Part, frozen=True, kw_only=True):
    """What keeps the claims of a pod from their devices.

    Attributes:
        requests: that need devices.
        constraints: in the way.
        allocated: claims that have theirs, elsewhere.
        missing: attributes that devices are without, where a selector fails for that.
    """

    requests: tuple[DeviceRequest, ...] = ()
    constraints: tuple[DeviceConstraint, ...] = ()
    allocated: tuple[AllocatedClaim, ...] = ()
    missing: tuple[DeviceAttribute, ...] = ()
