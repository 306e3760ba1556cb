"""Layout of the text: labels in columns 1 to 8, text from column 10, details two further in, wrapped at the width."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

LABEL = 9
DETAIL = 11
WIDTH = 80
WIDE = 200


class Page:
    """Lines of a text that is being written.

    Attributes:
        width: columns of the output.
        lines: what was written.
    """

    def __init__(self, width: int = WIDTH) -> None:
        self.width = width
        self.lines: list[str] = []

    def part(self, label: str, text: str, *, mark: str = "") -> None:
        """Write a labelled part, wrapped."""
        head = f"{label:<{LABEL}}"
        if mark:
            head = f"{head[: LABEL - 2]}{mark} "
        self._wrapped(text, head, " " * LABEL)

    def verdict(self, word: str, text: str) -> None:
        """Write the first line: a verdict word, then the sentence."""
        self._wrapped(text, f"{word:<8} ", " " * LABEL)

    def counted(self, number: int, text: str) -> None:
        """Write a line that begins with a count."""
        self._wrapped(text, f"{number:>7,}  ", " " * DETAIL)

    def detail(self, text: str, indent: int = DETAIL) -> None:
        """Write a detail."""
        self._wrapped(text, " " * indent, " " * (indent + 2))

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
    ) -> bool:
        """Write a table if it fits the width; tell whether it does.

        Args:
            label: label of the first line.
            heads: heads of the columns.
            rows: cells.
            right: columns that are aligned to the right.
            marked: row with a ``>`` before it, -1 for none.
        """
        cells = [list(row) for row in rows]
        to_right = frozenset(right)
        widths = [max(len(row[i]) for row in [list(heads), *cells]) for i in range(len(heads))]
        if LABEL + sum(widths) + 2 * (len(widths) - 1) > self.width:
            return False

        def line(row: Sequence[str]) -> str:
            parts = (
                text.rjust(width) if i in to_right else text.ljust(width)
                for i, (text, width) in enumerate(zip(row, widths, strict=True))
            )
            return "  ".join(parts).rstrip()

        self.lines.append(f"{label:<{LABEL}}{line(heads)}")
        for number, row in enumerate(cells):
            head = "       > " if number == marked else " " * LABEL
            self.lines.append(f"{head}{line(row)}".rstrip())
        return True

    def text(self) -> str:
        """Everything written, ASCII, with a final line end."""
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
            drop_whitespace=True,
        )
        self.lines.extend(lines or [first.rstrip()])
