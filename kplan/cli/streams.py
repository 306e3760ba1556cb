"""The streams of the process: closed or full, none of them makes kplan write elsewhere, or say what is not so."""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress

_STREAMS = 3


class _Deaf(io.TextIOWrapper):
    """Standard error that nobody need hear: a note that is lost changes no answer."""

    def write(self, text: str, /) -> int:
        try:
            return super().write(text)
        except (OSError, ValueError):
            return len(text)

    def flush(self) -> None:
        with suppress(OSError, ValueError):
            super().flush()


class _Closed(io.TextIOBase):
    """Standard output that was closed: an answer that cannot be written is an error."""

    encoding = "utf-8"

    def writable(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    def fileno(self) -> int:
        return 1


def settle() -> None:
    """Make the three streams ones that can be used: UTF-8, and there.

    Python leaves a stream out whose file is closed, and the next file that is opened takes its number: what is
    written to "standard output" would land in it. So the numbers are taken first.
    """
    with suppress(OSError):
        while (handle := os.open(os.devnull, os.O_RDWR)) < _STREAMS:
            pass
        os.close(handle)
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = _Closed()
    elif isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    handle = sys.stderr.fileno() if sys.stderr is not None else os.open(os.devnull, os.O_WRONLY)
    raw = io.FileIO(handle, "w", closefd=False)
    sys.stderr = _Deaf(io.BufferedWriter(raw), encoding="utf-8", errors="backslashreplace", line_buffering=True)
