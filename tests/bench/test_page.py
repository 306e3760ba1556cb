"""The page of figures names what falls short and what was not measured; how fast is not asserted."""

from pathlib import Path

import pytest

from tests.bench import page
from tests.bench.pace import Pace, one_core


def test_each_target_stands_beside_its_figure() -> None:
    text = page.page({"mixed": 2_500.4, "one-template": 9_000, "html": 1.29, "find": 31})
    assert "| pods of 50 templates, mixed | 2,000 pods/s | 2,500 pods/s | held |" in text
    assert "| pods of one template | 10,000 pods/s | 9,000 pods/s | **short** |" in text
    assert "| `simulate -o html`, times the text | 1.3x | 1.3x | held |" in text
    assert "| `capacity` | 3 s | not measured |  |" in text
    assert "- `drain --find`: 31.0 s, and 30 s is the target.\n" in text
    assert "- `capacity`: not measured.\n" in text
    assert "- pods of 50 templates" not in text
    assert "- `capacity` of 1,000 nodes, times as fast as cluster-capacity: not measured." in text


def test_a_machine_that_was_not_quiet_is_named() -> None:
    assert page.busy({"load": 2.0, "cores": 2}) == ""
    assert "load average was up to 17 on 2 cores" in page.busy({"load": 17.2, "cores": 2})


def test_a_machine_of_another_pace_is_named_and_what_it_took_stands_beside() -> None:
    figures: dict[str, float] = {}
    page.keep(figures, "capacity", 8.0, 4.0)
    page.keep(figures, "mixed", 600.0, 4.0)
    page.keep(figures, "html", 1.2, 4.0)
    page.keep(figures, "interrupt", 0.1, 4.0)
    page.keep(figures, "find", 20.0, 1.1)
    text = page.page(figures)
    assert "| `capacity` | 3 s | 2.0 s (8.0 s measured) | held |" in text
    assert "| pods of 50 templates, mixed | 2,000 pods/s | 2,400 pods/s (600 pods/s measured) | held |" in text
    assert "| `simulate -o html`, times the text | 1.3x | 1.2x | held |" in text
    assert "by the clock | 0.2 s | 0.10 s | held |" in text
    assert "| `drain --find` | 30 s | 20.0 s | held |" in text
    assert "in 0.75 s of CPU. Where that took\n4.0 times as long, a figure is divided by it" in text


def test_what_is_measured_again_at_the_old_pace_is_told_as_it_is() -> None:
    figures = {"capacity": 2.0, page.PACE + "capacity": 4.0}
    page.keep(figures, "capacity", 2.5, 0.95)
    assert figures == {"capacity": 2.5}
    assert page.paced(figures) == ""


def test_growth_is_told_between_the_smallest_and_the_largest() -> None:
    figures = {f"{asked} of {nodes:,} nodes": nodes / 1_000 for asked in page.ASKED for nodes in (1_000, 4_000)}
    figures["nodes of 4,000 nodes"] = 8.0
    lines = list(page.grown_lines(figures))
    assert "| question | 1,000 | 4,000 | exponent | at most 1.15 |\n" in lines
    assert "| `nodes` | 1.0 s | 8.0 s | 1.50 | **short** |\n" in lines
    assert "| `simulate` | 1.0 s | 4.0 s | 1.00 | held |\n" in lines


def test_growth_by_things_is_told() -> None:
    figures = {"1,000 services": 1.0, "4,000 services": 16.0, "1,000 budgets": 1.0, "4,000 budgets": 4.0}
    text = "".join(page.thing_lines(figures))
    assert "| services | `simulate` | 1,000 | 1.0 s | 4,000 | 16.0 s | 2.00 | **short** |\n" in text
    assert "| budgets | `drain n0` | 1,000 | 1.0 s | 4,000 | 4.0 s | 1.00 | held |\n" in text
    assert "images" not in text


def test_workers_that_share_cores_are_named() -> None:
    assert "so that near 4x cannot be had here" in "".join(page.few_cores({"sweep": 1.9, "cores": 2}))
    assert not list(page.few_cores({"sweep": 3.9, "cores": 8}))


def test_the_page_that_is_there_is_made_of_the_figures_that_are_there() -> None:
    assert page.PAGE.read_text() == page.page(page.json.loads(page.FIGURES.read_text()))


PARTS = {
    "capacity": {"capacity"},
    "pipeline": {"mixed", "one-template"},
    "evicting": {"preempt", "explain-large"},
}


@pytest.mark.parametrize("part", list(PARTS))
def test_a_part_is_measured(
    part: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(page, "FIGURES", tmp_path / "figures.json")
    monkeypatch.setattr(page, "PAGE", tmp_path / "page.md")
    assert page.main(["--small", "--only", part]) == 0
    told = dict(line.split(": ") for line in capsys.readouterr().out.splitlines())
    assert set(told) == PARTS[part]
    assert all(float(figure) > 0 for figure in told.values())
    assert not list(tmp_path.iterdir())


def test_pieces_of_work_beside_a_measurement_tell_how_fast_the_machine_is() -> None:
    with Pace() as pace, one_core(pinned=True):
        first = pace.since()
        assert 0 < first < 100  # there is one even where nothing took as long as a piece of work
        assert 0 < pace.since() < 100
