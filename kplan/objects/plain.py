"""Objects as dicts and lists, written so that what means the same is the same."""

from collections.abc import Mapping
from typing import Any

from kplan.objects.quantity import nanos

_AMOUNTS = frozenset({"requests", "limits", "overhead", "capacity"})


def without_empty(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what is empty, however deep, and write quantities as amounts [10^-9]."""
    return filled({name: _plain(part, name) for name, part in parts.items()})


def filled(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out the fields that say nothing."""
    return {name: part for name, part in parts.items() if part not in (None, "", {}, [], False)}


def _plain(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        if name in _AMOUNTS:
            return {resource: nanos(raw) for resource, raw in value.items() if not isinstance(raw, dict)}
        return without_empty(value)
    return [_plain(part, "") for part in value] if isinstance(value, list) else value
