"""Text of what differs under the rules of another version."""

from __future__ import annotations

from typing import Protocol

from kplan.render.text.fitting import Fitting
from kplan.render.text.layout import Page
from kplan.result.document_base import Origin
from kplan.result.document_versions import OtherVersion

SHOWN = 8


class Said(Protocol):
    """What the first line of an answer says."""

    @property
    def verdict(self) -> str:
        """The verdict word."""

    @property
    def sentence(self) -> str:
        """What follows it."""


class Versioned(Said, Protocol):
    """An answer that can be asked for under two versions."""

    @property
    def origin(self) -> Origin:
        """Where it is from, and under which rules."""

    @property
    def other_version(self) -> OtherVersion | None:
        """The answer under the other."""


def under_lines(page: Page, document: Versioned, *, everything: bool = False) -> None:
    """Write what an answer is under the other version, where one was named, and what differs."""
    other, rules = document.other_version, document.origin.rules
    if other is None:
        return
    alike = (other.verdict, other.sentence) == (document.verdict, document.sentence)
    if other.same:
        page.part("Under", f"{other.rules}: the same")
    elif alike:
        page.part("Under", f"{other.rules}: {other.verdict} too; not the same are")
    else:
        page.part("Under", f"{other.rules}: {other.verdict} {other.sentence}")
    for doubt in other.doubts:
        page.part("", f"in doubt: {doubt.text}")
    if other.same:
        return
    if other.because is not None and other.because != getattr(document, "because", None):
        page.part("", other.because.text)
    shown = other.differences if everything else other.differences[:SHOWN]
    rows = [(one.what, one.first, one.second) for one in shown]
    if rows and not page.table("", ("", rules, other.rules), rows, fitting=Fitting(pods=(0,), wraps=(0, 1, 2))):
        page.parts("", (f"{what}: {first} -> {second}" for what, first, second in rows))
    if len(other.differences) > len(shown):
        page.part("", f"+{len(other.differences) - len(shown):,} differences (-o wide, -o json)")
