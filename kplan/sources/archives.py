"""Archives as trees of files: ZIP and tar, packed or not, read where they lie, with nothing written to disk.

An archive comes from someone else. It is read once, front to back; only members that can hold objects are kept, in
memory. What would leave the archive (``..``, absolute paths) is refused, links lead to members of the same archive or
nowhere, and one that unpacks to far more than it is packed is taken for a bomb.
"""

import io
import lzma
import posixpath
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, BinaryIO, cast

from kplan.errors import SourceError
from kplan.sources.reader import SUFFIXES, File
from kplan.sources.tree import Tree, is_archive, is_hidden
from kplan.sources.unpacking import KEPT_LIMIT, MEMBERS_LIMIT, Metered, bomb, check_size, packing_of, unpacked

_PLAIN_LIMIT = 1 << 20
"""Members without an ending (``version``, ``timestamp``) are kept up to this size [bytes]."""

_OF_THE_READER = ("gzip", "zstd")
"""Packings of a single text that the reader opens itself."""

_ZIPS = (b"PK\x03\x04", b"PK\x05\x06")
_DEPTH = 3
"""Packings in packings that are opened, as in ``.tar.gz.zst``."""

_BROKEN = (tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError, NotImplementedError)

Opener = Callable[[], BinaryIO]


_ETCD = b"\xed\xda\x0c\xed"
"""What a database of etcd has behind its first 16 bytes."""


def open_archive(opener: Opener, name: str) -> Tree | File | None:
    """Look at what a file is, whatever its name says.

    Args:
        opener: opens it for reading, as often as it is asked to.
        name: as shown to the user.

    Returns:
        the tree of an archive; a file for a single text that is packed in a way the reader does not open;
        None for one that the reader opens itself.

    Raises:
        SourceError: a broken, hostile or refused file.
    """
    with opener() as plain:
        begin = plain.read(1024)
    if begin[16:].startswith(_ETCD):
        raise SourceError(
            "not text but a database of etcd, whose objects are stored in binary",
            file=name,
            code="etcd",
            hint="take the objects out with auger (github.com/etcd-io/auger): auger extract -f FILE -k "
            "/registry/minions/NAME for each key, or restore it and run kubectl get",
        )
    if begin.startswith(_ZIPS):
        return _read_zip(opener, name)
    if not packing_of(begin) and not _begins_tar(begin):
        return None
    with opener() as packed:
        stream = Metered(packed, name)
        with _told(name, packing := packing_of(begin)):
            try:
                begin = stream.peeked()
                for _ in range(_DEPTH):
                    if packing_of(begin):
                        stream = Metered(unpacked(stream, begin, name), name, stream.metered)
                        begin = stream.peeked()
            except (EOFError, *_BROKEN):
                if packing in _OF_THE_READER:
                    return None  # it says what is wrong
                raise
            if _begins_tar(begin):
                return _read_tar(stream, name)
            if begin.startswith(_ZIPS):
                inner = stream.rest()
                return _read_zip(lambda: io.BytesIO(inner), name)
            if packing in _OF_THE_READER:
                return None
            text = stream.rest()
            return File(name, lambda: text)


@contextmanager
def _told(name: str, packing: str) -> Iterator[None]:
    """Turn what the unpackers raise into SourceErrors."""
    try:
        yield
    except EOFError:
        raise _truncated(name, packing) from None
    except tarfile.ReadError as error:
        raise (_truncated(name, packing) if "unexpected end" in str(error) else _broken(error, name)) from None
    except _BROKEN as error:
        raise _broken(error, name) from None


def _truncated(name: str, packing: str) -> SourceError:
    what = f"what is packed with {packing}" if packing else "the archive"
    return SourceError(
        f"{what} ends in the middle", file=name, code="truncated", hint="the file was cut off: get it again"
    )


def _broken(error: Exception, name: str) -> SourceError:
    return SourceError(f"a broken archive: {error}", file=name, code="broken-archive")


def _begins_tar(begin: bytes) -> bool:
    """Tell whether a file begins with the header of a member, by its checksum."""
    try:
        tarfile.TarInfo.frombuf(begin[:512], "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


class _Members:
    """The members of an archive that are kept."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.kept: dict[str, bytes] = {}
        self.links: dict[str, str] = {}
        self.packed: set[str] = set()
        self.size = self.count = 0

    def path(self, path: str) -> str:
        """Check the path of a member, and give it without ``./``."""
        self.count += 1
        if self.count > MEMBERS_LIMIT:
            raise bomb(self.name, f"more than {MEMBERS_LIMIT} files")
        parts = path.replace("\\", "/").split("/")
        if ".." in parts or path.startswith(("/", "\\")) or parts[0][1:2] == ":":
            raise SourceError(
                f"a member leads out of the archive: {path[:200]!r}",
                file=self.name,
                code="unsafe-path",
                hint="do not trust this archive",
            )
        return "/".join(part for part in parts if part not in ("", "."))

    def wanted(self, path: str, size: int) -> bool:
        """Whether a member may hold objects, or tell of them."""
        if is_hidden(path):
            return False
        if is_archive(path):
            self.packed.add(path)
            return False
        ending = posixpath.splitext(path)[1]
        return path.lower().endswith(SUFFIXES) or (not ending and size <= _PLAIN_LIMIT)

    def keep(self, path: str, data: bytes) -> None:
        """Keep a member; of two with one path the last, as unpacking would."""
        self.check_room(len(data))
        self.size += len(data)
        self.kept[path] = data

    def check_room(self, size: int) -> None:
        """Refuse more than can be kept."""
        if self.size + size > KEPT_LIMIT:
            raise bomb(self.name, f"more than {KEPT_LIMIT >> 30} GiB of text")

    def link(self, path: str, target: str) -> None:
        """Remember a link, if it stays inside."""
        to = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        if not is_hidden(path) and not to.startswith(("/", "..")):
            self.links[path] = to

    def tree(self) -> Tree:
        """Make the tree."""
        files = {path: self._file(path, data) for path, data in self.kept.items()}
        for path, to in self.links.items():
            seen = {path}
            while to in self.links and to not in seen:
                seen.add(to)
                to = self.links[to]
            if to in self.kept and path not in files:
                files[path] = self._file(path, self.kept[to])
        linked = frozenset(path for path in self.links if path not in self.kept)
        packed = tuple(sorted(self.packed, key=str.encode))
        return Tree(self.name, dict(sorted(files.items(), key=lambda pair: pair[0].encode())), linked, packed)

    def _file(self, path: str, data: bytes) -> File:
        return File(f"{self.name}:{path}", lambda: data, path)


def _read_tar(stream: Metered, name: str) -> Tree:
    members = _Members(name)
    with tarfile.open(fileobj=cast(IO[bytes], stream), mode="r|", bufsize=1 << 18) as archive:
        for member in archive:
            path = members.path(member.name)
            if member.issym():
                members.link(path, member.linkname)
            elif member.islnk():
                members.link(path, posixpath.relpath(members.path(member.linkname), posixpath.dirname(path) or "."))
            elif member.isfile() and not member.issparse() and members.wanted(path, member.size):
                members.check_room(member.size)
                content = archive.extractfile(member)
                data = content.read() if content else b""
                if len(data) < member.size:
                    raise EOFError
                members.keep(path, data)
    return members.tree()


def _read_zip(opener: Opener, name: str) -> Tree:
    members = _Members(name)
    with opener() as stream, _told(name, ""), _zip(stream, name) as archive:
        packed = stream.seek(0, io.SEEK_END)
        for member in archive.infolist():
            path = members.path(member.filename)
            if member.is_dir() or not members.wanted(path, member.file_size):
                continue
            if member.flag_bits & 1:
                raise SourceError(f"{path} is encrypted", file=name, code="encrypted", hint="unpack it first")
            if (member.external_attr >> 28) == 0o12:  # a symbolic link, as Unix tools store it
                members.link(path, archive.read(member).decode("utf-8", "replace"))
                continue
            members.keep(path, _read_member(archive, member, members, packed))
    return members.tree()


def _zip(stream: BinaryIO, name: str) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(stream)
    except zipfile.BadZipFile:
        raise SourceError(
            "a ZIP archive without its end",
            file=name,
            code="truncated",
            hint="the file was cut off: get it again",
        ) from None


def _read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, members: _Members, packed: int) -> bytes:
    """Read a member as it comes: the size it states is not to be trusted.

    Args:
        archive: the archive.
        member: what to read of it.
        members: those that were read before.
        packed: size of the archive [bytes].
    """
    parts: list[bytes] = []
    size = 0
    with archive.open(member) as content:
        while part := content.read(1 << 20):
            size += len(part)
            check_size(members.name, members.size + size, packed)
            members.check_room(size)
            parts.append(part)
    return b"".join(parts)
