"""What goes to standard error: notes, errors with place and hint; standard output carries the result alone."""

from __future__ import annotations

import os
import sys
import textwrap
from pathlib import PurePath
from typing import TYPE_CHECKING

from kplan.cli.progress import ACTIVITY
from kplan.errors import KplanError, SourceError
from kplan.visible import brief, visible, without_commands

if TYPE_CHECKING:
    from kplan.objects.state import Completeness

BROKEN_SHOWN = 5
NARROWEST = 40
_KEPT = "\u00a0"
"""A space at which no line is broken."""


def say(head: str, text: str) -> None:
    """Write a message to standard error: one line, but in a terminal, where it is wrapped between words.

    A log, a pipe or a CI annotation wants one message a line; paths and identifiers stay whole anywhere.

    Args:
        head: what it begins with; the first word stays behind it.
        text: the rest.
    """
    ACTIVITY.wipe()
    width = _columns()
    head = head.replace("kplan:", f"{program()}:", 1)
    line = head.replace(" ", _KEPT) + without_commands(brief(visible(text)))
    lines = [line]
    if width:
        lines = textwrap.wrap(line, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    sys.stderr.write("".join(f"{without_commands(line)}\n" for line in lines).replace(_KEPT, " "))


def program() -> str:
    """The name that kplan was called by: ``kubectl plan`` where it is kubectl's plugin."""
    return "kubectl plan" if PurePath(sys.argv[0]).name.startswith("kubectl-plan") else "kplan"


def _columns() -> int:
    """Columns of the terminal that standard error is; 0 where it is none."""
    try:
        return max(os.get_terminal_size(sys.stderr.fileno()).columns, NARROWEST)
    except (OSError, ValueError, AttributeError):
        return 0


def note(text: str) -> None:
    """Write a note."""
    say("kplan: note: ", text)


def tell_error(error: KplanError) -> None:
    """Write an error: place, message, hint."""
    place = f"{error.place}: " if isinstance(error, SourceError) and error.place else ""
    say("kplan: error: ", f"{place}{error.message}")
    if error.hint:
        say("hint: ", error.hint)


def tell_completeness(completeness: Completeness) -> None:
    """Say what of a source was left out, and what was noticed while reading."""
    for broken in completeness.broken[:BROKEN_SHOWN]:
        name = f"{broken.kind} {broken.key}".strip() or "an object"
        note(f"{broken.place}: {broken.problem}; {name} is left out")
    if len(completeness.broken) > BROKEN_SHOWN:
        note(f"{len(completeness.broken) - BROKEN_SHOWN} more broken objects are left out")
    for text in completeness.notes:
        note(text)


def tell_absences(completeness: Completeness) -> None:
    """Say which kinds a snapshot will lack or hold only in part."""
    for why in dict.fromkeys((*completeness.absences.values(), *completeness.partial.values())):
        note(why)
