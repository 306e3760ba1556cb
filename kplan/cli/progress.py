"""What is being done, how far it is and for how long: one line of a terminal, for whatever takes more than a second.

A thread of its own draws the line, so that it goes on while one long step is under way; it is wiped before anything
else is written. Where standard error is no terminal nothing is drawn.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from types import FrameType

AFTER = 1.0
"""Seconds after which the line is first drawn."""
EVERY = 0.25
"""Seconds until it is drawn again."""
_ESTIMATED = 0.02
"""Share of the steps that has to be done before the rest of the time is estimated from it."""
_INTERRUPTED = 130


class Activity:
    """What a command is at.

    Attributes:
        own: whether the process is the command's own, which an interrupt may end at once.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        """Begin with nothing to do.

        Args:
            clock: seconds.
        """
        self.own = False
        self._clock = clock
        self._what = ""
        self._done = self._total = 0
        self._began = self._step_began = 0.0
        self._drawn = False
        self._so_far: Callable[[], None] | None = None
        self._lock = threading.RLock()
        self._ended: threading.Event | None = None

    def begin(self, what: str) -> None:
        """Go on to something else; the first time, the clock starts.

        Args:
            what: ``reading``, ``planning``.
        """
        now = self._clock()
        if self._ended is None:
            self._began = now
            self._ended = threading.Event()
            if sys.stderr.isatty():
                threading.Thread(target=self._draw_on, args=(self._ended,), daemon=True).start()
        self._what, self._done, self._total, self._step_began = what, 0, 0, now
        self._so_far = None

    def tell(self, done: int, total: int) -> None:
        """Take note of how many of how many steps are done; of 0 where nobody knows of how many."""
        self._done, self._total = done, total

    def known(self, so_far: Callable[[], None]) -> None:
        """Take note of what writes what is known so far, should this step be interrupted once something is done."""
        self._so_far = so_far

    def end(self) -> None:
        """Nothing is being done any more: the line is wiped, for good."""
        ended, self._ended = self._ended, None
        if ended is not None:
            ended.set()
        self.wipe()

    def wipe(self) -> None:
        """Make room for something else to be written."""
        with self._lock:
            if self._drawn:
                self._drawn = False
                sys.stderr.write("\r\x1b[K")
                sys.stderr.flush()

    def line(self) -> str:
        """What, how far, how long, and how long it may still take where that can be told."""
        now = self._clock()
        spent, parts = now - self._step_began, [self._what]
        if self._total > 1:
            parts[0] += f": {self._done:,} of {self._total:,}"
        elif self._done and not self._total:
            parts[0] += f": {self._done:,} so far"
        parts.append(f"{now - self._began:.0f} s")
        if self._done and self._total * _ESTIMATED <= self._done < self._total:
            parts.append(f"about {spent / self._done * (self._total - self._done):.0f} s to go")
        return ", ".join(parts)

    def draw(self) -> None:
        """Draw the line once."""
        with self._lock:
            if self._ended is not None:
                self._drawn = True
                sys.stderr.write(f"\r\x1b[K{self.line()}")
                sys.stderr.flush()

    def _draw_on(self, ended: threading.Event) -> None:
        wait = AFTER
        while not ended.wait(wait):
            self.draw()
            wait = EVERY

    @contextmanager
    def stopped_at_once(self) -> Iterator[None]:
        """Let an interrupt end the process right there, with what is known, in the main thread of kplan's own process.

        Nothing is to be put back then: what is asked in here writes nothing. Elsewhere Python's own way stays. What is
        known so far is written before, where something was said to write it.
        """
        if not self.own or threading.current_thread() is not threading.main_thread():
            yield
            return
        former = signal.signal(signal.SIGINT, self._stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, former)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        text = f"kplan: interrupted: {self.line()}\n"
        so_far, self._so_far = self._so_far, None
        if so_far is not None and self._done:
            with suppress(Exception):  # it is ended all the same
                self.wipe()
                so_far()
                sys.stdout.flush()
        with_wipe = f"\r\x1b[K{text}" if self._drawn else text
        os.write(sys.stderr.fileno(), with_wipe.encode())  # the lock may be held by what was interrupted
        os._exit(_INTERRUPTED)


ACTIVITY = Activity()
"""That of the command that runs."""


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Give a function to tell how many of how many steps are done.

    Args:
        what: what is done: ``failing``.
    """
    ACTIVITY.begin(what)
    yield ACTIVITY.tell


class ReadingProgress:
    """How far reading a cluster has come."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        ACTIVITY.begin("reading")

    def tell(self, plural: str, count: int, total: int | None) -> None:
        """Take note of a page."""
        self._counts[plural] = count
        of = f" of {total:,}" if total not in (None, count) else ""
        ACTIVITY.begin(f"reading: {sum(self._counts.values()):,} objects, {plural} {count:,}{of}")

    def clear(self) -> None:
        """Take the line away."""
        ACTIVITY.end()
