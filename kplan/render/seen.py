"""A document as it may be shown: every text in it visible, whoever wrote it.

Formats for people are made of what this gives. JSON and YAML hold the texts as they are, and escape them in their own
way.
"""

from __future__ import annotations

import dataclasses
import re
from typing import Any, TypeVar

import msgspec

from kplan.result.document_config import ConfigMigration, ConfigReport
from kplan.result.document_plugins import PluginReference
from kplan.visible import brief, is_visible, visible

T = TypeVar("T")
_LONG_WORD = re.compile(r"[^\s\"]{4000}")
_HALF = 2000
"""Half the length of such a word."""

_OF_LINES = (ConfigMigration, ConfigReport, PluginReference)
"""Documents that hold whole files and paragraphs: their line breaks are shown as such."""

_ESCAPED = re.compile(r"(?<!\\)(?:\\\\)*\\[^\"\\]")
"""A character that JSON writes as an escape."""


def seen(document: T) -> T:
    """Give a document, or another value made of the same parts, with every text visible; itself if all are.

    Args:
        document: structs, dataclasses, mappings, tuples and lists of texts and numbers.
    """
    if isinstance(document, msgspec.Struct) and _all_visible(document):
        return document
    shown: T = _seen(document, isinstance(document, _OF_LINES))
    return shown


def _all_visible(document: msgspec.Struct) -> bool:
    """Tell at the speed of an encoder whether nothing is to be done, as nearly always."""
    try:
        text = msgspec.json.encode(document).decode()
    except UnicodeError:  # half a surrogate pair
        return False
    if not is_visible(text) or ("\\" in text and _ESCAPED.search(text) is not None):
        return False
    return _has_quotes(text) or _LONG_WORD.search(text) is None


def _has_quotes(text: str) -> bool:
    """Tell whether a quote is in each half word's length of a text, so that no word in it is a long one."""
    return all('"' in text[at : at + _HALF] for at in range(0, len(text) - _HALF, _HALF))


def _seen(value: Any, lines: bool) -> Any:
    if isinstance(value, str):
        return value if type(value) is not str else brief(visible(value, lines=lines))
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.replace(
            value, **{name: _seen(getattr(value, name), lines) for name in value.__struct_fields__}
        )
    if isinstance(value, dict):
        return {_seen(key, lines): _seen(part, lines) for key, part in value.items()}
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return tuple(_seen(part, lines) for part in value)
    if isinstance(value, list):
        return [_seen(part, lines) for part in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = (field.name for field in dataclasses.fields(value) if field.init)
        return dataclasses.replace(value, **{name: _seen(getattr(value, name), lines) for name in fields})
    return value
