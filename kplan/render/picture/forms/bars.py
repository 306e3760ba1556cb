"""Bars: a row for each thing, its parts one after another, on one scale."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from kplan.render.picture.canvas import LINE, Canvas, Look, below, legend, wide, widest
from kplan.render.picture.model import Datum
from kplan.render.picture.scale import LinearScale, ScaleUnit, rounded_up, ticks

_THICK = 14
_ROW = 24
_STRONG = 1.1
"""How much wider strong letters are."""
_BESIDE = 460
"""Below this width labels stand above their bars [pixels]."""


class Segment(Struct, frozen=True):
    """A part of a bar.

    Attributes:
        part: what it is, as in the legend.
        value: how much of the scale.
        look: what fills it.
        shown: its value as it is told; empty where the scale tells it.
        name: written on it where it fits, and told where a pointer rests on it.
        to: where it leads, if not where its bar does.
    """

    part: str
    value: float
    look: Look
    shown: str = ""
    name: str = ""
    to: str = ""


class Bar(Struct, frozen=True):
    """A row.

    Attributes:
        label: what it is about.
        segments: in order.
        note: what is told behind it.
        start: where the first segment begins; the bar hangs there.
        strong: whether it is the one that matters.
        to: where it leads; empty for nowhere.
    """

    label: str
    segments: tuple[Segment, ...]
    note: str = ""
    start: float = 0
    strong: bool = False
    to: str = ""


class Bars(Struct, frozen=True):
    """Bars on one scale.

    Attributes:
        title: what they show.
        bars: in order.
        unit: of the scale.
        high: end of the scale; round numbers up if None.
        low: beginning of the scale.
        marks: numbers at which a line goes across all bars, with what it means.
        band: numbers between which is allowed, with what that means; None for no band.
        more: what is left out, in words.
        share: see Panel.
        axis: whether the scale is drawn.
    """

    title: str
    bars: tuple[Bar, ...]
    unit: ScaleUnit
    high: float | None = None
    low: float = 0
    marks: tuple[tuple[float, str], ...] = ()
    band: tuple[float, float, str] | None = None
    more: str = ""
    share: float = 1
    axis: bool = True

    def data(self) -> Sequence[Datum]:
        """Each segment, then each line across."""
        rows = [
            Datum(bar.label, part.part, part.value, part.shown or bar.note)
            for bar in self.bars
            for part in bar.segments
        ]
        rows += [Datum("", words, number) for number, words in self.marks]
        if self.band is not None:
            rows += [Datum("", f"{self.band[2]}, from", self.band[0]), Datum("", f"{self.band[2]}, to", self.band[1])]
        return rows

    def draw(self, canvas: Canvas, x: float, y: float, width: float) -> float:
        """Draw legend, bars and axis."""
        top = y + legend(canvas, x, y, width, self._meanings())
        beside = width >= _BESIDE
        broader = _STRONG if any(bar.strong for bar in self.bars) else 1
        labels = min(widest(bar.label for bar in self.bars) * broader + 10, width * 0.32) if beside else 0
        notes = min(widest(bar.note for bar in self.bars) + 8, width * 0.36) if beside else 0
        high = self._end()
        # ticks stand in the middle of their text
        left, right = (wide(self.unit.write(end)) / 2 for end in (self.low, high))
        scale = LinearScale(self.low, high, x + max(labels, left), x + width - max(notes, right))
        row = _ROW if beside else _ROW + LINE
        height = row * len(self.bars)
        self._across(canvas, scale, top, height)
        for number, bar in enumerate(self.bars):
            self._bar(canvas, scale, bar, (x, top + number * row, width, notes), beside)
        for mark, _ in self.marks:
            canvas.down_rows(scale.at(mark), top, len(self.bars), row, 0 if beside else LINE)
        bottom = top + height
        if self.axis:
            bottom += axis_below(canvas, scale, bottom, self.unit)
        if self.more:
            bottom += below(canvas, x, bottom + 14, width, self.more) + 4
        return bottom - y

    def _end(self) -> float:
        if self.high is not None:
            return self.high
        ends = [bar.start + sum(part.value for part in bar.segments) for bar in self.bars]
        ends += [number for number, _ in self.marks]
        return rounded_up(max((*ends, 1)), self.unit)

    def _meanings(self) -> list[tuple[str, str]]:
        seen = {part.part: part.look for bar in self.bars for part in bar.segments if part.part and part.value}
        entries: list[tuple[str, str]] = [(look, part) for part, look in seen.items()]
        if self.band is not None:
            entries.append(("band", self.band[2]))
        return entries + [("line wanted", words) for _, words in self.marks]

    def _across(self, canvas: Canvas, scale: LinearScale, top: float, height: float) -> None:
        if self.band is not None:
            low, high, _ = self.band
            canvas.rect(scale.at(low), top - 2, scale.at(high) - scale.at(low), height + 2, "band")
        if self.axis:
            for number in ticks(self.low, scale.high, self.unit):
                canvas.line(scale.at(number), top - 2, scale.at(number), top + height, "rule")

    def _bar(
        self, canvas: Canvas, scale: LinearScale, bar: Bar, at: tuple[float, float, float, float], beside: bool
    ) -> None:
        x, y, width, notes = at
        kind = "strong" if bar.strong else ""
        down = 0 if beside else LINE
        own = [piece for piece in self._pieces(scale, bar) if piece[0].to]
        with canvas.linked(bar.to, f"{bar.label} {bar.note}".strip()):
            if beside:
                canvas.text(x, y + 14, bar.label, kind, room=scale.start - x - 8)
                canvas.text(x + width - notes + 8, y + 14, bar.note, "dim", room=notes)
            else:
                behind = min(wide(bar.note), width * 0.62)
                canvas.text(x, y + 12, bar.label, kind, room=width - behind - 8)
                canvas.text(x + width, y + 12, bar.note, "dim", anchor="end", room=behind + 1)
            for piece in self._pieces(scale, bar):
                if not piece[0].to:
                    _piece(canvas, bar, piece, y + down)
        for piece in own:
            with canvas.linked(piece[0].to, _tip(bar, piece[0])):
                _piece(canvas, bar, piece, y + down)

    def _pieces(self, scale: LinearScale, bar: Bar) -> list[_Piece]:
        reached, pieces = bar.start, []
        for part in bar.segments:
            begin, end = sorted((scale.at(reached), scale.at(reached + part.value)))
            reached += part.value
            pieces.append((part, begin, end))
        return pieces


_Piece = tuple[Segment, float, float]
"""A segment, and from where to where it goes [pixels]."""


def _piece(canvas: Canvas, bar: Bar, piece: _Piece, y: float) -> None:
    part, begin, end = piece
    # a little of the next one would look like nothing at all
    canvas.rect(begin, y + 3, max(end - begin, 1.5 if part.value else 0), _THICK, part.look, _tip(bar, part))
    if part.name and wide(part.name) + 6 <= end - begin:
        canvas.text(begin + 4, y + 14, part.name, f"on-{part.look}")


def _tip(bar: Bar, part: Segment) -> str:
    told = part.name or bar.label
    return f"{told}: {part.part} {part.shown}".strip()


def axis_below(canvas: Canvas, scale: LinearScale, y: float, unit: ScaleUnit) -> float:
    """Draw an axis with its ticks and its unit; give the height used."""
    canvas.line(scale.start, y, scale.end, y, "axis")
    room = wide(unit.write(scale.high)) + 16
    most = max(min(int((scale.end - scale.start) / room), 6), 1)
    for number in ticks(scale.low, scale.high, unit, most):
        canvas.line(scale.at(number), y, scale.at(number), y + 4, "axis")
        canvas.text(scale.at(number), y + 16, unit.write(number), "tick", anchor="middle")
    canvas.text(scale.end, y + 31, unit.name, "dim", anchor="end")
    return 36
