"""JSON values as nodes: kept as text, and decoded once their kind is known."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from kplan.objects.models import Object
from kplan.sources import json_text
from kplan.sources.fit import Path
from kplan.sources.nodes import Elements, Head, TextNode


class _JsonIdentity(msgspec.Struct, gc=False):
    api_version: object = msgspec.field(default=None, name="apiVersion")
    kind: object = None


class _JsonHead(_JsonIdentity, gc=False):
    metadata: Raw | UnsetType = UNSET
    items: Raw | UnsetType = UNSET
    message: object = None


class _JsonMetadata(msgspec.Struct):
    annotations: dict[str, object] | None = None


_identity = msgspec.json.Decoder(_JsonIdentity)
_head = msgspec.json.Decoder(_JsonHead)
_metadata = msgspec.json.Decoder(_JsonMetadata)
_fields = msgspec.json.Decoder(dict[str, Raw])
_IDENTITY_FIRST = re.compile(rb'\s*\{\s*"apiVersion"\s*:\s*"([^"\\]*)"\s*,\s*"kind"\s*:\s*"([^"\\]*)"')
_KNOWN_BY = 4096
"""Bytes of a value by which it is found in its file."""

_decoders: dict[type[Object], msgspec.json.Decoder[Object]] = {}


def prepare(models: Iterable[type[Object]]) -> None:
    """Make the decoders of models, before several threads ask for them at once.

    msgspec shares what it knows of a type among all decoders, and hands it out before it is complete: a decoder that
    another thread makes at the same moment may read what is not there yet, and the process dies.
    """
    for model in models:
        _decoder(model)


def _decoder(model: type[Object]) -> msgspec.json.Decoder[Object]:
    decoder = _decoders.get(model)
    if decoder is None:
        decoder = _decoders[model] = msgspec.json.Decoder(model)
    return decoder


@lru_cache(maxsize=4096)
def _decoded(api_version: bytes, kind: bytes) -> tuple[str, str]:
    """Give texts, the same ones for the same bytes."""
    return api_version.decode("utf-8", "replace"), kind.decode("utf-8", "replace")


class JsonPlace(Struct):
    """Where a value lies in its file.

    Attributes:
        lines: of the file.
        start: byte of the file from which on it is found.
        raw: the value, looked for where something asks for its place.
    """

    lines: json_text.Lines
    start: int
    raw: Raw
    _begin: int = -1

    def offset(self, at: int) -> int:
        """Byte of the file at which a byte of the value lies."""
        if self._begin < 0:
            self._begin = self.lines.data.find(memoryview(self.raw)[:_KNOWN_BY], self.start)
        return self._begin + at


class JsonElements(Struct, frozen=True):
    """The elements of a JSON list, cut out one after another: of millions, none is held that nobody asks for.

    Where the text is passing, an element may be looked at until the next is taken.
    """

    raw: Raw
    place: JsonPlace

    def __bool__(self) -> bool:
        return not json_text.is_empty_list(memoryview(self.raw))

    def __iter__(self) -> "Iterator[TextNode]":
        place, passing = self.place, self.place.lines.passing
        begin = place.offset(0) if passing is not None else 0
        for raw, at in json_text.elements(memoryview(self.raw)):
            if passing is not None and begin + at >= passing.due:
                place.lines.let_go(begin + at)
            yield JsonNode(raw, place, at)


class JsonNode(Struct):
    """A value in a JSON text; see TextNode."""

    raw: Raw
    place: JsonPlace
    index: int = 0
    """Byte of the place at which it begins."""

    @classmethod
    def alone(cls, raw: Raw) -> "JsonNode":
        """Make a node of a text that holds it alone."""
        return cls(raw, JsonPlace(json_text.Lines(bytes(raw)), 0, raw, 0))

    def at(self, path: Path = ()) -> tuple[int, int]:
        """See TextNode."""
        return self.places((path,))[0]

    def places(self, paths: Sequence[Path]) -> list[tuple[int, int]]:
        """See TextNode."""
        begin, lines = self.place.offset(self.index), self.place.lines
        found = [0] * len(paths)
        if any(paths) and lines.looked.may(self.size()):
            text = bytes(self.raw).decode("utf-8", "replace")
            found = json_text.find(text, paths)
            if not text.isascii():
                found = json_text.in_bytes(text, found)
        told = {at: lines.at(begin + at) for at in sorted(set(found))}  # in rising order, as lines are counted
        return [told[at] for at in found]

    def size(self) -> int:
        """See TextNode."""
        return len(memoryview(self.raw))

    def parts(self) -> int:
        """See TextNode."""
        text = bytes(self.raw)
        return sum(map(text.count, (b",", b"[", b"{")))

    def array(self) -> Elements | None:
        """See TextNode."""
        return self._elements(self.raw)

    def head(self) -> Head | None:
        """See TextNode."""
        if not self._begins(b"{"):
            return None
        top = _head.decode(self.raw)
        items = self._elements(top.items)
        if items is None:
            return Head(top.api_version, top.kind, None, {}, top.message)
        annotations: dict[str, object] = {}
        if not isinstance(top.metadata, UnsetType):
            try:
                annotations = _metadata.decode(top.metadata).annotations or {}
            except (msgspec.MsgspecError, UnicodeDecodeError):
                annotations = {}
        return Head(top.api_version, top.kind, items, annotations, top.message)

    def identity(self) -> tuple[object, object] | None:
        """See TextNode."""
        match = _IDENTITY_FIRST.match(self.raw)
        if match:
            return _decoded(match[1], match[2])
        if not self._begins(b"{"):
            return None
        top = _identity.decode(self.raw)
        return top.api_version, top.kind

    def fields(self) -> Mapping[str, TextNode]:
        """See TextNode."""
        if not self._begins(b"{"):
            return {}
        lines, start = self.place.lines, self.place.offset(self.index)
        parts = _fields.decode(self.raw).items()
        return {name: JsonNode(raw, JsonPlace(lines, start, raw)) for name, raw in parts}

    def value(self) -> object:
        """See TextNode."""
        return json_text.loads(bytes(self.raw))

    def typed(self, model: type[Object]) -> Object:
        """See TextNode."""
        return _decoder(model).decode(self.raw)

    def _begins(self, sign: bytes) -> bool:
        return bytes(memoryview(self.raw)[:1]) == sign

    def _elements(self, raw: Raw | UnsetType) -> Elements | None:
        """Give the elements of a list inside of this value, none of null; None for what is no list."""
        if isinstance(raw, UnsetType):
            return None
        if bytes(memoryview(raw)[:4]) == b"null":
            return ()
        if bytes(memoryview(raw)[:1]) != b"[":
            return None
        return JsonElements(raw, JsonPlace(self.place.lines, self.place.offset(self.index), raw))
