"""The text of a page for browsers without scripts: whole, or with a part of each of its long parts left out.

Parts have what fails first, so that what is left out of one is what went well; that it is left out is said where it
would stand. So a page of thousands of nodes still has its answer, its causes and what fails of every part.
"""

from __future__ import annotations

from collections.abc import Sequence

from kplan.words import count

MOST = 150_000
"""Characters of text that a page holds for browsers without scripts."""
LEAST = 20
"""Lines of a part that are always kept."""


def shortened(text: str, most: int = MOST) -> str:
    """Leave out the ends of the longest parts of a text until it is short enough.

    Args:
        text: an answer as text; a part begins with a line that is not indented.
        most: characters; more only where the least of each part is more.
    """
    if len(text) <= most:
        return text
    parts = _parts(text.splitlines())
    low, high = LEAST, max(map(len, parts))
    while low < high:  # the most lines a part that fit
        middle = (low + high + 1) // 2
        low, high = (middle, high) if sum(map(len, _cut(parts, middle))) <= most else (low, middle - 1)
    return "".join(_cut(parts, low))


def _parts(lines: Sequence[str]) -> list[list[str]]:
    """Lines by the part that they belong to."""
    parts: list[list[str]] = []
    for line in lines:
        if not parts or not line.startswith(" "):
            parts.append([])
        parts[-1].append(line)
    return parts


def _cut(parts: Sequence[Sequence[str]], most: int) -> list[str]:
    """The parts as texts of at most so many lines; what is left out is said."""
    cut = []
    for lines in parts:
        left = len(lines) - most
        said = [f"{'':9}({count(left, 'more line')} of this part left out here; with scripts the page shows all)"]
        cut.append("\n".join([*lines[:most], *(said if left > 0 else [])]) + "\n")
    return cut
