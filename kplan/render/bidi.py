"""Words of right-to-left scripts among others: set apart, so that what stands beside them keeps its order."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape

_RIGHT_TO_LEFT = re.compile(
    '[^\\s,;()"]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff][^\\s,;()"]*'
)
"""A word with a letter of a script that is written from right to left."""


def apart(text: str, wrap: Callable[[str], str]) -> str:
    """Escape a text for markup, with each of its right-to-left words wrapped.

    Args:
        text: any.
        wrap: what gives the markup of such a word, which is escaped already.
    """
    if text.isascii():
        return escape(text)
    pieces, end = [], 0
    for found in _RIGHT_TO_LEFT.finditer(text):
        pieces += [escape(text[end : found.start()]), wrap(escape(found[0]))]
        end = found.end()
    return "".join([*pieces, escape(text[end:])])


def shown(text: str) -> str:
    """Write a text as HTML."""
    return apart(text, lambda word: f"<bdi>{word}</bdi>")
