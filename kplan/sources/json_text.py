"""JSON texts: one document, several in a row, or one a line, cut into pieces that are decoded later by type."""

from __future__ import annotations

import codecs
import json
import re
import sys
from collections.abc import Iterator, Sequence
from mmap import mmap

import msgspec

from kplan.errors import SourceError
from kplan.sources.counting import count_of
from kplan.sources.fit import Path
from kplan.sources.passing import Passing
from kplan.sources.paths_sought import LookedThrough, PathsSought

_BYTE = re.compile(r"trailing characters \(byte (\d+)\)")
_AT = re.compile(r" \(byte (\d+)\)")
_BETWEEN = re.compile(rb"(?:\s|^---[ \t]*(?:#[^\n]*)?$)*", re.MULTILINE)
_COMMAS = re.compile(rb"[\s,]*")
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+')

_LONE_SURROGATE = re.compile(
    rb"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<lone>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")

_CHECKED = 1 << 20
"""Bytes that are checked at a time."""

_DIGITS = 30
"""Digits of an integer that is read as one."""

_END_OF_LIST = ord("]")
_LARGEST = sys.float_info.max
LOOKED = 2_000_000
"""Bytes of a file that are looked through for places inside of objects, in all."""
_COUNTED = 1 << 16
"""Bytes of a line whose characters are counted; beyond, bytes are."""

_HEAD = re.compile(rb'\{\s*"[A-Za-z]{1,20}"')
"""How an element begins that is a map."""
_NEVER = re.compile(rb"(?!)")
_WINDOW = 1 << 16
"""Bytes in which the end of an element is expected."""
_MISSES = 50
"""Ends that were not where they were expected before each is looked for."""

_skim = msgspec.json.Decoder(msgspec.Raw)


def readable(data: bytes) -> bytes:
    """Replace what is no character, as Go does: bytes that are not UTF-8, and halves of surrogate pairs.

    Everything that looks into a text sees what this gives, so that places in it are the same for all.
    """
    if not data.isascii() and not _is_utf8(data):
        data = data.decode("utf-8", "replace").encode()
    if _SURROGATE.search(data):
        data = _LONE_SURROGATE.sub(_replace_surrogate, data)
    return data


def _is_utf8(data: bytes) -> bool:
    """Tell whether a text is UTF-8, without holding it a second time."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    view = memoryview(data)
    try:
        for at in range(0, len(data), _CHECKED):
            decoder.decode(view[at : at + _CHECKED])
        decoder.decode(b"", True)
    except UnicodeDecodeError:
        return False
    return True


def pieces(data: bytes | mmap, file: str, lines: Lines | None = None) -> Iterator[tuple[msgspec.Raw, int]]:
    """Cut a text into its JSON documents, each with the byte it begins at.

    Documents may follow each other directly, on lines of their own (NDJSON), or with ``---`` lines between.

    Args:
        data: the text, as ``readable`` gives it.
        file: its name, for errors.
        lines: of the text, which may have been let go before the next document is taken.

    Raises:
        SourceError: for what is not JSON, with line and column.
    """
    view, lines = memoryview(data), lines or Lines(data)
    at = _after_gap(data, 0)
    while at < len(data):
        try:
            raw = _first(view[at:])
        except msgspec.DecodeError as error:
            raise syntax_error(error, lines, at, file) from None
        except RecursionError:
            raise SourceError("nested too deeply", file=file, line=lines.at(at)[0], code="too-deep") from None
        yield raw, at
        at = _after_gap(data, at + len(memoryview(raw)))


def elements(array: memoryview) -> Iterator[tuple[msgspec.Raw, int]]:
    """Cut a valid JSON list into its elements, each with where it begins.

    What stands between the first two, and how the second begins, most likely stands between all. What ends where that
    is found again is an element if it is a whole value, as there is one way alone to read a list; if it is none, its
    end is looked for.
    """
    at, gap, misses = _begin(array, 1), 0, 0
    between: re.Pattern[bytes] | None = None
    while array[at] != _END_OF_LIST:
        raw = _until(array, at, between) if between is not None and misses < _MISSES else None
        if raw is not None:
            yield raw, at
            at += len(memoryview(raw)) + gap  # what stands between was found behind it
            continue
        misses += between is not None
        raw = _first(array[at:])
        yield raw, at
        end = at + len(memoryview(raw))
        at = _begin(array, end)
        if between is None:
            head = _HEAD.match(array, at)
            between = re.compile(re.escape(bytes(array[end - 1 : head.end()]))) if head else _NEVER
            gap = at - end


def is_empty_list(array: memoryview) -> bool:
    """Tell whether a valid JSON list has no element."""
    return array[_begin(array, 1)] == _END_OF_LIST


def _begin(array: memoryview, at: int) -> int:
    """Byte at which the next element begins, or the list ends."""
    gap = _COMMAS.match(array, at)
    return gap.end() if gap else at


def _until(array: memoryview, at: int, between: re.Pattern[bytes]) -> msgspec.Raw | None:
    """Take the element that ends where what stands between two is found next; None if none does."""
    found = between.search(array, at, at + _WINDOW)
    if found is None:
        return None
    try:
        return _skim.decode(array[at : found.start() + 1])
    except msgspec.DecodeError:
        return None


def syntax_error(error: msgspec.DecodeError, lines: Lines, start: int, file: str) -> SourceError:
    """Say where a document that begins at byte ``start`` stops being JSON."""
    text = str(error)
    match = _AT.search(text)
    if not match:
        return SourceError(
            "the JSON ends in the middle",
            file=file,
            line=lines.at(len(lines.data[:].rstrip()))[0],
            code="truncated",
            hint="the file was cut off: read it from its source again",
        )
    at = start + int(match[1])
    problem = _AT.sub("", text).removeprefix("JSON is malformed: ")
    line, column = lines.at(at)
    return SourceError(f"not valid JSON: {problem}", file=file, line=line, column=column, code="json-syntax")


def loads(text: bytes) -> object:
    """Decode a valid document to dicts and lists; bytes that are not UTF-8 become U+FFFD, as in Go.

    A number that no field of Kubernetes could hold is given as the largest that a float holds, which no field takes.

    Raises:
        SourceError: it is nested too deeply.
    """
    whole = text.decode("utf-8", "replace")
    try:
        try:
            return json.loads(whole, parse_float=_finite)
        except ValueError:  # thousands of digits
            return json.loads(whole, parse_int=_whole, parse_float=_finite)
    except RecursionError:
        raise SourceError("nested too deeply", code="too-deep") from None


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) <= _DIGITS else _finite(digits)


def _finite(text: str) -> float:
    return max(-_LARGEST, min(float(text), _LARGEST))


class Lines:
    """Tells line and column of bytes in a text; fast for bytes asked for in rising order, as errors are met.

    Args:
        data: the text.
        passing: that text, where what was read of it is let go.
    """

    def __init__(self, data: bytes | mmap, passing: Passing | None = None) -> None:
        self.data = data
        self.passing = passing
        self._at = self._line = self._begin = 0
        self.looked = LookedThrough(LOOKED)
        self._first = (0, 0, 0)
        """Where counting begins anew."""

    def at(self, byte: int) -> tuple[int, int]:
        """Give the 1-based line and column of a byte; columns count characters."""
        if byte < self._at:
            self._at, self._line, self._begin = self._first
        breaks = self._breaks(self._at, byte)
        if breaks:
            self._begin = self.data.rfind(b"\n", self._at, byte) + 1
        self._at, self._line = byte, self._line + breaks
        column = byte - self._begin
        if column < _COUNTED:
            column = len(self.data[self._begin : byte].decode("utf-8", "replace"))
        return self._line + 1, column + 1

    def let_go(self, byte: int) -> None:
        """Let go of what stands before a byte, if it is time; nobody may look at it any more."""
        if self.passing is not None and byte >= self.passing.due:
            self.at(byte)
            self._first = (self._at, self._line, self._begin)
            self.passing.let_go(byte)

    def _breaks(self, start: int, end: int) -> int:
        return count_of(self.data, b"\n", start, end)


def find(text: str, paths: Sequence[Path]) -> list[int]:
    """Find the characters at which the values of paths begin; of the deepest part of each that is there.

    Args:
        text: one valid JSON document.
        paths: keys and indexes from its root.
    """
    sought: PathsSought[int] = PathsSought(paths)
    key_next = False
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in "]}":
            sought.end()
            key_next = False
        elif token == ",":
            key_next = sought.in_map
            if not key_next:
                sought.next()
        elif token == ":":
            key_next = False
        elif key_next:
            sought.key(json.loads(token))
        else:
            sought.value(match.start())
            if token in "[{":
                key_next = token == "{"
                sought.begin(is_map=key_next)
        if sought.found:
            break
    return sought.places(0)


def in_bytes(text: str, at: Sequence[int]) -> list[int]:
    """Give the bytes at which characters of a text begin in UTF-8."""
    before, byte = 0, 0
    bytes_of: dict[int, int] = {}
    for character in sorted(set(at)):
        byte += len(text[before:character].encode())
        before, bytes_of[character] = character, byte
    return [bytes_of[character] for character in at]


def _after_gap(data: bytes | mmap, at: int) -> int:
    match = _BETWEEN.match(data, at)
    return match.end() if match else at


def _first(view: memoryview) -> msgspec.Raw:
    """Take the first of the documents that a text consists of."""
    try:
        return _skim.decode(view)
    except msgspec.DecodeError as error:
        more = _BYTE.search(str(error))
        if not more:
            raise
        return _skim.decode(view[: int(more[1]) - 1])


def _replace_surrogate(match: re.Match[bytes]) -> bytes:
    """Replace half a surrogate pair by U+FFFD, as Go does; leave pairs and escaped backslashes."""
    return rb"\ufffd" if match.lastgroup == "lone" else match[0]
