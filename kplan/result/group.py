"""GroupOutcome: one cycle of a group of pods that are placed together or not at all."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from kplan.framework.codes import Code
from kplan.framework.preemption import NodeStatus


class GroupOutcome(Struct, frozen=True):
    """What a cycle of a group came to.

    Attributes:
        group: ``namespace/name``; of a group of groups ``compositepodgroup/namespace/name``.
        pods: rows of the pods that were tried, in order.
        wanted: how many of the group have to have a node at one time; of a group of groups, how many of its groups
            have to have what they need.
        scheduled: how many had one before.
        status: code, and the scheduler's text for the group's condition.
        found: node row by pod row: what was found before it came to nothing, or what was placed.
        refused: rows of the pods that no node was found for.
        gated: why PreEnqueue keeps pods out, by pod row; then none was tried.
        nodes: name of the set of nodes it was tried on alone; empty for all nodes.
        victims: rows of the pods that left for it.
        nominated: node row by pod row, once victims are to leave.
        pdb_violations: how many of the victims break a budget.
        under_way: whether others are leaving for it already.
        asked: whether it is a group only because that was asked.
        then: the next cycle, once the victims have left.
        groups: how many groups are in a group of groups; 0 for others.
        of: of a group of groups, what its turn came to for each group with pods below it.
    """

    group: str
    pods: tuple[int, ...]
    wanted: int
    scheduled: int
    status: NodeStatus = field(default_factory=lambda: NodeStatus(Code.SUCCESS))
    found: Mapping[int, int] = field(default_factory=dict)
    refused: tuple[int, ...] = ()
    gated: Mapping[int, NodeStatus] = field(default_factory=dict)
    nodes: str = ""
    victims: tuple[int, ...] = ()
    nominated: Mapping[int, int] = field(default_factory=dict)
    pdb_violations: int = 0
    under_way: bool = False
    asked: bool = False
    then: GroupOutcome | None = None
    groups: int = 0
    of: tuple[GroupOutcome, ...] = ()

    @property
    def last(self) -> GroupOutcome:
        """The last cycle: the one after victims left."""
        return self.then.last if self.then is not None else self

    @property
    def makes_room(self) -> bool:
        """Whether pods are to leave for it, or none has to once its pods go where they are nominated to."""
        return bool(self.nominated or self.victims) and not self.under_way

    @property
    def placed(self) -> bool:
        """Whether the group got what it wants."""
        return not self.gated and self.status.code is Code.SUCCESS
