"""Scores: from the total of the runner-up to that of the winner, plugin by plugin."""

from __future__ import annotations

from kplan.render.picture.canvas import Look
from kplan.render.picture.forms.bars import Bar, Bars, Segment
from kplan.render.picture.links import to_node
from kplan.render.picture.scale import ScaleUnit, round_step
from kplan.result.document import ScoreRow, Scores

_MOST = 8
_POINTS = ScaleUnit("points, weighted", lambda number: f"{number:,.0f}")


def panel(scores: Scores) -> Bars | None:
    """Draw what sets the winner apart from the runner-up; nothing where one node alone was scored."""
    if len(scores.rows) < 2:
        return None
    winner = next((row for row in scores.rows if row.chosen), scores.rows[0])
    other = next(row for row in scores.rows if row is not winner)
    steps = _steps(winner, other)
    reached, bars = other.total, []
    for name, gap in steps:
        look, part = (Look.GOOD, "for the winner") if gap > 0 else (Look.WARN, "for the runner-up")
        bars.append(Bar(name, (Segment(part, gap, look, f"{gap:+d}"),), note=f"{gap:+d}", start=reached))
        reached += gap
    low, high = _ends([other.total, winner.total, *(bar.start for bar in bars)])
    return Bars(
        title=f"Why {winner.node} and not {other.node}",
        bars=(_total(other, "runner-up"), *bars, _total(winner, "goes there")),
        unit=_POINTS,
        low=low,
        high=high,
        more="" if steps else "all plugins give both the same: the scheduler draws one of them",
    )


def _steps(winner: ScoreRow, other: ScoreRow) -> list[tuple[str, int]]:
    gaps = {name: score - other.plugins.get(name, 0) for name, score in winner.plugins.items()}
    steps = sorted(((name, gap) for name, gap in gaps.items() if gap), key=lambda step: -abs(step[1]))
    rest = sum(gap for _, gap in steps[_MOST:])
    return [*steps[:_MOST], *((("other plugins", rest),) if rest else ())]


def _total(row: ScoreRow, note: str) -> Bar:
    part = Segment("total", row.total, Look.USED, f"{row.total:,}")
    return Bar(row.node, (part,), note=f"{row.total:,}, {note}", strong=note != "runner-up", to=to_node(row.node))


def _ends(numbers: list[float]) -> tuple[float, float]:
    """A part of the scale that holds all totals; it need not begin at 0, as gaps are what is looked at."""
    step = round_step(max(max(numbers) - min(numbers), 1) / 4, _POINTS)
    low = max(min(numbers) // step * step - step, 0)
    return low, (max(numbers) // step + 1) * step
