"""Facts: for each node and request, which devices there are, what refuses each, and what is lacking in the end."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from kplan.framework.findings import Facts
from kplan.plugins.shared.devices.cel_device import CelDevice
from kplan.plugins.shared.devices.cel_errors import Spot


class DeviceWhy(StrEnum):
    """What refuses a device to a request, the first that does."""

    NOTHING = "nothing"
    IN_USE = "in-use"
    NEEDS_BINDING = "binding-conditions-unsupported"
    CLASS = "class-selector"
    CLAIM = "claim-selector"
    FAILS = "selector-fails"
    OTHER_NODE = "other-node"
    CAPACITY = "capacity"
    COUNTERS = "counters"
    TAINT = "taint"
    UNSUPPORTED = "feature-off"


class Lack(StrEnum):
    """What a node lacks for the claims of a pod: the one thing that, lifted, would do; the nearest of several."""

    IN_USE = "in-use"
    """Devices that would do are held by others."""
    TAINT = "taint"
    COUNTERS = "counters"
    """Devices that would do share counters of which too little is left."""
    CAPACITY = "capacity"
    """Devices that would do have too little capacity, or have too little of it left."""
    CONSTRAINT = "constraint"
    """Enough devices would do, but not together: a constraint of the claim does not hold."""
    TOGETHER = "together"
    """Each request could be met alone, but not all of them with the same devices."""
    FEATURE = "feature"
    """Devices that would do need a feature that is off."""
    POOL = "pool"
    """A pool is not complete, or not valid, so that its devices do not count."""
    SELECTOR = "selector"
    """Enough devices of the class, but the claim does not select them."""
    TOO_FEW = "too-few"
    """Devices of the class, but too few, used or not."""
    NO_DEVICE = "no-device"
    """Not one device of the class."""
    FAILS = "fails"
    """A selector does not compile, or fails on a device."""


class Short(Struct, frozen=True):
    """An amount that is not left.

    Attributes:
        name: of the capacity, or ``set/counter``.
        needs: what the device would take of it.
        left: what is left.
        whole: what there is in all; empty where that is not told.
    """

    name: str
    needs: str
    left: str
    whole: str = ""


class DeviceVerdict(Struct, frozen=True):
    """One device, and what refuses it to a request.

    Attributes:
        device: ``driver/pool/name``.
        why: what refuses it.
        expression: the selector that does; empty for none.
        of_class: whether that is one of the class, where it fails.
        values: (what it names, value of the device) of the attributes and capacities that the selector names and the
            device has.
        error: what the selector failed with.
        spots: where in the expression that is, of one that does not compile.
        missing: the attribute that the device does not have, of one that failed for that.
        close: an attribute of the device that is spelled alike.
        holders: keys of the claims that have it, or a share of it, or of its counters.
        users: pods that these claims are reserved for, ``namespace/name``.
        taint: ``key=value:effect`` of the taint that is not tolerated.
        rule: the DeviceTaintRule that the taint is from.
        short: what is not left of capacity or counters.
        seen: what the selector sees of the device that it refuses.
    """

    device: str
    why: DeviceWhy
    expression: str = ""
    of_class: bool = False
    values: tuple[tuple[str, str], ...] = ()
    error: str = ""
    spots: tuple[Spot, ...] = ()
    missing: str = ""
    close: str = ""
    holders: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    taint: str = ""
    rule: str = ""
    short: tuple[Short, ...] = ()
    seen: CelDevice | None = None

    @property
    def name(self) -> str:
        """Its name in its pool."""
        return self.device.rpartition("/")[2]


class RequestFacts(Struct, frozen=True):
    """One request, or one option of a prioritized list, on one node.

    Attributes:
        claim: key of the claim.
        request: ``request`` or ``request/option``.
        device_class: name of the class.
        count: devices asked for; of a request for all, how many there are.
        every: whether it is for all devices.
        devices: every device of the node's pools.
        incomplete: ``driver/name`` of pools of which slices are missing.
        invalid: ``driver/name`` of pools that are not valid, with what is wrong.
        lack: what is lacking for it alone; None where enough devices would do.
    """

    claim: str
    request: str
    device_class: str
    count: int
    every: bool
    devices: tuple[DeviceVerdict, ...]
    incomplete: tuple[str, ...] = ()
    invalid: tuple[tuple[str, str], ...] = ()
    lack: Lack | None = None

    @property
    def usable(self) -> int:
        """Devices that nothing refuses by themselves; what constraints say of several together is another matter."""
        return sum(device.why is DeviceWhy.NOTHING for device in self.devices)

    @property
    def selected(self) -> int:
        """Devices that class and claim select, in use or not."""
        return sum(
            device.why not in (DeviceWhy.CLASS, DeviceWhy.CLAIM, DeviceWhy.FAILS, DeviceWhy.OTHER_NODE)
            for device in self.devices
        )

    @property
    def of_class(self) -> int:
        """Devices of the class, whether the claim selects them or not."""
        return self.selected + sum(device.why is DeviceWhy.CLAIM for device in self.devices)


class ClaimConstraintFacts(Struct, frozen=True):
    """A constraint that keeps devices from being given together.

    Attributes:
        claim: key of the claim.
        attribute: that they must share, or must not.
        distinct: whether the values must differ.
        requests: that it is about; all where none is named.
        values: (value, devices that would do by themselves and have it), in order of values; empty for none.
        alone: whether devices are found once this constraint is left out.
    """

    claim: str
    attribute: str
    distinct: bool
    requests: tuple[str, ...]
    values: tuple[tuple[str, int], ...]
    alone: bool


class Elsewhere(Struct, frozen=True):
    """An allocated claim that is not to be had on a node.

    Attributes:
        claim: its key.
        devices: ``driver/pool/name`` of what it has.
        nodes: on which nodes it is to be had.
        users: pods it is reserved for, ``namespace/name``.
        failed: whether its devices could not be attached, or took too long.
    """

    claim: str
    devices: tuple[str, ...]
    nodes: tuple[str, ...]
    users: tuple[str, ...]
    failed: bool


class KnownValues(Struct, frozen=True):
    """What the devices of the cluster have of an attribute that some are without.

    Attributes:
        name: ``domain/name``.
        values: (value, devices that have it), the most frequent first; empty where no device has the attribute.
    """

    name: str
    values: tuple[tuple[str, int], ...]


class NodeClaims(Struct, frozen=True):
    """The claims of a pod on one node.

    Attributes:
        node: its name.
        requests: of the claims that need devices; none where a request cannot be understood at all.
        elsewhere: allocated claims that are not to be had there.
        lack: what is lacking in the end; None where that cannot be told, or nothing is.
        lacking: position of the request that it is about; -1 for several together.
        constraints: that stand in the way, where it is those.
        room: resources of the node of which too little is left for what its devices stand for.
    """

    node: str
    requests: tuple[RequestFacts, ...]
    elsewhere: tuple[Elsewhere, ...]
    lack: Lack | None = None
    lacking: int = -1
    constraints: tuple[ClaimConstraintFacts, ...] = ()
    room: tuple[Short, ...] = ()

    @property
    def request(self) -> RequestFacts | None:
        """The request for which something is lacking; None where that is several together."""
        return self.requests[self.lacking] if self.lacking >= 0 else None


class DynamicResourcesFacts(Facts, frozen=True):
    """What each node asked about has for the claims of a pod.

    Attributes:
        nodes: those asked about.
        known: what devices have of attributes for which a selector failed.
    """

    nodes: tuple[NodeClaims, ...]
    known: tuple[KnownValues, ...] = ()
