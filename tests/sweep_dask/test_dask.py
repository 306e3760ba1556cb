"""Sweeps over a real Dask scheduler with two workers: the same as here, also if one of them is killed meanwhile."""

import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kplan.cli.main import main
from kplan.cluster import work
from kplan.errors import KplanError, UsageError
from kplan.studies.sweep import Workers, bench, digests, sweep
from kplan.studies.sweep.base import PackedBase, pack
from kplan.studies.sweep.dask import DaskWorkers
from tests.scenario.worlds import shop
from tests.studies.sweeping import Held, Lethal, bench_of, everything, swept, timeless, until
from tests.studies.test_sweep_processes import waiting
from tests.sweep_dask.cluster import DaskCluster, dask_cluster

DEMO = str(Path(__file__).parents[2] / "kplan" / "data" / "demo.yaml")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    with dask_cluster(tmp_path_factory.mktemp("dask"), workers=2) as running:
        yield running


def test_the_workers_of_a_cluster_come_to_the_same_as_this_process(cluster: DaskCluster) -> None:
    bench, scenarios = everything()
    assert swept(bench, scenarios, Workers(dask=cluster.file)) == swept(bench, scenarios, Workers(jobs=1))


def test_a_worker_that_is_killed_takes_nothing_with_it(cluster: DaskCluster, tmp_path: Path) -> None:
    bench, scenarios = everything()
    expected = swept(bench, scenarios, Workers(jobs=1))
    pid = tmp_path / "pid"
    scenarios.insert(3, waiting(1000, Held(str(pid))))
    killed: list[int] = []

    def kill() -> None:
        killed.append(int(until(pid)))
        os.kill(killed[0], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    told = digests(bench.base, scenarios)
    found = list(sweep(scenarios, len(scenarios), bench, told.base, Workers(dask=cluster.file)))
    killer.join()
    assert killed[0] in {worker.pid for worker in cluster.workers}
    assert sorted(one.number for one in found) == [*range(1, len(expected) + 1), 1000], "none is lost, none is doubled"
    *others, last = timeless(found)
    assert others == expected
    assert last.verdict == "BLOCKED"
    cluster.workers[:] = [worker for worker in cluster.workers if worker.poll() is None]
    assert len(cluster.workers) == 1
    cluster.add_worker()


def test_it_goes_on_with_the_one_that_is_left_and_one_that_comes_later(cluster: DaskCluster) -> None:
    bench, scenarios = everything()
    assert swept(bench, scenarios, Workers(dask=cluster.file)) == swept(bench, scenarios, Workers(jobs=1))


def test_a_sweep_that_ends_with_its_work_ends_at_the_same_scenario_there(
    cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A short text has work for some scenarios: which, hangs on their order, and not on who was done first."""
    for name, units in {"POD": 0, "KILOBYTE": 0, "YAML": 0, "MOST": 3_000}.items():
        monkeypatch.setattr(work, name, units)
    monkeypatch.setattr(bench, "A_SCENARIO", 100)
    asked = ["sweep", "--fail-each", "node", "--k8s-version", "1.37", "--snapshot", DEMO, "-o", "json"]

    def told(*how: str) -> dict[str, Any]:
        capsys.readouterr()
        assert main([*asked, *how]) == 2
        document: dict[str, Any] = json.loads(capsys.readouterr().out)
        return document

    here, there = told("-j", "1"), told("--dask", cluster.file)
    assert here["notTried"] > 0
    assert (there["notTried"], there["sentence"], there["doubts"]) == (
        here["notTried"],
        here["sentence"],
        here["doubts"],
    )
    assert [timeless_case(case) for case in there["outcomes"]] == [timeless_case(case) for case in here["outcomes"]]


def timeless_case(case: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in case.items() if name != "seconds"}


def test_where_no_scheduler_answers_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kplan.studies.sweep.dask.CONNECT", 1)
    with pytest.raises(UsageError, match=r"--dask tcp://127.0.0.1:1: no scheduler answers") as refused:
        DaskWorkers("tcp://127.0.0.1:1", pack(bench_of(shop()).base, "x"))
    assert refused.value.code == "no-scheduler"


def test_without_the_extra_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match="--dask needs the distributed package") as refused:
        DaskWorkers("tcp://127.0.0.1:1", PackedBase("x", "0", b""))
    assert refused.value.hint == "pip install 'kplan[dask]'"


def test_workers_with_another_kplan_are_refused(cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = pack(bench_of(shop()).base, "x")
    monkeypatch.setattr("kplan.studies.sweep.dask.__version__", "99.1")
    with pytest.raises(UsageError, match=r"worker tcp://127.0.0.1:\d+ has kplan .*, and this is kplan 99.1") as refused:
        DaskWorkers(cluster.file, packed)
    assert refused.value.code == "other-kplan"


def test_a_scheduler_without_workers_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kplan.studies.sweep.dask.WORKERS", 1)
    packed = pack(bench_of(shop()).base, "x")
    with dask_cluster(tmp_path, workers=0) as empty, pytest.raises(UsageError, match="it has no worker"):
        DaskWorkers(empty.file, packed)


def test_a_scheduler_that_is_killed_ends_the_sweep_and_it_is_said(tmp_path: Path) -> None:
    bench, pid = bench_of(shop()), tmp_path / "pid"
    scenarios = [waiting(1), waiting(2, Held(str(pid)))]
    with dask_cluster(tmp_path, workers=1, DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT="1s") as cluster:

        def kill() -> None:
            until(pid)
            assert cluster.scheduler is not None
            cluster.scheduler.kill()

        killer = threading.Thread(target=kill)
        killer.start()
        with pytest.raises(KplanError, match="the workers cannot be reached any more") as refused:
            swept(bench, scenarios, Workers(dask=cluster.file))
        killer.join()
    assert refused.value.code == "workers-gone"


def test_a_scenario_that_kills_every_worker_is_told_by_name(tmp_path: Path) -> None:
    scenarios = [waiting(1), waiting(2, Lethal()), waiting(3)]
    with dask_cluster(tmp_path, workers=2, DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0") as cluster:
        ended = threading.Event()

        def tend() -> None:
            while not ended.wait(0.1):
                dead = [worker for worker in cluster.workers if worker.poll() is not None]
                cluster.workers[:] = [worker for worker in cluster.workers if worker.poll() is None]
                for _ in dead:
                    cluster.add_worker()

        tending = threading.Thread(target=tend)
        tending.start()
        try:
            found = swept(bench_of(shop()), scenarios, Workers(dask=cluster.file))
        finally:
            ended.set()
            tending.join()
    assert [one.verdict for one in found] == ["FITS", "FAILED", "FITS"]
