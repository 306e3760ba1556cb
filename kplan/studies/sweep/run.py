"""Carrying scenarios out on any ``concurrent.futures.Executor``: whoever dies, nothing is lost and nothing doubled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from itertools import islice
from typing import Any, Protocol

from kplan.errors import KplanError, UsageError
from kplan.result.document_sweep import SweepOutcome
from kplan.studies.sweep.bench import failed, work
from kplan.studies.sweep.scenario import SweepScenario
from kplan.wording.sweep import WORKER_DIED

DIED = "worker-died"
"""Code of an outcome whose worker died, twice."""
_IN_A_ROW = 3
"""Scenarios in a row whose workers die before it is held to be no fault of theirs."""
_TOGETHER = 0.25
"""Seconds of work that are handed over at once: what handing over costs is little beside it, and little is lost with
a worker that dies."""
_MOST_TOGETHER = 500
_ENDING = 2
"""Of what is left, each place gets at most one part of so many: all end at about the same time."""


class Crew(Protocol):
    """Those who do the work."""

    @property
    def executor(self) -> Executor:
        """Takes scenarios."""

    @property
    def base(self) -> Any:
        """What scenarios begin with, as these workers are told of it."""

    @property
    def width(self) -> int:
        """How many batches of scenarios are under way at once."""

    @property
    def deaths(self) -> tuple[type[BaseException], ...]:
        """What a future raises whose worker has died."""

    def renew(self) -> None:
        """Put workers in the place of those that died, if nobody else does."""

    def close(self) -> None:
        """Let the workers go; what they still do is left undone."""


class SweepRun:
    """A sweep under way.

    A worker that dies takes what it was at with it, and of a pool of processes what all others were at as well. Whose
    fault it was is found by carrying each of those out again, alone: one that its worker does not outlive then, either,
    is told as FAILED.

    The first scenarios are handed over one by one; how long they take says how many of the others go together.

    Args:
        crew: the workers.
        total: how many scenarios there are.
    """

    def __init__(self, crew: Crew, total: int) -> None:
        self._crew = crew
        self._left = total
        self._each: float | None = None  # seconds of a scenario of the batch that ended last
        self._running: dict[Future[list[SweepOutcome]], Sequence[SweepScenario]] = {}
        self._again: list[SweepScenario] = []
        self._alone: SweepScenario | None = None
        self._died = 0

    def outcomes(self, scenarios: Iterable[SweepScenario]) -> Iterator[SweepOutcome]:
        """Carry scenarios out and yield what each came to, in the order in which they end.

        Raises:
            UsageError: the workers go on dying, or are of another version.
            KplanError: the workers cannot be reached any more.
        """
        waiting = iter(scenarios)
        while self._hand_out(waiting):
            done, _ = wait(self._running, return_when=FIRST_COMPLETED)
            for future in done:
                outcomes = self._taken(future)
                if outcomes:
                    self._each = sum(outcome.seconds for outcome in outcomes) / len(outcomes)
                yield from outcomes

    def _hand_out(self, waiting: Iterator[SweepScenario]) -> bool:
        """Hand out as much as may be under way; return whether anything is."""
        if self._again and not self._running:
            self._alone = min(self._again, key=lambda scenario: scenario.number)
            self._again.remove(self._alone)
            self._submit([self._alone])
        while not self._again and self._alone is None and len(self._running) < self._crew.width:
            batch = list(islice(waiting, self._together()))
            if not batch:
                break
            self._left -= len(batch)
            self._submit(batch)
        return bool(self._running)

    def _together(self) -> int:
        """How many scenarios the next worker gets."""
        if self._each is None:
            return 1
        long_enough = int(_TOGETHER / self._each) if self._each else _MOST_TOGETHER
        return max(1, min(long_enough, _MOST_TOGETHER, self._left // (_ENDING * self._crew.width)))

    def _submit(self, batch: Sequence[SweepScenario]) -> None:
        crew = self._crew
        try:
            future = crew.executor.submit(work, crew.base, batch)
        except BrokenExecutor:  # a worker died while it had nothing to do
            crew.renew()
            future = crew.executor.submit(work, crew.base, batch)
        self._running[future] = batch

    def _taken(self, future: Future[list[SweepOutcome]]) -> list[SweepOutcome]:
        """Take the outcomes of scenarios that ended; none if they have to be carried out again."""
        batch = self._running.pop(future)
        alone, self._alone = self._alone is not None, None
        try:
            outcomes = future.result()
        except CancelledError:
            raise KplanError("the workers cannot be reached any more", code="workers-gone") from None
        except self._crew.deaths:
            if not self._running:
                self._crew.renew()
            if not alone:
                self._again += batch
                return []
            [scenario] = batch
            self._died += 1
            if self._died == _IN_A_ROW:
                raise UsageError(
                    f"the workers of {_IN_A_ROW} scenarios in a row died, the last of {scenario.name}",
                    code="workers-die",
                    hint="they may lack memory: fewer at once, --jobs 1",
                ) from None
            return [failed(scenario, DIED, WORKER_DIED)]
        self._died = 0
        return outcomes
