"""Packed streams, unpacked as they are read and stopped at what no honest archive holds."""

import bz2
import gzip
import io
import lzma
import zlib
from typing import IO, cast

from kplan.errors import SourceError

UNPACKED_LIMIT = 64 << 30
"""Size at which what an archive unpacks to is taken for a bomb, with all that is passed over [bytes]."""

KEPT_LIMIT = 8 << 30
"""Size of the members that are kept, in memory [bytes]."""

MEMBERS_LIMIT = 2_000_000

RATIO_LIMIT = 500
"""Unpacked over packed size from which a bomb is suspected, once RATIO_FROM bytes are unpacked."""

RATIO_FROM = 256 << 20

_PACKINGS = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "zstd"}


def packing_of(begin: bytes) -> str:
    """Name what a stream is packed with by its first bytes; empty if it is not."""
    return next((name for magic, name in _PACKINGS.items() if begin.startswith(magic)), "")


class Metered(io.RawIOBase):
    """A stream that counts what is read from it, and stops at what no honest archive holds."""

    def __init__(self, inner: IO[bytes], name: str, packed: "Metered | None" = None) -> None:
        self.inner = inner
        self.name = name
        self.packed = packed
        self.count = 0
        self.ahead = b""

    @property
    def metered(self) -> "Metered":
        """The innermost stream, whose count is the packed size."""
        return self.packed or self

    def readable(self) -> bool:
        """Say that it can be read from."""
        return True

    def read(self, size: int = -1, /) -> bytes:
        """Read up to ``size`` bytes, fewer at the end or where fewer are at hand."""
        data, self.ahead = (self.ahead, b"") if size < 0 else (self.ahead[:size], self.ahead[size:])
        if size < 0 or len(data) < size:
            data += self._more(-1 if size < 0 else size - len(data))
        return data

    def peeked(self) -> bytes:
        """Look at the first KiB and leave it to be read."""
        while len(self.ahead) < 1024:
            more = self._more(1024 - len(self.ahead))
            if not more:
                break
            self.ahead += more
        return self.ahead

    def rest(self) -> bytes:
        """Read to the end, as far as memory is worth it."""
        parts: list[bytes] = []
        size = 0
        while data := self.read(1 << 20):
            size += len(data)
            if size > KEPT_LIMIT:
                raise bomb(self.name, f"more than {KEPT_LIMIT >> 30} GiB")
            parts.append(data)
        return b"".join(parts)

    def _more(self, size: int) -> bytes:
        if size < 0:
            parts = []
            while part := self._more(1 << 20):
                parts.append(part)
            return b"".join(parts)
        data = self.inner.read(size) or b""
        self.count += len(data)
        if self.packed is not None:
            check_size(self.name, self.count, self.packed.count)
        return data


def check_size(name: str, unpacked: int, packed: int) -> None:
    """Refuse what unpacks to more than an honest archive does.

    Raises:
        SourceError: with the code ``too-large``.
    """
    if unpacked > UNPACKED_LIMIT:
        raise bomb(name, f"more than {UNPACKED_LIMIT >> 30} GiB")
    if unpacked > RATIO_FROM and unpacked > RATIO_LIMIT * max(packed, 1):
        raise bomb(name, f"more than {RATIO_LIMIT} times its size")


def bomb(name: str, size: str) -> SourceError:
    """Make the error of an archive that unpacks to too much."""
    return SourceError(
        f"unpacks to {size}, as a decompression bomb does",
        file=name,
        code="too-large",
        hint="if you trust it, unpack it and name the folder",
    )


def unpacked(stream: Metered, begin: bytes, name: str) -> IO[bytes]:
    """Open a packed stream for reading.

    Args:
        stream: what is packed.
        begin: its first bytes.
        name: as shown to the user.

    Raises:
        SourceError: the unpacker is not installed.
    """
    inner = cast(IO[bytes], io.BufferedReader(_Readinto(stream), 1 << 18))
    match packing_of(begin):
        case "gzip":
            return cast(IO[bytes], gzip.GzipFile(fileobj=inner))
        case "xz":
            return lzma.LZMAFile(inner)
        case "bzip2":
            return bz2.BZ2File(inner)
        case _:
            return cast(IO[bytes], Zstd(inner, name))


class Zstd:
    """Reads what is packed with zstd.

    Raises:
        SourceError: there is no zstd here.
    """

    def __init__(self, inner: IO[bytes] | bytes, name: str) -> None:
        try:
            import zstandard
        except ImportError:
            raise SourceError(
                "packed with zstd, and the zstandard package is not installed",
                file=name,
                code="no-zstd",
                hint="pip install 'kplan[zstd]', or unpack the file first",
            ) from None
        self._stream = zstandard.ZstdDecompressor().stream_reader(inner, read_across_frames=True)
        self._error = zstandard.ZstdError

    def read(self, size: int) -> bytes:
        """Read, with the errors of the standard library's unpackers."""
        try:
            return bytes(self._stream.read(size))
        except self._error as error:
            raise zlib.error(str(error)) from None


class _Readinto(io.RawIOBase):
    """Lets a BufferedReader read from a metered stream."""

    def __init__(self, stream: Metered) -> None:
        self.stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]  # typeshed asks for any buffer
        data = self.stream.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)
