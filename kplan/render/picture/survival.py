"""Survival: of every single loss, or of every scenario, what is borne and what is not."""

from __future__ import annotations

from kplan.render.picture.canvas import Look
from kplan.render.picture.forms.bars import Bar, Bars, Segment
from kplan.render.picture.forms.grid import Cell, CellGrid
from kplan.render.picture.forms.tiles import Tile, Tiles
from kplan.render.picture.links import ALL_NODES, to_node
from kplan.render.picture.model import Panel, Picture
from kplan.render.picture.scale import counts
from kplan.result.document_fail import FailCase, FailReport
from kplan.result.document_sweep import SweepOutcome, SweepReport, badness
from kplan.words import count

_MOST = 11
_MOST_CELLS = 14
_LOOKS = {"FITS": Look.GOOD, "PARTLY": Look.WARN, "BLOCKED": Look.BAD, "FAILED": Look.OTHER}
_MEANINGS = {
    "FITS": "FITS: all placed",
    "PARTLY": "PARTLY: some are not",
    "BLOCKED": "BLOCKED: none is",
    "FAILED": "FAILED: not carried out",
}
_STUCK = _MEANINGS | {"BLOCKED": "BLOCKED: it does not get through"}
"""Of scenarios: a drain is blocked by one pod that has nowhere to go, whatever becomes of the others."""


def of_losses(report: FailReport) -> Picture:
    """Draw every single loss, the worst first."""
    cases = report.cases
    tiles = [(case.name, case.verdict, case.pending + case.gone + case.displaced) for case in cases]
    links = {case.name: to_node(case.name) for case in cases} if report.each == "node" else {}
    bars = [_loss(case, links.get(case.name, "")) for case in cases[:_MOST]]
    panels: tuple[Panel, ...] = (
        _map(f"Loss of each {report.each}", tiles, links, _MEANINGS),
        _bars(f"The worst of {count(len(cases), 'loss', 'losses')}", bars, len(cases)),
    )
    return Picture(f"What survives the loss of each {report.each}", report.sentence, panels)


def _loss(case: FailCase, to: str) -> Bar:
    without = case.pending + case.displaced
    return Bar(case.name, _parts(case.placed, without, case.gone), _note(case.placed, without, case.gone), to=to)


def of_scenarios(report: SweepReport) -> Picture | None:
    """Draw every scenario: a grid where two things differ, else tiles; the worst as bars."""
    if not report.outcomes:
        return None
    worst = report.worst_first
    tiles = [(one.name, one.verdict, _not_placed(one)) for one in worst]
    words = _STUCK if any(one.verdict == "BLOCKED" and one.placed for one in worst) else _MEANINGS
    panels: tuple[Panel, ...] = (
        _matrix(report, words) or _map("Each scenario", tiles, {}, words),
        _bars("The worst scenarios", [_scenario(one) for one in worst[:_MOST]], len(worst)),
    )
    return Picture("What is borne", report.sentence, panels)


def _scenario(one: SweepOutcome) -> Bar:
    without = one.pending + one.held
    return Bar(one.name, _parts(one.placed, without, one.gone), note=_note(one.placed, without, one.gone))


def _not_placed(one: SweepOutcome) -> int:
    return one.pending + one.held + one.gone


def _parts(placed: int, without: int, gone: int) -> tuple[Segment, ...]:
    return (
        Segment("placed", placed, Look.GOOD, f"{placed:,}"),
        Segment("without a node", without, Look.SHORT, f"{without:,}"),
        Segment("GONE", gone, Look.BAD, f"{gone:,}"),
    )


def _note(placed: int, without: int, gone: int) -> str:
    told = [f"{placed:,} placed"] if placed else []
    told += [f"{without:,} without"] if without else []
    return ", ".join([*told, *([f"{gone:,} GONE"] if gone else [])]) or "no pods"


def _bars(title: str, bars: list[Bar], number: int) -> Bars:
    more = f"{number - _MOST:,} further" if number > _MOST else ""
    return Bars(title, tuple(bars), counts("pods"), more=more)


def _map(title: str, tiles: list[tuple[str, str, int]], links: dict[str, str], words: dict[str, str]) -> Tiles:
    order = sorted(tiles, key=lambda tile: list(_LOOKS).index(tile[1]), reverse=True)
    numbers = {verdict: sum(tile[1] == verdict for tile in tiles) for verdict in _LOOKS}
    meanings = tuple((_LOOKS[word], f"{words[word]}: {number:,}") for word, number in numbers.items() if number)
    drawn = tuple(Tile(name, _LOOKS[word], number, word, links.get(name, "")) for name, word, number in order)
    return Tiles(title, drawn, meanings, "pods not placed", to=ALL_NODES if links else "")


def _matrix(report: SweepReport, words: dict[str, str]) -> CellGrid | None:
    """What the two longest axes come to; the worst of scenarios that fall together."""
    if sum(len(axis.points) > 1 for axis in report.axes) < 2:
        return None
    order = sorted(range(len(report.axes)), key=lambda place: -len(report.axes[place].points))[:2]
    down, across = (report.axes[place] for place in order)
    if len(down.points) > _MOST_CELLS or len(across.points) > _MOST_CELLS:
        return None
    cells: dict[tuple[int, int], Cell] = {}
    for outcome in sorted(report.outcomes, key=badness, reverse=True):
        at = down.points.index(outcome.at[order[0]]), across.points.index(outcome.at[order[1]])
        number = _not_placed(outcome)
        cells[at] = Cell(_LOOKS[outcome.verdict], number, f"{number:,}", f"{outcome.name}: {outcome.verdict}")
    verdicts = [word for word in _LOOKS if any(one.verdict == word for one in report.outcomes)]
    return CellGrid(
        f"{down.name} by {across.name}: pods not placed",
        down.points,
        across.points,
        cells,
        tuple((_LOOKS[word], words[word]) for word in verdicts),
        part="pods not placed",
    )
