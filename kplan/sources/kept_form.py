"""How a state that is kept is written: parts that many pods or nodes have alike, such as containers, stand there once.

Pods of one workload have the same containers, tolerations, labels and owners; most of the time of reading them back
would go into making them anew for each. Objects that are read back share such parts, where the file had a copy each.
So only what nothing changes in place, or changes alike wherever it stands, is shared: never a pod's own resources,
which are completed from those of its containers.
"""

from __future__ import annotations

import dataclasses
from array import array
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_type_hints

import msgspec

from kplan.objects.models import Node, Object, Pod
from kplan.objects.state import ClusterState

_NUMBERS = "i"
"""Type of the numbers of shared parts, as ``array`` names it; -1 where an object has none."""
_WORTH_SHARING = 2
"""Objects that have a part, for each part that is different: with fewer, it stays in the objects."""


class _Field(NamedTuple):
    """A field whose values are shared: of an attribute of the state, in a part of its objects."""

    attribute: str
    part: str
    name: str


_SHARED: Mapping[str, tuple[type[Object], tuple[tuple[str, str], ...]]] = {
    "pods": (
        Pod,
        (
            ("metadata", "labels"),
            ("metadata", "owner_references"),
            ("spec", "containers"),
            ("spec", "init_containers"),
            ("spec", "tolerations"),
            ("spec", "affinity"),
            ("spec", "node_selector"),
            ("spec", "topology_spread_constraints"),
            ("spec", "volumes"),
            ("status", "conditions"),
            ("status", "container_statuses"),
        ),
    ),
    "nodes": (
        Node,
        (("status", "images"), ("status", "conditions"), ("status", "capacity"), ("status", "allocatable")),
    ),
}
"""By attribute of the state: the type of its objects, and the fields (part, name) that are worth it."""


class _KeptTable(msgspec.Struct, array_like=True):
    """One field: each value that differs, in MessagePack, and the number of its value for each object."""

    attribute: str
    part: str
    name: str
    values: msgspec.Raw
    numbers: bytes


class _Whole(msgspec.Struct, array_like=True):
    state: msgspec.Raw
    tables: list[_KeptTable]


def encoded(state: ClusterState) -> bytes:
    """Write a state.

    Raises:
        TypeError, ValueError, OverflowError, RecursionError: it holds what the form has not.
    """
    encode = msgspec.msgpack.Encoder().encode
    lean: dict[str, Any] = {}
    tables: list[_KeptTable] = []
    for attribute, (_, fields) in _SHARED.items():
        objects = getattr(state, attribute)
        of_part: dict[str, list[str]] = {}
        for part, name in fields:
            table = _table(_Field(attribute, part, name), objects)
            if table is not None:
                tables.append(table)
                of_part.setdefault(part, []).append(name)
        lean[attribute] = tuple(_without(item, of_part) for item in objects) if of_part else objects
    return encode(_Whole(msgspec.Raw(encode(dataclasses.replace(state, **lean))), tables))


def decoded(text: bytes | memoryview) -> ClusterState:
    """Read a state.

    Raises:
        msgspec.MsgspecError, RecursionError: it is no state.
    """
    whole = msgspec.msgpack.decode(text, type=_Whole)
    state = msgspec.msgpack.decode(whole.state, type=ClusterState)
    for table in whole.tables:
        _put_back(state, table)
    return state


def _table(field: _Field, objects: Sequence[Object]) -> _KeptTable | None:
    """Number the values of a field; None where too few objects have them alike."""
    encode = msgspec.msgpack.Encoder().encode
    distinct: dict[bytes, int] = {}
    numbers = array(_NUMBERS)
    there = 0
    for item in objects:
        value = getattr(getattr(item, field.part), field.name)
        if value is None:
            numbers.append(-1)
        else:
            there += 1
            numbers.append(distinct.setdefault(encode(value), len(distinct)))
    if there < _WORTH_SHARING * len(distinct) or not there:
        return None
    return _KeptTable(
        *field, values=msgspec.Raw(encode([msgspec.Raw(one) for one in distinct])), numbers=numbers.tobytes()
    )


def _without(item: Object, of_part: Mapping[str, Sequence[str]]) -> Object:
    """Copy an object, without fields that are kept apart."""
    parts = {
        part: msgspec.structs.replace(getattr(item, part), **_nothing_for(getattr(item, part), names))
        for part, names in of_part.items()
    }
    return msgspec.structs.replace(item, **parts)


def _nothing_for(part: Any, names: Sequence[str]) -> dict[str, None]:
    """Clear what is there of some fields; a lean part has no room for others."""
    return dict.fromkeys(name for name in names if getattr(part, name) is not None)


def _put_back(state: ClusterState, table: _KeptTable) -> None:
    """Give each object its value of a field.

    Raises:
        msgspec.ValidationError: numbers and objects are not those of each other.
    """
    part, name = table.part, table.name
    kind, fields = _SHARED.get(table.attribute, (None, ()))
    objects = getattr(state, table.attribute, ())
    if kind is None or (part, name) not in fields or len(table.numbers) != len(objects) * array(_NUMBERS).itemsize:
        raise msgspec.ValidationError(f"no field {table.attribute}.{part}.{name} of as many objects")
    of_field = get_type_hints(get_type_hints(kind)[part], include_extras=True)[name]
    values = msgspec.msgpack.decode(table.values, type=list[of_field])  # type: ignore[valid-type]
    numbers = array(_NUMBERS, table.numbers)
    if max(numbers, default=-1) >= len(values):
        raise msgspec.ValidationError(f"no value of {table.attribute}.{part}.{name} for each number")
    for item, number in zip(objects, numbers, strict=True):
        if number >= 0:
            setattr(getattr(item, part), name, values[number])
