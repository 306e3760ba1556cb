"""What pods want of a resource beside what nodes have: one sentence for one pod, and one that is true of several."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from kplan.wording.view import Said
from kplan.words import amounts


class Wanted(Struct, frozen=True):
    """What one pod wants of one resource, in the scheduler's units.

    Attributes:
        resource: its name.
        needs: what the pod wants.
        has: what the best node has; None where none has any.
        where: which node that is, with ``{}`` for what it has; without it where none has any.
        aside: what is said of that besides.
        nobody: what is said in place of that no node has any.
        made_of: what the pod's amount is the sum of; empty if that is no plain sum.
        left: what is free on all of the nodes; None where that is not the question.
        pieces: whether that would be enough on one node.
        tail: what the cause says after this sentence.
    """

    resource: str
    needs: int
    has: int | None = None
    where: str = ""
    made_of: str = ""
    left: int | None = None
    pieces: bool = False
    tail: str = ""
    aside: str = ""
    nobody: str = ""

    def said(self) -> Said:
        """``cpu: it wants 1500m, node-d has 1420m free``."""
        others = [number for number in (self.has, self.left) if number is not None]
        wants, *texts = amounts(self.resource, self.needs, *others)
        made = f" ({self.made_of})" if self.made_of else ""
        if self.pieces:
            free = f"{texts[1]} {self.resource} are free, but in pieces"
            return Said.of(f"{free}: it wants {wants}", made, f", no node has more than {texts[0]}")
        return self._told("it wants", wants, texts[0] if texts else "", made)

    def _told(self, want: str, wants: str, has: str = "", made: str = "") -> Said:
        if self.has is None and not self.where:
            nobody = self.nobody or f"no node has {self.resource}"
            return Said.of(f"{nobody}; {want} {wants}", made)
        return Said.of(f"{self.resource}: {want} {wants}", made, f", {self.where.format(has)}", self.aside)


def alike(wanted: Wanted) -> object:
    """What pods have in common of which one sentence can be told."""
    return wanted.resource, wanted.where, wanted.aside, wanted.has is None


def of_several(several: Sequence[Wanted]) -> str:
    """The sentence that is true of all: ``cpu: they want 900m to 1300m, the emptiest node has 420m free``.

    Args:
        several: what each wants; they are alike.
    """
    first = several[0]
    tail = first.tail if all(wanted.tail == first.tail for wanted in several) else ""
    if all(
        (wanted.needs, wanted.has, wanted.made_of, wanted.pieces)
        == (first.needs, first.has, first.made_of, first.pieces)
        for wanted in several
    ):
        return f"{first.said()}{tail}"
    needs = sorted({wanted.needs for wanted in several})
    has = sorted({wanted.has for wanted in several if wanted.has is not None})
    ends = (needs[0], needs[-1], *((has[0], has[-1]) if has else ()))
    least, most, *left = amounts(first.resource, *ends)
    wants = least if least == most else f"{least} to {most}"
    free = "" if not left else left[0] if left[0] == left[1] else f"{left[0]} to {left[1]}"
    return f"{first._told('it wants' if least == most else 'they want', wants, free)}{tail}"
