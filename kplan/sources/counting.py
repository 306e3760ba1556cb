"""How often bytes stand in a text, counted as fast as the text is long."""

from __future__ import annotations

from mmap import mmap

LONG = 1 << 25
"""Length of a text of which NumPy counts, at several times the speed: for less it is not worth its memory [bytes]."""
_AT_A_TIME = 1 << 18
"""Bytes that are looked at at a time: they stay in the processor's cache."""


def count_of(data: bytes | mmap, signs: bytes, start: int = 0, end: int | None = None) -> int:
    """Count bytes of a text.

    Args:
        data: the text.
        signs: the bytes, each different.
        start: where to begin.
        end: where to end; the end of the text if None.
    """
    end = len(data) if end is None else end
    count = _counted_by_numpy if len(data) >= LONG else _counted
    return sum(count(data, signs, at, min(at + _AT_A_TIME, end)) for at in range(start, end, _AT_A_TIME))


def _counted(data: bytes | mmap, signs: bytes, start: int, end: int) -> int:
    part = data[start:end]
    return part.count(signs) if len(signs) == 1 else len(part) - len(part.translate(None, signs))


def _counted_by_numpy(data: bytes | mmap, signs: bytes, start: int, end: int) -> int:
    import numpy as np

    part = np.frombuffer(data, np.uint8, end - start, start)
    return sum(int(np.count_nonzero(part == sign)) for sign in signs)
