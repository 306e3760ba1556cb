"""Large YAML as kubectl writes it, read line by line: several times faster than by events, and with equal results.

kubectl emits regular block YAML in which most lines repeat from object to object, so a table ``line -> meaning``
spares most of the work. A line outside the small subset known here (anchors, tags, flow style, comments, tabs, folded
blocks) makes its list item, or its document, be read by ``yaml_events`` instead; and what that cannot read alone makes
the whole document be read so. Errors therefore always come from there. Small texts are not worth the trouble.

Long because it is one small grammar, a line of it at a time.
"""

import re
from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Any

from msgspec import Struct

from kplan.errors import SourceError
from kplan.sources import yaml_events
from kplan.sources.bounds import LARGEST_OBJECT
from kplan.sources.scalars import ScalarError, key, plain
from kplan.sources.yaml_events import Mark, YamlDocument
from kplan.sources.yaml_nodes import YamlText

SMALL = 1 << 17
"""Texts below this size are read by events [bytes]."""

_LEAST_DOCUMENT = 20
"""Characters of a document on average that may hold an object."""

_LEAST_LINE = 8
"""Characters of a line on average for which reading by lines pays."""

_CACHE_LIMIT, _CACHED_LENGTH = 20_000, 200
"""Lines that are remembered, and the longest of them."""

_LONGEST_KEY = 1000
_MOST_JOINED = 200

_BREAKS = "\r\x85\u2028\u2029"
"""Characters besides the newline at which YAML ends a line."""

_SEPARATOR = re.compile(r"^---[ ]*(?:#[^\n]*)?(?:\n|\Z)", re.MULTILINE)
_OTHER_MARK = re.compile(r"^---(?![ ]*(?:#[^\n]*)?(?:\n|\Z))", re.MULTILINE)
_LIST = re.compile(r"((?:[A-Za-z]+: [^\n]*\n)*)items:\n( *)- ")

_LINE = re.compile(r"( *)((?:- )*)(?:([A-Za-z_.][!-~]*?):(?: +(.*))?|([^ ].*))")
_SINGLE = re.compile(r"'((?:[^']|'')*)'")
_DOUBLE = re.compile(r'"((?:[^"\\]|\\["\\nrt])*)"')
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {'"': '"', "\\": "\\", "n": "\n", "r": "\r", "t": "\t"}
_NOT_PLAIN_FIRST = frozenset("?:,[]{}#&*!|>'\"%@`")

# What stands after a key or a dash.
_VALUE, _OPEN, _MAP, _LIST_EMPTY, _CLIP, _STRIP, _QUOTE = range(7)

_Line = tuple[int, int, str | None, int, Any]
"""Indent, dashes, key, what stands after it, and its value."""

_lines: dict[str, _Line] = {}


class _Irregular(Exception):
    """A line that only the event reader understands."""


def documents(source: YamlText, file: str, *, first_line: int = 0) -> Iterator[YamlDocument]:
    """Build the documents of a stream; the same as ``yaml_events.documents``, but that items of a List may come later.

    Args:
        source: the stream; it holds characters in place of bytes where it is read by lines.
        file: its name, for errors.
        first_line: lines before the stream, added to every line.

    Raises:
        SourceError: as there.
    """
    text = _regular(source.data) if isinstance(source.data, bytes) else ""
    last = -1
    if text:
        source.data = text
        try:
            for document in _between(text, file, first_line):
                last = document.mark.index
                yield document
        except SourceError:
            pass  # what it says comes from the whole text, which may be read otherwise from here on
        else:
            return
    data = source.data.encode() if isinstance(source.data, str) else source.data
    for document in yaml_events.documents(data, file, first_line=first_line):
        if document.mark.index > last:
            yield document


def _regular(data: bytes) -> str:
    """Give a text that can be read by lines, and is worth it; else an empty one."""
    if len(data) < SMALL:
        return ""
    breaks, separators = data.count(b"\n"), data.count(b"\n---")
    if len(data) < _LEAST_LINE * breaks or len(data) < _LEAST_DOCUMENT * separators:
        return ""  # so small that no object is among them: by events, which can stop between them
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return ""
    return text if _separated_by_lines(text) else ""


def _between(text: str, file: str, line: int) -> Iterator[YamlDocument]:
    """Build the documents between the separators, one after another."""
    start = 0
    for separator in _SEPARATOR.finditer(text):
        if separator.start() > start:
            yield from _document(text, start, separator.start(), file, line)
        line += text.count("\n", start, separator.end())
        start = separator.end()
    if len(text) > start:
        yield from _document(text, start, len(text), file, line)


def _separated_by_lines(text: str) -> bool:
    """Tell whether nothing but lines of ``---`` stands between documents (no ``...``, ``%YAML``, ``--- x``)."""
    if text.startswith(("%", "...")) or "\n%" in text or "\n..." in text or any(sign in text for sign in _BREAKS):
        return False
    return not _OTHER_MARK.search(text)


def _document(text: str, start: int, end: int, file: str, line: int) -> Iterator[YamlDocument]:
    """Build the document between two separators, by lines if that goes."""
    chunk = text[start:end]
    try:
        match = _LIST.match(chunk)
        if match:
            yield _list(_List(text, chunk, start, file, line), match)
            return
        if len(chunk) > LARGEST_OBJECT:
            raise _Irregular  # events count the keys of maps
        value = _block(chunk.removesuffix("\n").split("\n"), 0)
        if not isinstance(value, dict) or "items" in value:
            raise _Irregular  # places of the items of a list are wanted
    except (_Irregular, SourceError):
        yield from _by_events(chunk, start, file, line)
        return
    mark = Mark(line, 0, start)
    yield YamlDocument(value, mark, {id(value): mark})


def _by_events(chunk: str, start: int, file: str, line: int) -> Iterator[YamlDocument]:
    for document in yaml_events.documents(chunk, file, first_line=line):
        marks = {name: mark.later(start) for name, mark in document.marks.items()}
        yield YamlDocument(document.value, document.mark.later(start), marks, aliases=document.aliases)


class _List(Struct, frozen=True):
    """A List whose items are built one after another: none of them waits in memory for the others.

    Attributes:
        text: the whole stream.
        chunk: the document.
        start: characters before it.
        file: name, for errors.
        line: lines before it.
    """

    text: str
    chunk: str
    start: int
    file: str
    line: int

    def items(self, begin: int, stop: int, indent: str) -> Iterator[tuple[object, Mark | None]]:
        """Build the items between two places; from one on that cannot be read alone, with all of the document.

        Raises:
            SourceError: the stream is broken.
        """
        count, at, line = 0, begin, self.line + self.chunk.count("\n", 0, begin)
        next_item = f"\n{indent}- "
        while at < stop:
            end = self.chunk.find(next_item, at, stop)
            end = end if end >= 0 else stop - self.chunk.endswith("\n", 0, stop)
            try:
                item, where = _item(self.chunk[at:end], len(indent), self.file, line)
            except (_Irregular, SourceError):
                yield from islice(self._by_events(), count, None)
                return
            yield item, where.later(self.start + at) if where else None
            line += self.chunk.count("\n", at, end) + 1
            count, at = count + 1, end + 1

    def _by_events(self) -> Iterator[tuple[object, Mark | None]]:
        try:
            document = next(_by_events(self.chunk, self.start, self.file, self.line))
        except SourceError:
            # what is wrong is told by the whole stream
            every = yaml_events.documents(self.text.encode(), self.file, first_line=self._lines_before())
            document = next(document for document in every if document.mark.index == self.start)
        value = document.value
        for part in value.get("items") or () if isinstance(value, dict) else ():
            yield part, document.marks.get(id(part)) if isinstance(part, dict) else None

    def _lines_before(self) -> int:
        """Lines before the stream."""
        return self.line - self.text.count("\n", 0, self.start)


def _list(part: _List, match: re.Match[str]) -> YamlDocument:
    """Read what stands around the items of a List; they come later."""
    indent = match[2]
    begin = match.end() - len(indent) - 2
    stop = _end_of_items(part.chunk, begin, indent)
    around = list(yaml_events.documents(f"{match[1]}items: []\n{part.chunk[stop:]}", part.file))
    value = around[0].value if len(around) == 1 else None
    if not isinstance(value, dict) or value.get("items") != []:
        raise _Irregular
    mark = Mark(part.line, 0, part.start)
    return YamlDocument(value, mark, {id(value): mark}, items=partial(part.items, begin, stop, indent))


def _end_of_items(chunk: str, begin: int, indent: str) -> int:
    """Find the line after the last item: the first that is neither deeper than a dash of the list nor one of it."""
    other = re.compile(rf"\n(?!{indent}(?: |- )|\n)").search(chunk, begin)
    return other.end() if other else len(chunk)


def _item(body: str, indent: int, file: str, line: int) -> tuple[object, Mark | None]:
    """Build one item of a list, and say where it begins if it is a map."""
    try:
        if len(body) > LARGEST_OBJECT:
            raise _Irregular
        built = _block(body.split("\n"), indent)
        where: Mark | None = Mark(line, indent + 2, indent + 2)
    except _Irregular:
        (document,) = yaml_events.documents(body, file, first_line=line)
        built = document.value
        where = document.marks.get(id(built[0])) if isinstance(built, list) and built else None
    if not isinstance(built, list) or len(built) != 1:
        raise _Irregular
    return built[0], where if isinstance(built[0], dict) else None


def _block(lines: list[str], start: int) -> object:  # noqa: C901 - one loop: a call per line would double the time
    """Build the map or list that lines hold, beginning in column ``start``.

    ``node`` is the innermost open map or list and ``column`` where it stands; those around it wait on ``outer``.
    ``owner`` and ``name`` say where the value of a key goes that is still to come, on deeper lines.

    Raises:
        _Irregular: a line is not of the subset.
    """
    known = _lines
    outer: list[tuple[int, Any]] = [(-1, None)]
    column = -1
    node: Any = None
    root: Any = None
    owner: Any = None
    name: str | None = ""
    index, count = 0, len(lines)
    lines.append("")
    while index < count:
        line = lines[index]
        try:
            indent, dashes, text, what, value = known[line]
        except KeyError:
            indent, dashes, text, what, value = _meaning(line)
        index += 1
        if owner is not None:
            # The value of the last key: deeper, or a list in the column of the key, or nothing.
            if indent > column or (dashes and indent == column):
                if not dashes and text is None:
                    raise _Irregular  # a scalar on a line of its own
                outer.append((column, node))
                column, node = indent, [] if dashes else {}
                owner[name] = node
            else:
                owner[name] = None
            owner = None
        elif root is None:
            if indent != start:
                raise _Irregular
            column, node = indent, [] if dashes else {}
            root = node
        while column > indent:
            column, node = outer.pop()
        if dashes:
            if column != indent or type(node) is not list:
                raise _Irregular
            while dashes > 1:
                dashes -= 1
                inner: Any = []
                node.append(inner)
                outer.append((column, node))
                column, node = column + 2, inner
            if text is not None:
                inner = {}
                node.append(inner)
                outer.append((column, node))
                column, node = column + 2, inner
        else:
            if type(node) is list and column == indent:
                column, node = outer.pop()  # the list stood in the column of its key
            if column != indent or type(node) is not dict or text is None:
                raise _Irregular
        if what == _VALUE:
            if lines[index].startswith(" " * (column + 1)):
                value, index = _joined(lines, index - 1, column)
        elif what == _OPEN:
            owner, name = node, text
            continue
        elif what == _MAP:
            value = {}
        elif what == _LIST_EMPTY:
            value = []
        elif what == _QUOTE:
            value, index = _joined(lines, index - 1, column)
        else:
            value, index = _literal(lines, index, column, what == _CLIP)
        if text is None:
            node.append(value)
        else:
            node[text] = value
    if owner is not None:
        owner[name] = None
    return root


def _meaning(line: str) -> _Line:
    """Work out what a line means, and remember it."""
    parsed = _parse(line)
    if len(line) <= _CACHED_LENGTH:
        if len(_lines) >= _CACHE_LIMIT:
            _lines.clear()
        _lines[line] = parsed
    return parsed


def _parse(line: str) -> _Line:
    match = _LINE.fullmatch(line)
    if not match or not line.isprintable():
        raise _Irregular
    spaces, dashes, name, after, alone = match.groups()
    try:
        if name is None:
            what, value = _value(alone.rstrip(" "))
        elif len(name) > _LONGEST_KEY:
            raise _Irregular
        else:
            name = key(None, name)
            what, value = _value(after.rstrip(" ")) if after else (_OPEN, None)
    except ScalarError:
        raise _Irregular from None
    if name is None and (what == _OPEN or not dashes):
        raise _Irregular
    return len(spaces), len(dashes) // 2, name, what, value


def _value(text: str) -> tuple[int, Any]:
    if not text:
        return _OPEN, None
    first = text[0]
    if first == "'":
        match = _SINGLE.fullmatch(text)
        return (_VALUE, match[1].replace("''", "'")) if match else (_QUOTE, None)
    if first == '"':
        match = _DOUBLE.fullmatch(text)
        if match:
            return _VALUE, _ESCAPE.sub(lambda escape: _ESCAPED[escape[1]], match[1])
        return _QUOTE, None
    if first in _NOT_PLAIN_FIRST:
        try:
            return {"{}": _MAP, "[]": _LIST_EMPTY, "|": _CLIP, "|-": _STRIP}[text], None
        except KeyError:
            raise _Irregular from None
    if (first == "-" and text[1:2] in ("", " ")) or ": " in text or " #" in text or text[-1] == ":":
        raise _Irregular
    return _VALUE, plain(text)


def _joined(lines: list[str], index: int, column: int) -> tuple[Any, int]:
    """Read a scalar that goes on over several lines: each break is a space."""
    text = lines[index].rstrip(" ")
    end = index + 1
    what, value = _QUOTE, None
    deeper = " " * (column + 1)
    while end - index < _MOST_JOINED and lines[end].startswith(deeper):
        more = lines[end].strip(" ")
        if not more:
            raise _Irregular
        text = f"{text} {more}"
        end += 1
        if what == _QUOTE and text[-1] in "'\"":
            what, value = _parse(text)[3:]
            if what == _VALUE:
                break
    if what == _QUOTE:
        what, value = _parse(text)[3:]
    if what != _VALUE:
        raise _Irregular
    return value, end


def _literal(lines: list[str], index: int, column: int, clip: bool) -> tuple[str, int]:
    """Read a literal block (``|`` or ``|-``) whose parent stands in a column."""
    end, last, deeper = index, len(lines) - 1, " " * (column + 1)
    while end < last and (not lines[end].strip(" ") or lines[end].startswith(deeper)):
        end += 1
    block = lines[index:end]
    while block and not block[-1].strip(" "):
        block.pop()
    if not block or not block[0].strip(" "):
        raise _Irregular
    indent = len(block[0]) - len(block[0].lstrip(" "))
    prefix = " " * indent
    for line in block:
        if not line.replace("\t", "").isprintable() or (line.strip(" ") and not line.startswith(prefix)):
            raise _Irregular
    return "\n".join(line[indent:] for line in block) + ("\n" if clip else ""), end
