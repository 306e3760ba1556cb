"""DefaultPreemption: evict pods of lower priority where that makes room.

What it checks:  whether the pod may preempt at all; then, for every node refused with code Unschedulable, whether it
                 fits once all pods of lower priority are gone, and which of them can stay after all: those whose
                 eviction would break a budget are put back first, then the others, each by priority and start time.
Rejects with:    "not eligible due to preemptionPolicy=Never.", "not eligible due to a terminating pod on the nominated
                 node.", or a sentence of the form "0/N nodes are available: ..." with "Preemption is not helpful for
                 scheduling" and "No preemption victims found for incoming pod" (Unschedulable)
Not modelled:    pod groups as victims (gate GenericWorkload, off by default). The scheduler looks at max(10 %, 100)
                 candidates from a random offset, kplan at all: how often each is chosen then is told beside it.
Source:          kubernetes v1.37.2 pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go,
                 pkg/scheduler/framework/preemption/preemption.go and util.go
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kplan.cluster import Cluster, PodInfo
from kplan.framework.args import DefaultPreemptionArgs
from kplan.framework.codes import Code, Reads
from kplan.framework.extender import ExtenderError
from kplan.framework.fit_error import fit_error
from kplan.framework.plugin import ColumnPlugin
from kplan.framework.preemption import Ineligible, NodeStatus, Preemption, PreemptionHandle, Victims
from kplan.framework.worlds import Mask, Rows, Worlds
from kplan.objects.models import PodDisruptionBudget
from kplan.objects.selectors import compile_selector
from kplan.plugins.shared.budgets import counting
from kplan.plugins.shared.picking import pick

NOT_HELPFUL = "Preemption is not helpful for scheduling"
NO_CANDIDATE = "no candidate node for preemption"
NO_VICTIMS = "No preemption victims found for incoming pod"
_INELIGIBLE = {
    Ineligible.NEVER: "not eligible due to preemptionPolicy=Never.",
    Ineligible.TERMINATING: "not eligible due to a terminating pod on the nominated node.",
}

_ORDERS_TRIED = 11


class DefaultPreemption(ColumnPlugin[DefaultPreemptionArgs]):
    """The PostFilter plugin of the default profile."""

    name: ClassVar[str] = "DefaultPreemption"
    needs: ClassVar[Reads] = Reads.PODS | Reads.USAGE | Reads.OBJECTS

    def post_filter(self, pod: PodInfo, state: Any, handle: PreemptionHandle) -> Preemption:
        """Find victims on every node an eviction may help on, and the nodes the scheduler could draw."""
        ineligible = _not_eligible(pod, handle)
        if ineligible is not None:
            reason = _INELIGIBLE[ineligible]
            return Preemption(Code.UNSCHEDULABLE, f"preemption: {reason}", ineligible=ineligible, reason=reason)
        cluster, rows = handle.cluster, handle.rows
        potential = tuple(rows.tolist())
        search = _Search(pod, handle, one_budget=self.features.since(37))
        candidates, statuses = search.candidates(rows)
        if not candidates:
            failed = sorted(row for row, status in statuses.items() if status.code is Code.ERROR)
            if failed:
                texts = list(dict.fromkeys(statuses[row].reasons[0] for row in failed))
                text = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
                return Preemption(Code.ERROR, f"preemption: {text}", potential=potential, statuses=statuses, reason="")
            text = _no_candidate(len(cluster.nodes), statuses.values())
            return Preemption(Code.UNSCHEDULABLE, f"preemption: {text}", potential=potential, statuses=statuses)
        if handle.evictions is not None:
            try:
                candidates = handle.evictions(candidates)
            except ExtenderError as error:
                return Preemption(Code.ERROR, f"preemption: {error}", potential=potential, statuses=statuses)
            if not candidates:
                return Preemption(
                    Code.UNSCHEDULABLE, f"preemption: {NO_CANDIDATE}", potential=potential, statuses=statuses
                )
        picks, rule = pick(cluster, candidates)
        ambiguous = len(picks) == 1 and search.ambiguous(picks[0], candidates[picks[0]])
        message = ""
        if self.features.since(37) and len(picks) == 1 and not ambiguous:
            node, count = cluster.node_name(picks[0]), len(candidates[picks[0]].pods)
            message = f"preemption: found a potential placement for pod on node {node}, preempting {count} victims"
        return Preemption(
            Code.SUCCESS,
            message,
            potential=potential,
            candidates=candidates,
            statuses=statuses,
            picks=picks,
            ambiguous=ambiguous,
            criteria=rule,
        )


def _not_eligible(pod: PodInfo, handle: PreemptionHandle) -> Ineligible | None:
    """Return why the pod may not preempt, or None.

    Source: v1.37.2 default_preemption.go PodEligibleToPreemptOthers.
    """
    if pod.pod.spec.preemption_policy == "Never":
        return Ineligible.NEVER
    cluster = handle.cluster
    nominated = handle.nominated
    if nominated < 0 or handle.nominated_status is Code.UNSCHEDULABLE_AND_UNRESOLVABLE:
        return None
    lower = (cluster.pods[row] for row in cluster.pods_on(nominated) if cluster.pods[row].priority < pod.priority)
    return Ineligible.TERMINATING if any(_terminating_by_preemption(other) for other in lower) else None


def _terminating_by_preemption(pod: PodInfo) -> bool:
    """Tell whether a pod is going because the scheduler preempted it.

    Source: v1.37.2 preemption/util.go PodTerminatingByPreemption.
    """
    if not pod.terminating:
        return False
    for condition in pod.pod.status.conditions or ():
        if condition.type == "DisruptionTarget":
            return condition.status == "True" and condition.reason == "PreemptionByScheduler"
    return False


def _no_candidate(total: int, statuses: Iterable[NodeStatus]) -> str:
    statuses = list(statuses)
    histogram = Counter(reason for status in statuses for reason in status.reasons)
    if len(statuses) < total:
        histogram[NOT_HELPFUL] += total - len(statuses)
    return fit_error(total, histogram)


@dataclass(frozen=True, slots=True)
class _Search:
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
        statuses: dict[int, NodeStatus] = {}
        count = np.bincount(world, minlength=len(rows))
        for row in rows[count == 0].tolist():
            statuses[row] = NodeStatus(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, message=NO_VICTIMS)
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
        found: dict[int, Victims] = {}
        start = 0
        for i in np.flatnonzero(fits).tolist():
            row, end = int(rows[i]), start + int(size[i])
            if end > start:
                found[row] = Victims(tuple(named[start:end]), broken[i])
            else:
                text = f'expected at least one victim pod on node "{cluster.node_name(row)}"'
                statuses[row] = NodeStatus(Code.ERROR, message=text)
            start = end
        return found, statuses

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
        for seed in range(_ORDERS_TRIED):
            found, _ = self.candidates(rows, _shuffled(seed))
            other = found.get(row)
            if other is None or (frozenset(other.pods), other.pdb_violations) != want:
                return True
        return False

    def _possible(self, rows: Rows, tie_order: Callable[[Rows], Rows] | None) -> tuple[Rows, Rows]:
        """Pods of lower priority on these nodes, by node and importance; and the position of each one's node."""
        cluster = self.handle.cluster
        position = np.full(len(cluster.nodes) + 1, -1, dtype=np.intp)
        position[rows] = np.arange(len(rows))
        world_of_pod = position[cluster.pod_node]
        pods = np.flatnonzero((world_of_pod >= 0) & (cluster.pod_priority < self.pod.priority))
        world = world_of_pod[pods]
        if tie_order is None:
            # one number for both keys: several times faster than sorting by one after the other
            order = np.argsort(world * len(cluster.pods) + cluster.pod_importance[pods])
        else:
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
        by_class = _ByClass(cluster.pod_class[pods])
        for budget in cluster.objects.table("pod_disruption_budgets").values():
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
        order = np.lexsort((np.arange(len(pods)), ~violating, world))
        size = np.bincount(world, minlength=count)
        start = np.cumsum(size) - size
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


def _shuffled(seed: int) -> Callable[[Rows], Rows]:
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
        self._order = np.argsort(classes, kind="stable")
        self._sorted = classes[self._order]

    def of(self, classes: Rows) -> Rows:
        """Positions of the pods of some classes, ascending."""
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
    counter = cluster.counters.get(("DefaultPreemption", budget.namespace, selector), lambda one: int(counts(one)))
    found = by_class.of(np.flatnonzero(counter.classes))
    disrupted = budget.status.disrupted_pods
    if disrupted:
        keep = [i for i in found.tolist() if cluster.pods[int(pods[i])].name not in disrupted]
        found = np.array(keep, dtype=np.intp)
    return found
