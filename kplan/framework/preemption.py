"""What PostFilter plugins are given and what they return."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from kplan.framework.codes import Code
from kplan.framework.findings import Why
from kplan.framework.worlds import Rows, Worlds

if TYPE_CHECKING:
    from kplan.cluster import Cluster


@dataclass(frozen=True, slots=True)
class NodeStatus:
    """The status of one node in one cycle, as upstream's framework.Status.

    Attributes:
        code: outcome.
        plugin: the plugin that failed first; empty for success.
        whys: its reasons.
        message: its text where it gives no reason: of an error, or of a PostFilter plugin.
    """

    code: Code
    plugin: str = ""
    whys: tuple[Why, ...] = ()
    message: str = ""

    @property
    def reasons(self) -> tuple[str, ...]:
        """Its texts, as upstream's Status.Reasons."""
        return (self.message,) if self.message else tuple(why.reason for why in self.whys)


class Verdicts(Struct, frozen=True):
    """What the filters say about M worlds, with nominated pods counted.

    Attributes:
        feasible: bool[M].
        status: status of the world at a position.
        unschedulable: bool[M], True where the code is Unschedulable (an eviction may help).
    """

    feasible: NDArray[np.bool_]
    unschedulable: NDArray[np.bool_]
    status: Callable[[int], NodeStatus]


class PreemptionHandle(Struct, frozen=True):
    """What the cycle lets a PostFilter plugin ask.

    Attributes:
        cluster: the cluster as it is.
        rows: intp[M], node rows refused with code Unschedulable: where an eviction may help.
        nominated: row of the pod's own nominated node, -1 if it has none.
        nominated_status: code of the pod's nominated node in this cycle, or None if it has none.
        filters: asks all filter plugins about worlds, nominated pods counted.
        lockstep: prepares worlds that are asked again after each shift.
        without: status of one node once some pods are gone, on whichever nodes: all is counted anew.
        evictions: asks extenders which candidates are left, by node row, and with which victims; raises ExtenderError.
            None where none are asked.
    """

    cluster: Cluster
    rows: Rows
    nominated: int
    nominated_status: Code | None
    filters: Callable[[Worlds], Verdicts]
    lockstep: Callable[[Worlds], Lockstep]
    without: Callable[[int, Sequence[int]], NodeStatus]
    evictions: Callable[[Mapping[int, Victims]], dict[int, Victims]] | None = None


class Lockstep(Struct, frozen=True):
    """Worlds that are asked again after each shift.

    Attributes:
        feasible: bool[J] of the worlds at an index.
        shift: moves pods in worlds at an index: (index, pods, sign).
    """

    feasible: Callable[[Rows], NDArray[np.bool_]]
    shift: Callable[[Rows, Rows, int], None]


class Victims(Struct, frozen=True):
    """What preemption would evict from one node.

    Attributes:
        pods: pod rows, by priority (highest first), start time, name.
        pdb_violations: how many of them break a budget.
    """

    pods: tuple[int, ...]
    pdb_violations: int


class Ineligible(Enum):
    """Why a pod may not preempt at all."""

    NEVER = auto()
    """Its preemptionPolicy says so."""
    TERMINATING = auto()
    """Pods on its nominated node are being deleted for a preemption."""
    GROUP_WITHIN_NODES = auto()
    """Its group is tried on several sets of nodes (1.36)."""
    WHOLE_GROUP = auto()
    """Others leave for all of its group, or for none of it (1.36)."""


class PickRule(Enum):
    """The rules a node is picked by, in order; what is left is a tie."""

    BUDGETS = auto()
    """Fewest budgets broken."""
    HIGHEST = auto()
    """Lowest priority of the highest victim."""
    SUM = auto()
    """Lowest sum of priorities."""
    FEWEST = auto()
    """Fewest pods."""
    START = auto()
    """Latest start of the victims of the highest priority."""


class PostFilterResult(Struct, frozen=True):
    """What one PostFilter plugin says.

    Attributes:
        code: Success ends the list and its text stands alone; Unschedulable goes on to the next plugin.
        message: text for the event.
    """

    code: Code
    message: str = ""


class Preemption(PostFilterResult, frozen=True):
    """What a PostFilter plugin says that looks for pods to evict.

    Attributes:
        ineligible: why the pod may not preempt at all; None if it may.
        reason: the scheduler's text for that.
        potential: node rows an eviction may help on.
        candidates: victims by node row.
        statuses: status of potential nodes that are no candidates, by node row.
        picks: node rows the scheduler could draw.
        ambiguous: whether the victims on the pick depend on the order of equal pods on that node, which the
            scheduler does not fix.
        criteria: the rule that decided for the picks; None if none was needed.
        said: what the scheduler says where it takes a pick, by node row; empty where it says nothing then.
    """

    ineligible: Ineligible | None = None
    reason: str = ""
    potential: tuple[int, ...] = ()
    candidates: Mapping[int, Victims] = field(default_factory=dict)
    statuses: Mapping[int, NodeStatus] = field(default_factory=dict)
    picks: tuple[int, ...] = ()
    ambiguous: bool = False
    criteria: PickRule | None = None
    said: Mapping[int, str] = field(default_factory=dict)

    @property
    def eligible(self) -> bool:
        """Whether the pod may preempt at all."""
        return self.ineligible is None
