"""DefaultPreemption: evict pods of lower priority where that makes room.

What it checks:  whether the pod may preempt at all; then, for every node refused with code Unschedulable, whether it
                 fits once all pods of lower priority are gone, and which of them can stay after all: those whose
                 eviction would break a budget are put back first, then the others, each by priority and start time.
Rejects with:    "not eligible due to preemptionPolicy=Never.", "not eligible due to a terminating pod on the nominated
                 node.", or a sentence of the form "0/N nodes are available: ..." with "Preemption is not helpful for
                 scheduling" and "No preemption victims found for incoming pod" (Unschedulable); for a group of pods
                 "pod group preemption: No preemption victims found for incoming preemptor" and the like
Not modelled:    where a pod of a group that leaves only as a whole is put back on another node, what that does to
                 spread and affinity is counted anew; the scheduler adds it to what it counted before. It looks at
                 max(10 %, 100) candidates from a random offset, kplan at all: how often each is chosen then is told
                 beside it.
Source:          kubernetes v1.37.2 pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go,
                 pkg/scheduler/framework/preemption/preemption.go and util.go
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from kplan.cluster import PodInfo
from kplan.framework.args import DefaultPreemptionArgs
from kplan.framework.codes import Code, Reads
from kplan.framework.extender import ExtenderError
from kplan.framework.features import Features
from kplan.framework.fit_error import fit_error
from kplan.framework.groups import GroupHandle, GroupInfo, GroupPostFilter
from kplan.framework.plugin import ColumnPlugin
from kplan.framework.preemption import Ineligible, NodeStatus, Preemption, PreemptionHandle
from kplan.plugins.default_preemption.for_groups import preempt
from kplan.plugins.default_preemption.searching import VictimSearch
from kplan.plugins.default_preemption.units import UnitSearch, evictable, terminating_by_preemption
from kplan.plugins.shared.picking import pick
from kplan.plugins.shared.pod_groups import group_of, key_of, pod_groups

NOT_HELPFUL = "Preemption is not helpful for scheduling"
NO_CANDIDATE = "no candidate node for preemption"
_INELIGIBLE = {
    Ineligible.NEVER: "not eligible due to preemptionPolicy=Never.",
    Ineligible.TERMINATING: "not eligible due to a terminating pod on the nominated node.",
    Ineligible.GROUP_WITHIN_NODES: "not eligible due to placement-based pod group scheduling limitation",
    Ineligible.WHOLE_GROUP: "not eligible due to workload aware preemption enabled",
}


@dataclass(frozen=True)
class DefaultPreemption(ColumnPlugin[DefaultPreemptionArgs]):
    """The PostFilter plugin of the default profile."""

    name: ClassVar[str] = "DefaultPreemption"
    needs: ClassVar[Reads] = Reads.PODS | Reads.USAGE | Reads.OBJECTS

    def post_filter(self, pod: PodInfo, state: Any, handle: PreemptionHandle) -> Preemption:
        """Find victims on every node an eviction may help on, and the nodes the scheduler could draw."""
        ineligible = _not_eligible(pod, handle, self.features)
        if ineligible is not None:
            reason = _INELIGIBLE[ineligible]
            return Preemption(Code.UNSCHEDULABLE, f"preemption: {reason}", ineligible=ineligible, reason=reason)
        cluster, rows = handle.cluster, handle.rows
        potential = tuple(rows.tolist())
        search = self._search(pod, handle)
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
        said: dict[int, str] = {}
        if self.features.since(37):
            said = {row: _found(cluster.node_name(row), len(candidates[row].pods)) for row in picks}
        return Preemption(
            Code.SUCCESS,
            said[picks[0]] if said and len(picks) == 1 and not ambiguous else "",
            potential=potential,
            candidates=candidates,
            statuses=statuses,
            picks=picks,
            ambiguous=ambiguous,
            criteria=rule,
            said=said,
        )

    def _search(self, pod: PodInfo, handle: PreemptionHandle) -> VictimSearch | UnitSearch:
        """The search for victims: of groups that leave as one where there may be any, else of single pods."""
        if self.features.since(37) and self.features.enabled("GenericWorkload") and pod_groups(handle.cluster):
            return UnitSearch(pod, handle, self.features)
        return VictimSearch(pod, handle, one_budget=self.features.since(37))

    def pod_group_post_filter(self, group: GroupInfo, handle: GroupHandle) -> GroupPostFilter:
        """Find victims that make room for a whole group."""
        return preempt(group, handle, self.features)


def _not_eligible(pod: PodInfo, handle: PreemptionHandle, features: Features) -> Ineligible | None:
    """Return why the pod may not preempt, or None.

    Source: v1.37.2 default_preemption.go PodEligibleToPreemptOthers; v1.36.3 PostFilter, for pods of groups.
    """
    if not features.since(37) and key_of(pod, features):
        group = group_of(pod, handle.cluster, features)
        within = features.enabled("TopologyAwareWorkloadScheduling") and group is not None
        if within and group is not None and group.spec.scheduling_constraints is not None:
            return Ineligible.GROUP_WITHIN_NODES
        if features.enabled("WorkloadAwarePreemption"):
            return Ineligible.WHOLE_GROUP
    if pod.pod.spec.preemption_policy == "Never":
        return Ineligible.NEVER
    cluster = handle.cluster
    nominated = handle.nominated
    if nominated < 0 or handle.nominated_status is Code.UNSCHEDULABLE_AND_UNRESOLVABLE:
        return None
    there = (cluster.pods[row] for row in cluster.pods_on(nominated))
    lower = (other for other in there if evictable(other, cluster, features) < pod.priority)
    return Ineligible.TERMINATING if any(terminating_by_preemption(other) for other in lower) else None


def _found(node: str, victims: int) -> str:
    """Source: v1.37.2 pkg/scheduler/framework/preemption/preemption.go Evaluator.Preempt."""
    return f"preemption: found a potential placement for pod on node {node}, preempting {victims} victims"


def _no_candidate(total: int, statuses: Iterable[NodeStatus]) -> str:
    statuses = list(statuses)
    distinct = {id(status): status for status in statuses}
    histogram: Counter[str] = Counter()
    for status, number in Counter(map(id, statuses)).items():
        for reason in distinct[status].reasons:
            histogram[reason] += number
    if len(statuses) < total:
        histogram[NOT_HELPFUL] += total - len(statuses)
    return fit_error(total, histogram)
