"""Layout of the text: labels in columns 1 to 8, text from column 10, details two further in, wrapped at the width."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from kplan.render.text.cells import columns_of, filled, wrapped
from kplan.render.text.fitting import GAP, Fitting, indent_of

LABEL = 9
DETAIL = 11
WIDTH = 80
NARROW = 60
WIDE = 200
EMPTY = ("", "-")
"""Cells that say nothing."""
BARE = ("object", "change", "note", "when", "because", "verdict", "result")
"""Heads that a sentence does without: what stands in their cells says what it is."""
_PLURAL = re.compile(r"^(smaller one|[a-z]+)s\b")
_BAR = re.compile(r"#*\.*")
"""A cell that says nothing in a paragraph."""


class WordCell(str):
    """A cell that says what became of something, where the others of its column name a place: no head goes with it."""

    __slots__ = ()


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
            told = one_of(what) if hidden == 1 else what
            self.part("", f"+{hidden:,}{' ' if told else ''}{told} ({where})")

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
        indent: int = 0,
        splits: bool = True,
    ) -> bool:
        """Write a table if it fits the width, or can be made to; tell whether it does.

        On a narrow screen a table that does not fit becomes a paragraph for each row, in which nothing is cut.

        Args:
            label: label of the first line.
            heads: heads of the columns.
            rows: cells.
            right: columns that are aligned to the right.
            marked: row with a ``>`` before it, -1 for none.
            fitting: what gives way where it is too wide; nothing if None. What does not fit even so becomes paragraphs.
            indent: columns left free before the first.
            splits: whether it may become paragraphs.
        """
        cells, first = [list(row) for row in rows], 0
        if not _fits(heads, cells, self.tables - LABEL - indent):
            if splits and self.splits and NARROW <= self.tables < WIDTH:
                self.row_paragraphs(label, heads, cells, marked)
                return True
            if fitting is None:
                return False
            fitted = fitting.fit(heads, cells, self.tables - LABEL)
            if fitted is None:
                self.row_paragraphs(label, heads, cells, marked)
                return True
            cells, first = fitted
        for number, lines in enumerate(_table_lines([list(heads), *cells], frozenset(right), first)):
            head = f"{label:<{LABEL}}" if not number else " " * LABEL
            head = f"{head[: LABEL - 2]}> " if number == marked + 1 and marked >= 0 else head
            left = (head, " " * LABEL)
            self.lines.extend(f"{left[more > 0]}{' ' * indent}{line}".rstrip() for more, line in enumerate(lines))
        return True

    def row_paragraphs(self, label: str, heads: Sequence[str], rows: Sequence[Sequence[str]], marked: int = -1) -> None:
        """Write a paragraph for each row: what it is about, then each cell with the head of its column."""
        numbered = heads[0] == "#"
        for number, row in enumerate(rows):
            about = "  ".join(row[: 2 if numbered else 1])
            first = 2 if numbered else 1
            told = [
                cell if head in BARE or isinstance(cell, WordCell) else f"{head} {cell}".strip()
                for head, cell in zip(heads[first:], row[first:], strict=True)
                if cell not in EMPTY and not _BAR.fullmatch(cell)
            ]
            head = f"{label if not number else '':<{LABEL}}"
            head = f"{head[: LABEL - 2]}> " if number == marked else head
            about = "" if about in EMPTY else about
            self._wrapped(": ".join(filter(None, (about, ", ".join(told)))), head, " " * DETAIL)

    def text(self) -> str:
        """Everything written, with a final line end; what was kept for an end that is not shown comes last."""
        while self.later:
            self.part(*self.later.pop(0))
        return "\n".join(line.rstrip() for line in self.lines).strip("\n") + "\n"

    def _wrapped(self, text: str, first: str, rest: str) -> None:
        clean = " ".join(text.split(" ")).replace("\n", " ")
        self.lines.extend(wrapped(clean, self.width, first, rest) or [first.rstrip()])


def one_of(what: str) -> str:
    """What is left out, of one: ``pod that is placed or stays`` for ``pods that are placed or stay``."""
    told = _PLURAL.sub(r"\1", what)
    for many, one in (
        (" that are ", " that is "),
        (" or stay", " or stays"),
        (" evict ", " evicts "),
        ("that pass", "that passes"),
    ):
        told = told.replace(many, one)
    return told


def _fits(heads: Sequence[str], rows: Sequence[Sequence[str]], room: int) -> bool:
    widths = (max(columns_of(row[i]) for row in (heads, *rows)) for i in range(len(heads)))
    return sum(widths) + GAP * (len(heads) - 1) <= room


def _table_lines(rows: Sequence[Sequence[str]], right: frozenset[int], first: int) -> Iterator[list[str]]:
    """The lines of each row: cells below one another, those from ``first`` on below the others, if it is not 0."""
    split = [[cell.split("\n") for cell in row] for row in rows]
    widths = [max(columns_of(line) for row in split for line in row[i]) for i in range(len(rows[0]))]

    def lines(row: Sequence[Sequence[str]], columns: range) -> Iterator[str]:
        for texts in zip_longest(*(row[i] for i in columns), fillvalue=""):
            told = (filled(text, widths[i], right=i in right) for i, text in zip(columns, texts, strict=True))
            yield (" " * GAP).join(told).rstrip()

    for row in split:
        whole = range(len(widths))
        under = (f"{' ' * indent_of(widths[:first])}{line}" for line in lines(row, whole[first:]))
        yield [*lines(row, whole[:first]), *under] if first else list(lines(row, whole))
