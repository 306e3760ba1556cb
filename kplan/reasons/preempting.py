"""What evictions would do: victims on each node, how the node is picked, or why nothing helps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from enum import Enum, auto

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from kplan.cluster import Cluster, PodInfo
from kplan.framework.preemption import Ineligible, PickRule, Preemption
from kplan.framework.reason_codes import ReasonCode
from kplan.objects.models import PodDisruptionBudget
from kplan.plugins.shared.budgets import budgets_of
from kplan.reasons.groups import NodeGroup

_KINDS_TOLD = 2


class Obstacle(Enum):
    """What keeps a pod off nodes and is no pod, so that no eviction lifts it."""

    TAINTS = auto()
    CORDONS = auto()
    LABELS = auto()
    VOLUMES = auto()
    SIZE = auto()
    LEFT_OUT = auto()


_OBSTACLES: dict[str, Obstacle] = {
    ReasonCode.TAINT_NOT_TOLERATED: Obstacle.TAINTS,
    ReasonCode.NODE_CORDONED: Obstacle.CORDONS,
    ReasonCode.NODE_AFFINITY: Obstacle.LABELS,
    ReasonCode.NODE_SELECTOR: Obstacle.LABELS,
    ReasonCode.VOLUME_OUT_OF_REACH: Obstacle.VOLUMES,
    ReasonCode.VOLUME_ZONE: Obstacle.VOLUMES,
    ReasonCode.INSUFFICIENT_RESOURCE: Obstacle.SIZE,
    ReasonCode.LEFT_OUT_BY_NAME: Obstacle.LEFT_OUT,
}


class Hopeless(Struct, frozen=True):
    """Why preemption finds nothing.

    Attributes:
        nodes: how many nodes there are.
        groups: how many groups of them.
        obstacles: what is in the way where no eviction helps, of most nodes first.
        ineligible: why the pod may not preempt at all, or None.
        reason: the scheduler's text for that.
        full: nodes with pods of lower priority that are too few.
        empty: nodes with none, where one might help.
        placed: whether any pod runs.
        lower: whether any pod of lower priority does.
        own: the pod's priority.
        priorities: those of the pods that run.
    """

    nodes: int
    groups: int
    obstacles: tuple[Obstacle, ...]
    ineligible: Ineligible | None = None
    reason: str = ""
    full: int = 0
    empty: int = 0
    placed: bool = False
    lower: bool = False
    own: int = 0
    priorities: frozenset[int] = frozenset()

    @property
    def potential(self) -> int:
        """Nodes where an eviction might help."""
        return self.full + self.empty

    @property
    def rest(self) -> int:
        """Nodes where none does."""
        return self.nodes - self.potential


def hopeless(
    preemption: Preemption | None, cluster: Cluster, pod: PodInfo | None, groups: Sequence[NodeGroup]
) -> Hopeless:
    """Find out why no eviction makes a pod fit.

    Args:
        preemption: what preemption found; None where it was not tried.
        cluster: the cluster.
        pod: the pod; not needed where preemption was not tried.
        groups: nodes that refuse it.
    """
    nothing = Hopeless(len(cluster.nodes), len(groups), _obstacles(groups))
    if preemption is None or pod is None:
        return nothing
    if preemption.ineligible is not None:
        return replace(nothing, obstacles=(), ineligible=preemption.ineligible, reason=preemption.reason)
    placed = cluster.pod_node >= 0
    lower = placed & (cluster.pod_priority < pod.priority)
    at = set(np.unique(cluster.pod_node[lower]).tolist())
    empty = sum(row not in at for row in preemption.potential)
    return replace(
        nothing,
        full=len(preemption.potential) - empty,
        empty=empty,
        placed=bool(placed.any()),
        lower=bool(lower.any()),
        own=pod.priority,
        priorities=frozenset(np.unique(cluster.pod_priority[placed]).tolist()),
    )


def _obstacles(groups: Sequence[NodeGroup]) -> tuple[Obstacle, ...]:
    counts: Counter[Obstacle] = Counter()
    for group in groups:
        for atom in group.atoms:
            if not atom.evictable and atom.code in _OBSTACLES:
                counts[_OBSTACLES[atom.code]] += len(group.rows)
                break
    return tuple(obstacle for obstacle, _ in counts.most_common(_KINDS_TOLD))


def against(preemption: Preemption, cluster: Cluster) -> tuple[int, int] | None:
    """The numbers of the pick and of the best of the others, for the rules that have one number."""
    measures: dict[PickRule | None, Callable[[int], int]] = {
        PickRule.BUDGETS: lambda row: preemption.candidates[row].pdb_violations,
        PickRule.HIGHEST: lambda row: max(
            (cluster.pods[pod].priority for pod in preemption.candidates[row].pods), default=0
        ),
        PickRule.FEWEST: lambda row: len(preemption.candidates[row].pods),
    }
    measure = measures.get(preemption.criteria)
    if measure is None:
        return None
    pick = preemption.picks[0]
    mine = measure(pick)
    beaten = sorted(value for value in (measure(row) for row in preemption.candidates if row != pick) if value > mine)
    return (mine, beaten[0]) if beaten else None


class Spared(Struct, frozen=True):
    """Pods of lower priority on the chosen node that stay, though a pod of higher priority leaves.

    Attributes:
        pods: those pods.
        budget: the budget that keeps the only one; None where their room is not needed.
    """

    pods: tuple[PodInfo, ...]
    budget: PodDisruptionBudget | None = None


def spared(preemption: Preemption, cluster: Cluster, preemptor: PodInfo) -> Spared | None:
    """Find the pods that stay on the chosen node though others of higher priority leave; None without any."""
    pick = preemption.picks[0]
    gone = set(preemption.candidates[pick].pods)
    highest = max(cluster.pods[row].priority for row in gone)
    stay = tuple(
        pod
        for pod in (cluster.pods[row] for row in cluster.pods_on(pick) if row not in gone)
        if pod.priority < min(preemptor.priority, highest)
    )
    if not stay:
        return None
    kept = next((budget for budget in budgets_of(cluster, stay[0]) if not budget.status.disruptions_allowed), None)
    return Spared(stay, kept if len(stay) == 1 else None)
