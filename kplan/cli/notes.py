"""What goes to standard error: notes, errors with place and hint; standard output carries the result alone.

A note is told behind the answer that it is about, and is one line of a terminal: what was asked for is read first. What
of the source the answer is not about is told before.
"""

from __future__ import annotations

import os
import sys
import textwrap
from pathlib import PurePath
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

from kplan.cli.progress import ACTIVITY
from kplan.errors import KplanError, SourceError
from kplan.visible import brief, visible, without_commands, without_credentials

if TYPE_CHECKING:
    from kplan.objects.state import Completeness

BROKEN_SHOWN = 5
NARROWEST = 40
_KEPT = "\u00a0"
"""A space at which no line is broken."""
_NOTE = "kplan: note: "
_MORE = " ... (all: --debug)"


class Notes:
    """Notes that wait until the answer that they are about is written.

    Attributes:
        whole: whether each is told to its end, as ``--debug`` has it.
    """

    def __init__(self) -> None:
        self.whole = False
        self._waiting: list[str] = []

    def begin(self, *, whole: bool) -> None:
        """A command begins: nothing waits yet."""
        self.whole = whole
        self._waiting.clear()

    def add(self, text: str) -> None:
        """Keep a note for later."""
        self._waiting.append(text)

    def tell(self) -> None:
        """Write what waits, in order."""
        waiting, self._waiting = self._waiting, []
        for text in waiting:
            say(_NOTE, text, cut=not self.whole)


NOTES = Notes()
"""Those of the command that runs."""


def say(head: str, text: str, *, cut: bool = False) -> None:
    """Write a message to standard error: one line, but in a terminal, where it is wrapped between words, or cut.

    A log, a pipe or a CI annotation wants one message a line; paths and identifiers stay whole anywhere.

    Args:
        head: what it begins with; the first word stays behind it.
        text: the rest.
        cut: leave out what is beyond one line of a terminal.
    """
    ACTIVITY.wipe()
    width = _columns()
    head = head.replace("kplan:", f"{program()}:", 1)
    line = head.replace(" ", _KEPT) + without_commands(brief(visible(without_credentials(text))))
    lines = [line]
    if width and cut:
        lines = [_short(line, width)]
    elif width:
        lines = textwrap.wrap(line, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    sys.stderr.write("".join(f"{without_commands(line)}\n" for line in lines).replace(_KEPT, " "))


def _short(line: str, width: int) -> str:
    """A line as far as it fits, to the end of a word where that leaves most of it."""
    if _cells(line) <= width:
        return line
    most = next(end for end in range(len(line), 0, -1) if _cells(line[:end]) <= width - len(_MORE))
    words = line[: max(line.rfind(" ", 0, most + 1), 0)].rstrip(" ,;:")
    return (words if len(words) * 2 > most else line[:most]) + _MORE


def _cells(line: str) -> int:
    """Columns that a line takes: two for a wide character."""
    return len(line) if line.isascii() else sum(1 + (east_asian_width(character) in "WF") for character in line)


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
    """Write a note, behind the answer."""
    NOTES.add(text)


def note_now(text: str) -> None:
    """Write a note at once: what happened, in what goes on and on."""
    say(_NOTE, text, cut=not NOTES.whole)


def tell_error(error: KplanError) -> None:
    """Write an error: place, message, hint; notes come before it, so that it is what is read last."""
    NOTES.tell()
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
    from kplan.sources.beside import Beside

    for text in completeness.notes:
        (note_now if isinstance(text, Beside) else note)(text)


def tell_absences(completeness: Completeness) -> None:
    """Say which kinds a snapshot will lack or hold only in part."""
    for why in dict.fromkeys((*completeness.absences.values(), *completeness.partial.values())):
        note(why)
