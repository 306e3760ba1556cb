"""How many scenarios a worker gets at once: one at first, then a quarter of a second of them, few towards the end."""

from collections.abc import Sequence
from concurrent.futures import Executor, Future
from typing import Any

import pytest

from kplan.result.document_sweep import SweepOutcome
from kplan.studies.sweep.run import SweepRun
from kplan.studies.sweep.scenario import SweepScenario
from tests.studies.test_sweep_processes import waiting


class AtOnce(Executor):
    """Carries out what it is given where it stands; each scenario takes so many seconds, it says."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.batches: list[list[int]] = []

    def submit(self, fn: Any, /, *given: Any, **_: Any) -> Future[Any]:
        _, batch = given
        self.batches.append([scenario.number for scenario in batch])
        future: Future[list[SweepOutcome]] = Future()
        future.set_result([self.outcome(scenario) for scenario in batch])
        return future

    def outcome(self, scenario: SweepScenario) -> SweepOutcome:
        return SweepOutcome(number=scenario.number, name=scenario.name, verdict="FITS", seconds=self.seconds)


class OfTwo:
    """A crew of two."""

    base = "base"
    width = 2
    deaths: tuple[type[BaseException], ...] = ()

    def __init__(self, executor: AtOnce) -> None:
        self.executor = executor

    def renew(self) -> None: ...

    def close(self) -> None: ...


def carried_out(executor: AtOnce, scenarios: Sequence[SweepScenario]) -> list[int]:
    return [outcome.number for outcome in SweepRun(OfTwo(executor), len(scenarios)).outcomes(scenarios)]


@pytest.mark.parametrize(
    ("seconds", "most", "first"),
    [(0.05, 5, [1, 1, 5, 5]), (10.0, 1, [1, 1, 1, 1]), (0.0, 500, [1, 1, 499, 374])],
    ids=["five in a quarter of a second", "one that takes long", "as many as go together at most"],
)
def test_batches_take_a_quarter_of_a_second_and_all_are_carried_out_once(
    seconds: float, most: int, first: list[int]
) -> None:
    executor = AtOnce(seconds)
    scenarios = [waiting(number) for number in range(1, 2001)]
    assert sorted(carried_out(executor, scenarios)) == list(range(1, 2001))
    sizes = [len(batch) for batch in executor.batches]
    assert sizes[:4] == first
    assert max(sizes) <= most
    assert sizes[-1] == 1, "all end at about the same time"
    assert [number for batch in executor.batches for number in batch] == list(range(1, 2001))
