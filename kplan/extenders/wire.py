"""What is sent to an extender and what comes back, as Go's JSON reads and writes it.

Names of fields are those of Go (``Pod``, ``NodeNames``), absent parts are null, and answers are read whatever the case
of their names.
Source: kube-scheduler v0.37.2 extender/v1/types.go; Go encoding/json.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import msgspec

from kplan.objects.models import Object

_T = TypeVar("_T")


class FilterResult(msgspec.Struct, frozen=True, rename="lower"):
    """ExtenderFilterResult; None where a part is absent."""

    nodes: Any = None
    nodenames: list[str] | None = None
    failednodes: dict[str, str] | None = None
    failedandunresolvablenodes: dict[str, str] | None = None
    error: str = ""


class BindingResult(msgspec.Struct, frozen=True, rename="lower"):
    """ExtenderBindingResult."""

    error: str = ""


class HostPriority(msgspec.Struct, frozen=True):
    """The score of one node."""

    host: str = ""
    score: int = 0


class MetaPod(msgspec.Struct, frozen=True):
    """A victim."""

    uid: str = ""


class MetaVictims(msgspec.Struct, frozen=True):
    """The victims on one node."""

    pods: list[MetaPod] | None = None
    numpdbviolations: int = 0


class PreemptionResult(msgspec.Struct, frozen=True):
    """ExtenderPreemptionResult."""

    nodenametometavictims: dict[str, MetaVictims | None] | None = None


_MAPS = frozenset({"failednodes", "failedandunresolvablenodes", "nodenametometavictims"})
"""Fields whose own keys are names of nodes, which have a case."""


def decode(body: bytes, kind: type[_T]) -> _T:
    """Read an answer: the first JSON value of a body.

    Raises:
        msgspec.MsgspecError: it is none, or of another type.
        UnicodeDecodeError: it is no text.
    """
    try:
        return msgspec.convert(_lowered(msgspec.json.decode(body)), kind, strict=True)
    except RecursionError:
        raise msgspec.DecodeError("nested too deeply") from None


def _lowered(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key.lower(): {name: _lowered(item) for name, item in value[key].items()}
            if key.lower() in _MAPS and isinstance(value[key], dict)
            else _lowered(value[key])
            for key in value
            if value[key] is not None
        }
    return [_lowered(item) for item in value] if isinstance(value, list) else value


def node_names(nodes: Any) -> list[str]:
    """Names in a NodeList that came back; a part of the wrong type names nothing."""
    items = nodes.get("items") if isinstance(nodes, Mapping) else None
    metas = (item.get("metadata") for item in items or () if isinstance(item, Mapping))
    return [str(meta.get("name") or "") for meta in metas if isinstance(meta, Mapping)]


def node_list(nodes: Iterable[Any]) -> dict[str, Any]:
    """A NodeList of objects."""
    return {"metadata": {}, "items": list(nodes)}


def whole(item: Object, original: Mapping[str, Any] | None) -> dict[str, Any]:
    """Write an object as the API has it: as it was read, with all that changed since.

    Args:
        item: the object as it is.
        original: as it was read, with what the models leave out; None where it is not known any more.
    """
    if original is None:
        plain: dict[str, Any] = msgspec.to_builtins(item)
        return plain
    merged: dict[str, Any] = _over(dict(original), item)
    return {key: value for key, value in merged.items() if key not in ("apiVersion", "kind")}


def _over(original: Any, item: Any) -> Any:
    """Put a model over what it was read from: fields that models do not have stay as they were."""
    if isinstance(item, msgspec.Struct):
        made = dict(original) if isinstance(original, Mapping) else {}
        for field in msgspec.structs.fields(item):
            value, name = getattr(item, field.name), field.encode_name
            if value is None or (isinstance(value, str | list | dict) and not value and name not in made):
                made.pop(name, None)
            else:
                made[name] = _over(made.get(name), value)
        return made
    if isinstance(item, list) and isinstance(original, list) and len(item) == len(original):
        return [_over(before, part) for before, part in zip(original, item, strict=True)]
    if isinstance(item, list):
        return [_over(None, part) for part in item]
    return msgspec.to_builtins(item)
