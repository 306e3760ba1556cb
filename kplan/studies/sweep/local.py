"""Workers on this machine: processes beside this one."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor

from kplan.studies.sweep.base import Packed
from kplan.studies.sweep.bench import hand


class Processes:
    """A crew of processes; each is handed the base once, when it starts.

    They are spawned, not forked: a fork copies threads' locks, and pages that reference counts soon make private.

    Args:
        packed: the base.
        jobs: how many.
    """

    deaths: tuple[type[BaseException], ...] = (BrokenExecutor,)

    def __init__(self, packed: Packed, jobs: int) -> None:
        self.base = packed.digest
        self.width = jobs
        self._packed = packed
        self._others = {child.pid for child in multiprocessing.active_children()}
        self.executor = self._new()

    def _new(self) -> Executor:
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self.width, context, initializer=_begin, initargs=(self._packed,))

    def renew(self) -> None:
        """See Crew: of a pool, one death is the end of all."""
        self.close()
        self.executor = self._new()

    def close(self) -> None:
        """See Crew."""
        self.executor.shutdown(wait=False, cancel_futures=True)
        for child in multiprocessing.active_children():
            if child.pid not in self._others:
                child.terminate()
                child.join()


def _begin(packed: Packed) -> None:
    """Begin as a worker: an interrupt is for who started it, and it does not outlive that process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow, daemon=True).start()
    hand(packed)


def _follow() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def cpus() -> int:
    """CPUs that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
