"""JSON values as nodes: kept as text, and decoded once their kind is known."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec
from msgspec import UNSET, Raw, UnsetType

from kplan.objects.models import Object
from kplan.sources import json_text
from kplan.sources.fit import Path
from kplan.sources.nodes import Head, Node


class _JsonIdentity(msgspec.Struct, gc=False):
    api_version: object = msgspec.field(default=None, name="apiVersion")
    kind: object = None


class _JsonHead(_JsonIdentity, gc=False):
    metadata: Raw | UnsetType = UNSET
    items: list[Raw] | UnsetType | None = UNSET
    message: object = None


class _JsonMetadata(msgspec.Struct):
    annotations: dict[str, object] | None = None


_identity = msgspec.json.Decoder(_JsonIdentity)
_head = msgspec.json.Decoder(_JsonHead)
_metadata = msgspec.json.Decoder(_JsonMetadata)
_fields = msgspec.json.Decoder(dict[str, Raw])
_array = msgspec.json.Decoder(list[Raw])
_IDENTITY_FIRST = re.compile(rb'\s*\{\s*"apiVersion"\s*:\s*"([^"\\]*)"\s*,\s*"kind"\s*:\s*"([^"\\]*)"')
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


@dataclass(slots=True)
class JsonSiblings:
    """The elements of one JSON list, or a document alone, and where they lie in their file."""

    lines: json_text.Lines
    start: int
    raws: list[Raw]
    offsets: list[int] = field(default_factory=list)

    def offset(self, index: int) -> int:
        """Byte at which an element begins; white space and a comma stand between them."""
        if not self.offsets:
            data = self.lines.data
            at = data.index(bytes(self.raws[0]), self.start)
            for raw in self.raws:
                while data[at] in b" \t\r\n,":
                    at += 1
                self.offsets.append(at)
                at += len(memoryview(raw))
        return self.offsets[index]

    def nodes(self) -> "list[Node]":
        """The elements."""
        return [JsonNode(raw, self, index) for index, raw in enumerate(self.raws)]


@dataclass(slots=True)
class JsonNode:
    """A value in a JSON text; see Node."""

    raw: Raw
    siblings: JsonSiblings
    index: int

    @classmethod
    def alone(cls, raw: Raw) -> "JsonNode":
        """Make a node of a text that holds it alone."""
        return cls(raw, JsonSiblings(json_text.Lines(bytes(raw)), 0, [raw], [0]), 0)

    def at(self, path: Path = ()) -> tuple[int, int]:
        """See Node."""
        at = self.siblings.offset(self.index)
        if path:
            text = bytes(self.raw).decode("utf-8", "replace")
            at += len(text[: json_text.find(text, path)].encode())
        return self.siblings.lines.at(at)

    def array(self) -> Sequence[Node] | None:
        """See Node."""
        return self._siblings(_array.decode(self.raw)) if self._begins(b"[") else None

    def head(self) -> Head | None:
        """See Node."""
        if not self._begins(b"{"):
            return None
        try:
            top = _head.decode(self.raw)
        except msgspec.ValidationError:  # items is neither list nor null
            plain = _identity.decode(self.raw)
            return Head(plain.api_version, plain.kind, None, {}, None)
        if isinstance(top.items, UnsetType):
            return Head(top.api_version, top.kind, None, {}, top.message)
        annotations: dict[str, object] = {}
        if not isinstance(top.metadata, UnsetType):
            try:
                annotations = _metadata.decode(top.metadata).annotations or {}
            except (msgspec.MsgspecError, UnicodeDecodeError):
                annotations = {}
        return Head(top.api_version, top.kind, self._siblings(top.items or []), annotations, top.message)

    def identity(self) -> tuple[object, object] | None:
        """See Node."""
        match = _IDENTITY_FIRST.match(self.raw)
        if match:
            return match[1].decode("utf-8", "replace"), match[2].decode("utf-8", "replace")
        if not self._begins(b"{"):
            return None
        top = _identity.decode(self.raw)
        return top.api_version, top.kind

    def fields(self) -> Mapping[str, Node]:
        """See Node."""
        if not self._begins(b"{"):
            return {}
        lines, start = self.siblings.lines, self.siblings.offset(self.index)
        parts = _fields.decode(self.raw).items()
        return {name: JsonNode(raw, JsonSiblings(lines, start, [raw]), 0) for name, raw in parts}

    def value(self) -> object:
        """See Node."""
        return json_text.loads(bytes(self.raw))

    def typed(self, model: type[Object]) -> Object:
        """See Node."""
        return _decoder(model).decode(self.raw)

    def _begins(self, sign: bytes) -> bool:
        return bytes(memoryview(self.raw)[:1]) == sign

    def _siblings(self, raws: list[Raw]) -> Sequence[Node]:
        return JsonSiblings(self.siblings.lines, self.siblings.offset(self.index), raws).nodes() if raws else []
