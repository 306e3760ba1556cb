"""YAML documents as the JSON values kubectl makes of them, built from libyaml's events.

PyYAML's own constructors follow other rules (``on``, ``12:30:45``, ``0o17``, dates), build every document three
times slower, and expand nothing but count nothing either; so only its parser is used. Aliases share the value they
name; what the document would be when written out is counted and capped as go-yaml does.

Source: go.yaml.in/yaml v2.4.3 ``decoder.unmarshal``, ``decoder.mapping``, ``decoder.merge``, ``allowedAliasRatio``.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import yaml
from msgspec import Struct, field
from yaml import events
from yaml.error import MarkedYAMLError, YAMLError
from yaml.reader import ReaderError

from kplan.errors import SourceError
from kplan.sources.bounds import MOST_DOCUMENTS, MOST_PARTS, check_count
from kplan.sources.scalars import MERGE, UNKNOWN_ANCHOR, ScalarError, key, plain, tagged

try:
    from yaml._yaml import CParser as _Parser
except ImportError:  # a PyYAML built without libyaml: the same events, 15 times slower

    class _Parser(yaml.reader.Reader, yaml.scanner.Scanner, yaml.parser.Parser):  # type: ignore[no-redef]  # one or the other
        def __init__(self, stream: str | bytes) -> None:
            yaml.reader.Reader.__init__(self, stream)
            yaml.scanner.Scanner.__init__(self)
            yaml.parser.Parser.__init__(self)


MAX_DEPTH = 1000
"""Levels of nesting; no Kubernetes object comes near."""

MOST_KEYS = 100_000
"""Keys of one map; an object of Kubernetes that has as many is larger than an API server takes."""

_HINTED = 1 << 20
"""Length of a text up to which it is looked for what may be wrong with it [bytes]."""

_CUT = "the file ends in the middle: was it cut off?"
_ITEMS_DEPTH = 2
"""Lists down to this depth may hold objects."""

_MARKED_DEPTH = 2
"""Maps down to this depth remember where they begin: a document, and the items of a list in it."""

_ALIASED_FREE, _DECODED_FREE = 100, 1000
_RATIO_LOW, _RATIO_HIGH = 400_000, 4_000_000
_RATIO_MAX, _RATIO_MIN = 0.99, 0.10

_TIGHT = re.compile(r"^---#[^\n]*", re.MULTILINE)
_TIGHT_BYTES = re.compile(rb"^---#[^\n]*", re.MULTILINE)

_JSON = re.compile(r'\s*(?:---\s*)?(?:\{\s*"|\[\s*\{\s*"|\{\s*\Z|\[\s*\Z)')
_JSON_BYTES = re.compile(_JSON.pattern.encode())
"""How a document of JSON begins: flow style that nobody writes by hand quotes its keys."""

_RENDER = "render it first (helm template, kustomize build)"

_NO_KEY: Any = object()
_MERGE: Any = object()
_OPEN = -1


class Mark(Struct, frozen=True):
    """Where something begins: 0-based line and column, and characters from the start of the stream."""

    line: int
    column: int
    index: int

    def later(self, characters: int) -> "Mark":
        """The same place in a stream with so many characters before it; its line counts them already."""
        return Mark(self.line, self.column, self.index + characters)


class YamlDocument(Struct, frozen=True):
    """One document of a stream.

    Attributes:
        value: dicts, lists, str, int, float, bool and None; aliased parts are shared, so it must not be changed.
        mark: where it begins.
        marks: where each map of the first three levels begins, by ``id``.
        aliases: whether parts of it are shared.
        items: where the document is a List whose items are built as they are asked for, gives them, each with where it
            begins if it is a map; ``value`` has none of them then.
    """

    value: object
    mark: Mark
    marks: dict[int, Mark] = field(default_factory=dict)
    aliases: bool = False
    items: Callable[[], Iterator[tuple[object, Mark | None]]] | None = None

    def whole(self) -> "YamlDocument":
        """Give the document with all of its items.

        Raises:
            SourceError: one of them is broken.
        """
        if self.items is None or not isinstance(self.value, dict):
            return self
        built = list(self.items())
        value = {**self.value, "items": [item for item, _ in built]}
        marks = {id(value): self.mark, **{id(item): mark for item, mark in built if mark is not None}}
        return YamlDocument(value, self.mark, marks)


def documents(data: str | bytes, file: str, *, first_line: int = 0) -> Iterator[YamlDocument]:
    """Build the documents of a stream, one after another.

    Args:
        data: the stream; bytes may be UTF-8 or UTF-16 with a byte order mark.
        file: its name, for errors.
        first_line: lines before the stream, added to every line.

    Raises:
        SourceError: for a syntax error, an alias bomb, and what kubectl refuses (a null key, NaN, a wrong tag).
    """
    try:
        parser = _Parser(_separated(data))
        count = 0
        get_event: Callable[[], Any] = parser.get_event
        while True:
            event = get_event()
            kind = type(event)
            if kind is events.StreamEndEvent:
                return
            if kind is events.DocumentStartEvent:
                count += 1
                check_count(count, MOST_DOCUMENTS, "documents in one file", file)
                yield _Builder(get_event, file, first_line).document()
    except YAMLError as error:
        raise _syntax_error(error, data, file, first_line) from None
    except RecursionError:  # only PyYAML's own parser recurses
        raise SourceError("nested too deeply", file=file, code="too-deep") from None


def _separated(data: str | bytes) -> str | bytes:
    """Blank out a comment that follows a separator without a space: to YAML ``---# x`` is text, to kubectl it is not.

    Source: YAMLReader.Read in apimachinery v0.37.2 pkg/util/yaml/decoder.go.
    """
    if isinstance(data, bytes):
        return _TIGHT_BYTES.sub(_blank_bytes, data) if b"---#" in data else data
    return _TIGHT.sub(_blank, data) if "---#" in data else data


def _blank(match: re.Match[str]) -> str:
    return f"---{' ' * (len(match[0]) - 3)}"  # as many characters, which marks count


def _blank_bytes(match: re.Match[bytes]) -> bytes:
    return b"---" + b" " * (len(match[0].decode("utf-8", "replace")) - 3)


def event_stream(data: str) -> Iterator[Any]:
    """Yield the parser's events of a text; a syntax error ends them."""
    try:
        get_event: Callable[[], Any] = _Parser(data).get_event
        while type(event := get_event()) is not events.StreamEndEvent:
            yield event
    except YAMLError:
        return


class _Builder:
    """Builds one document; made anew for each, since anchors end with it."""

    def __init__(self, get_event: Callable[[], Any], file: str, first_line: int) -> None:
        self.get_event = get_event
        self.file = file
        self.first_line = first_line
        self.marks: dict[int, Mark] = {}
        self.anchors: dict[str, tuple[object, int]] = {}
        """Value and written-out size of each anchor; size _OPEN while its collection is being read."""
        self.extra = 0
        """Nodes that aliases would add, were they written out."""
        self.seen = 0

    def document(self) -> YamlDocument:
        """Build the document whose start event was read."""
        event = self.get_event()
        mark = self._mark(event)
        value = self._value(event)
        event = self.get_event()
        if type(event) is not events.DocumentEndEvent:  # pragma: no cover - the parser sees to it
            raise self._error("expected the end of the document", event)
        return YamlDocument(value, mark, self.marks, aliases=self.extra > 0)

    def _value(self, event: Any) -> object:  # noqa: C901 - one loop: a call per event would double the time
        """Build the value that begins with an event.

        The innermost open collection is ``into``, with the ``pending`` key if it is a map; those around it wait
        on ``stack`` with their pending keys and, where anchored, the anchor and the count at their start.
        """
        get_event, scalar_event, alias_event = self.get_event, events.ScalarEvent, events.AliasEvent
        map_event, list_event = events.MappingStartEvent, events.SequenceStartEvent
        stack: list[tuple[Any, Any, str | None, int]] = []
        into: Any = None
        pending: Any = None
        anchor: str | None = None
        began = seen = before = 0
        while True:
            kind = type(event)
            seen += 1
            aliased = False
            if kind is scalar_event:
                if pending is _NO_KEY:
                    pending = self._key(event)
                    event = get_event()
                    continue
                value = self._scalar(event)
                if event.anchor is not None:
                    self.anchors[event.anchor] = (value, 1)
                if seen - before > MOST_PARTS:
                    raise self._error(f"an object of more than {MOST_PARTS:,} values", event, code="too-large")
            elif kind is map_event or kind is list_event:
                if pending is _NO_KEY:
                    raise self._no_key(event)
                stack.append((into, pending, anchor, began))
                if len(stack) > MAX_DEPTH:
                    raise self._error(f"nested more than {MAX_DEPTH} levels deep", event, code="too-deep")
                into, pending = ({}, _NO_KEY) if kind is map_event else ([], None)
                if len(stack) <= _MARKED_DEPTH + 1 and kind is map_event:
                    self.marks[id(into)] = self._mark(event)
                anchor, began = event.anchor, seen + self.extra
                if anchor is not None:
                    self.anchors[anchor] = (into, _OPEN)
                event = get_event()
                continue
            elif kind is alias_event:
                self.seen = seen
                value = self._alias(event)
                if pending is _NO_KEY:
                    pending = self._alias_key(value, event)
                    event = get_event()
                    continue
                aliased = True
            else:  # the end of a map or list
                value = into
                if anchor is not None and self.anchors[anchor][0] is value:
                    self.anchors[anchor] = (value, seen + self.extra - began)
                into, pending, anchor, began = stack.pop()
            if into is None:
                return value
            if type(into) is list:
                into.append(value)
                if len(stack) <= _ITEMS_DEPTH and type(value) is dict:
                    before = seen  # the next object begins
            elif pending is _MERGE:
                self._merge(into, value, aliased, event)
                pending = _NO_KEY
            else:
                into[pending] = value
                pending = _NO_KEY
                if len(into) > MOST_KEYS:
                    raise self._error(f"a map of more than {MOST_KEYS:,} keys", event, code="too-large")
            event = get_event()

    def _scalar(self, event: Any) -> object:
        try:
            if event.tag is not None:
                return tagged(event.tag, event.value)
            return plain(event.value) if event.implicit[0] else event.value
        except ScalarError as error:
            raise self._error(str(error), event) from None

    def _key(self, event: Any) -> object:
        text, tag = event.value, event.tag
        if text == "<<" and (event.implicit[0] or tag == MERGE):
            return _MERGE
        if event.anchor is not None:
            self.anchors[event.anchor] = (self._scalar(event), 1)
        if tag is None and not event.implicit[0]:
            return text
        try:
            return key(tag, text)
        except ScalarError as error:
            raise self._error(str(error), event) from None

    def _alias(self, event: Any) -> object:
        name = event.anchor
        if name not in self.anchors:
            raise self._error(UNKNOWN_ANCHOR, event)
        value, size = self.anchors[name]
        if size == _OPEN:
            raise self._error(f"the value of anchor {name!r} contains itself", event, code="alias-bomb")
        self.extra += size
        total = self.seen + self.extra
        if self.extra > _ALIASED_FREE and total > _DECODED_FREE and self.extra / total > _allowed_ratio(total):
            raise self._error(
                "aliases repeat so much that the document is refused",
                event,
                code="alias-bomb",
                hint="write the repeated parts out, or split the file",
            )
        return value

    def _alias_key(self, value: object, event: Any) -> str:
        if isinstance(value, (dict, list)):
            raise self._no_key(event)
        if value is None:
            raise self._error("unsupported map key: null", event)
        return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)

    def _no_key(self, event: Any) -> SourceError:
        return self._error("a map or list cannot be the key of a map", event, hint=f"if it is a template, {_RENDER}")

    def _merge(self, into: dict[str, object], value: object, aliased: bool, event: Any) -> None:
        """Merge ``<<``: its keys replace earlier ones and later ones replace them, as go-yaml v2 has it."""
        parts = [value] if isinstance(value, dict) or aliased or not isinstance(value, list) else value[::-1]
        for part in parts:
            if not isinstance(part, dict):
                raise self._error("a merge key (<<) needs a map or a list of maps", event)
            into.update(part)

    def _mark(self, event: Any) -> Mark:
        mark = event.start_mark
        return Mark(mark.line + self.first_line, mark.column, mark.index)

    def _error(self, message: str, event: Any, *, code: str = "", hint: str = "") -> SourceError:
        mark = self._mark(event)
        return SourceError(message, file=self.file, line=mark.line + 1, column=mark.column + 1, code=code, hint=hint)


def _allowed_ratio(count: int) -> float:
    """Share of a document's nodes that may come from aliases: 99 %, falling to 10 % for large documents."""
    if count <= _RATIO_LOW:
        return _RATIO_MAX
    if count >= _RATIO_HIGH:
        return _RATIO_MIN
    return _RATIO_MAX - (_RATIO_MAX - _RATIO_MIN) * (count - _RATIO_LOW) / (_RATIO_HIGH - _RATIO_LOW)


def _syntax_error(error: YAMLError, data: str | bytes, file: str, first_line: int) -> SourceError:
    if isinstance(error, ReaderError):
        place = _line_of(data, error.position)
        return SourceError(
            f"not text: {error.reason}", file=file, line=place + first_line if place else 0, code="not-text"
        )
    if not isinstance(error, MarkedYAMLError):
        return SourceError("not valid YAML", file=file, code="yaml-syntax")
    mark = error.problem_mark or error.context_mark
    hint = _syntax_hint(data, mark.line, mark.column) if mark else ""
    if mark and hint == _CUT and _is_json(data):
        return SourceError(
            "the JSON ends in the middle",
            file=file,
            line=mark.line + 1 + first_line,
            code="truncated",
            hint="the file was cut off: read it from its source again",
        )
    message = f"not valid YAML: {error.problem or error.context}"
    if error.problem and error.context:
        message += f" ({error.context})"
    return SourceError(
        message,
        file=file,
        line=mark.line + 1 + first_line if mark else 0,
        column=mark.column + 1 if mark else 0,
        code="yaml-syntax",
        hint=hint,
    )


def _is_json(data: str | bytes) -> bool:
    """Whether the last document is written as JSON, as streams are that have ``---`` between such."""
    if isinstance(data, str):
        return _JSON.match(data, max(data.rfind("\n---"), 0)) is not None
    return _JSON_BYTES.match(data, max(data.rfind(b"\n---"), 0)) is not None


def _line_of(data: str | bytes, position: int) -> int:
    return (data.count("\n", 0, position) if isinstance(data, str) else data.count(b"\n", 0, position)) + 1


def _syntax_hint(data: str | bytes, line: int, column: int) -> str:
    if len(data) > _HINTED:
        breaks = data.count("\n") if isinstance(data, str) else data.count(b"\n")
        return _CUT if line >= breaks else ""  # nobody wrote it by hand
    text = data if isinstance(data, str) else data.decode("utf-8", "replace")
    lines = text.split("\n")
    before = lines[: line + 1]
    if "{{" in "".join(before[-3:]) or any(part.lstrip().startswith("{{") for part in before):
        return f"this looks like a template: {_RENDER}"
    if any("\t" in part[: len(part) - len(part.lstrip())] for part in before[-2:]):
        return "indent with spaces, not with tabs"
    if line >= len(lines) or not "".join([lines[line][column:], *lines[line + 1 :]]).strip():
        return _CUT
    return ""
