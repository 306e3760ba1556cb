"""A sweep from its first scenario to its last: who carries it out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from time import monotonic

from kplan.errors import UsageError
from kplan.result.document_sweep import SweepOutcome
from kplan.studies.sweep.base import Packed, pack
from kplan.studies.sweep.bench import Bench
from kplan.studies.sweep.local import Processes, cpus
from kplan.studies.sweep.run import Crew, SweepRun
from kplan.studies.sweep.scenario import Scenario

SMALL = 1.5
"""Seconds of work that this process does by itself, as others take about as long to begin."""


@dataclass(frozen=True)
class Workers:
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
    scenarios: Iterable[Scenario], total: int, bench: Bench, digest: str, workers: Workers
) -> Iterator[SweepOutcome]:
    """Carry scenarios out and yield what each came to, in the order in which they end.

    Args:
        scenarios: the scenarios.
        total: how many they are.
        bench: a bench over the base, in this process.
        digest: of the base.
        workers: who carries them out.

    Raises:
        UsageError: there are no workers, they are of another version, or they go on dying.
        KplanError: they cannot be reached any more.
    """
    waiting = iter(scenarios)
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
        yield from SweepRun(crew).outcomes(waiting)


def _crew(jobs: int, packed: Packed, dask: str) -> Crew:
    if not dask:
        return Processes(packed, jobs)
    from kplan.studies.sweep.dask import DaskWorkers

    return DaskWorkers(dask, packed)
