"""What words about a reason are made from, and what they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from kplan.framework.findings import About, Facts
from kplan.framework.reason_codes import AboutKind, ReasonCode
from kplan.reasons.groups import NodeGroup
from kplan.reasons.run_cycle import RunCycle
from kplan.result.document import Shortage
from kplan.words import joined, listed

Own = Mapping[About, str]
"""Claims that are made for one pod alone, with their entries in its spec."""

ROOM = 136
"""Characters of two lines."""

PLAIN: dict[str, str] = {
    ReasonCode.NODE_CORDONED: "cordoned (spec.unschedulable)",
    ReasonCode.OTHER_NODE_NAMED: "not the node that spec.nodeName names",
    ReasonCode.ADDED_AFFINITY: "addedAffinity of the scheduler's configuration",
    ReasonCode.NODE_AFFINITY: "node affinity",
    ReasonCode.VOLUME_MISSING: "its volume does not exist",
    ReasonCode.CSI_DRIVER_MISSING: "its CSI driver is not installed",
    ReasonCode.VOLUME_ZONE: "its volume is in another zone",
    ReasonCode.SPREAD_LABEL_MISSING: "topology spread, label missing",
}
"""Words of a reason that nodes are refused for and that has no numbers, by code."""


class Phrase(Struct):
    """Words about one reason on one group.

    Attributes:
        name: what it is about.
        size: what stands after the name of an amount that is more than each node has in all; empty for others.
        tail: what stands after the name where it is not clear without.
        same: numbers that hold for every node of the group.
        each: numbers of a node, by row; only where they differ.
        alike: what else the nodes have in common.
        near: name and number of what is left at the nearest node, where they differ from the above.
        shortages: of a resource, by row.
        once: whether its details are told only where it is all that is wrong.
    """

    name: str
    size: str = ""
    tail: str = ""
    same: str = ""
    each: dict[int, str] = field(default_factory=dict)
    alike: str = ""
    near: tuple[str, str] = ("", "")
    shortages: dict[int, Shortage] = field(default_factory=dict)
    once: bool = False

    @property
    def short(self) -> str:
        """Its name as it stands alone."""
        return f"{self.name}{self.size}{self.tail}"

    @property
    def brief(self) -> str:
        """Its name as it stands beside others that are in the way."""
        return f"{self.name}{self.size}"

    @property
    def text(self) -> str:
        """Its name, with the numbers that hold for every node."""
        return f"{self.short}: {self.same}" if self.same else self.short


class View(Struct, frozen=True):
    """What a phrase is made from: a group, the rows of it that are shown, and the facts about those.

    Attributes:
        asked: the pod's cycle.
        group: the group.
        shown: its first rows.
        facts: facts about those, by plugin.
        own: claims that are not to be named as they are made for each pod alone, with their entries in the pod's spec;
            the words then hold for all pods of that spec.
    """

    asked: RunCycle
    group: NodeGroup
    shown: tuple[int, ...]
    facts: Mapping[str, Facts]
    own: Own = field(default_factory=dict)

    def name(self, row: int) -> str:
        """Name of a node."""
        return self.asked.cluster.node_name(row)

    @property
    def rows(self) -> dict[str, int]:
        """Rows that are shown, by name of the node."""
        return {self.name(row): row for row in self.shown}

    @property
    def every(self) -> bool:
        """Whether the group is all nodes of the cluster."""
        return len(self.group.rows) == len(self.asked.cluster.nodes)

    @property
    def have(self) -> str:
        """``has`` or ``have``, for the nodes of the group."""
        return "has" if len(self.group.rows) == 1 else "have"

    @property
    def lack(self) -> str:
        """``lacks`` or ``lack``, for the nodes of the group."""
        return "lacks" if len(self.group.rows) == 1 else "lack"

    @property
    def are(self) -> str:
        """``is`` or ``are``, for the nodes of the group."""
        return "is" if len(self.group.rows) == 1 else "are"

    def claim(self, name: str) -> str:
        """A claim of the pod as it stands after the word claim: its name, or whose volume it is."""
        entry = self.own.get(About(AboutKind.CLAIM, name))
        return f"of its volume {entry}" if entry is not None else name

    def claims(self, names: Iterable[str]) -> str:
        """Claims of the pod by name, or by the volumes of the pod that they are for."""
        own = ((name, self.own.get(About(AboutKind.CLAIM, name))) for name in names)
        return listed([f"its volume {entry}" if entry is not None else name for name, entry in own])

    def some_nodes(self) -> str:
        """The nodes of the group by name, one of many."""
        names = [self.name(row) for row in self.shown]
        total = len(self.group.rows)
        return joined(names) if total <= 2 else f"{names[0]} and {total - 1:,} more"


class Said(Struct, frozen=True):
    """A sentence with asides, which are left out where there is no room: the last of them first.

    Attributes:
        pieces: the sentence; every second piece is an aside.
    """

    pieces: tuple[str, ...]

    @classmethod
    def of(cls, *pieces: str) -> Said:
        """Make it of its pieces, in turn a part of the sentence and an aside."""
        return cls(pieces)

    def __str__(self) -> str:
        return "".join(self.pieces)

    def whole(self) -> str:
        """The sentence with as many asides as there is room for; it is never cut in its midst."""
        for asides in range(len(self.pieces) // 2, -1, -1):
            text = "".join(piece for place, piece in enumerate(self.pieces) if place % 2 == 0 or place < 2 * asides)
            if len(text) <= ROOM:
                break
        return text


NODES_SHOWN = 3


def view_of(asked: RunCycle, group: NodeGroup, own: Own | None = None) -> View:
    """View a group by its first nodes; facts are looked up for these alone."""
    shown = group.rows[:NODES_SHOWN]
    return View(asked, group, tuple(int(row) for row in shown), asked.facts(shown), own or {})
