"""What candidates about devices are about: claims that ask for something else, devices that are let go."""

from __future__ import annotations

from msgspec import Struct

from kplan.plugins.shared.devices.cel_edits import Edit


class ClaimName(Struct, frozen=True):
    """A claim, or what it is made of.

    Attributes:
        name: of the claim.
        namespace: its namespace.
        template: the ResourceClaimTemplate that it was made of; empty for none.
    """

    name: str
    namespace: str
    template: str = ""


class FewerDevices(Struct, frozen=True):
    """A request for fewer devices; ``old`` is 0 for all."""

    claim: ClaimName
    request: str
    device_class: str
    new: int
    old: int


class LessCapacity(Struct, frozen=True):
    """A request for less of a capacity; for none of it where ``new`` is empty."""

    claim: ClaimName
    request: str
    capacity: str
    new: str
    old: str


class ToleratedDevices(Struct, frozen=True):
    """A taint of devices that a request tolerates, as ``key=value:effect``."""

    claim: ClaimName
    request: str
    taint: str


class OtherClass(Struct, frozen=True):
    """A request for devices of another class."""

    claim: ClaimName
    request: str
    new: str
    old: str


class OtherSelector(Struct, frozen=True):
    """A selector that says something else.

    Attributes:
        claim: the claim; with an empty name for a selector of a class.
        request: of the claim.
        device_class: the class whose selector it is; empty for one of the claim.
        edits: what of it is another.
        expression: the whole selector as it is then.
    """

    claim: ClaimName
    request: str
    device_class: str
    edits: tuple[Edit, ...]
    expression: str


class NoSelector(Struct, frozen=True):
    """A request without a selector; without all of them where the expression is empty.

    Attributes:
        gets: what a device has that it would get then, where it is another than the selector asks for.
    """

    claim: ClaimName
    request: str
    expression: str
    gets: str = ""


class NoConstraint(Struct, frozen=True):
    """A claim without a constraint."""

    claim: ClaimName
    attribute: str
    distinct: bool


class FreedClaims(Struct, frozen=True):
    """Claims that no pod uses any more let their devices go, ``namespace/name``; devices as ``pool/name``."""

    claims: tuple[str, ...]
    devices: tuple[str, ...]


class NewDeviceClaim(Struct, frozen=True):
    """A claim for one device of a class, which is made."""

    claim: ClaimName
    device_class: str


class OwnClaim(Struct, frozen=True):
    """A claim of the pod's own, that asks for the same, in place of one that has devices elsewhere."""

    claim: ClaimName


class TaintRule(Struct, frozen=True):
    """A DeviceTaintRule that is deleted."""

    rule: str
    taint: str


AboutDevices = (
    FewerDevices | LessCapacity | ToleratedDevices | OtherClass | OtherSelector | NoSelector | NoConstraint
    | FreedClaims | NewDeviceClaim | OwnClaim | TaintRule
)  # fmt: skip
