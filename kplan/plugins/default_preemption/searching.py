"""The search for victims of one pod, on all nodes in step.

Source: kubernetes v1.37.2 pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go SelectVictimsOnNode;
pkg/scheduler/framework/preemption/util.go.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.work import BUDGET, VICTIM
from kplan.framework.codes import Code
from kplan.framework.preemption import NodeStatus, PreemptionHandle, Victims
from kplan.framework.worlds import Mask, Rows, Worlds
from kplan.objects.models import PodDisruptionBudget
from kplan.objects.selectors import compile_selector
from kplan.plugins.shared.budgets import counting

NO_VICTIMS = "No preemption victims found for incoming pod"

ORDERS_TRIED = 11


class VictimSearch(Struct, frozen=True):
    """The search for victims of one preemptor, on all nodes in step.

    Attributes:
        pod: the preemptor.
        handle: what the cycle lets it ask.
        one_budget: D17: from 1.37 a pod that breaks one budget lowers no later one.
    """

    pod: PodInfo
    handle: PreemptionHandle
    one_budget: bool

    def candidates(
        self, rows: Rows, tie_order: Callable[[Rows], Rows] | None = None
    ) -> tuple[dict[int, Victims], dict[int, NodeStatus]]:
        """Find the victims on each node.

        Args:
            rows: intp[M], nodes to look at.
            tie_order: an order of pods among equals; by name if None.

        Returns:
            Victims by node row, and the status of each node that is no candidate.
        """
        cluster = self.handle.cluster
        pods, world = self._possible(rows, tie_order)
        cluster.work.charge(VICTIM * len(pods))
        count = np.bincount(world, minlength=len(rows))
        nobody = NodeStatus(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, message=NO_VICTIMS)
        statuses = dict.fromkeys(rows[count == 0].tolist(), nobody)
        kept = np.flatnonzero(count)
        if not len(kept):
            return {}, statuses
        position = np.full(len(rows), -1, dtype=np.intp)
        position[kept] = np.arange(len(kept))
        rows, world = rows[kept], position[world]
        gone = Worlds(rows, pods, world, np.full(len(pods), -1, dtype=np.int64))
        step = self.handle.lockstep(gone)
        fits = step.feasible(np.arange(len(rows), dtype=np.intp))
        if not fits.all():
            verdicts = self.handle.filters(gone)
            for i in np.flatnonzero(~fits).tolist():
                statuses[int(rows[i])] = verdicts.status(i)
        alive = fits[world]
        pods, world = pods[alive], world[alive]
        violating = self._violating(pods, world)
        victim = self._reprieve(pods, world, violating, step.feasible, step.shift, len(rows))
        chosen = np.flatnonzero(victim)  # sorted by world, then by importance
        gone_from = world[chosen]
        size = np.bincount(gone_from, minlength=len(rows))
        broken = np.bincount(gone_from[violating[chosen]], minlength=len(rows)).tolist()
        named = pods[chosen].tolist()
        victims: dict[int, Victims] = {}
        start = 0
        for i in np.flatnonzero(fits).tolist():
            row, end = int(rows[i]), start + int(size[i])
            if end > start:
                victims[row] = Victims(tuple(named[start:end]), broken[i])
            else:
                text = f'expected at least one victim pod on node "{cluster.node_name(row)}"'
                statuses[row] = NodeStatus(Code.ERROR, message=text)
            start = end
        return victims, statuses

    def ambiguous(self, row: int, victims: Victims) -> bool:
        """Tell whether another order of equal pods on the node gives other victims.

        The scheduler keeps pods of a node in the order in which it met them and sorts victims by priority and
        start time only, so which of several equal pods is put back first is not fixed.
        """
        cluster = self.handle.cluster
        rows = np.array([row], dtype=np.intp)
        lower = [p for p in cluster.pods_on(row) if cluster.pod_priority[p] < self.pod.priority]
        keys = Counter((int(cluster.pod_priority[p]), int(cluster.pod_start[p])) for p in lower)
        if all(n == 1 for n in keys.values()):
            return False
        want = (frozenset(victims.pods), victims.pdb_violations)
        for seed in range(ORDERS_TRIED):
            by_row, _ = self.candidates(rows, shuffled(seed))
            other = by_row.get(row)
            if other is None or (frozenset(other.pods), other.pdb_violations) != want:
                return True
        return False

    def _possible(self, rows: Rows, tie_order: Callable[[Rows], Rows] | None) -> tuple[Rows, Rows]:
        """Pods of lower priority on these nodes, by node and importance; and the position of each one's node."""
        cluster = self.handle.cluster
        lowest = cluster.lowest_priority
        if lowest is None or lowest >= self.pod.priority:
            none = np.zeros(0, dtype=np.intp)
            return none, none
        position = np.full(len(cluster.nodes) + 1, -1, dtype=np.intp)
        position[rows] = np.arange(len(rows))
        world_of_pod = position[cluster.pod_node]
        possible = (world_of_pod >= 0) & (cluster.pod_priority < self.pod.priority)
        if tie_order is None:
            pods = cluster.pods_by_importance
            pods = pods[possible[pods]]
            world = world_of_pod[pods]
            order = by_small_number(world)
        else:
            pods = np.flatnonzero(possible)
            world = world_of_pod[pods]
            rank = tie_order(cluster.pod_rank[pods])
            order = np.lexsort((rank, cluster.pod_start[pods], -cluster.pod_priority[pods], world))
        return pods[order], world[order]

    def _violating(self, pods: Rows, world: Rows) -> Mask:
        """bool[K], True for each possible victim whose eviction would break a budget.

        Victims of a node are taken in order of importance, each lowers the budgets that match it.
        Source: v1.37.2 preemption/util.go FilterVictimsWithPDBViolation (D17: to 1.36 every matching budget is
        lowered, from 1.37 none after the first that breaks).
        """
        cluster = self.handle.cluster
        violating = np.zeros(len(pods), dtype=np.bool_)
        budgets = cluster.objects.table("pod_disruption_budgets")
        if not budgets:
            return violating
        by_class = _ByClass(cluster.pod_class[pods])
        for budget in budgets.values():
            cluster.work.charge(BUDGET)
            matched = _matched(cluster, budget, pods, by_class)
            if self.one_budget:
                matched = matched[~violating[matched]]
            if not len(matched):
                continue
            here = world[matched]
            starts = np.flatnonzero(np.concatenate(([True], here[1:] != here[:-1])))
            lengths = np.diff(np.concatenate((starts, [len(here)])))
            nth = np.arange(len(here)) - np.repeat(starts, lengths) + 1
            violating[matched[nth > (budget.status.disruptions_allowed or 0)]] = True
        return violating

    def _reprieve(
        self,
        pods: Rows,
        world: Rows,
        violating: Mask,
        feasible: Callable[[Rows], Mask],
        shift: Callable[[Rows, Rows, int], None],
        count: int,
    ) -> Mask:
        """Put pods back one at a time on all nodes in step; bool[K], True for those that have to go.

        Source: v1.37.2 default_preemption.go SelectVictimsOnNode.
        """
        size = np.bincount(world, minlength=count)
        start = np.cumsum(size) - size
        # those that break a budget first, each in the order they stand in
        order = np.arange(len(pods), dtype=np.intp)
        if violating.any():
            order = np.concatenate((np.flatnonzero(violating), np.flatnonzero(~violating)))
            order = order[by_small_number(world[order])]
        victim = np.zeros(len(pods), dtype=np.bool_)
        for k in range(int(size.max(initial=0))):
            index = np.flatnonzero(size > k)
            nth = order[start[index] + k]
            shift(index, pods[nth], 1)
            fits = feasible(index)
            if not fits.all():
                shift(index[~fits], pods[nth[~fits]], -1)
                victim[nth[~fits]] = True
        return victim


def by_small_number(numbers: NDArray[np.integer[Any]]) -> Rows:
    """A stable order of numbers from 0 on.

    NumPy sorts 16 bits by radix, several times as fast as more of them: they are sorted in halves.
    """
    order = np.argsort((numbers & 0xFFFF).astype(np.uint16), kind="stable")
    if numbers.max(initial=0) > 0xFFFF:
        high = (numbers >> 16).astype(np.uint16)
        order = order[np.argsort(high[order], kind="stable")]
    return order


def shuffled(seed: int) -> Callable[[Rows], Rows]:
    """Another order among equals: the reverse of names, then seeded shuffles."""

    def order(rank: Rows) -> Rows:
        if seed == 0:
            return -rank
        numbers = list(range(len(rank)))
        random.Random(seed).shuffle(numbers)
        return np.array(numbers, dtype=np.intp)

    return order


class _ByClass:
    """Positions of pods by their PodClass: a selector holds for whole classes."""

    def __init__(self, classes: NDArray[np.int32]) -> None:
        self._order = by_small_number(classes)
        self._sorted = classes[self._order]

    def of(self, classes: Rows) -> Rows:
        """Positions of the pods of some classes, ascending."""
        classes = classes.astype(self._sorted.dtype)  # of another type, all that is sorted would be copied
        starts = np.searchsorted(self._sorted, classes, "left").tolist()
        ends = np.searchsorted(self._sorted, classes, "right").tolist()
        parts = [self._order[start:end] for start, end in zip(starts, ends, strict=True) if end > start]
        return np.sort(np.concatenate(parts)) if parts else np.zeros(0, dtype=np.intp)


def _matched(cluster: Cluster, budget: PodDisruptionBudget, pods: Rows, by_class: _ByClass) -> Rows:
    """Positions of the pods a budget counts: selected by it, and not yet disrupted."""
    selector = compile_selector(budget.spec.selector)
    if selector.empty:
        return np.zeros(0, dtype=np.intp)

    counts = counting(budget)
    key = ("DefaultPreemption", budget.namespace, selector)
    counter = cluster.counters.get(key, lambda pod_class: int(counts(pod_class)), selector.hooks)
    positions = by_class.of(np.flatnonzero(counter.classes))
    disrupted = budget.status.disrupted_pods
    if disrupted:
        keep = [i for i in positions.tolist() if cluster.pods[int(pods[i])].name not in disrupted]
        positions = np.array(keep, dtype=np.intp)
    return positions
