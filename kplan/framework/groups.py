"""What plugins are asked about a group of pods, and what they answer: the extension points of its cycle."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from msgspec import Struct, field

from kplan.framework.codes import Code
from kplan.framework.findings import Failed
from kplan.framework.preemption import NodeStatus
from kplan.framework.worlds import Rows

if TYPE_CHECKING:
    from kplan.cluster import Cluster, PodInfo
    from kplan.objects.models import PodGroup


class GroupInfo(Struct, frozen=True):
    """A group in its cycle.

    Attributes:
        key: ``namespace/name``; of a group of groups ``compositepodgroup/namespace/name``.
        pod_group: the object; of a group of groups what it says, of groups where that of others is of pods.
        waiting: its pods that are tried, in order; of a group of groups those of all groups below it.
        scheduled: its pods that had a node before.
        asked: whether it is a group only because that was asked: the scheduler knows nothing of it.
        composite: whether it is a group of groups.
        groups: the groups of a group of groups, in the order in which they are tried; none of others.
    """

    key: str
    pod_group: PodGroup
    waiting: tuple[PodInfo, ...]
    scheduled: int
    asked: bool = False
    composite: bool = False
    groups: tuple[GroupInfo, ...] = ()

    @property
    def leaves(self) -> tuple[GroupInfo, ...]:
        """The groups with pods of their own: itself, or those below it."""
        return tuple(leaf for group in self.groups for leaf in group.leaves) if self.composite else (self,)


class NodeSet(Struct, frozen=True):
    """Nodes that a group is tried on alone.

    Attributes:
        name: name of the set, empty for all nodes.
        rows: intp[M], their rows.
    """

    name: str
    rows: Rows


class Proposal(Struct, frozen=True):
    """What a group would get of one set of nodes.

    Attributes:
        nodes: the set.
        assignments: node row by pod row.
    """

    nodes: NodeSet
    assignments: Mapping[int, int]


class GroupPostFilter(Struct, frozen=True):
    """What a PodGroupPostFilter plugin says.

    Attributes:
        code: Success and UnschedulableAndUnresolvable end the list, Unschedulable goes on to the next plugin.
        reasons: its texts.
        victims: rows of the pods that are to leave, in order of importance.
        nominated: node row by pod row.
        pdb_violations: how many of the victims break a budget.
        under_way: whether others are leaving for the group already.
    """

    code: Code
    reasons: tuple[str, ...] = ()
    victims: tuple[int, ...] = ()
    nominated: Mapping[int, int] = field(default_factory=dict)
    pdb_violations: int = 0
    under_way: bool = False


class GroupHandle(Struct, frozen=True):
    """What the cycle of a group lets a PodGroupPostFilter plugin ask.

    Attributes:
        cluster: the cluster as it is.
        asked: for each pod that was tried, the states that PreFilter plugins made, by pod row and plugin.
        codes: for each pod that was tried and has claims, what the first plugin to refuse a node refused it for.
        without: asks what would be without some pods: a context in which they are gone, see ``Bench``.
    """

    cluster: Cluster
    asked: Mapping[int, Mapping[str, object]]
    codes: Mapping[int, frozenset[str]]
    without: Callable[[Sequence[int]], Bench]


class Bench(Protocol):
    """The cluster without some pods, for as long as the context lasts."""

    def __enter__(self) -> Bench:
        """Let them leave."""

    def __exit__(self, *raised: object) -> None:
        """Bring all back."""

    def schedule(self) -> NodeStatus | dict[int, int]:
        """Try the group: node row by pod row where it fits, in order; else its status."""

    def holds(self, assignments: Mapping[int, int], back: Sequence[int]) -> bool:
        """Whether pods fit their nodes, one after another, with some of those that left back.

        If so, these are back from here on.
        """

    def fits_beside(self, back: Sequence[int]) -> bool:
        """Whether the group, tried anew, fits with some of those that left back; if so, these are back from here on."""


@runtime_checkable
class PlacementFeasiblePlugin(Protocol):
    """Says whether a group may still come to what it needs."""

    def placement_feasible(self, group: GroupInfo, done: int, remaining: int) -> NodeStatus | None:
        """None if it has it, Wait if it may still get it, Unschedulable if not."""


@runtime_checkable
class PlacementGeneratePlugin(Protocol):
    """Says which sets of nodes a group is tried on, each alone."""

    def placements(self, group: GroupInfo, cluster: Cluster, nodes: NodeSet) -> tuple[NodeSet, ...] | Failed:
        """Sets of nodes, by name."""


@runtime_checkable
class PlacementScorePlugin(Protocol):
    """Ranks sets of nodes that a group fits."""

    def score_placements(self, group: GroupInfo, cluster: Cluster, proposals: Sequence[Proposal]) -> list[int] | Failed:
        """Scores of 0 to 100, one a proposal."""


@runtime_checkable
class PodGroupPostFilterPlugin(Protocol):
    """Tries to make room for a group that does not fit."""

    def pod_group_post_filter(self, group: GroupInfo, handle: GroupHandle) -> GroupPostFilter:
        """Return what could be done, and the text for it."""
