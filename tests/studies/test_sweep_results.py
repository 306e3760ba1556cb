"""Results of a sweep in a file: what is whole is kept, half a line is done again, another sweep is refused."""

from pathlib import Path

import msgspec
import pytest

from kplan.errors import KplanError, UsageError
from kplan.result.document_sweep import SweepOutcome
from kplan.studies.sweep import AskedAxis, ScenarioBench, Workers, digests
from kplan.studies.sweep.results import SweepStart, more_results, new_results, read_results, start_of
from tests.builders import node
from tests.scenario.worlds import shop
from tests.studies.sweeping import bench_of, grid_of, swept


def start(bench: ScenarioBench, *axes: AskedAxis) -> SweepStart:
    grid = grid_of(bench, *axes)
    return start_of(digests(bench.base, grid.scenarios()), len(grid), "made-up.json")


DRAINS = AskedAxis("drain", ("node",))


def drains() -> tuple[SweepStart, list[SweepOutcome]]:
    bench = bench_of(shop())
    return start(bench, DRAINS), swept(bench, list(grid_of(bench, DRAINS).scenarios()), Workers(jobs=1))


def written(file: Path, upto: int) -> bytes:
    """A file of the first so many outcomes."""
    first, outcomes = drains()
    with new_results(str(file), first) as results:
        for one in outcomes[:upto]:
            results.add(one)
    return file.read_bytes()


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    written(file, 4)
    first, outcomes = drains()
    assert list(read_results(str(file), first).outcomes.values()) == outcomes
    assert msgspec.json.decode(file.read_bytes().splitlines()[0])["kind"] == "SweepResults"


@pytest.mark.parametrize("cut", [1, 30, 100])
def test_a_half_written_line_is_dropped_and_written_anew(tmp_path: Path, cut: int) -> None:
    file = tmp_path / "r.jsonl"
    whole = written(file, 4)
    first, outcomes = drains()
    file.write_bytes(whole[:-cut])
    earlier = read_results(str(file), first)
    assert (sorted(earlier.outcomes), earlier.dropped) == ([1, 2, 3], True)
    with more_results(str(file), first, earlier) as results:
        results.add(outcomes[3])
    assert file.read_bytes() == whole


def test_a_file_with_half_a_first_line_is_begun_again(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    whole = written(file, 0)
    file.write_bytes(whole[:20])
    first, _ = drains()
    earlier = read_results(str(file), first)
    assert (earlier.outcomes, earlier.dropped) == ({}, True)
    with more_results(str(file), first, earlier):
        pass
    assert file.read_bytes() == whole


def test_a_sweep_is_told_apart_by_what_it_is_about() -> None:
    first, _ = drains()
    assert start(bench_of(shop()), DRAINS) == first
    others = [
        start(bench_of([*shop(), node("node-e")]), DRAINS),
        start(bench_of(shop()), AskedAxis("fail", ("node",))),
        start(bench_of(shop()), AskedAxis("drain", ("node-a", "node-b", "node-c", "node-d")), DRAINS),
    ]
    assert others[0].state != first.state
    assert others[1].grid != first.grid
    assert others[2] == first


REFUSED = [
    ("another cluster", {"state": "x"}, "results of another sweep: the cluster differs"),
    ("another source", {"state": "x", "source": "b.json"}, "results of another sweep: it is of b.json"),
    ("other rules", {"rules": "x"}, "results of another sweep: it goes by other rules"),
    ("other scenarios", {"grid": "x"}, "results of another sweep: it has other scenarios"),
    ("another kplan", {"kplan": "9", "rules": "x"}, "results of another sweep: kplan 9 wrote them, this is "),
]


@pytest.mark.parametrize(("changes", "problem"), [pytest.param(*rest, id=name) for name, *rest in REFUSED])
def test_results_of_another_sweep_are_refused_with_the_reason(
    tmp_path: Path, changes: dict[str, str], problem: str
) -> None:
    file = tmp_path / "r.jsonl"
    first, _ = drains()
    with new_results(str(file), msgspec.structs.replace(first, **changes)):
        pass
    with pytest.raises(UsageError) as refused:
        read_results(str(file), first)
    assert problem in refused.value.message
    assert refused.value.code == "other-sweep"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        pytest.param("{}\n", "not the start of a sweep", id="no first line"),
        pytest.param("START{}\n", "not an outcome", id="a line that is none"),
    ],
)
def test_a_file_that_holds_something_else_is_refused_with_its_line(tmp_path: Path, content: str, problem: str) -> None:
    file = tmp_path / "r.jsonl"
    begin = written(tmp_path / "other.jsonl", 0).decode()
    file.write_text(content.replace("START", begin))
    first, _ = drains()
    with pytest.raises(KplanError, match=f"r.jsonl:[12]: {problem}"):
        read_results(str(file), first)


def test_a_file_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    written(file, 1)
    first, _ = drains()
    with pytest.raises(UsageError, match="there is such a file already") as refused, new_results(str(file), first):
        pass
    assert refused.value.hint == f"go on with it: --resume {file}; or name another"


def test_a_file_that_is_not_there_cannot_be_gone_on_with(tmp_path: Path) -> None:
    first, _ = drains()
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_results(str(tmp_path / "r.jsonl"), first)
