"""Columns of a terminal: how many a text takes, and texts that are filled up, or wrapped, to a number of them.

Names and messages from outside may hold letters that take two columns, emoji, or marks that take none.
"""

from __future__ import annotations

import re
import textwrap

_FILL = "\0"
"""Stands behind a letter of two columns while a text is wrapped. No text holds one: what is not seen is written out."""
_LETTER = re.compile(r"[^\x00-\x7f]")


def columns_of(text: str) -> int:
    """How many columns a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def filled(text: str, width: int, *, right: bool = False) -> str:
    """Fill a text up to a width, its end where ``right``."""
    spaces = " " * (width - columns_of(text))
    return f"{spaces}{text}" if right else f"{text}{spaces}"


def wrapped(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """Wrap a text at spaces; a word that is longer than a line has one of its own, so that it can be copied.

    Args:
        text: one paragraph.
        width: columns of a line.
        first: what the first line begins with.
        rest: what the others begin with.
    """
    wide = not text.isascii()
    lines = textwrap.wrap(
        _LETTER.sub(_spread, text) if wide else text,
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_on_hyphens=False,
        break_long_words=False,
        drop_whitespace=True,
    )
    return [line.replace(_FILL, "") for line in lines] if wide else lines


def _spread(letter: re.Match[str]) -> str:
    """As many characters as a letter takes columns, one at least."""
    return letter[0] + _FILL * (columns_of(letter[0]) - 1)
