"""Preemption for a whole group: victims anywhere in the cluster, as few as let all of it in.

Source: kubernetes v1.37.2 pkg/scheduler/framework/preemption/podgrouppreemption.go; types.go newPodGroupPreemptor,
resolvePreemptionPolicy; plugins/defaultpreemption/default_preemption.go PodGroupPostFilter; v1.36.3
podgrouppreemption.go Preempt.
"""

from __future__ import annotations

import numpy as np

from kplan.cluster import Cluster
from kplan.framework.codes import Code
from kplan.framework.features import Features
from kplan.framework.groups import GroupHandle, GroupInfo, GroupPostFilter
from kplan.plugins.default_preemption.units import (
    Unit,
    evictable,
    terminating_by_preemption,
    units_of,
    violations,
)
from kplan.plugins.shared.pod_groups import priority_of

SAYS = "pod group preemption: "
NEVER = "not eligible due to preemptionPolicy=Never."
ONGOING = "ongoing preemption on nominated nodes"
NO_VICTIMS = "No preemption victims found for incoming preemptor"


def preempt(group: GroupInfo, handle: GroupHandle, features: Features) -> GroupPostFilter:
    """Find what has to leave for a group, and the nodes its pods get then."""
    cluster = handle.cluster
    says = SAYS if features.since(37) or group.asked else ""
    if _never(group, features):
        return GroupPostFilter(Code.UNSCHEDULABLE, (says + NEVER,))
    priority = priority_of(group.pod_group)
    if says and _ongoing(group, cluster, features, priority):
        nominated = {pod.row: int(cluster.pod_nominated[pod.row]) for pod in group.waiting}
        return GroupPostFilter(Code.SUCCESS, (SAYS + ONGOING,), nominated=nominated, under_way=True)
    placed = np.flatnonzero(cluster.pod_node >= 0).tolist()
    placed.sort(key=lambda row: (int(cluster.pod_node[row]), cluster.pods[row].namespace, cluster.pods[row].name))
    units = [unit for unit in units_of(placed, cluster, features) if unit.priority < priority]
    if not units:
        return GroupPostFilter(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (says + NO_VICTIMS,))
    choose = _chosen if says else _chosen_anew
    return choose(sorted(units, key=lambda unit: unit.importance), handle)


def _chosen_anew(units: list[Unit], handle: GroupHandle) -> GroupPostFilter:
    """Put back whatever may stay, as 1.36 does: for each the whole group is tried anew, wherever its pods go then."""
    with handle.without([pod for unit in units for pod in unit.pods]) as bench:
        tried = bench.schedule()
        if not isinstance(tried, dict):
            return GroupPostFilter(tried.code, (", ".join(tried.reasons),))
        broken = violations(units, handle.cluster, first=True)
        order = sorted(range(len(units)), key=lambda number: not broken[number])
        victims = sorted(number for number in order if not bench.fits_beside(units[number].pods))
    pods = tuple(pod for number in victims for pod in units[number].pods)
    return GroupPostFilter(Code.SUCCESS, (), pods, pdb_violations=sum(broken[number] for number in victims))


def _chosen(units: list[Unit], handle: GroupHandle) -> GroupPostFilter:
    """Put back whatever may stay: first what breaks a budget, then the rest, the most important first."""
    cluster = handle.cluster
    with handle.without([pod for unit in units for pod in unit.pods]) as bench:
        tried = bench.schedule()
        if not isinstance(tried, dict):
            text = ", ".join(tried.reasons)
            return GroupPostFilter(tried.code, (SAYS + text,) if text else ())
        broken = violations(units, cluster)
        first = [number for number, count in enumerate(broken) if count]
        order = (*first, *(number for number, count in enumerate(broken) if not count))
        victims = sorted(number for number in order if not bench.holds(tried, units[number].pods))
    pods = tuple(pod for number in victims for pod in units[number].pods)
    text = f"{SAYS}found a placement for podgroup, preempting {len(pods)} victims"
    return GroupPostFilter(Code.SUCCESS, (text,), pods, tried, sum(broken[number] for number in victims))


def _never(group: GroupInfo, features: Features) -> bool:
    """Whether a group may not evict others: by its own policy, or (without the gate) by that of one of its pods."""
    if features.enabled("PodGroupPreemptionPolicy"):
        return group.pod_group.spec.preemption_policy == "Never"
    return any(pod.pod.spec.preemption_policy == "Never" for pod in group.waiting)


def _ongoing(group: GroupInfo, cluster: Cluster, features: Features, priority: int) -> bool:
    """Whether pods are leaving already from a node that one of the group is nominated to."""
    nodes = {int(cluster.pod_nominated[pod.row]) for pod in group.waiting} - {-1}
    there = (cluster.pods[row] for node in nodes for row in cluster.pods_on(node))
    return any(evictable(pod, cluster, features) < priority and terminating_by_preemption(pod) for pod in there)
