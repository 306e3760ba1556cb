"""From one file to its objects: JSON or YAML, lists and typed lists, streams, bare arrays.

This is the seam for layouts: one calls ``read`` for each file, with what its place says of objects without a kind.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, NamedTuple, Protocol

from msgspec import Struct, field

from kplan.errors import SourceError
from kplan.objects import models
from kplan.objects.state import BrokenObject
from kplan.sources import json_text, yaml_lines
from kplan.sources.bounds import MOST_DOCUMENTS, check_values, too_large
from kplan.sources.cut_off import may_be_cut
from kplan.sources.fit import Path, describe
from kplan.sources.json_nodes import JsonNode, JsonPlace
from kplan.sources.nodes import Elements, Head, TextNode, brief
from kplan.sources.passing import WORTH_IT, Passing
from kplan.sources.reader import File
from kplan.sources.records import Record
from kplan.sources.scalars import shorten
from kplan.sources.texts import Text
from kplan.sources.yaml_nodes import YamlNode, YamlText

_RETRY_AS_YAML = 4 << 20
"""Text up to this size that begins as JSON and is none is tried as YAML: flow style, comments [bytes]."""

_STRANGE = 20_000
"""Elements of lists that are no objects, none being one, before reading ends."""

_LIST_DEPTH = 4
_FOREIGN = 1_000
"""Documents that are not Kubernetes objects before a file is taken for none of its."""
_LIST = "List"
_META = "meta.k8s.io/"
_ANSWERS = frozenset({"Table", "Status"})
_JSON = re.compile(rb"\s*[{\[]")
_FLOW = re.compile(rb"\s*\{\s*[^\s\"}]")
"""Begins like a map, but not like one of JSON."""
_GO_NAMES = frozenset(
    {"Items", "Spec", "Status", "ObjectMeta", "TypeMeta", "ListMeta", "objectmeta", "typemeta", "listmeta"}
)


class Hint(NamedTuple):
    """What is known of objects that do not say their kind: from the list they are in, or from a file's place."""

    api_version: str = ""
    kind: str = ""


NO_HINT = Hint()


class DumpFacts(Struct, frozen=True):
    """A layout, and what one dump of it says besides its objects.

    Attributes:
        name: the tool that writes it, as shown to the user.
        absent: by kind name, what it means for a verdict that the layout never holds this kind, if KINDS does not say.
        partial: by kind name, why only part of the objects are there, and what that means for it.
        notes: sentences about this dump.
        notes_of: by kind name, a sentence that is true where the dump holds any of that kind.
        templates: nodes that node groups would add, with their pods.
        configuration: the scheduler's configuration, as written.
    """

    name: str
    absent: Mapping[str, str] = field(default_factory=dict)
    partial: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    notes_of: Mapping[str, str] = field(default_factory=dict)
    templates: Mapping[str, tuple[models.Node, tuple[models.Pod, ...]]] = field(default_factory=dict)
    configuration: Mapping[str, object] | None = None


class Sink(Protocol):
    """Who is told what a file holds."""

    looks_back: ClassVar[bool]
    """Whether a record is looked at after the next was given."""

    def weighs(self, size: int, file: str) -> None:
        """Take note of a file of this size [bytes] that is about to be read.

        Raises:
            SourceError: it is too much.
        """

    def add(self, record: Record) -> None:
        """Take an object."""

    def listed(self, api_version: str, kind: str) -> None:
        """Take note that a list of this kind was there, be it empty."""

    def broken(self, broken: BrokenObject) -> None:
        """Take note of something that is no object where one belongs."""

    def recorded(self, annotations: dict[str, object]) -> None:
        """Take the annotations of a list: a kplan snapshot says there when and where it was taken."""

    def described(self, about: DumpFacts) -> None:
        """Take what is known of the layout that was recognised."""

    def note(self, text: str) -> None:
        """Take a sentence about what was noticed while reading."""

    def until(self) -> float | None:
        """Give the moment up to which a record over time is carried out [seconds since 1970]; None for its end."""


class Form(ABC):
    """A way of writing many objects into one file that is not the API's: what some tool exports.

    Attributes:
        keys: fields at the top of a file by which it is known.
    """

    keys: ClassVar[frozenset[str]]

    def recognises(self, text: Text) -> bool:
        """Tell by its content whether a file is written so."""
        return text.keys >= self.keys

    def text(self, data: bytes, file: str) -> bytes:
        """Blank out what is neither JSON nor YAML, keeping its lines."""
        return data

    @abstractmethod
    def parts(self, documents: Iterator[TextNode], file: str, sink: Sink) -> Iterator[tuple[TextNode, Hint]]:
        """Give the objects, lists and bare arrays that the documents hold."""


def read(file: File, sink: Sink, hint: Hint = NO_HINT, forms: Sequence[Form] = ()) -> None:
    """Read every object of a file.

    Args:
        file: the file.
        sink: who is told what it holds.
        hint: what its objects are if they do not say.
        forms: ways of writing to look for.

    Raises:
        SourceError: for a file that is broken, empty, or holds nothing of Kubernetes (code ``not-kubernetes``).
    """
    data = file.read()
    if not data or data.isspace():
        raise SourceError("the file is empty", file=file.name, code="empty")
    check_values(data, file.name)
    text = Text(data)
    form = next((form for form in forms if form.recognises(text)), None)
    is_json = _JSON.match(data) is not None
    passes = form is None and is_json and not sink.looks_back and len(data) >= WORTH_IT
    sink.weighs(len(data), file.name)
    if not is_json and may_be_cut(data):
        sink.note(f"{file.name}: its last line has no line break and ends in a plain value: was the file cut off?")
    nodes = _documents(data if form is None else form.text(data, file.name), file.name, passes=passes)
    del data, text  # so that a text in another form takes its place
    if form is None:
        _Reading(file.name, sink).run((node, hint) for node in nodes)
    else:
        _Reading(file.name, sink).run(form.parts(nodes, file.name, sink))


def _documents(data: bytes, name: str, *, passes: bool) -> Iterator[TextNode]:
    return _json_documents(data, name, passes=passes) if _JSON.match(data) else _yaml_documents(data, name)


def _json_documents(data: bytes, name: str, *, passes: bool) -> Iterator[TextNode]:
    data = json_text.readable(data)
    count = end = 0
    lines = json_text.Lines(data)
    if passes and (passing := Passing.of(data)) is not None:
        lines = json_text.Lines(passing.memory, passing)
        data = b""
    try:
        for raw, start in json_text.pieces(lines.data, name, lines):
            if lines.passing is not None:
                lines.passing.begin(start)
            yield JsonNode(raw, JsonPlace(lines, start, raw, start))
            count, end = count + 1, start + len(memoryview(raw))
    except SourceError as error:
        # kubectl reads YAML after a first JSON document, and what begins as JSON but is YAML in flow style
        if error.code != "json-syntax" or count > 1 or len(lines.data) > _RETRY_AS_YAML:
            raise
        try:
            rest = list(_yaml_documents(data[end:], name, first_line=data.count(b"\n", 0, end)))
        except SourceError as yaml_error:
            raise (yaml_error if _FLOW.match(data, end) else error) from None
        yield from rest


def _yaml_documents(data: bytes, name: str, *, first_line: int = 0) -> Iterator[TextNode]:
    source = YamlText(data)
    del data
    for document in yaml_lines.documents(source, name, first_line=first_line):
        if document.value is not None:
            yield YamlNode(document.value, document, source)


class _Reading:
    """One file being read."""

    def __init__(self, name: str, sink: Sink) -> None:
        self.name = name
        self.sink = sink
        self.found = False
        self.foreign: list[BrokenObject] = []
        self.first = (0, "")
        """Line of the first that is foreign, and what it is."""

    def run(self, documents: Iterable[tuple[TextNode, Hint]]) -> None:
        """Sort every document into lists, objects and what is neither."""
        for number, (node, hint) in enumerate(documents):
            self._document(node, hint, 0)
            if len(self.foreign) > _FOREIGN or number > MOST_DOCUMENTS:
                raise self._too_many()
        if not self.found:
            self._nothing()
        for broken in self.foreign:
            self.sink.broken(broken)

    def _stranger(self, node: TextNode) -> None:
        """Take a document that is no object of Kubernetes; it is told of if others are."""
        what = brief(node)
        if not self.foreign:
            self.first = (node.at()[0], what)
        problem = f"expected an object with apiVersion and kind, got {what}"
        self.foreign.append(Record("", "", node, self.name).broken(problem))

    def _too_many(self) -> SourceError:
        """Refuse a file of which no end is in sight."""
        if len(self.foreign) > _FOREIGN:
            told = f"more than {_FOREIGN:,} documents in it are not Kubernetes objects"
        else:
            told = f"more than {MOST_DOCUMENTS:,} documents, the most that kplan reads from one file"
        return SourceError(told, file=self.name, code="too-many", hint="is it the right file?")

    def _strange(self) -> None:
        """Refuse a file whose lists hold no end of what is no object."""
        if not self.found:
            self._nothing()
        told = f"more than {_STRANGE:,} elements of its lists are not Kubernetes objects"
        raise SourceError(told, file=self.name, code="too-many", hint="is it the right file?")

    def _nothing(self) -> None:
        if not self.foreign:
            raise SourceError("nothing to read: the file holds no object", file=self.name, code="empty")
        line, what = self.first
        raise SourceError(
            f"not Kubernetes: expected an object with apiVersion and kind, got {what}",
            file=self.name,
            line=line,
            code="not-kubernetes",
        )

    def _document(self, node: TextNode, hint: Hint, depth: int) -> None:
        """Take a document, or a list inside of one."""
        if depth > _LIST_DEPTH:
            raise self._error("lists nested too deeply to be read", node, code="too-deep")
        array = node.array()
        if array is not None:
            self._array(array, node, hint, depth)
            return
        head = node.head()
        if head is None:
            if hint.kind and node.value() is None:
                self._none(hint)
            else:
                self._stranger(node)
            return
        self._refuse(node, head)
        kind, items = head.kind, head.items
        if items is None or (kind and not (isinstance(kind, str) and kind.endswith(_LIST))):
            self._object(node, head.api_version, kind, hint)
        elif kind or hint.kind or not items:
            self._list(head, items, hint, depth)
        elif head.api_version and isinstance(node, YamlNode):
            raise self._error(
                "the list has apiVersion and items but no kind, which kubectl writes after the items",
                node,
                code="truncated",
                hint="the file was probably cut off: read it from its source again",
            )
        else:
            self._array(items, node, hint, depth)

    def _array(self, array: Elements, node: TextNode, hint: Hint, depth: int) -> None:
        """Take a bare array: of objects, or of something that is none of our business."""
        if not array and hint.kind:
            self._none(hint)
        elif not array or next(iter(array)).identity() is None:
            self._stranger(node)
        else:
            for part in array:
                self._item(part, hint, depth)

    def _none(self, hint: Hint) -> None:
        """Take note of an empty array, or null, where a list of a known kind belongs."""
        self.found = True
        self.sink.listed(*hint)

    def _list(self, head: Head, items: Elements, hint: Hint, depth: int) -> None:
        kind, api_version = str(head.kind or ""), head.api_version if isinstance(head.api_version, str) else ""
        if kind and kind != _LIST:
            hint = Hint(api_version or hint.api_version, kind.removesuffix(_LIST))
            self.sink.listed(*hint)
        elif hint.kind:
            self.sink.listed(*hint)
        elif not items:
            self.sink.note(f"{self.name}: an empty list that does not name its kind")
        self.found = True
        self.sink.recorded(head.annotations)
        for item in items:
            self._item(item, hint, depth)

    def _item(self, node: TextNode, hint: Hint, depth: int) -> None:
        identity = node.identity()
        if identity is None:
            record = Record("", "", node, self.name)
            self.sink.broken(record.broken(f"expected an object, got {brief(node)}"))
            self.found = True
            return
        api_version, kind = identity
        if isinstance(kind, str) and (kind.endswith(_LIST) or kind in _ANSWERS):
            self._document(node, NO_HINT, depth + 1)
        else:
            self._object(node, api_version, kind, hint)

    def _object(self, node: TextNode, api_version: object, kind: object, hint: Hint) -> None:
        """Take an object, if it says or its list says what it is."""
        if not kind and hint.kind:
            kind, api_version = hint.kind, api_version or hint.api_version
        elif kind and not api_version and kind == hint.kind:
            api_version = hint.api_version
        problem = _unnamed(api_version, kind)
        if not problem:
            self.found = True
            record = Record(str(api_version), str(kind), node, self.name)
            if told := too_large(node):
                self.sink.broken(record.broken(told))
            else:
                self.sink.add(record)
            return
        value = node.value()
        assert isinstance(value, dict)
        if len(_GO_NAMES & value.keys()) > 1 or _GO_NAMES & value.keys() - {"Spec", "Status"}:
            raise self._go_names(node)
        if not isinstance(value.get("metadata"), dict):
            self._stranger(node)
            if len(self.foreign) > _STRANGE:
                self._strange()
            return
        self.found = True
        self.sink.broken(Record("", kind if isinstance(kind, str) else "", node, self.name).broken(*problem))

    def _refuse(self, node: TextNode, head: Head) -> None:
        """Refuse what was saved in place of objects."""
        if head.kind == "Table" and str(head.api_version or _META).startswith(_META):
            raise self._error(
                "a Table of printed columns, not objects",
                node,
                code="table",
                hint="write it with -o json or -o yaml",
            )
        if head.kind == "Status" and head.api_version == "v1":
            answer = shorten(str(head.message), 200)
            raise self._error(f"the API server's answer {answer}, not objects", node, code="status")

    def _go_names(self, node: TextNode) -> SourceError:
        return self._error(
            "written with the field names of Go (Items, Spec), which is not the form of the API",
            node,
            code="internal-names",
            hint="read the objects again with kubectl get -o json",
        )

    def _error(self, message: str, node: TextNode, *, code: str, hint: str = "") -> SourceError:
        return SourceError(message, file=self.name, line=node.at()[0], code=code, hint=hint)


def _unnamed(api_version: object, kind: object) -> tuple[str, Path] | None:
    """Say what an object lacks to be known, and where; None if nothing."""
    for name, value in (("kind", kind), ("apiVersion", api_version)):
        if value is None or value == "":
            return f"{name} is missing", ()
        if not isinstance(value, str):
            return f"expected a string, got {describe(value)}", (name,)
    return None
