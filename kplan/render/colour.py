"""Colour for a terminal: the verdict word, harm in capitals, labels; nothing is told by colour alone."""

from __future__ import annotations

import re

from rich.text import Text

_VERDICTS = {
    "FITS": "green",
    "READY": "green",
    "BOUND": "green",
    "PASSES": "green",
    "TAKES": "green",
    "SAME": "green",
    "LOSES": "yellow",
    "DIFFERS": "yellow",
    "PREEMPTS": "yellow",
    "PARTLY": "yellow",
    "GATED": "yellow",
    "PENDING": "red",
    "BLOCKED": "red",
    "REFUSED": "red",
    "REFUSES": "red",
    "FAILS": "red",
}
_FIRST = re.compile(r"^([A-Z]+)(\??)(?= )")
_LABEL = re.compile(r"^[A-Z][a-z]+(?= )")
_HARM = r"\b(BREAKS [^ ]+|GONE|LOSES DATA)"


def coloured(text: str) -> Text:
    """Style the lines of a text."""
    shown = Text()
    for line in text.splitlines(keepends=True):
        piece = Text(line)
        verdict = _FIRST.match(line)
        if verdict is not None and verdict[1] in _VERDICTS:
            style = "yellow" if verdict[2] and _VERDICTS[verdict[1]] == "green" else _VERDICTS[verdict[1]]
            piece.stylize(f"bold {style}", 0, verdict.end())
        elif (label := _LABEL.match(line)) is not None:
            piece.stylize(
                "yellow" if label[0] == "Doubt" else "dim", 0, len(line) if label[0] == "From" else label.end()
            )
        piece.highlight_regex(_HARM, "red")
        shown.append_text(piece)
    return shown
