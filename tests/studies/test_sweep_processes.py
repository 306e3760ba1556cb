"""Sweeps over processes: the same as in one, whoever is killed."""

import os
import signal
import threading
from pathlib import Path

import pytest

from kplan.errors import UsageError
from kplan.result.document_sweep import SweepOutcome
from kplan.studies.sweep import ScenarioBench, SweepScenario, Waiting, Workers, digests, sweep
from kplan.studies.sweep import base as packing
from kplan.studies.sweep import workers as running
from kplan.studies.sweep.workers import Processes
from tests.scenario.worlds import shop
from tests.studies.sweeping import Held, Lethal, bench_of, everything, swept, timeless, until


def waiting(number: int, question: object = None) -> SweepScenario:
    asked = question if question is not None else Waiting()
    return SweepScenario(number, (f"case {number}",), (), asked)  # type: ignore[arg-type]


def over_processes(bench: ScenarioBench, scenarios: list[SweepScenario]) -> list[SweepOutcome]:
    return swept(bench, scenarios, Workers(jobs=2))


def test_two_processes_come_to_the_same_as_one() -> None:
    bench, scenarios = everything()
    assert over_processes(bench, scenarios) == swept(bench, scenarios, Workers(jobs=1))


def test_a_process_that_is_killed_takes_nothing_with_it(tmp_path: Path) -> None:
    bench, scenarios = everything()
    pid = tmp_path / "pid"
    scenarios.insert(3, waiting(1000, Held(str(pid))))

    def kill() -> None:
        os.kill(int(until(pid)), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    told = digests(bench.base, scenarios)
    found = timeless(sweep(scenarios, len(scenarios), bench, told.base, Workers(jobs=2)))
    killer.join()
    assert found == [*swept(bench, [one for one in scenarios if one.number < 1000], Workers(jobs=1)), found[-1]]
    assert (found[-1].number, found[-1].verdict) == (1000, "BLOCKED")


def test_a_scenario_that_kills_its_worker_twice_is_told_by_name_and_the_others_go_on() -> None:
    scenarios = [waiting(1), waiting(2, Lethal()), waiting(3), waiting(4)]
    found = over_processes(bench_of(shop()), scenarios)
    assert [one.verdict for one in found] == ["FITS", "FAILED", "FITS", "FITS"]
    assert found[1].name == "case 2"
    assert found[1].because is not None
    assert found[1].because.code == "worker-died"


def test_workers_that_only_die_are_no_fault_of_a_scenario(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kplan.studies.sweep.run._IN_A_ROW", 2)
    scenarios = [waiting(number, Lethal()) for number in range(1, 9)]
    with pytest.raises(UsageError, match="the workers of 2 scenarios in a row died, the last of case 2") as refused:
        over_processes(bench_of(shop()), scenarios)
    assert refused.value.hint == "they may lack memory: fewer at once, --jobs 1"


def test_processes_begin_only_where_there_is_enough_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    class Counted(Processes):
        def __init__(self, packed: packing.PackedBase, jobs: int) -> None:
            made.append(jobs)
            super().__init__(packed, jobs)

    monkeypatch.setattr(running, "Processes", Counted)
    monkeypatch.setattr(running, "cpus", lambda: 2)
    bench, scenarios = everything()
    alone = swept(bench, scenarios, Workers(jobs=1))
    assert swept(bench, scenarios, Workers()) == alone
    assert made == []
    monkeypatch.setattr(running, "SMALL", 0.0)
    assert swept(bench, scenarios, Workers()) == alone
    assert made == [2]


def test_a_base_of_another_kplan_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = packing.pack(bench_of(shop()).base, "digest")
    monkeypatch.setattr(packing, "__version__", "99.1")
    with pytest.raises(UsageError, match=r"a worker has kplan 99.1, and this is ") as refused:
        packed.base()
    assert refused.value.code == "other-kplan"
