"""Layout of the text: labels in columns 1 to 8, text from column 10, details two further in, wrapped at the width."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from kplan.render.text.fitting import GAP, Fitting

LABEL = 9
DETAIL = 11
WIDTH = 80
NARROW = 60
WIDE = 200
EMPTY = ("", "-")
"""Cells that say nothing."""


class Page:
    """Lines of a text that is being written.

    Attributes:
        width: columns of paragraphs.
        tables: columns that a table may take.
        lines: what was written.
        splits: whether a table that is too wide for a narrow screen becomes a paragraph for each row.
        later: labelled parts that stand before where it all is from.
    """

    def __init__(self, width: int = WIDTH, tables: int = 0) -> None:
        self.width = width
        self.tables = tables or width
        self.lines: list[str] = []
        self.splits = True
        self.later: list[tuple[str, str]] = []

    def part(self, label: str, text: str, *, mark: str = "") -> None:
        """Write a labelled part, wrapped."""
        head = f"{label:<{LABEL}}"
        if mark:
            head = f"{head[: LABEL - 2]}{mark} "
        self._wrapped(text, head, " " * LABEL)

    def parts(self, label: str, texts: Iterable[str]) -> None:
        """Write several parts under one label."""
        for text in texts:
            self.part(label, text)
            label = ""

    def more(self, hidden: int, what: str = "", where: str = "-o wide") -> None:
        """Say that something is left out, if it is: ``+7 zones (-o wide)``."""
        if hidden > 0:
            self.part("", f"+{hidden:,}{' ' if what else ''}{what} ({where})")

    def verdict(self, word: str, text: str) -> None:
        """Write the first line: a verdict word, then the sentence."""
        self._wrapped(text, f"{word:<8} ", " " * LABEL)

    def counted(self, number: int, text: str) -> None:
        """Write a line that begins with a count."""
        self._wrapped(text, f"{number:>7,}  ", " " * DETAIL)

    def detail(self, text: str, indent: int = DETAIL) -> None:
        """Write a detail."""
        self._wrapped(text, " " * indent, " " * (indent + 2))

    def hanging(self, head: str, text: str) -> None:
        """Write a text beside its head."""
        self._wrapped(text, head, " " * len(head))

    def blank(self) -> None:
        """Write an empty line, once."""
        if self.lines and self.lines[-1]:
            self.lines.append("")

    def table(
        self,
        label: str,
        heads: Sequence[str],
        rows: Iterable[Sequence[str]],
        right: Iterable[int] = (),
        marked: int = -1,
        fitting: Fitting | None = None,
    ) -> bool:
        """Write a table if it fits the width, or can be made to; tell whether it does.

        On a narrow screen a table that does not fit becomes a paragraph for each row, in which nothing is cut.

        Args:
            label: label of the first line.
            heads: heads of the columns.
            rows: cells.
            right: columns that are aligned to the right.
            marked: row with a ``>`` before it, -1 for none.
            fitting: what gives way where it is too wide; nothing if None, and nothing on a wide page.
        """
        cells = [list(row) for row in rows]
        to_right = frozenset(right)
        told = ""
        if not _fits(heads, cells, self.tables - LABEL):
            if self.splits and NARROW <= self.tables < WIDTH:
                self.row_paragraphs(label, heads, cells, marked)
                return True
            fitted = fitting.fit(heads, cells, self.tables - LABEL) if fitting and self.width < WIDE else None
            if fitted is None:
                return False
            cells, told = fitted
        split = [list(zip_longest(*(cell.split("\n") for cell in row), fillvalue="")) for row in cells]
        texts = [tuple(heads), *(line for lines in split for line in lines)]
        widths = [max(len(text[i]) for text in texts) for i in range(len(heads))]

        def line(row: Sequence[str]) -> str:
            parts = (
                text.rjust(width) if i in to_right else text.ljust(width)
                for i, (text, width) in enumerate(zip(row, widths, strict=True))
            )
            return (" " * GAP).join(parts).rstrip()

        self.lines.append(f"{label:<{LABEL}}{line(heads)}")
        for number, (first, *rest) in enumerate(split):
            head = "       > " if number == marked else " " * LABEL
            self.lines.append(f"{head}{line(first)}".rstrip())
            self.lines.extend(f"{' ' * LABEL}{line(row)}".rstrip() for row in rest)
        if told:
            self.part("", told)
        return True

    def row_paragraphs(self, label: str, heads: Sequence[str], rows: Sequence[Sequence[str]], marked: int = -1) -> None:
        """Write a paragraph for each row: what it is about, then each cell with the head of its column."""
        numbered = heads[0] == "#"
        for number, row in enumerate(rows):
            about = "  ".join(row[: 2 if numbered else 1])
            first = 2 if numbered else 1
            told = [
                f"{head} {cell}".strip()
                for head, cell in zip(heads[first:], row[first:], strict=True)
                if cell not in EMPTY
            ]
            head = f"{label if not number else '':<{LABEL}}"
            head = f"{head[: LABEL - 2]}> " if number == marked else head
            self._wrapped(": ".join(filter(None, (about, ", ".join(told)))), head, " " * DETAIL)

    def text(self) -> str:
        """Everything written, ASCII, with a final line end; what was kept for an end that is not shown comes last."""
        while self.later:
            self.part(*self.later.pop(0))
        return "\n".join(line.rstrip() for line in self.lines).strip("\n") + "\n"

    def _wrapped(self, text: str, first: str, rest: str) -> None:
        clean = " ".join(text.split(" ")).replace("\n", " ")
        clean = clean.encode("ascii", "backslashreplace").decode()
        lines = textwrap.wrap(
            clean,
            self.width,
            initial_indent=first,
            subsequent_indent=rest,
            break_on_hyphens=False,
            break_long_words=False,  # a name that is longer than a line has one of its own, so that it can be copied
            drop_whitespace=True,
        )
        self.lines.extend(lines or [first.rstrip()])


def _fits(heads: Sequence[str], rows: Sequence[Sequence[str]], room: int) -> bool:
    widths = (max(len(row[i]) for row in (heads, *rows)) for i in range(len(heads)))
    return sum(widths) + GAP * (len(heads) - 1) <= room
