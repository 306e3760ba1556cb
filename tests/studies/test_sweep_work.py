"""Sweeps of which not all is tried: what a scenario takes hangs on it alone, and all of them have so much together."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kplan.cli import sweep as command
from kplan.cli.main import main
from kplan.cli.sweep_rules import Opened
from kplan.cluster import work
from kplan.result.document_sweep import SweepOutcome
from kplan.studies.sweep import Allowance, ScenarioBench, bench
from tests.hostile.dear import dear

ROOT = Path(__file__).parents[2]
DEMO = str(ROOT / "kplan" / "data" / "demo.yaml")
CHECKOUT = str(ROOT / "fixtures" / "examples" / "checkout.yaml")
OF_DEMO = ["--fail-each", "node", "--k8s-version", "1.37"]


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    """A short text is given work for some of its scenarios; workers, which are other processes, know of none."""
    for name, units in {"POD": 0, "KILOBYTE": 0, "YAML": 0, "MOST": 3_000}.items():
        monkeypatch.setattr(work, name, units)
    monkeypatch.setattr(bench, "A_SCENARIO", 100)  # those of the demo differ by more than such a text has work for


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    code = main(["sweep", *words, "-o", "json"])
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return code, document


def opened(monkeypatch: pytest.MonkeyPatch, *words: str) -> Opened:
    """A sweep before its first scenario."""
    found: list[Opened] = []

    def stop(sweep: Opened, *_: Any) -> list[SweepOutcome]:
        found.append(sweep)
        raise SystemExit

    monkeypatch.setattr(command, "carry_out", stop)
    with pytest.raises(SystemExit):
        main(["sweep", *words])
    return found[0]


def questions(folder: Path) -> dict[str, list[str]]:
    asked = {
        "losses": ["--fail-each", "node", "--snapshot", DEMO],
        "drains": ["--drain-each", "node", "--snapshot", DEMO],
        "sizes": ["--pool", "like=node-a", "-f", CHECKOUT, "-f", "sts/shop/cart", "--snapshot", DEMO],
        "versions": ["--drain-each", "node", "--k8s-version", "1.34,1.37", "--snapshot", DEMO],
    }
    for shape in ("pods that evict and spread", "pods that keep apart"):
        path = folder / f"{shape}.json"
        path.write_bytes(dear(shape, 60_000, few=True))
        asked[shape] = ["--drain-each", "node", "--snapshot", str(path)]
    return asked


@pytest.mark.parametrize(
    "name", ["losses", "drains", "sizes", "versions", "pods that evict and spread", "pods that keep apart"]
)
def test_the_work_of_a_scenario_hangs_on_it_alone(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What others made the columns keep is paid for again, whoever was carried out before in that process."""
    sweep = opened(monkeypatch, *questions(tmp_path)[name])
    scenarios = list(sweep.grid.scenarios())

    def units(order: list[int], bench: Callable[[], ScenarioBench]) -> dict[int, int]:
        return {number: bench().answer(scenarios[number]).work for number in order}

    numbers = list(range(len(scenarios)))
    forward, backward = ScenarioBench(sweep.bench.base), ScenarioBench(sweep.bench.base)
    alone = units(numbers, lambda: ScenarioBench(sweep.bench.base))
    assert all(alone.values())
    assert units(numbers, lambda: forward) == alone
    assert units(numbers[::-1], lambda: backward) == alone


def test_scenarios_for_which_no_work_is_left_are_counted_as_not_tried(
    little: None, capsys: pytest.CaptureFixture[str]
) -> None:
    code, plan = told(capsys, *OF_DEMO, "--snapshot", DEMO)
    tried = len(plan["outcomes"])
    assert 0 < tried < 6
    assert [one["number"] for one in plan["outcomes"]] == list(range(1, tried + 1))
    assert plan["notTried"] == 6 - tried
    assert plan["verdict"] != "FITS"
    assert plan["sentence"].endswith(f"; {6 - tried} more scenarios are not tried")
    doubt = next(doubt["text"] for doubt in plan["doubts"] if doubt["code"] == "not-tried")
    assert f"{6 - tried} more scenarios are not tried: the {tried} before were all the work" in doubt
    assert code == 2


def test_the_same_are_tried_by_one_process_and_by_two(little: None, capsys: pytest.CaptureFixture[str]) -> None:
    alone = told(capsys, *OF_DEMO, "--snapshot", DEMO, "-j", "1")
    assert told(capsys, *OF_DEMO, "--snapshot", DEMO, "-j", "2") == alone


def test_a_sweep_of_which_some_is_not_tried_goes_on(
    little: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(tmp_path / "r.jsonl")
    code, plan = told(capsys, *OF_DEMO, "--snapshot", DEMO, "--results", file)
    for _ in range(6):
        if not plan.get("notTried"):
            break
        left = plan["notTried"]
        code, plan = told(capsys, *OF_DEMO, "--snapshot", DEMO, "--resume", file)
        assert plan.get("notTried", 0) < left
    monkeypatch.setattr(work, "MOST", 10**9)
    assert told(capsys, *OF_DEMO, "--snapshot", DEMO) == (code, plan)


def test_each_value_that_is_asked_for_brings_work_of_its_own(
    little: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All nodes are one value, two versions are two, and so the second is tried as far as the first alone is."""
    _, one = told(capsys, *OF_DEMO, "--snapshot", DEMO)
    _, two = told(capsys, "--fail-each", "node", "--k8s-version", "1.36,1.37", "--snapshot", DEMO)
    assert len(two["outcomes"]) > len(one["outcomes"])


@pytest.mark.parametrize("seed", range(5))
def test_in_whatever_order_scenarios_end_the_same_are_kept(seed: int) -> None:
    """Eight take ten units each; there is work for those that begin before 35 are taken: four."""
    outcomes = [SweepOutcome(number=number, name=f"s{number}", verdict="FITS", work=10) for number in range(1, 9)]
    ended = outcomes[: 4 + seed]
    random.Random(seed).shuffle(ended)
    allowance = Allowance(most=35)
    assert [one.number for one in allowance.counted(ended)] == [one.number for one in ended]
    assert list(allowance.tried({one.number: one for one in ended})) == [1, 2, 3, 4]


def test_none_is_begun_once_those_that_ended_took_all() -> None:
    allowance = Allowance(most=15)
    begun = []
    for number in allowance.within(range(1, 9)):  # type: ignore[arg-type]
        begun.append(number)
        list(allowance.counted([SweepOutcome(number=1, name="s", verdict="FITS", work=10)]))
    assert begun == [1, 2]
