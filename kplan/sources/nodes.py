"""Values as they stand in a text, JSON or YAML behind one face.

They are looked into only as far as needed, and can say on which line each part of them was written.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from kplan.objects.models import Object
from kplan.sources.fit import Path, describe
from kplan.words import count


class Head(NamedTuple):
    """Top level of an object.

    Args:
        api_version: ``apiVersion``, of whatever type.
        kind: ``kind``, of whatever type.
        items: ``items`` if it is a list, empty if it is null; None if absent or no list.
        annotations: ``metadata.annotations`` of a list; empty for others.
        message: ``message``, of whatever type.
    """

    api_version: object
    kind: object
    items: "Elements | None"
    annotations: dict[str, object]
    message: object


class Written(Protocol):
    """A value that was read, with its place."""

    def at(self, path: Path = ()) -> tuple[int, int]:
        """Give the 1-based line and column of a path, or of the deepest part of it that is written there."""

    def places(self, paths: Sequence[Path]) -> list[tuple[int, int]]:
        """Give the same of several paths at one pass over the text."""

    def size(self) -> int:
        """Give how long its text is [bytes]; 0 where that is not known."""

    def value(self) -> object:
        """Give the whole as dicts and lists; shared with others where YAML aliases it, so not to be changed."""


class TextNode(Written, Protocol):
    """A value in a text."""

    def parts(self) -> int:
        """Give how many values are in it, roughly; 0 where that was looked at as it was read."""

    def array(self) -> "Elements | None":
        """Give the elements of a list; None for another value."""

    def head(self) -> Head | None:
        """Give the top level of a map; None for another value."""

    def identity(self) -> tuple[object, object] | None:
        """Give ``apiVersion`` and ``kind`` of a map; None for another value."""

    def fields(self) -> "Mapping[str, TextNode]":
        """Give the fields of a map by name; empty for another value."""

    def typed(self, model: type[Object]) -> Object:
        """Decode to a model; raises msgspec's errors and UnicodeDecodeError."""


Elements = Iterable[TextNode]
"""Elements of a list, in order; false if there are none."""

_TOLD = 1 << 20
"""Bytes of a value that is decoded to be told of."""


def brief(node: TextNode) -> str:
    """Name a value for a message: a map by its keys, a list by its first element; what a text says may be secret."""
    if node.size() > _TOLD:
        return f"a {'map' if node.array() is None else 'list'} of {node.size():,} bytes"
    value = node.value()
    if isinstance(value, dict) and value:
        keys = [str(key)[:30] for key in list(value)[:4]]
        return f"a map with {', '.join(keys)}" + (", ..." if len(value) > len(keys) else "")
    if isinstance(value, list) and value:
        return f"a list of {len(value)}, the first of which is {_of_kind(value[0])}"
    return f"an empty {'map' if isinstance(value, dict) else 'list'}" if value in ({}, []) else _of_kind(value)


def _of_kind(value: object) -> str:
    return f"a string of {count(len(value), 'character')}" if isinstance(value, str) else describe(value)
