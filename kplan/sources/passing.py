"""A long text whose memory goes back to the system as it is read: it need not lie beside what was made of it."""

from __future__ import annotations

import mmap

from msgspec import Struct, field

WORTH_IT = 4 << 20
"""Length of a text from which on that pays [bytes]."""

_STEP = 1 << 20
"""What is given back at a time [bytes]."""

_KEPT = 1 << 17
"""What stays before the place that was reached: an error counts the characters of its line [bytes]."""


class Passing(Struct):
    """A text of which only what is still to come stays in memory; what was let go reads as NULs.

    Attributes:
        memory: the text.
        due: byte that reading has to reach before more is let go.
    """

    memory: mmap.mmap
    due: int = 0
    _gone: int = field(default=0)

    @classmethod
    def of(cls, data: bytes) -> Passing | None:
        """Take a text, if it is long and the system takes memory back by the page."""
        if len(data) < WORTH_IT or not hasattr(mmap, "MADV_DONTNEED"):
            return None
        try:
            memory = mmap.mmap(-1, len(data), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        except OSError:  # no room for a second one; it stays
            return None
        memory[:] = data
        return cls(memory)

    def begin(self, byte: int) -> None:
        """Begin a document: what stands before it and is still there may be looked at again, and stays."""
        self._gone = max(self._gone, -(-byte // mmap.PAGESIZE) * mmap.PAGESIZE)

    def let_go(self, byte: int) -> None:
        """Give back what stands before a byte, but for a little."""
        upto = max(byte - _KEPT, 0) // mmap.PAGESIZE * mmap.PAGESIZE
        if upto > self._gone:
            self.memory.madvise(mmap.MADV_DONTNEED, self._gone, upto - self._gone)
            self._gone = upto
        self.due = byte + _STEP
