"""Text of what differs under the rules of another version."""

from __future__ import annotations

from kplan.render.text.fitting import Fitting
from kplan.render.text.layout import Page
from kplan.result.documents import VersionedDocument

SHOWN = 8


def under_lines(page: Page, document: VersionedDocument, *, everything: bool = False) -> None:
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
    rows = [(difference.what, difference.first, difference.second) for difference in shown]
    if rows and not page.table("", ("", rules, other.rules), rows, fitting=Fitting(wraps=(0, 1, 2))):
        page.parts("", (f"{what}: {first} -> {second}" for what, first, second in rows))
    page.more(len(other.differences) - len(shown), "differences", "-o wide, -o json")
