"""YAML values as nodes: built already; the text is read again only to find a line in it."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec import UNSET, Struct, field
from yaml import events

from kplan.objects.models import Object
from kplan.sources.fit import Path
from kplan.sources.nodes import Elements, Head, TextNode
from kplan.sources.paths_sought import LookedThrough, PathsSought
from kplan.sources.repeated_keys import repeated_keys
from kplan.sources.yaml_events import Mark, YamlDocument, event_stream

_NEXT_DOCUMENT = "\n---"

LOOKED = 2_000_000
"""Characters of a stream that are read again to find lines in objects, in all."""
_WINDOWS = (1 << 12, 1 << 20)
"""Characters of one YAML object that are read again to find a line in it: at first, and where that is not enough."""


class YamlText(Struct):
    """A YAML stream, decoded to characters once these are asked for, and then held as such alone."""

    data: bytes | str
    looked: LookedThrough = field(default_factory=lambda: LookedThrough(LOOKED))

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
        return self.places((path,))[0]

    def places(self, paths: Sequence[Path]) -> list[tuple[int, int]]:
        """Find the same of several paths."""
        mark, paths = self.mark, [(*self.inside, *path) for path in paths]
        found = [(0, mark.column)] * len(paths)
        for length in _WINDOWS if any(paths) else ():
            window = self._window(length)
            if not self.source.looked.may(len(window)):
                break
            found, every = _find_yaml(" " * mark.column + window, paths, found[0])
            if every:
                break
        return [(mark.line + 1 + line, column + 1) for line, column in found]

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

    def places(self, paths: Sequence[Path]) -> list[tuple[int, int]]:
        """See TextNode."""
        return self.place.places(paths)

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

    def places(self, paths: Sequence[Path]) -> list[tuple[int, int]]:
        """See TextNode."""
        return self._place().places(paths)

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


def _find_yaml(text: str, paths: Sequence[Path], otherwise: tuple[int, int]) -> tuple[list[tuple[int, int]], bool]:
    """Find the 0-based lines and columns of paths in the value that a text begins with, and whether all are there."""
    sought: PathsSought[tuple[int, int]] = PathsSought(paths)
    key_next = False
    for event in event_stream(text):
        kind = type(event)
        ends = kind in (events.MappingEndEvent, events.SequenceEndEvent)
        opens = kind in (events.MappingStartEvent, events.SequenceStartEvent)
        if ends:
            sought.end()
            if not sought.depth:
                break
        elif key_next:
            sought.key(getattr(event, "value", ""))
        elif sought.depth and not sought.in_map:
            sought.next()
        if not ends:  # what stands at a key begins with it
            sought.value((event.start_mark.line, event.start_mark.column))
            if sought.found:
                break
        if opens:
            sought.begin(is_map=kind is events.MappingStartEvent, first=-1)
        key_next = sought.in_map and (ends or opens or not key_next)
    return sought.places(otherwise), sought.found
