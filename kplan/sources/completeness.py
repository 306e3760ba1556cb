"""The completeness table: for each kind whether a source holds it, and what its absence means for a verdict."""

from typing import Literal

from msgspec import Struct

from kplan.objects.kinds import KINDS
from kplan.objects.state import Completeness


class KindRow(Struct, frozen=True):
    """One kind in the table.

    Attributes:
        kind: name of the kind.
        presence: ``present``, ``partial`` (the layout holds only some), ``empty`` (the source says there are none) or
            ``absent`` (it does not say).
        count: objects read.
        meaning: what the absence, or that there are only some, means for a verdict; empty where it means nothing.
        code: code of the doubt it raises where a verdict depends on it; empty for none.
    """

    kind: str
    presence: Literal["present", "partial", "empty", "absent"]
    count: int
    meaning: str
    code: str


def table(completeness: Completeness) -> tuple[KindRow, ...]:
    """List every kind kplan reads, in the order of KINDS."""
    rows = []
    for kind in KINDS:
        count = completeness.counts.get(kind.name, 0)
        if not completeness.has(kind.name):
            meaning = completeness.absences.get(kind.name, kind.absence)
            rows.append(KindRow(kind.name, "absent", 0, meaning, kind.code))
        elif kind.name in completeness.partial:
            rows.append(KindRow(kind.name, "partial", count, completeness.partial[kind.name], f"partial-{kind.plural}"))
        else:
            rows.append(KindRow(kind.name, "present" if count else "empty", count, "", ""))
    return tuple(rows)
