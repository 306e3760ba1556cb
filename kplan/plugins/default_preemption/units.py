"""What is evicted as one: a pod, or all pods of a group that leaves only as a whole; the search for such victims.

Source: kubernetes v1.37.2 pkg/scheduler/framework/preemption/types.go getCrossNodesVictims, NewPodVictim; util.go
MoreImportantVictim, FilterVictimsWithPDBViolation; plugins/defaultpreemption/default_preemption.go SelectVictimsOnNode.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from msgspec import Struct

from kplan.cluster import Cluster, PodInfo
from kplan.framework.codes import Code
from kplan.framework.features import Features
from kplan.framework.preemption import NodeStatus, PreemptionHandle, Victims
from kplan.framework.worlds import Rows, Worlds
from kplan.objects.models import CompositePodGroup
from kplan.plugins.default_preemption.searching import NO_VICTIMS, ORDERS_TRIED, shuffled
from kplan.plugins.shared.budgets import counting
from kplan.plugins.shared.group_trees import key_of_group, leaves_of, leaves_with
from kplan.plugins.shared.pod_groups import GATE, group_of, priority_in_group, priority_of

TieOrder = Callable[[Rows], Rows]


class Unit(Struct, frozen=True):
    """What is evicted as one.

    Attributes:
        pods: pod rows.
        priority: of the group, if it is one's.
        rank: 3 for all pods of a group of groups, 2 for pods of groups, 1 for others.
        start: the earliest start of its pods [s since 1970].
    """

    pods: tuple[int, ...]
    priority: int
    rank: int
    start: int

    @property
    def importance(self) -> tuple[int, int, int, int]:
        """What units are sorted by, the most important first."""
        return (-self.priority, -self.rank, -len(self.pods), self.start)


def evictable(pod: PodInfo, cluster: Cluster, features: Features) -> int:
    """The priority that a pod has for those who may evict it."""
    return priority_in_group(pod, cluster, features) if features.since(37) else pod.priority


def terminating_by_preemption(pod: PodInfo) -> bool:
    """Tell whether a pod is going because the scheduler preempted it.

    Source: v1.37.2 preemption/util.go PodTerminatingByPreemption.
    """
    if not pod.terminating:
        return False
    for condition in pod.pod.status.conditions or ():
        if condition.type == "DisruptionTarget":
            return condition.status == "True" and condition.reason == "PreemptionByScheduler"
    return False


def units_of(rows: Iterable[int], cluster: Cluster, features: Features) -> list[Unit]:
    """Join pods that leave as one; a group has all its pods with a node, on whichever node.

    Args:
        rows: pod rows, in the order in which units are to stand.
        cluster: the cluster.
        features: version and gates.
    """
    units: list[Unit] = []
    seen: set[str] = set()
    for row in rows:
        pod = cluster.pods[row]
        group = group_of(pod, cluster, features)
        priority = evictable(pod, cluster, features)
        whole = leaves_with(group, cluster, features) if group is not None else None
        if whole is None:
            rank = 2 if features.enabled(GATE) and pod.pod.spec.scheduling_group is not None else 1
            units.append(Unit((row,), priority, rank, int(cluster.pod_start[row])))
            continue
        key = key_of_group(whole)
        if key not in seen:
            seen.add(key)
            names = [leaf.key for leaf in leaves_of(whole, cluster)]
            pods = tuple(row for name in names for row in cluster.in_group(name) if cluster.pods[row].bound)
            rank = 3 if isinstance(whole, CompositePodGroup) else 2
            if group is not None and not features.since(37):
                priority = priority_of(group)
            units.append(Unit(pods, priority, rank, min(int(cluster.pod_start[row]) for row in pods)))
    return units


def violations(units: Sequence[Unit], cluster: Cluster, *, first: bool = False) -> list[int]:
    """For each unit, how many of its pods break a budget where all leave in this order.

    A pod that breaks one budget lowers no later one.

    Args:
        units: the units.
        cluster: the cluster.
        first: whether of a unit the pods behind the first that breaks a budget do not count (1.36).

    Source: v1.37.2 preemption/util.go FilterVictimsWithPDBViolation; v1.36.3 preemption/preemption.go
    filterVictimsWithPDBViolation.
    """
    table = cluster.objects.table("pod_disruption_budgets")
    budgets = [(budget, counting(budget)) for budget in table.values()]
    allowed = [budget.status.disruptions_allowed or 0 for budget, _ in budgets]

    def breaks(pod: PodInfo) -> bool:
        for number, (budget, counts) in enumerate(budgets):
            if not counts(pod.pod_class) or pod.name in (budget.status.disrupted_pods or {}):
                continue
            allowed[number] -= 1
            if allowed[number] < 0:
                return True
        return False

    broken = [(breaks(cluster.pods[row]) for row in unit.pods) for unit in units]
    return [int(any(generator)) if first else sum(generator) for generator in broken]


class UnitSearch(Struct, frozen=True):
    """The search for victims of one pod where some leave as groups, node by node.

    Attributes:
        pod: the preemptor.
        handle: what the cycle lets it ask.
        features: version and gates.
    """

    pod: PodInfo
    handle: PreemptionHandle
    features: Features

    def candidates(
        self, rows: Rows, tie_order: TieOrder | None = None
    ) -> tuple[dict[int, Victims], dict[int, NodeStatus]]:
        """Find the victims on each node; see ``Search.candidates``."""
        victims: dict[int, Victims] = {}
        statuses: dict[int, NodeStatus] = {}
        for row in rows.tolist():
            answer = self._on(row, tie_order)
            if isinstance(answer, Victims):
                victims[row] = answer
            else:
                statuses[row] = answer
        return victims, statuses

    def ambiguous(self, row: int, victims: Victims) -> bool:
        """Tell whether another order of equal units on the node gives other victims; see ``Search.ambiguous``."""
        times = Counter(unit.importance for unit in self._units(row, None))
        if all(count == 1 for count in times.values()):
            return False
        want = (frozenset(victims.pods), victims.pdb_violations)
        for seed in range(ORDERS_TRIED):
            other = self._on(row, shuffled(seed))
            if not isinstance(other, Victims) or (frozenset(other.pods), other.pdb_violations) != want:
                return True
        return False

    def _units(self, row: int, tie_order: TieOrder | None) -> list[Unit]:
        """Units with a pod on the node that the pod may evict, the most important first."""
        cluster = self.handle.cluster
        units = units_of(cluster.pods_on(row), cluster, self.features)
        units = [unit for unit in units if unit.priority < self.pod.priority]
        if tie_order is not None:
            rank = tie_order(np.arange(len(units), dtype=np.intp)).tolist()
            units = [unit for _, unit in sorted(zip(rank, units, strict=True), key=lambda pair: pair[0])]
        return sorted(units, key=lambda unit: unit.importance)

    def _on(self, row: int, tie_order: TieOrder | None) -> Victims | NodeStatus:
        cluster = self.handle.cluster
        units = self._units(row, tie_order)
        if not units:
            return NodeStatus(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, message=NO_VICTIMS)
        gone = [pod for unit in units for pod in unit.pods]
        ask = self._asker(row, gone)
        status = ask(gone)
        if status.code is not Code.SUCCESS:
            return status
        broken = violations(units, cluster)
        first = [number for number, count in enumerate(broken) if count]
        victims: list[int] = []
        for number in (*first, *(number for number, count in enumerate(broken) if not count)):
            back = set(units[number].pods)
            left = [pod for pod in gone if pod not in back]
            if ask(left).code is Code.SUCCESS:
                gone = left
            else:
                victims.append(number)
        if not victims:
            text = f'expected at least one victim pod on node "{cluster.node_name(row)}"'
            return NodeStatus(Code.ERROR, message=text)
        pods = tuple(pod for number in sorted(victims) for pod in units[number].pods)
        return Victims(pods, sum(broken[number] for number in victims))

    def _asker(self, row: int, gone: Sequence[int]) -> Callable[[Sequence[int]], NodeStatus]:
        """What tells whether the pod fits the node without some pods."""
        cluster = self.handle.cluster
        if any(int(cluster.pod_node[pod]) != row for pod in gone):
            return lambda left: self.handle.without(row, left)

        def ask(left: Sequence[int]) -> NodeStatus:
            pods = np.array(left, dtype=np.intp)
            world = Worlds(
                np.array([row], dtype=np.intp),
                pods,
                np.zeros(len(pods), dtype=np.intp),
                np.full(len(pods), -1, dtype=np.int64),
            )
            return self.handle.filters(world).status(0)

        return ask
