"""Tables that would be too wide: what node names share is told once, names lose their middle, text is wrapped."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

GAP = 2
"""Columns between two cells."""
_WORTH = 8
"""Characters that names share at least if that is told once."""
_NAMESPACE, _DEFAULT = 5, 7
"""Characters that a namespace is cut to at least, and of one that is never cut."""
_TAIL = 5
"""Characters of the end of a pod's name that are kept at least: those that its owner made up."""
_WORD = re.compile(r"[^\s,]+")
_NAME = re.compile(r"[^\s,]*[a-z0-9][-.][^\s,]*")
_STEPS = ((24, 0), (24, 28), (24, 16), (20, 8), (16, 8))
"""Shortest names, and narrowest wrapped text (0: none is wrapped), the best first [characters]."""


@dataclass(frozen=True)
class Fitting:
    """Which columns give way where a table is too wide.

    Attributes:
        nodes: columns with names of nodes.
        pods: columns with names of pods, owners or budgets.
        wraps: columns with text.
    """

    nodes: tuple[int, ...] = ()
    pods: tuple[int, ...] = ()
    wraps: tuple[int, ...] = ()

    def fit(self, heads: Sequence[str], rows: Sequence[Sequence[str]], room: int) -> tuple[list[list[str]], str] | None:
        """Make a table narrower, no more than it takes.

        Args:
            heads: heads of the columns.
            rows: cells.
            room: columns there are, with the gaps between cells.

        Returns:
            Rows of cells, of which a cell that is wrapped has line ends, and what the names of nodes share, in words;
            None if it cannot be done.
        """
        room -= GAP * (len(heads) - 1)
        cells = [list(row) for row in rows]
        cells, told = self._share(cells)
        names = sorted({*self.nodes, *self.pods})
        longest = max((len(word) for row in cells for i in names for word in _WORD.findall(row[i])), default=0)
        for shortest, narrowest in _STEPS:
            for most in range(longest, shortest - 1, -1) if longest > shortest else (longest,):
                cut = [[shortened_words(c, most) if i in names else c for i, c in enumerate(row)] for row in cells]
                widths = self._widths(heads, cut, room, narrowest)
                if widths is not None:
                    wrapped = [[_wrap(c, widths[i]) if i in self.wraps else c for i, c in enumerate(r)] for r in cut]
                    return wrapped, told
        return None

    def _share(self, rows: list[list[str]]) -> tuple[list[list[str]], str]:
        """Leave out what all names of nodes begin with and end in."""
        names = {name for row in rows for i in self.nodes for name in _NAME.findall(row[i]) if "/" not in name}
        suffix = common_suffix(names)
        prefix = common_prefix({name.removesuffix(suffix) for name in names})
        if not suffix and not prefix:
            return rows, ""

        def bare(match: re.Match[str]) -> str:
            name = match[0]
            if name not in names:
                return name
            rest = name.removesuffix(suffix)
            return f"..{rest.removeprefix(prefix)}" if prefix else rest

        told = [f"begin with {prefix}"] if prefix else []
        told += [f"end in {suffix}"] if suffix else []
        cells = [[_WORD.sub(bare, cell) if i in self.nodes else cell for i, cell in enumerate(row)] for row in rows]
        return cells, f"node names {' and '.join(told)}"

    def _widths(self, heads: Sequence[str], rows: Sequence[Sequence[str]], room: int, least: int) -> list[int] | None:
        """Widths of columns, text no narrower than ``least`` and than its words; None if there is no room."""
        table = [heads, *rows]
        widths = [max(len(row[i]) for row in table) for i in range(len(heads))]
        while sum(widths) > room:
            floors = {
                i: max(least, *(len(word) for row in table for word in row[i].split(" ")))
                for i in (self.wraps if least else ())
            }
            wider = [i for i, floor in floors.items() if widths[i] > floor]
            if not wider:
                return None
            widest = max(wider, key=lambda i: widths[i])
            others = sum(widths) - widths[widest]
            second = max((widths[i] for i in wider if i != widest), default=0)
            widths[widest] = max(floors[widest], min(widths[widest] - 1, max(room - others, second)))
        return widths


def shortened(name: str, most: int) -> str:
    """Leave out the middle of a name that is too long, of its namespace first."""
    if len(name) <= most:
        return name
    space, slash, last = name.rpartition("/")
    room = max(_NAMESPACE, most - len(last) - 1)
    if len(space) > max(room, _DEFAULT):
        space = f"{space[: room - 2]}.."
    left = most - len(space) - len(slash)
    tail = max(_TAIL, left // 3) if slash else left - left // 2
    if len(last) > left > tail + 2:
        last = f"{last[: left - tail - 2]}..{last[-tail:]}"
    return f"{space}{slash}{last}"


def shortened_words(text: str, most: int) -> str:
    """Leave out the middle of each word that is too long."""
    return _WORD.sub(lambda match: shortened(match[0], most), text)


def common_suffix(names: Iterable[str]) -> str:
    """What all names end in from a dot on, if that is worth cutting."""
    endings = {match[0] if (match := re.search(r"\..*$", name)) else "" for name in names}
    only = endings.pop() if len(endings) == 1 else ""
    return only if len(only) > _WORTH else ""


def common_prefix(names: set[str]) -> str:
    """What several names begin with, up to a dash, if that is worth cutting."""
    stem = common_stem(names) if len(names) > 1 else ""
    return stem if len(stem) > _WORTH else ""


def common_stem(names: Collection[str]) -> str:
    """What all names begin with, up to and with a dash; empty for nothing."""
    stem = min(names, default="").rpartition("-")[0]
    while stem and not all(name.startswith(f"{stem}-") for name in names):
        stem = stem.rpartition("-")[0]
    return f"{stem}-" if stem else ""


def _wrap(cell: str, width: int) -> str:
    return "\n".join(textwrap.wrap(cell, width, break_on_hyphens=False)) if len(cell) > width else cell
