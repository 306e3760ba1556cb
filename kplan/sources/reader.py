"""Opening what the user named: files, folders, standard input; packed with gzip or zstd or not."""

import gzip
import os
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from kplan.errors import SourceError
from kplan.sources.msgpack_text import as_json, is_trace
from kplan.sources.opening import is_regular, load, load_stream, look, shown, unreadable
from kplan.sources.unpacking import RATIO_FROM, RATIO_LIMIT, Zstd, bomb

STDIN = "-"
WEB = ("https://", "http://")
"""What a path begins with that is read from the web."""
_TEXTS = (".yaml", ".yml", ".json", ".ndjson")
_PACKED = (".gz", ".zst")
SUFFIXES = tuple(text + packed for text in (*_TEXTS, ".sktrace") for packed in ("", *_PACKED))

_UNPACKED_LIMIT = 8 << 30
"""Size at which a packed file is taken for a bomb [bytes]."""

_LOOKED_AT = 8192
"""Bytes at the beginning in which a NUL means that a file is no text."""

_ARCHIVES = {
    b"PK\x03\x04": "a ZIP archive",
    b"\xfd7zXZ\x00": "packed with xz",
    b"BZh": "packed with bzip2",
    b"\x7fELF": "a program",
}


class File(Struct, frozen=True):
    """A file to be read.

    Attributes:
        name: as shown to the user.
        load: gives its bytes as they are.
        inside: path inside the folder that was named, ``/`` between parts; empty for a file that was named itself.
    """

    name: str
    load: Callable[[], bytes]
    inside: str = ""

    def read(self) -> bytes:
        """Give its text in UTF-8 without a byte order mark, unpacked.

        Raises:
            SourceError: it cannot be opened or unpacked, or is no text.
        """
        try:
            data = self.load()
        except OSError as error:
            raise unreadable(error, self.name) from None
        data = _unpack(data, self.name)
        return _of_trace(data, self.name) if is_trace(data) else _as_utf8(data, self.name)


def files(path: str | Path, stdin: BinaryIO | None = None) -> list[File]:
    """List the files that a path means, in bytewise order of their paths.

    Args:
        path: a file, a folder, or ``-`` for standard input. In a folder, only YAML and JSON files count
            (by their endings), hidden ones are passed over, and links to folders are not followed.
        stdin: what ``-`` reads.

    Raises:
        SourceError: the path does not exist, or a folder holds no such file.
    """
    if str(path) == STDIN:
        if stdin is None:
            raise SourceError("nothing was given on standard input", file="standard input", code="empty")
        return [File("standard input", lambda: load_stream(stdin, "standard input"))]
    root = Path(path)
    found_there = look(path)
    if not found_there:
        raise SourceError("no such file or folder", file=shown(path), code="not-found")
    if found_there == "file":
        return [File(shown(path), lambda: load(root))]
    inside = sorted(_walk(root), key=lambda file: os.fsencode(file.inside))
    if not inside:
        raise SourceError(
            "nothing to read: no YAML or JSON file in this folder",
            file=shown(path),
            code="empty",
            hint=f"files ending in {', '.join(_TEXTS)} count, also packed as .gz or .zst",
        )
    return inside


def _walk(root: Path) -> Iterator[File]:
    for folder, below, names in os.walk(root, onerror=refuse):
        below[:] = [name for name in below if not name.startswith(".")]
        for name in names:
            if not name.startswith(".") and name.lower().endswith(SUFFIXES):
                path = Path(folder, name)
                if is_regular(path):
                    yield File(shown(path), partial(load, path), path.relative_to(root).as_posix())


def refuse(error: OSError) -> None:
    """Refuse a folder that cannot be listed.

    Raises:
        SourceError: always.
    """
    raise unreadable(error, error.filename) from None


def _unpack(data: bytes, name: str) -> bytes:
    """Unpack by what the bytes are, whatever the name says."""
    if data[:2] == b"\x1f\x8b":
        return _gunzip(data, name)
    if data[:4] == b"\x28\xb5\x2f\xfd":
        return _unzstd(data, name)
    return data


def _limit(packed: int) -> int:
    """How much may come of so many packed bytes; far less of few than of many."""
    return min(_UNPACKED_LIMIT, max(RATIO_FROM, RATIO_LIMIT * packed))


def _gunzip(data: bytes, name: str) -> bytes:
    parts: list[bytes] = []
    size, limit = 0, _limit(len(data))
    try:
        while data:  # a gzip file may be several, one after another
            if data[:2] != b"\x1f\x8b":
                if data.strip(b"\0"):
                    raise zlib.error("garbage after its end")
                break
            unpacker = zlib.decompressobj(wbits=31)
            part = unpacker.decompress(data, limit - size + 1)
            size += len(part)
            if size > limit:
                raise _too_large(name, limit)
            if not unpacker.eof:
                raise EOFError
            parts.append(part)
            data = unpacker.unused_data
    except EOFError:
        raise SourceError(
            "the gzip data ends in the middle", file=name, code="truncated", hint="the file was cut off: get it again"
        ) from None
    except (zlib.error, gzip.BadGzipFile) as error:
        raise SourceError(f"broken gzip data: {error}", file=name, code="broken-gzip") from None
    return b"".join(parts)


def _unzstd(data: bytes, name: str) -> bytes:
    limit = _limit(len(data))
    try:
        text = Zstd(data, name).read(limit + 1)
    except zlib.error as error:
        raise SourceError(f"broken zstd data: {error}", file=name, code="broken-zstd") from None
    if len(text) > limit:
        raise _too_large(name, limit)
    return text


def _of_trace(data: bytes, name: str) -> bytes:
    try:
        return as_json(data)
    except ValueError as error:
        raise SourceError(
            f"a trace of SimKube that cannot be read: {error}",
            file=name,
            code="broken-trace",
            hint="it was probably cut off: get it again, or record it with SimKube 2 or later",
        ) from None


def _too_large(name: str, limit: int) -> SourceError:
    whole = limit == _UNPACKED_LIMIT
    return bomb(name, f"more than {limit >> 30} GiB" if whole else f"more than {RATIO_LIMIT} times its size")


def _as_utf8(data: bytes, name: str) -> bytes:
    if data[:3] == b"\xef\xbb\xbf":
        return data[3:]
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):  # PowerShell writes files so
        try:
            return data.decode("utf-16").removeprefix("\ufeff").encode()
        except UnicodeError:
            raise SourceError("begins like UTF-16 but is not text", file=name, code="not-text") from None
    for magic, what in _ARCHIVES.items():
        if data.startswith(magic):
            raise SourceError(f"not text but {what}", file=name, code="not-text", hint="unpack it first")
    if data[257:262] == b"ustar":
        raise SourceError("not text but a tar archive", file=name, code="not-text", hint="unpack it first")
    at = data.find(b"\0", 0, _LOOKED_AT)
    if at >= 0:
        raise SourceError(f"not text: a NUL at byte {at + 1}", file=name, code="not-text")
    return data
