"""Flows: from what stands on the left to what stands on the right, as broad as what goes that way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from kplan.render.picture.canvas import LINE, Canvas, below, legend, widest
from kplan.render.picture.model import Datum

_HEIGHT = 260
_GAP = 10
_TALLEST = 64
"""Height that is given to each name where they are few [pixels]."""


class Flow(Struct, frozen=True):
    """Flows between two sides.

    Attributes:
        title: what they show.
        sides: names of both sides.
        flows: how much goes from where to where; what there is most of stands first.
        part: what flows.
        kinds: how flows from and to certain names are drawn: ``flow-good``, ``flow-bad``; else ``flow``.
        links: where names lead.
        meanings: of the ways in which flows are drawn.
        more: told below, in words.
        share: see Panel.
    """

    title: str
    sides: tuple[str, str]
    flows: dict[tuple[str, str], int]
    part: str
    kinds: dict[str, str]
    links: dict[str, str]
    meanings: tuple[tuple[str, str], ...] = ()
    more: str = ""
    share: float = 1

    def data(self) -> Sequence[Datum]:
        """Each flow, the broadest first."""
        return [Datum(f"{a} -> {b}", self.part, number, f"{number:,}") for (a, b), number in self._ordered()]

    def draw(self, canvas: Canvas, x: float, y: float, width: float) -> float:
        """Draw both sides and the flows between them."""
        lefts, rights = (Counter[str](), Counter[str]())
        for (a, b), number in self._ordered():
            lefts[a] += number
            rights[b] += number
        room = min(max(widest(self._label(*one) for one in (*lefts.items(), *rights.items())) + 8, 60), width * 0.36)
        top = y + legend(canvas, x, y, width, self.meanings)
        # what they are called may be long, and nothing else stands in that line
        canvas.text(x, top + 12, self.sides[0], "dim", room=width / 2 - 8)
        canvas.text(x + width, top + 12, self.sides[1], "dim", anchor="end", room=width / 2 - 8)
        top += LINE + 8
        most = max(len(lefts), len(rights))
        height = max(min(_HEIGHT, most * _TALLEST), most * (LINE + _GAP))
        by_one = max((height - most * _GAP) / max(sum(lefts.values()), 1), 0)
        places: list[dict[str, float]] = []
        bottom = top + height
        for names, left in ((lefts, True), (rights, False)):
            at, found = top, {}
            for name, number in names.items():
                found[name] = at
                tall = number * by_one
                edge = x + room if left else x + width - room
                place = at + max(tall / 2, 4) + 4
                label = self._label(name, number)
                anchor = "end" if left else "start"
                with canvas.linked(self.links.get(name, ""), label):
                    canvas.rect(edge - (0 if left else 6), at, 6, max(tall, 1.5), "used")
                    canvas.text(edge + (-6 if left else 6), place, label, anchor=anchor, room=room - 6)
                at += max(tall, LINE - _GAP + 2) + _GAP
            places.append(found)
            bottom = max(bottom, at)  # a name takes a line, however little goes its way
        for (a, b), number in self._ordered():
            tall = max(number * by_one, 1.2)
            self._one(canvas, (x + room + 6, places[0][a]), (x + width - room - 6, places[1][b]), tall, (a, b, number))
            places[0][a] += number * by_one
            places[1][b] += number * by_one
        return bottom + below(canvas, x, bottom + 12, width, self.more) - y

    def _ordered(self) -> list[tuple[tuple[str, str], int]]:
        return sorted(self.flows.items(), key=lambda item: (-item[1], item[0]))

    def _label(self, name: str, number: int) -> str:
        return f"{name}  {number:,}"

    def _one(
        self,
        canvas: Canvas,
        start: tuple[float, float],
        end: tuple[float, float],
        tall: float,
        told: tuple[str, str, int],
    ) -> None:
        (x, y), (to_x, to_y), (a, b, number) = start, end, told
        middle = (x + to_x) / 2
        commands = (
            f"M{x:.1f} {y:.1f}C{middle:.1f} {y:.1f} {middle:.1f} {to_y:.1f} {to_x:.1f} {to_y:.1f}v{tall:.1f}"
            f"C{middle:.1f} {to_y + tall:.1f} {middle:.1f} {y + tall:.1f} {x:.1f} {y + tall:.1f}z"
        )
        kind = self.kinds.get(b) or self.kinds.get(a) or "flow"
        canvas.area(commands, kind, f"{a} to {b}: {number:,} {self.part}")
