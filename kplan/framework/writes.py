"""What a PreBind plugin has written to the server before a pod is bound, as data: ``bind`` alone sends it.

A write names an object and what is set there. The object is read again just before, so that fields nobody here knows of
stay as they are; whether it is done already, still open or taken by somebody else is told by its first field.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct


class WriteCode(StrEnum):
    """What a write is for."""

    CLAIM_VOLUME = "claim-volume"
    """A volume is given to a claim."""
    SELECT_NODE = "select-node"
    """A claim is given to a node, so that a volume is made for it there."""


class WriteVerb(StrEnum):
    """How a write changes its object, as verbs of rights."""

    UPDATE = "update"


class FieldStanding(StrEnum):
    """How a field of an object stands to what is to be set there."""

    DONE = "done"
    OPEN = "open"
    TAKEN = "taken"


class Field(Struct, frozen=True):
    """One field to set.

    Attributes:
        path: names from the object on.
        value: what it is set to.
        same: names within the value by which it is known; where only some of them are there, and agree, it is reserved
            for this value. The whole value counts where there are none.
    """

    path: tuple[str, ...]
    value: Any
    same: tuple[str, ...] = ()

    def of(self, item: Mapping[str, Any]) -> Any:
        """The field as it is in an object; None where it is not there."""
        value: Any = item
        for name in self.path:
            value = value.get(name) if isinstance(value, Mapping) else None
        return value

    def standing(self, item: Mapping[str, Any]) -> FieldStanding:
        """Hold the field of an object against the value."""
        there = self.of(item)
        if not there:
            return FieldStanding.OPEN
        if not self.same:
            return FieldStanding.DONE if there == self.value else FieldStanding.TAKEN
        told = [name for name in self.same if there.get(name)]
        if any(there[name] != self.value[name] for name in told):
            return FieldStanding.TAKEN
        return FieldStanding.DONE if len(told) == len(self.same) else FieldStanding.OPEN

    def put(self, item: Mapping[str, Any]) -> dict[str, Any]:
        """A copy of an object with the field set."""
        return _put(item, self.path, self.value)


def _put(item: Any, path: tuple[str, ...], value: Any) -> dict[str, Any]:
    name, *rest = path
    fields = dict(item) if isinstance(item, Mapping) else {}
    fields[name] = _put(fields.get(name), tuple(rest), value) if rest else value
    return fields


class ClaimBound(Struct, frozen=True):
    """What is waited for once a write is made: a claim is bound, to a volume that can be used from the pod's node.

    Attributes:
        claim: ``namespace/name``.
        volume: the volume it is to get; empty for any.
    """

    claim: str
    volume: str = ""


class Write(Struct, frozen=True):
    """One write.

    Attributes:
        code: what it is for.
        kind: of the object.
        key: of the object: ``namespace/name``, or its name.
        fields: what is set; the first tells whether it is done.
        until: what is waited for after it, before the pod is bound.
        verb: how the object is changed.
    """

    code: WriteCode
    kind: str
    key: str
    fields: tuple[Field, ...]
    until: ClaimBound
    verb: WriteVerb = WriteVerb.UPDATE


class DeviceWrite(Struct, frozen=True):
    """What is written to a device claim before its pod is bound: its allocation, and that the pod may use it.

    Attributes:
        claim: ``namespace/name``.
        allocation: what it gets, as the API has it; empty where it has its devices already.
        consumer: the pod, as it stands in ``status.reservedFor``.
        create: the claim that is made first; None for one that is there.
        mappings: which request of that claim serves which container's resource, for the status of the pod.
        stamped: whether the time of the allocation is written with it.
        waits: whether its devices have to be attached before the pod is bound.
    """

    claim: str
    allocation: Mapping[str, Any]
    consumer: Mapping[str, Any]
    create: Mapping[str, Any] | None = None
    mappings: tuple[Mapping[str, Any], ...] = ()
    stamped: bool = False
    waits: bool = False


class NodeAmountsWrite(Struct, frozen=True):
    """What is written to the status of a pod before it is bound: what its devices take of the node's own resources.

    Attributes:
        claims: an entry for each claim, as the API has it.
    """

    claims: tuple[Mapping[str, Any], ...]


AnyWrite = Write | DeviceWrite | NodeAmountsWrite
