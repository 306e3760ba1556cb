"""Canvas: shapes and texts become SVG here, and nowhere else; the one door through which a text enters a picture."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from html import escape

from kplan.render.bidi import apart

LETTER = 7.2
"""Width that is reckoned for a letter [pixels]; a font that is narrower leaves room."""
LINE = 16
"""Height of a line of text [pixels]."""


class Look(StrEnum):
    """What fills a shape; the page's style has a colour for each, in light and in dark.

    Colours are told apart by people who do not see all of them (after Okabe and Ito); what is short or waits is hatched
    as well, and every picture has its words beside the colour.
    """

    USED = "used"
    GOOD = "good"
    WARN = "warn"
    BAD = "bad"
    SHORT = "short"
    NONE = "none"
    OTHER = "other"
    EMPTY = "empty"
    FULL_0 = "full-0"
    FULL_1 = "full-1"
    FULL_2 = "full-2"
    FULL_3 = "full-3"
    FULL_4 = "full-4"
    FULL_5 = "full-5"


FULLNESS = (Look.FULL_0, Look.FULL_1, Look.FULL_2, Look.FULL_3, Look.FULL_4, Look.FULL_5)
"""From empty to full, and what is more than full."""


class Canvas:
    """What is drawn so far; all measures are pixels.

    Args:
        name: tells the drawings of a page apart, as their patterns have names.
        width: of the whole.
    """

    def __init__(self, name: str, width: float) -> None:
        self.name = name
        self.width = width
        self._parts: list[str] = []

    @contextmanager
    def linked(self, to: str, told: str) -> Iterator[None]:
        """Let all that is drawn in this block lead somewhere.

        Args:
            to: address on the page; empty for none.
            told: what a reader hears of it.
        """
        if to:
            self._parts.append(f'<a href="{escape(to)}" aria-label="{escape(told)}">')
        yield
        if to:
            self._parts.append("</a>")

    def rect(self, x: float, y: float, width: float, height: float, look: str, tip: str = "") -> None:
        """Draw a filled rectangle; ``tip`` is told where a pointer rests on it."""
        size = f'x="{_n(x)}" y="{_n(y)}" width="{_n(max(width, 0))}" height="{_n(max(height, 0))}"'
        self._shape("rect", size, look, tip)

    def circle(self, x: float, y: float, radius: float, look: str, tip: str = "") -> None:
        """Draw a filled circle."""
        self._shape("circle", f'cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}"', look, tip)

    def down_rows(self, x: float, top: float, rows: int, row: float, words: float) -> None:
        """Draw a line down rows, whose first ``words`` pixels are text where that stands over the bars."""
        if not words:
            self.line(x, top - 3, x, top + rows * row, "wanted")
            return
        for number in range(rows):
            self.line(x, top + number * row + words, x, top + (number + 1) * row, "wanted")

    def line(self, x: float, y: float, to_x: float, to_y: float, kind: str = "rule") -> None:
        """Draw a straight line: ``rule``, ``axis``, ``mark``, ``wanted``."""
        self._parts.append(f'<path class="{kind}" d="M{_n(x)} {_n(y)}L{_n(to_x)} {_n(to_y)}"/>')

    def path(self, points: Iterable[tuple[float, float]], kind: str) -> None:
        """Draw a line through points."""
        steps = "L".join(f"{_n(x)} {_n(y)}" for x, y in points)
        self._parts.append(f'<path class="{kind}" d="M{steps}"/>')

    def area(self, commands: str, look: str, tip: str = "") -> None:
        """Fill what commands of a path enclose; they are made of numbers alone."""
        self._shape("path", f'd="{commands}"', look, tip)

    def text(self, x: float, y: float, text: str, kind: str = "", anchor: str = "start", room: float = 0) -> None:
        """Write a text with its base line at ``y``; where there is less room than it takes, its middle is left out."""
        if not text:
            return
        shown = fitted(text, room) if room else text
        words = f' class="{kind}"' if kind else ""
        side = "" if anchor == "start" else f' text-anchor="{anchor}"'
        whole = "" if shown == text else f"<title>{escape(text)}</title>"
        self._parts.append(f'<text x="{_n(x)}" y="{_n(y)}"{words}{side}>{whole}{apart(shown, _isolated)}</text>')

    def drawn(self) -> str:
        """Give all that was drawn, the last on top."""
        return "".join(self._parts)

    def _shape(self, element: str, size: str, look: str, tip: str) -> None:
        # a pattern has the name of its drawing: what is not shown has none to lend
        fill = f' fill="url(#{self.name}-short)"' if look == Look.SHORT else ""
        head = f'<{element} {size} class="{look}"{fill}'
        self._parts.append(f"{head}><title>{escape(tip)}</title></{element}>" if tip else f"{head}/>")


def wide(text: str) -> float:
    """Reckon how wide a text is [pixels]."""
    if text.isascii():
        return LETTER * len(text)
    return LETTER * sum(map(_cells, text))


def _cells(letter: str) -> int:
    """How many letters wide a character is: none where it is drawn on the one before, two for emoji and the like."""
    if unicodedata.combining(letter) or unicodedata.category(letter) in ("Mn", "Me"):
        return 0
    return 1 + (unicodedata.east_asian_width(letter) in "WF")


def _isolated(word: str) -> str:
    return f'<tspan class="apart">{word}</tspan>'


def widest(texts: Iterable[str]) -> float:
    """Reckon the widest of some texts [pixels]; 0 for none."""
    return max(map(wide, texts), default=0.0)


def fitted(text: str, room: float) -> str:
    """Leave out a part of a text that is wider than the room, behind its middle: its ends tell names apart."""
    if wide(text) <= room:
        return text
    kept = max(int(room / LETTER) - 1, 2)
    end = kept // 3
    return f"{_beginning(text, kept - end)}\u2026{_ending(text, end)}"


def _beginning(text: str, cells: int) -> str:
    """As much of a text as is so wide, with all that is drawn on its last letter."""
    used = 0
    for place, letter in enumerate(text):
        used += _cells(letter)
        if used > cells:
            return text[:place]
    return text


def _ending(text: str, cells: int) -> str:
    """The end of a text that is so wide; it begins with a letter, not with what is drawn on one."""
    used, begin = 0, len(text)
    for place in range(len(text) - 1, -1, -1):
        width = _cells(text[place])
        used += width
        if used > cells:
            break
        if width:
            begin = place
    return text[begin:]


def legend(canvas: Canvas, x: float, y: float, width: float, entries: Sequence[tuple[str, str]]) -> float:
    """Draw what each look means, as many lines as it takes; give the height used."""
    at, line = x, 0
    for look, words in entries:
        needed = 18 + wide(words) + 14
        if at > x and at + needed > x + width + 14:
            at, line = x, line + 1
        if look.startswith("line "):
            canvas.line(at, y + line * LINE + 6, at + 12, y + line * LINE + 6, look.removeprefix("line "))
        else:
            canvas.rect(at, y + line * LINE + 1, 11, 11, look)
        room = max(width - 17, 30)
        for text in _in_lines(words, room):
            canvas.text(at + 17, y + line * LINE + 11, text, "dim", room=room)
            line += 1
        line -= 1
        at += needed
    return (line + 1) * LINE + 4 if entries else 0


def below(canvas: Canvas, x: float, y: float, width: float, text: str) -> float:
    """Write what is told below a drawing, as many lines as it takes; give their height, 0 for no text.

    Args:
        canvas: drawn on.
        x: where it begins.
        y: base line of the first line.
        width: room [pixels].
        text: what is told.
    """
    lines = _in_lines(text, width) if text else []
    for number, line in enumerate(lines):
        canvas.text(x, y + number * LINE, line, "dim", room=width)
    return len(lines) * LINE


def _in_lines(words: str, room: float) -> list[str]:
    """Break a text between words where it is wider than the room."""
    lines: list[str] = []
    for word in words.split(" "):
        if lines and wide(f"{lines[-1]} {word}") <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _n(number: float) -> str:
    """Write a number of pixels, to a tenth."""
    return f"{number:.1f}".removesuffix(".0")
