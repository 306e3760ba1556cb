"""Lanes: a row for each thing, and what becomes of it along one line of time or of steps."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from kplan.render.picture.canvas import LINE, Canvas, Look, below, legend, wide, widest
from kplan.render.picture.forms.bars import axis_below
from kplan.render.picture.model import Datum
from kplan.render.picture.scale import LinearScale, ScaleUnit

_ROW = 22
_BESIDE = 460


class LaneSpan(Struct, frozen=True):
    """A part of a lane.

    Attributes:
        part: what it is, as in the legend.
        begin: where it begins on the scale.
        end: where it ends.
        look: what fills it.
        text: written on it where it fits, and told where a pointer rests on it.
        to: where it leads, if not where its lane does.
    """

    part: str
    begin: float
    end: float
    look: Look
    text: str = ""
    to: str = ""


class Lane(Struct, frozen=True):
    """A row: one thing, or several to which the same happens.

    Attributes:
        label: what it is about.
        spans: in order.
        count: how many things it stands for.
        note: told behind it.
        to: where it leads; empty for nowhere.
    """

    label: str
    spans: tuple[LaneSpan, ...]
    count: int = 1
    note: str = ""
    to: str = ""


class Lanes(Struct, frozen=True):
    """Lanes on one scale.

    Attributes:
        title: what they show.
        lanes: in order.
        unit: of the scale.
        end: of the scale, which begins at 0.
        moments: places at which a line goes across, with what happens then.
        later: where the scale ends and what has no time begins, with what that is; None for nothing of it.
        more: told below, in words.
        share: see Panel.
    """

    title: str
    lanes: tuple[Lane, ...]
    unit: ScaleUnit
    end: float
    moments: tuple[tuple[float, str], ...] = ()
    later: tuple[float, str] | None = None
    more: str = ""
    share: float = 1

    def data(self) -> Sequence[Datum]:
        """Each span with how many things it is about and from when to when it is; then the moments."""
        rows = [
            Datum(lane.label, span.part, lane.count, f"{span.begin:g} to {self._told(span.end)}")
            for lane in self.lanes
            for span in lane.spans
        ]
        return rows + [Datum("", words, at) for at, words in self.moments]

    def draw(self, canvas: Canvas, x: float, y: float, width: float) -> float:
        """Draw legend, lanes and axis."""
        seen = {span.part: span.look for lane in self.lanes for span in lane.spans}
        entries: list[tuple[str, str]] = [(look, part) for part, look in seen.items()]
        top = y + legend(canvas, x, y, width, entries + [("line wanted", words) for _, words in self.moments])
        beside = width >= _BESIDE
        labels = min(widest(lane.label for lane in self.lanes) + 10, width * 0.4) if beside else 0
        notes = min(widest(lane.note for lane in self.lanes) + 8, width * 0.28) if beside else 0
        row = _ROW if beside else _ROW + LINE
        # ticks stand in the middle of their text
        right = wide(self.unit.write(self.end)) / 2
        scale = LinearScale(0, self.end, x + max(labels, wide("0") / 2), x + width - max(notes, right))
        bottom = top + row * len(self.lanes)
        if self.later is not None:
            begin = scale.at(self.later[0])
            canvas.rect(begin, top - 2, scale.end - begin, bottom - top + 2, "band")
        for number, lane in enumerate(self.lanes):
            self._lane(canvas, scale, lane, (x, top + number * row, width, notes), beside)
        for at, _ in self.moments:
            canvas.down_rows(scale.at(at), top, len(self.lanes), row, 0 if beside else LINE)
        timed = scale if self.later is None else LinearScale(0, self.later[0], scale.start, scale.at(self.later[0]))
        height = bottom - y + axis_below(canvas, timed, bottom, self.unit)
        if self.later is not None:
            height += self._later(canvas, self.later[1], (timed.end, scale.end), y + height)
        return height + below(canvas, x, y + height + 8, width, self.more)

    def _later(self, canvas: Canvas, words: str, ends: tuple[float, float], bottom: float) -> float:
        """Tell what the band behind the scale is, in a line of its own where there is no room below it."""
        if wide(words) + 24 <= ends[1] - ends[0]:
            canvas.text(ends[1], bottom - 20, words, "dim", anchor="end")
            return 0
        left = max(ends[1] - wide(words) - 20, 0)
        canvas.rect(left, bottom + 1, 11, 11, "band")
        canvas.text(left + 16, bottom + 11, words, "dim")
        return LINE

    def _told(self, end: float) -> str:
        return "the end" if end >= self.end else f"{end:g}"

    def _lane(
        self, canvas: Canvas, scale: LinearScale, lane: Lane, at: tuple[float, float, float, float], beside: bool
    ) -> None:
        x, y, width, notes = at
        down = 0 if beside else LINE
        with canvas.linked(lane.to, f"{lane.label} {lane.note}".strip()):
            if beside:
                canvas.text(x, y + 14, lane.label, room=scale.start - x - 8)
                canvas.text(x + width - notes + 8, y + 14, lane.note, "dim", room=notes)
            else:
                behind = min(wide(lane.note), width * 0.5)
                canvas.text(x, y + 12, lane.label, room=width - behind - 8)
                canvas.text(x + width, y + 12, lane.note, "dim", anchor="end", room=behind + 1)
            for span in lane.spans:
                if not span.to:
                    _span(canvas, scale, lane, span, y + down)
        for span in lane.spans:
            if span.to:
                with canvas.linked(span.to, _tip(lane, span)):
                    _span(canvas, scale, lane, span, y + down)


def _span(canvas: Canvas, scale: LinearScale, lane: Lane, span: LaneSpan, y: float) -> None:
    begin, end = scale.at(span.begin), scale.at(span.end)
    canvas.rect(begin, y + 3, max(end - begin, 2), 15, span.look, _tip(lane, span))
    if span.text and wide(span.text) + 8 <= end - begin:
        canvas.text(begin + 4, y + 14.5, span.text, f"on-{span.look}")


def _tip(lane: Lane, span: LaneSpan) -> str:
    return f"{lane.label}: {span.part} {span.text}".strip()
