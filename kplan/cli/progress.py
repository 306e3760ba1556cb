"""How far reading, or a long command, has come: one line of a terminal that is wiped at the end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

FEW = 20
"""Steps that are over too soon to be counted aloud."""


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Give a function to tell how many of how many steps are done; nothing is told where stderr is no terminal.

    Args:
        what: what is done: ``failing``.
    """
    seen = sys.stderr.isatty()

    def tell(done: int, total: int) -> None:
        if seen and total > FEW:
            sys.stderr.write(f"\r\x1b[K{what}: {done:,} of {total:,}")
            sys.stderr.flush()

    try:
        yield tell
    finally:
        if seen:
            sys.stderr.write("\r\x1b[K")


class ReadingProgress:
    """One line on a terminal's standard error that says how far reading has come; nothing elsewhere."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._counts: dict[str, int] = {}

    def tell(self, plural: str, count: int, total: int | None) -> None:
        """Take note of a page."""
        self._counts[plural] = count
        if self._shown:
            of = f" of {total:,}" if total not in (None, count) else ""
            everything = sum(self._counts.values())
            sys.stderr.write(f"\r\x1b[Kreading: {everything:,} objects, {plural} {count:,}{of}")
            sys.stderr.flush()

    def clear(self) -> None:
        """Take the line away."""
        if self._shown and self._counts:
            sys.stderr.write("\r\x1b[K")
