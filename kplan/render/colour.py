"""Colour for a terminal: verdicts, results in tables, harm, labels; nothing is told by colour alone."""

from __future__ import annotations

import re

from rich.text import Text

from kplan.render.tones import TONE_OF_VERDICT, TONES, Tone

_COLOURS = {Tone.GOOD: "green", Tone.WARN: "yellow", Tone.HELD: "yellow", Tone.BAD: "red"}
_FIRST = re.compile(r"^([A-Z]+)(\??)(?= )")
_LABEL = re.compile(r"^[A-Z][a-z]+(?= )")
_HARM = r"\b(BREAKS [^ ]+|GONE|LOSES DATA)"
_HEADS = re.compile(r"^[A-Z][a-z]* +[^ ].*[^ ] {2,}[^ ]")
"""The labelled line of a table: a head says what stands below it, not that anything is so."""
_RESULT = re.compile(r"(?<= {2})([A-Z]{2,}\??|Pending|Failed|Gated)(?= {2}|$)|(?<=^.{9})([A-Z]{4,})(?= )")
"""A result that is a cell of its own, or stands after a count."""


def coloured(text: str) -> Text:
    """Style the lines of a text."""
    shown = Text()
    for line in text.splitlines(keepends=True):
        piece = Text(line)
        verdict = _FIRST.match(line)
        tone = TONE_OF_VERDICT.get(verdict[1]) if verdict is not None else None
        if verdict is not None and tone is not None:
            doubted = verdict[2] and tone == Tone.GOOD
            piece.stylize(f"bold {_COLOURS[Tone.WARN if doubted else tone]}", 0, verdict.end())
        elif (label := _LABEL.match(line)) is not None:
            piece.stylize(
                "yellow" if label[0] == "Doubt" else "dim", 0, len(line) if label[0] == "From" else label.end()
            )
        if not _HEADS.match(line):
            _results(piece, line)
            piece.highlight_regex(_HARM, "red")
        shown.append_text(piece)
    return shown


def _results(piece: Text, line: str) -> None:
    """Colour what became of a pod, a node or an object where a table tells it."""
    for found in _RESULT.finditer(line.rstrip("\n")):
        tone = TONES.get(found[0].rstrip("?").lower())
        if tone is not None:
            piece.stylize(_COLOURS[tone], found.start(), found.end())
