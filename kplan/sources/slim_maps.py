"""Small maps of keys that many objects have, at half their weight.

A map of two amounts takes 184 bytes, of which 120 are a table of its keys. Python holds the keys of what instances of a
class have once for all of them (PEP 412): a map taken from an instance is a map as any other, of 96 bytes.
"""

from __future__ import annotations

from typing import Any

_FEW = 8
"""Keys of a map that is worth it."""

_MOST = 64
"""Sets of keys that are looked for; a cluster has a dozen for amounts."""

_BEFORE = 32
"""Instances after which Python leaves others of the class no more room than their keys take."""

_kinds: dict[tuple[str, ...], type] = {}


def slim(value: dict[str, Any]) -> dict[str, Any]:
    """Give an equal map that holds its keys together with others, or the same where few others have such keys."""
    keys = tuple(value)
    kind = _kinds.get(keys)
    if kind is None:
        if not 0 < len(keys) <= _FEW or len(_kinds) >= _MOST or any(key.startswith("__") for key in keys):
            return value
        kind = _kinds[keys] = type("Map", (), {})
        _made(kind, value)
        for _ in range(_BEFORE):
            kind()
    return _made(kind, value)


def _made(kind: type, value: dict[str, Any]) -> dict[str, Any]:
    holder = kind()
    for key, part in value.items():
        setattr(holder, key, part)
    slim_map: dict[str, Any] = vars(holder)
    return slim_map


def forget() -> None:
    """Look for other keys from now on."""
    _kinds.clear()
