"""What stands between a path and its bytes: names too long, folders that are closed, devices without an end."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from pathlib import Path
from typing import BinaryIO

from kplan.errors import SourceError
from kplan.visible import without_credentials

READ_LIMIT = 4 << 30
"""Size of one file, or of what comes through a pipe, that is read [bytes]; no real cluster comes near."""

_PART = 1 << 20

_read: set[tuple[int, int]] = set()
"""Files that were looked at or read, by device and number; what is written must be none of them."""


_NO_NAME = "no file can have this name"
"""What a ValueError of the system's calls comes to: a NUL, or half a surrogate pair."""


def look(path: str | Path) -> str:
    """Tell whether a path is a ``folder``, a ``file`` (or a pipe, a device), or nothing (empty).

    Raises:
        SourceError: it cannot be looked at: its name is too long, a folder above it is closed.
    """
    try:
        status = Path(path).stat()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        raise unreadable(error, path) from None
    except ValueError:
        raise unreadable(OSError(errno.EINVAL, _NO_NAME), path) from None
    if stat.S_ISDIR(status.st_mode):
        return "folder"
    _remember(status)
    return "file"


def expanded(path: str) -> Path:
    """Put a home for the ``~`` that a path begins with; like a shell, leave it where there is no such home."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def is_there(path: str | Path) -> bool:
    """Tell whether something of this name can be seen."""
    try:
        return bool(look(path))
    except SourceError:
        return False


def is_regular(path: Path) -> bool:
    """Tell whether a member of a folder is a file, or a link to one.

    Raises:
        SourceError: it cannot be looked at.
    """
    try:
        return path.is_file()
    except OSError as error:
        raise unreadable(error, path) from None


def load(path: str | Path) -> bytes:
    """Read a file whole; of a pipe or a device not more than is read of any.

    Raises:
        SourceError: it has no end, or more than READ_LIMIT bytes.
        OSError: it cannot be read.
    """
    try:
        opened = Path(path).open("rb")  # noqa: SIM115 - closed below
    except ValueError:
        raise OSError(errno.EINVAL, _NO_NAME) from None
    with opened as file:
        status = os.fstat(file.fileno())
        _remember(status)
        if stat.S_ISREG(status.st_mode) and status.st_size:  # files of /proc say 0
            _check(status.st_size, path)
            return file.read()
        return load_stream(file, shown(path))


def digest_of(path: str | Path) -> str:
    """SHA-256 of a regular file's content, in hexadecimal.

    Raises:
        OSError: it cannot be read.
    """
    with Path(path).open("rb") as file:
        _remember(os.fstat(file.fileno()))
        return hashlib.file_digest(file, "sha256").hexdigest()


def was_read(path: str | Path) -> bool:
    """Tell whether this command has read a file, by whatever name."""
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return False
    return (status.st_dev, status.st_ino) in _read


def forget() -> None:
    """Begin a command: nothing was read yet."""
    _read.clear()


def _remember(status: os.stat_result) -> None:
    if stat.S_ISREG(status.st_mode):
        _read.add((status.st_dev, status.st_ino))


def load_stream(stream: BinaryIO, name: str) -> bytes:
    """Read a stream to its end.

    Raises:
        SourceError: it is no text and has no end in sight, or has more than READ_LIMIT bytes.
        OSError: it cannot be read.
    """
    parts: list[bytes] = []
    size = 0
    while part := stream.read(_PART):
        size += len(part)
        _check(size, name)
        if not part.strip(b"\0"):
            raise SourceError("not text: nothing but NULs", file=name, code="not-text")
        parts.append(part)
    return b"".join(parts)


def shown(path: str | Path) -> str:
    """Write a path for people: as escapes what of it is not UTF-8, and what no path can have; a URL as its place."""
    text = without_credentials(str(path))
    try:
        return os.fsencode(text).decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # half a surrogate pair, from a file that names another
        return text.encode("utf-8", "backslashreplace").decode()


def unreadable(error: Exception, path: object) -> SourceError:
    """Make the error for what cannot be opened."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return SourceError(f"cannot be read: {reason}", file=shown(str(path)), code="unreadable")


def _check(size: int, path: str | Path) -> None:
    if size > READ_LIMIT:
        raise SourceError(
            f"more than {READ_LIMIT >> 30} GiB, the most that kplan reads from one file",
            file=shown(path),
            code="too-large",
            hint="no cluster is that large: is it the right file? If so, split it and name the folder",
        )
