"""What words about a reason are made from, and what they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kplan.framework.facts import Facts
from kplan.reasons.groups import Asked, Found
from kplan.result.document import Shortage
from kplan.words import joined

ROOM = 136
"""Characters of two lines."""

PLAIN: dict[str, str] = {
    "node-cordoned": "cordoned (spec.unschedulable)",
    "other-node-named": "not the node that spec.nodeName names",
    "added-affinity": "addedAffinity of the scheduler's configuration",
    "node-affinity": "node affinity",
    "volume-missing": "its volume does not exist",
    "claim-unbound": "its claim is unbound and its class binds at once",
    "csi-driver-missing": "its CSI driver is not installed",
    "volume-zone": "its volume is in another zone",
    "spread-label-missing": "topology spread, label missing",
}
"""Words of a reason without numbers, by code."""


@dataclass
class Phrase:
    """Words about one reason on one group.

    Attributes:
        short: its name, as it stands beside others.
        same: numbers that hold for every node of the group.
        each: numbers of a node, by row; only where they differ.
        alike: what else the nodes have in common.
        near: name and number of what is left at the nearest node, where they differ from the above.
        shortages: of a resource, by row.
    """

    short: str
    same: str = ""
    each: dict[int, str] = field(default_factory=dict)
    alike: str = ""
    near: tuple[str, str] = ("", "")
    shortages: dict[int, Shortage] = field(default_factory=dict)


@dataclass(frozen=True)
class View:
    """What a phrase is made from: a group, the rows of it that are shown, and the facts about those."""

    asked: Asked
    group: Found
    shown: tuple[int, ...]
    facts: Mapping[str, Facts]

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
    def are(self) -> str:
        """``is`` or ``are``, for the nodes of the group."""
        return "is" if len(self.group.rows) == 1 else "are"

    def some_nodes(self) -> str:
        """The nodes of the group by name, one of many."""
        names = [self.name(row) for row in self.shown]
        total = len(self.group.rows)
        return joined(names) if total <= 2 else f"{names[0]} and {total - 1:,} more"


NODES_SHOWN = 3


def view_of(asked: Asked, found: Found) -> View:
    """View a group by its first nodes; facts are looked up for these alone."""
    shown = found.rows[:NODES_SHOWN]
    return View(asked, found, tuple(int(row) for row in shown), asked.facts(shown))
