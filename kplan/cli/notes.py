"""What goes to standard error: notes, errors with place and hint; standard output carries the result alone."""

from __future__ import annotations

import sys

from kplan.errors import KplanError, SourceError
from kplan.objects.state import Completeness

BROKEN_SHOWN = 5


def note(text: str) -> None:
    """Write a note."""
    sys.stderr.write(f"kplan: note: {text}\n")


def tell_error(error: KplanError) -> None:
    """Write an error: place, message, hint."""
    place = f"{error.place}: " if isinstance(error, SourceError) and error.place else ""
    sys.stderr.write(f"kplan: error: {place}{error.message}\n")
    if error.hint:
        sys.stderr.write(f"hint: {error.hint}\n")


def tell_completeness(found: Completeness) -> None:
    """Say what of a source was left out, and what was noticed while reading."""
    for broken in found.broken[:BROKEN_SHOWN]:
        name = f"{broken.kind} {broken.key}".strip() or "an object"
        note(f"{broken.place}: {broken.problem}; {name} is left out")
    if len(found.broken) > BROKEN_SHOWN:
        note(f"{len(found.broken) - BROKEN_SHOWN} more broken objects are left out")
    for text in found.notes:
        note(text)


def tell_absences(found: Completeness) -> None:
    """Say which kinds a snapshot will lack or hold only in part."""
    for why in dict.fromkeys((*found.absences.values(), *found.partial.values())):
        note(why)
