"""Curves: numbers over time, over pods in the order in which they are tried, over nodes that are added."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from kplan.render.picture.canvas import LINE, Canvas, below, legend, widest
from kplan.render.picture.forms.bars import axis_below
from kplan.render.picture.model import Datum
from kplan.render.picture.scale import LinearScale, ScaleUnit, rounded_up, ticks

_HEIGHT = 200
_MOST_POINTS = 300


class Series(Struct, frozen=True):
    """One line.

    Attributes:
        part: what it tells, as in the legend.
        points: places and numbers, in order.
        kind: ``line-good``, ``line-bad``, ``line-used``, ``line-warn``.
        stepped: whether a number holds until the next one.
    """

    part: str
    points: tuple[tuple[float, float], ...]
    kind: str
    stepped: bool = True


class CurveSpot(Struct, frozen=True):
    """A place that is pointed at, with what is there, and where it leads."""

    x: float
    y: float
    text: str
    to: str = ""


class Curve(Struct, frozen=True):
    """Lines on two scales.

    Attributes:
        title: what they show.
        series: the lines.
        across: unit of what goes to the right.
        up: unit of what goes up.
        wanted: a number that is wanted or allowed, with what it means; drawn across.
        spots: places that are pointed at.
        end: end of the scale to the right; the last point if None.
        more: told below, in words.
        share: see Panel.
    """

    title: str
    series: tuple[Series, ...]
    across: ScaleUnit
    up: ScaleUnit
    wanted: tuple[tuple[float, str], ...] = ()
    spots: tuple[CurveSpot, ...] = ()
    end: float | None = None
    more: str = ""
    share: float = 1

    def data(self) -> Sequence[Datum]:
        """The points at which a line turns, then what is wanted and what is pointed at."""
        rows = [
            Datum(f"{x:g}", line.part, y) for line in self.series for x, y in turns(line.points, stepped=line.stepped)
        ]
        rows += [Datum("", words, number) for number, words in self.wanted]
        return rows + [Datum(f"{spot.x:g}", "spot", spot.y, spot.text) for spot in self.spots]

    def draw(self, canvas: Canvas, x: float, y: float, width: float) -> float:
        """Draw legend, lines and axes."""
        entries = [(f"line {line.kind}", line.part) for line in self.series]
        entries += [("line wanted", words) for _, words in self.wanted]
        top = y + legend(canvas, x, y, width, entries) + LINE + 6
        highest = max([number for line in self.series for _, number in line.points] + [n for n, _ in self.wanted] + [1])
        high = rounded_up(highest, self.up)
        marks = ticks(0, high, self.up)
        labels = widest(self.up.write(number) for number in marks) + 8
        bottom = top + _HEIGHT
        up = LinearScale(0, high, bottom, top)
        lows = [place for line in self.series for place, _ in line.points]
        across = LinearScale(min(lows), self.end or max(lows), x + labels, x + width - 12)
        canvas.text(x, top - 11, self.up.name, "dim")
        for number in marks:
            canvas.line(across.start, up.at(number), across.end, up.at(number), "rule")
            canvas.text(x + labels - 6, up.at(number) + 4, self.up.write(number), "tick", anchor="end")
        for line in self.series:
            points = turns(line.points, stepped=line.stepped)
            canvas.path([(across.at(place), up.at(number)) for place, number in points], line.kind)
        for number, _ in self.wanted:
            canvas.line(across.start, up.at(number), across.end, up.at(number), "wanted")
        for spot in self.spots:
            _spot(canvas, spot, (across, up), (x, x + width))
        height = bottom - y + axis_below(canvas, across, bottom, self.across)
        return height + below(canvas, x, y + height + 8, width, self.more)


def _spot(canvas: Canvas, spot: CurveSpot, scales: tuple[LinearScale, LinearScale], ends: tuple[float, float]) -> None:
    """Point at a place; its text stands where lines that rise leave room: above what is low, below what is high."""
    across, up = scales
    x, y = across.at(spot.x), up.at(spot.y)
    is_low = y > (up.start + up.end) / 2
    line = up.end + 12 if is_low else y + 19
    if is_low:
        canvas.line(x, y, x, line - 4, "axis")
    before = x - ends[0] > ends[1] - x
    room = (x - ends[0] if before else ends[1] - x) - 10
    with canvas.linked(spot.to, spot.text):
        canvas.circle(x, y, 4, "spot", spot.text)
        canvas.text(x - 8 if before else x + 8, line, spot.text, "halo", anchor="end" if before else "start", room=room)


def turns(points: Sequence[tuple[float, float]], *, stepped: bool) -> list[tuple[float, float]]:
    """The points that a line needs: none where it only goes on as before; few enough to be seen."""
    kept: list[tuple[float, float]] = []
    every = max(-(-len(points) // _MOST_POINTS), 1)
    chosen = [point for number, point in enumerate(points) if number % every == 0 or number == len(points) - 1]
    for x, y in chosen:
        if stepped and kept and kept[-1][1] != y:
            kept.append((x, kept[-1][1]))
        if len(kept) > 1 and _straight(kept[-2], kept[-1], (x, y)):
            kept.pop()
        kept.append((x, y))
    return kept


def _straight(first: tuple[float, float], second: tuple[float, float], third: tuple[float, float]) -> bool:
    over, up = second[0] - first[0], second[1] - first[1]
    return abs(over * (third[1] - second[1]) - up * (third[0] - second[0])) < 1e-9
