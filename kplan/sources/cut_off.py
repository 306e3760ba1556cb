"""Whether a YAML text was cut off where nothing else tells it: in the middle of a plain value."""

from __future__ import annotations

import re
from functools import cache
from typing import get_args

import msgspec

from kplan.objects.kinds import BY_MODEL

_STATUS = re.compile(rb"(?m)^( *)status:[ \t]*\n(?=\1 )")
_KEY = re.compile(rb"([A-Za-z]\w*):")
_WHOLE = (b"}", b"]", b'"', b"'", b": true", b": false", b": null")
"""What no value goes on behind."""


def may_be_cut(data: bytes) -> bool:
    """Tell whether a YAML text ends where a longer value may have gone on that scheduling reads.

    Every tool ends its last line; who pastes or edits leaves that out at times. So it is none where the value cannot go
    on, or where it stands in a part of a status that is not read: an object of an API server ends with its status.
    """
    if data.endswith((b"\n", b"\r")):
        return False
    last = data[data.rfind(b"\n") + 1 :].strip()
    if not last or b"#" in last or last in (b"---", b"...") or last.endswith(_WHOLE):
        return False
    return not _is_unread(data)


def _is_unread(data: bytes) -> bool:
    begins = data.rfind(b"status:")
    head = _STATUS.match(data, data.rfind(b"\n", 0, begins) + 1) if begins >= 0 else None
    if head is None:
        return False
    lines = [line for line in data[head.end() :].split(b"\n") if line.strip()]
    indents = [len(line) - len(line.lstrip(b" ")) for line in lines]
    if min(indents) < indents[0]:
        return False
    parts = [_KEY.match(line, indents[0]) for line, indent in zip(lines, indents, strict=True) if indent == indents[0]]
    keys = [part[1].decode() for part in parts if part is not None]
    return bool(keys) and keys[-1] not in _read()


@cache
def _read() -> frozenset[str]:
    """Fields of any status that are read."""
    status = (field.type for model in BY_MODEL for field in msgspec.structs.fields(model) if field.name == "status")
    types = (part for kind in status for part in (*get_args(kind), kind) if isinstance(part, type))
    structs = (part for part in types if issubclass(part, msgspec.Struct))
    return frozenset(field.encode_name for part in structs for field in msgspec.structs.fields(part))
