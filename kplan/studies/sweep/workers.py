"""A sweep from its first scenario to its last: who carries it out."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor
from contextlib import closing
from time import monotonic

from msgspec import Struct

from kplan.errors import UsageError
from kplan.result.document_sweep import SweepOutcome
from kplan.studies.sweep.allowance import Allowance
from kplan.studies.sweep.base import PackedBase, pack
from kplan.studies.sweep.bench import ScenarioBench, hand
from kplan.studies.sweep.run import Crew, SweepRun
from kplan.studies.sweep.scenario import SweepScenario

SMALL = 1.5
"""Seconds of work that this process does by itself, as others take about as long to begin."""


class Workers(Struct, frozen=True):
    """Who carries a sweep out.

    Attributes:
        jobs: processes; 0 for as many as there are CPUs, once there is enough to do for them.
        dask: address of a Dask scheduler, or its file; empty for none.
    """

    jobs: int = 0
    dask: str = ""

    def __post_init__(self) -> None:
        """Refuse two kinds of workers."""
        if self.jobs and self.dask:
            raise UsageError("--jobs are processes here, --dask has its own", code="two-kinds", hint="leave one out")


def sweep(
    scenarios: Iterable[SweepScenario],
    total: int,
    bench: ScenarioBench,
    digest: str,
    workers: Workers,
    allowance: Allowance | None = None,
) -> Iterator[SweepOutcome]:
    """Carry scenarios out and yield what each came to, in the order in which they end.

    Args:
        scenarios: the scenarios.
        total: how many they are.
        bench: a bench over the base, in this process.
        digest: of the base.
        workers: who carries them out.
        allowance: what they may take together; all are carried out if None.

    Raises:
        UsageError: there are no workers, they are of another version, or they go on dying.
        KplanError: they cannot be reached any more.
    """
    allowance = allowance or Allowance()
    waiting = allowance.within(scenarios)
    yield from allowance.counted(_carried_out(waiting, total, bench, digest, workers))


def _carried_out(
    waiting: Iterator[SweepScenario], total: int, bench: ScenarioBench, digest: str, workers: Workers
) -> Iterator[SweepOutcome]:
    if not workers.dask and not workers.jobs:
        done, began = 0, monotonic()
        for scenario in waiting:
            yield bench.answer(scenario)
            done += 1
            taken = monotonic() - began
            if taken > SMALL and taken / done * (total - done) > SMALL and cpus() > 1:
                break
        total -= done
    if not total:
        return
    jobs = min(workers.jobs or cpus(), total)
    if jobs == 1 and not workers.dask:
        yield from map(bench.answer, waiting)
        return
    with closing(_crew(jobs, pack(bench.base, digest), workers.dask)) as crew:
        yield from SweepRun(crew, total).outcomes(waiting)


def _crew(jobs: int, packed: PackedBase, dask: str) -> Crew:
    if not dask:
        return Processes(packed, jobs)
    from kplan.studies.sweep.dask import DaskWorkers

    return DaskWorkers(dask, packed)


class Processes:
    """A crew of processes; each is handed the base once, when it starts.

    They are spawned, not forked: a fork copies threads' locks, and pages that reference counts soon make private.

    Args:
        packed: the base.
        jobs: how many.
    """

    deaths: tuple[type[BaseException], ...] = (BrokenExecutor,)

    def __init__(self, packed: PackedBase, jobs: int) -> None:
        self.base = packed.digest
        self.width = jobs
        self._packed = packed
        self._others = {child.pid for child in multiprocessing.active_children()}
        self.executor = self._new()

    def _new(self) -> Executor:
        # who imports it ends in Python's own way, taking apart all that was read
        from concurrent.futures import ProcessPoolExecutor

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


def _begin(packed: PackedBase) -> None:
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
