"""Scatters: each thing at two numbers; what lies close together is one point that is larger."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import sqrt

from msgspec import Struct

from kplan.render.picture.canvas import LINE, Canvas, fitted, legend, wide, widest
from kplan.render.picture.forms.bars import axis_below
from kplan.render.picture.model import Datum
from kplan.render.picture.scale import LinearScale, ScaleUnit, rounded_up, ticks

_HEIGHT = 220
_NEAR = 7.0
"""Points that are nearer to each other are drawn as one [pixels]."""
_NAMED = 12
_ROOM = 170
"""Of a name beside its point [pixels]."""
_MOST = 300
"""Points that are drawn at most; nearer ones fall together."""


class Dot(Struct, frozen=True):
    """One thing at two numbers; ``to`` is where it leads."""

    name: str
    across: float
    up: float
    to: str = ""


class Scatter(Struct, frozen=True):
    """Points, and a rectangle from 0 that tells which of them are large enough.

    Attributes:
        title: what they show.
        points: in order.
        across: unit of what goes to the right.
        up: unit of what goes up.
        part: what a point is, as in the legend.
        need: the rectangle, with what it is; None for none.
        share: see Panel.
    """

    title: str
    points: tuple[Dot, ...]
    across: ScaleUnit
    up: ScaleUnit
    part: str
    need: tuple[float, float, str] | None = None
    share: float = 1

    def data(self) -> Sequence[Datum]:
        """Both numbers of each point; of many their number and sums."""
        if len(self.points) > _NAMED:
            rows = [
                Datum("all points", "number", len(self.points)),
                Datum("all points", self.across.name, sum(point.across for point in self.points)),
                Datum("all points", self.up.name, sum(point.up for point in self.points)),
            ]
        else:
            rows = [
                Datum(point.name, unit.name, number)
                for point in self.points
                for unit, number in ((self.across, point.across), (self.up, point.up))
            ]
        if self.need is not None:
            across, up, words = self.need
            rows += [Datum(words, self.across.name, across), Datum(words, self.up.name, up)]
        return rows

    def draw(self, canvas: Canvas, x: float, y: float, width: float) -> float:
        """Draw legend, rectangle, points and axes."""
        entries = [("used", self.part)] + ([("band", self.need[2])] if self.need is not None else [])
        top = y + legend(canvas, x, y, width, entries) + LINE + 6
        ends = [(point.across, point.up) for point in self.points] + [(1.0, 1.0)]
        if self.need is not None:
            ends.append(self.need[:2])
        high = rounded_up(max(up for _, up in ends), self.up)
        marks = ticks(0, high, self.up)
        labels = widest(self.up.write(number) for number in marks) + 8
        up = LinearScale(0, high, top + _HEIGHT, top)
        across = LinearScale(0, rounded_up(max(one for one, _ in ends), self.across), x + labels, x + width - 12)
        canvas.text(x, top - 11, self.up.name, "dim")
        for number in marks:
            canvas.line(across.start, up.at(number), across.end, up.at(number), "rule")
            canvas.text(x + labels - 6, up.at(number) + 4, self.up.write(number), "tick", anchor="end")
        if self.need is not None:
            right, upper = across.at(self.need[0]), up.at(self.need[1])
            canvas.rect(across.start, upper, right - across.start, up.start - upper, "band framed", self.need[2])
        self._points(canvas, across, up)
        return top + _HEIGHT - y + axis_below(canvas, across, top + _HEIGHT, self.across)

    def _points(self, canvas: Canvas, across: LinearScale, up: LinearScale) -> None:
        places = [(across.at(point.across), up.at(point.up), point) for point in self.points]
        distance = _NEAR
        near = _together(places, distance)
        while len(near) > _MOST:
            distance *= 1.5
            near = _together(places, distance)
        written: list[tuple[float, float, float]] = []
        for together in near.values():
            x = sum(at for at, _, _ in together) / len(together)
            y = sum(at for _, at, _ in together) / len(together)
            names = ", ".join(point.name for _, _, point in together[:3]) + (", ..." if len(together) > 3 else "")
            few = len(near) < _MOST / 4
            with canvas.linked(together[0][2].to if few else "", names):
                canvas.circle(x, y, min(2.5 + sqrt(len(together)), distance * 0.7), "used point", names if few else "")
                if len(self.points) <= _NAMED:
                    _name(canvas, across, (x, y), names, written)


_Placed = list[tuple[float, float, Dot]]


def _together(places: _Placed, distance: float) -> dict[tuple[int, int], _Placed]:
    """Points by squares of a size."""
    near: dict[tuple[int, int], _Placed] = defaultdict(list)
    for x, y, point in places:
        near[round(x / distance), round(y / distance)].append((x, y, point))
    return near


def _name(
    canvas: Canvas, across: LinearScale, at: tuple[float, float], name: str, written: list[tuple[float, float, float]]
) -> None:
    """Write the name of a point beside it, where it does not lie on one that is written already."""
    x, y = at
    name = fitted(name, _ROOM)
    width = wide(name)
    before = x + 7 + width > across.end
    begin = x - 7 - width if before else x + 7
    for line in (y - 5, y + 14):
        if all(abs(line - other) >= LINE - 3 or begin > end or begin + width < start for start, end, other in written):
            canvas.text(x - 7 if before else x + 7, line, name, "halo", anchor="end" if before else "start")
            written.append((begin, begin + width, line))
            return
