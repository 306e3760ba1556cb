"""Tables that would be too wide: text is wrapped, or what a row is about has a line of its own. No name is cut."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from kplan.render.text.cells import columns_of, wrapped

GAP = 2
"""Columns between two cells."""
INDENT = 2
"""Columns by which the second line of a row stands further in than the name above it."""

_JOINT = "\1"
"""Stands for a space that no line may end at."""
_WITHIN = re.compile(r"(?<!,) ")

Rows = list[list[str]]


class Fitting(Struct, frozen=True):
    """Which columns give way where a table is too wide.

    Attributes:
        names: columns with names, the first of which may have a line of its own; several names in a cell are wrapped.
        wraps: columns with text, which is wrapped.
    """

    names: tuple[int, ...] = ()
    wraps: tuple[int, ...] = ()

    def fit(self, heads: Sequence[str], rows: Sequence[Sequence[str]], room: int) -> tuple[Rows, int] | None:
        """Make a table narrower, in the way that takes the fewest lines.

        Args:
            heads: heads of the columns.
            rows: cells.
            room: columns there are, with the gaps between cells.

        Returns:
            Rows of cells, of which a cell that is wrapped has line ends, and how many columns stand on the first line
            of a row, the others on a second one: 0 for all on one. None if it cannot be done.
        """
        ways: list[tuple[Rows, int]] = []
        for narrowest, cut in self._ways(len(heads)):
            widths = [max(columns_of(row[i]) for row in (heads, *rows)) for i in range(cut)]
            fitted = self._wrapped(heads, rows, room - indent_of(widths), narrowest, cut)
            if fitted is not None:
                ways.append((fitted, cut))
        return min(ways, key=_lines, default=None)

    def _ways(self, columns: int) -> Iterator[tuple[int, int]]:
        """Narrowest text (0: none is wrapped), and the columns of a first line; of as many lines the first is best."""
        yield from ((least, 0) for least in (28, 16, 8))
        first = self.names[0] + 1 if self.names else 0
        if 0 < first < columns:
            yield from ((least, first) for least in (0, 28, 16, 8))

    def _wrapped(
        self, heads: Sequence[str], rows: Sequence[Sequence[str]], room: int, least: int, first: int
    ) -> Rows | None:
        """Wrap cells of the columns from ``first`` on until they fit; None if there is no room."""
        widths = self._widths([heads, *rows], room - GAP * (len(heads) - first - 1), least, first)
        if widths is None:
            return None
        narrow = {i for i in (*self.names, *self.wraps) if i >= first}
        return [
            [
                _wrap(_joined(cell, names=i in self.names), widths[i]) if i in narrow else cell
                for i, cell in enumerate(row)
            ]
            for row in rows
        ]

    def _widths(self, table: Sequence[Sequence[str]], room: int, least: int, first: int) -> list[int] | None:
        """Widths of columns, text no narrower than ``least`` and than its words; None if there is no room."""
        widths = [max(columns_of(row[i]) for row in table) for i in range(len(table[0]))]
        shown = range(first, len(widths))
        while (taken := sum(widths[i] for i in shown)) > room:
            floors = {
                i: max(
                    least,
                    *(columns_of(word) for row in table for word in _joined(row[i], names=i in self.names).split(" ")),
                )
                for i in (*self.names, *self.wraps)
                if least and i in shown
            }
            wider = [i for i, floor in floors.items() if widths[i] > floor]
            if not wider:
                return None
            widest = max(wider, key=lambda i: widths[i])
            second = max((widths[i] for i in wider if i != widest), default=0)
            left = room - (taken - widths[widest])
            widths[widest] = max(floors[widest], min(widths[widest] - 1, max(left, second)))
        return widths


def indent_of(widths: Sequence[int]) -> int:
    """Columns before the second line of a row whose first line has columns of these widths, the last one the name."""
    return sum(widths[:-1]) + GAP * (len(widths) - 1) + INDENT if widths else 0


def common_stem(names: Collection[str]) -> str:
    """What all names begin with, up to and with a dash; empty for nothing."""
    stem = min(names, default="").rpartition("-")[0]
    while stem and not all(name.startswith(f"{stem}-") for name in names):
        stem = stem.rpartition("-")[0]
    return f"{stem}-" if stem else ""


def _lines(way: tuple[Rows, int]) -> int:
    """Lines that rows take, those with names of their own two at least."""
    rows, first = way
    high = [[cell.count("\n") + 1 for cell in row] for row in rows]
    return sum(max(row[first:]) + (max(row[:first]) if first else 0) for row in high)


def _wrap(cell: str, width: int) -> str:
    told = "\n".join(wrapped(cell, width)) if columns_of(cell) > width else cell
    return told.replace(_JOINT, " ")


def _joined(cell: str, *, names: bool) -> str:
    """A cell of names as it may be wrapped: only between two of them, not in ``7 nodes`` or ``web-1 on node-a``."""
    return _WITHIN.sub(_JOINT, cell) if names else cell
