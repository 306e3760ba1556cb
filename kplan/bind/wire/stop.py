"""Stopping: SIGINT ends the run after the write in flight, a second one at once."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Stopped(Exception):
    """The run was asked to stop, and no write is in flight."""


class Stop:
    """Whether the run was asked to stop; every wait of a run goes through it.

    Attributes:
        at_once: whether it was asked twice, so that the server is not even asked any more.
    """

    def __init__(self) -> None:
        self.at_once = False
        self._event = threading.Event()
        self._in_flight = 0
        self._waiting = 0

    @property
    def asked(self) -> bool:
        """Whether it was."""
        return self._event.is_set()

    def ask(self) -> None:
        """Ask to stop."""
        self._event.set()

    def check(self) -> None:
        """Go on, or stop.

        Raises:
            Stopped: it was asked to stop.
        """
        if self._event.is_set() and not self._in_flight:
            raise Stopped

    def sleep(self, seconds: float) -> None:
        """Wait, unless it was asked to stop.

        Raises:
            Stopped: it was asked to stop, before or meanwhile.
        """
        if self._in_flight:
            time.sleep(max(seconds, 0))
        elif self._event.wait(max(seconds, 0)):
            raise Stopped

    @contextmanager
    def finishing(self) -> Iterator[None]:
        """Let nothing stop what must come to its end: a write that was sent, and asking what became of it."""
        self._in_flight += 1
        try:
            yield
        finally:
            self._in_flight -= 1

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Let SIGINT end a read that does no harm if its answer never comes.

        Raises:
            Stopped: it was asked to stop meanwhile.
        """
        self._waiting += 1
        try:
            yield
        finally:
            self._waiting -= 1

    @contextmanager
    def on_interrupt(self) -> Iterator[None]:
        """Let the first SIGINT ask to stop, and the second raise KeyboardInterrupt."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def handle(number: int, frame: FrameType | None) -> None:
            if self._event.is_set():
                self.at_once = True
                raise KeyboardInterrupt
            self._event.set()
            if self._waiting:
                self.check()

        former = signal.signal(signal.SIGINT, handle)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, former)
