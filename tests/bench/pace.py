"""How fast this machine is while something is measured.

A machine that is shared may be half as fast a second later, so that its pace before and after a measurement says little
about it. A small piece of work is done four times a second on the same core for as long as the measurement lasts, in a
process of its own, which takes some percent of it. CPU seconds are divided by what these pieces took on average.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import harmonic_mean
from typing import Self

REFERENCE = 0.75
"""CPU seconds of ten million squares added up where the targets were set."""
_SHARE = 100
"""Of so many parts a piece is one."""
_FEW = 4
"""Pieces that say nothing by themselves."""
_PIECES = f"""\
import sys, time
while True:
    began, number = time.thread_time(), 0
    for each in range({10**7 // _SHARE}):
        number += each * each
    sys.stdout.write(f"{{(time.thread_time() - began) * {_SHARE}}}\\n")
    sys.stdout.flush()
    time.sleep(0.25)
"""


class Pace:
    """Pieces of work that are done beside a measurement; a context manager, as their process has to end."""

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory()
        self._told = Path(self._folder.name) / "pieces"
        self._read = 0
        self._last = 0.0
        with self._told.open("w") as out:
            self._process = subprocess.Popen([sys.executable, "-c", _PIECES], stdout=out)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()

    def since(self) -> float:
        """How many times as long as where the targets were set work took since this was asked last.

        Parts of the time count by what is done in them, not by how long they are: the mean is the harmonic one. What
        was told last stands where nearly no time has gone by, as for two figures of one process.
        """
        whole = self._told.read_text()
        whole = whole[: whole.rfind("\n") + 1]
        pieces = [float(line) for line in whole[self._read :].splitlines()]
        if len(pieces) < _FEW and self._last:
            return self._last
        self._read = len(whole)
        self._last = harmonic_mean(pieces) / REFERENCE if pieces else self._wait()
        return self._last

    def _wait(self) -> float:
        while self._told.stat().st_size <= self._read:
            self._process.poll()
            if self._process.returncode is not None:
                raise SystemExit("the process that tells how fast the machine is has ended")
        return self.since()


@contextmanager
def one_core(*, pinned: bool) -> Iterator[None]:
    """Keep this process, and those that it starts, on one core, where that can be asked for."""
    if not pinned or not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)
