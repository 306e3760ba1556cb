"""Files that kplan writes: old or new, never half; readable for nobody else; never one that was read."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import IO

from kplan.errors import UsageError
from kplan.sources.opening import shown, was_read

PRIVATE = 0o600
"""Mode of a new file: what is in it tells of a cluster. One that is there keeps its own."""


def write_whole(path: str | Path, pieces: Iterable[bytes]) -> None:
    """Write a file; see ``write_by``.

    Args:
        path: where.
        pieces: its bytes.
    """
    write_by(path, lambda file: file.writelines(pieces))


def write_by(path: str | Path, write: Callable[[IO[bytes]], object]) -> None:
    """Write a file at once or not at all: what was there stays until all of the new one is on disk.

    A link stays one, and the file it leads to is replaced; a device or a pipe is written to as it is.

    Args:
        path: where.
        write: writes its bytes to a file that is given.

    Raises:
        UsageError: it cannot be written, or is a file that was read for what is written.
    """
    refuse_input(path)
    try:
        mode = _mode(path)
        if mode is not None and not stat.S_ISREG(mode):
            with Path(path).open("wb") as device:
                write(device)
            return
        _replace(Path(os.path.realpath(path)), stat.S_IMODE(mode) if mode is not None else PRIVATE, write)
    except (OSError, ValueError) as error:
        raise unwritable(path, error) from error


def refuse_input(path: str | Path) -> None:
    """Make sure that no file is replaced from which the answer was made.

    Raises:
        UsageError: it would be.
    """
    if was_read(path):
        raise UsageError(
            f"{shown(path)}: cannot be written: it is the file that was read",
            code="output-is-input",
            hint="name another file",
        )


def same_file(one: str, other: str) -> bool:
    """Tell whether two paths lead to one file, be it there or not."""
    try:
        return os.path.realpath(one) == os.path.realpath(other)
    except (OSError, ValueError):
        return one == other


def unwritable(path: str | Path, error: Exception) -> UsageError:
    """Make the error for a file that cannot be written."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return UsageError(f"{shown(path)}: cannot be written: {reason}", code="unwritable")


def _mode(path: str | Path) -> int | None:
    try:
        mode = Path(path).stat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return mode


def _replace(target: Path, mode: int, write: Callable[[IO[bytes]], object]) -> None:
    """Write beside a file, then take its place; under a name that no killed run has left behind."""
    handle, name = tempfile.mkstemp(prefix=".kplan-", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            os.fchmod(file.fileno(), mode)
            write(file)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
