"""YAML values as nodes: built already; the text is read again only to find a line in it."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec import UNSET, Struct
from yaml import events

from kplan.objects.models import Object
from kplan.sources.fit import Path
from kplan.sources.nodes import Elements, Head, TextNode
from kplan.sources.repeated_keys import repeated_keys
from kplan.sources.yaml_events import Mark, YamlDocument, event_stream

_NEXT_DOCUMENT = "\n---"

_WINDOWS = (1 << 12, 1 << 20)
"""Characters of one YAML object that are read again to find a line in it: at first, and where that is not enough."""


class YamlText(Struct):
    """A YAML stream, decoded to characters once these are asked for, and then held as such alone."""

    data: bytes | str

    def text(self) -> str:
        """The stream as characters, counted as the parser's marks count them."""
        if isinstance(self.data, bytes):
            self.data = self.data.decode("utf-8", "replace")
        return self.data


class _Place(Struct, frozen=True):
    """Where a value stands in a stream.

    Attributes:
        mark: where it begins, or what it is inside of.
        inside: path from there.
        source: the stream.
        whole: whether it is a document, not a part of one.
    """

    mark: Mark
    inside: Path
    source: YamlText
    whole: bool

    def at(self, path: Path) -> tuple[int, int]:
        """Find the 1-based line and column of a path inside of the value."""
        mark, path = self.mark, (*self.inside, *path)
        for length in _WINDOWS if path else ():
            place = _find_yaml(" " * mark.column + self._window(length), path)
            if place is not None and (place[2] == len(path) or length == _WINDOWS[-1]):
                return mark.line + 1 + place[0], place[1] + 1
        return mark.line + 1, mark.column + 1

    def _window(self, length: int) -> str:
        """Some characters from where it begins on; whole lines, where there is one among them."""
        text, begin = self.source.text(), self.mark.index
        end = begin + length
        if end < len(text):
            end = text.rfind("\n", begin, end) + 1 or end
        return text[begin:end]

    def repeated(self) -> Iterator[tuple[Path, int]]:
        """Yield each key of a map that a document has a second time, with its 1-based line.

        Items of lists are not looked at: programs write those, and each would be read again.
        """
        if not self.whole:
            return
        text, mark = self.source.text(), self.mark
        end = text.find(_NEXT_DOCUMENT, mark.index)
        alone = text[mark.index : end if end >= 0 else None]
        yield from ((path, mark.line + 1 + line) for path, line in repeated_keys(" " * mark.column + alone))


class PackedYaml(Struct, frozen=True):
    """A value of a stream that is kept for long: built anew when it is asked for, a tenth as large until then.

    Attributes:
        data: the value in MessagePack.
        place: where it stands.
    """

    data: bytes
    place: _Place

    def at(self, path: Path = ()) -> tuple[int, int]:
        """See TextNode."""
        return self.place.at(path)

    def size(self) -> int:
        """See TextNode."""
        return len(self.data)

    def value(self) -> object:
        """See TextNode."""
        return msgspec.msgpack.decode(self.data)

    def repeated(self) -> Iterator[tuple[Path, int]]:
        """Yield each key of a map that a document has a second time, with its 1-based line."""
        return self.place.repeated()


class YamlNode(Struct):
    """A value in a YAML stream; see TextNode."""

    built: object
    document: YamlDocument
    source: YamlText
    inside: Path = ()
    """Path from the document; only maps of the first levels have a mark of their own."""

    def at(self, path: Path = ()) -> tuple[int, int]:
        """See TextNode."""
        return self._place().at(path)

    def packed(self) -> "PackedYaml | YamlNode":
        """Give it with its value as a text; as it is where parts of it are shared, or no text holds them."""
        if self.document.aliases:
            return self
        try:
            data = msgspec.msgpack.encode(self.built)
        except (msgspec.MsgspecError, OverflowError, RecursionError, UnicodeEncodeError):
            return self
        return PackedYaml(data, self._place())

    def repeated(self) -> Iterator[tuple[Path, int]]:
        """See PackedYaml."""
        return self._place().repeated()

    def _place(self) -> "_Place":
        mark = self.document.marks.get(id(self.built)) if isinstance(self.built, dict) else None
        whole = not self.inside and self.built is self.document.value
        if mark is None:
            return _Place(self.document.mark, self.inside, self.source, whole)
        return _Place(mark, (), self.source, whole)

    def size(self) -> int:
        """See TextNode."""
        return 0

    def parts(self) -> int:
        """See TextNode; the builder of the document counts."""
        return 0

    def array(self) -> Sequence[TextNode] | None:
        """See TextNode."""
        return self._nodes(self.built, self.inside) if isinstance(self.built, list) else None

    def head(self) -> Head | None:
        """See TextNode."""
        top = self.built
        if not isinstance(top, dict):
            return None
        items, meta, annotations = top.get("items", UNSET), top.get("metadata"), None
        nodes: Elements | None
        if self._comes_later:
            nodes = _Items(self.document, self.source)
            annotations = meta.get("annotations") if isinstance(meta, dict) else None
        elif items is None or isinstance(items, list):
            nodes = self._nodes(items or [], (*self.inside, "items"))
            annotations = meta.get("annotations") if isinstance(meta, dict) else None
        else:
            nodes = None
        notes = annotations if isinstance(annotations, dict) else {}
        return Head(top.get("apiVersion"), top.get("kind"), nodes, notes, top.get("message"))

    def identity(self) -> tuple[object, object] | None:
        """See TextNode."""
        return (self.built.get("apiVersion"), self.built.get("kind")) if isinstance(self.built, dict) else None

    def fields(self) -> Mapping[str, TextNode]:
        """See TextNode."""
        if self._comes_later:
            document = self.document.whole()
            return YamlNode(document.value, document, self.source).fields()
        top = self.built if isinstance(self.built, dict) else {}
        return {key: YamlNode(part, self.document, self.source, (*self.inside, key)) for key, part in top.items()}

    def value(self) -> object:
        """See TextNode."""
        return self.document.whole().value if self._comes_later else self.built

    @property
    def _comes_later(self) -> bool:
        """Whether it is a List whose items are built as they are asked for."""
        return self.document.items is not None and self.built is self.document.value

    def typed(self, model: type[Object]) -> Object:
        """See TextNode."""
        return msgspec.convert(self.built, model)

    def _nodes(self, parts: list[object], inside: Path) -> list[TextNode]:
        return [YamlNode(part, self.document, self.source, (*inside, index)) for index, part in enumerate(parts)]


class _Items(Struct, frozen=True):
    """Items of a List that are built one after another, each of them a document to itself."""

    document: YamlDocument
    source: YamlText

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[TextNode]:
        assert self.document.items is not None
        for number, (item, mark) in enumerate(self.document.items()):
            if mark is None:
                yield YamlNode(item, self.document, self.source, ("items", number))
            else:
                yield YamlNode(item, YamlDocument(None, mark, {id(item): mark}), self.source)


def _find_yaml(text: str, path: Path) -> tuple[int, int, int] | None:
    """Find the 0-based line and column of a path in the value that a text begins with, and how much of it is there."""
    best: tuple[int, int, int] | None = None
    depth = 0
    here: list[str | int] = []
    is_map: list[bool] = []
    key_next = False
    for event in event_stream(text):
        kind = type(event)
        ends = kind in (events.MappingEndEvent, events.SequenceEndEvent)
        opens = kind in (events.MappingStartEvent, events.SequenceStartEvent)
        if key_next and not ends:
            here[-1] = getattr(event, "value", "")
        elif here and not is_map[-1] and not ends:
            here[-1] = int(here[-1]) + 1
        if not ends and len(here) > depth and tuple(here) == path[: len(here)]:
            depth = len(here)
            best = event.start_mark.line, event.start_mark.column, depth
        if depth == len(path):
            return best
        if ends:
            here.pop()
            is_map.pop()
        elif opens:
            is_map.append(kind is events.MappingStartEvent)
            here.append("" if is_map[-1] else -1)
        if ends and not here:
            return best
        key_next = bool(is_map) and is_map[-1] and (ends or opens or not key_next)
    return best
