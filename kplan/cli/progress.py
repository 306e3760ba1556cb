"""How far a long command has come, on one line of a terminal that is wiped at the end."""

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
