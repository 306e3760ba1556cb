"""Trying a group as 1.36 does: each of its pods may evict others, and the next sees it where it would go then.

What such pods evict leaves at once, also where the group comes to nothing.

Source: kubernetes v1.36.3 pkg/scheduler/schedule_one_podgroup.go podGroupSchedulingDefaultAlgorithm,
podGroupPodSchedulingAlgorithm.
"""

from __future__ import annotations

import dataclasses

from msgspec.structs import replace

from kplan.cluster import PodInfo, leave
from kplan.framework.codes import Code
from kplan.framework.groups import GroupInfo
from kplan.framework.preemption import NodeStatus
from kplan.framework.worlds import Rows
from kplan.pipeline.cycle import Cycle
from kplan.pipeline.entity import decided, permit_of, place_pod
from kplan.pipeline.groups.tried import UNSCHEDULABLE, TriedGroup, TriedMember, Tries, failed_pod, stopped
from kplan.pipeline.reserving import settle
from kplan.plugins.shared.pod_groups import feasible, quorum
from kplan.result import Outcome

WAITS = "pod group is waiting for preemption to complete"
ASKED_TO_WAIT = "one or more plugins asked to wait and no plugin rejected pod"


def try_by_pod(trial: Tries, group: GroupInfo, within: Rows | None, name: str, *, everything: bool) -> TriedGroup:
    """Try the pods of a group one after another; it is placed once Permit lets one of them go.

    Args:
        trial: the planner.
        group: the group.
        within: intp[M], the only nodes there are; None for all.
        name: of these nodes.
        everything: ask every plugin about every node.
    """
    with trial.trial() as unbound:
        # nothing is written before all of the group has its turn behind it
        unbound.bind = False
        tried = _one_by_one(unbound, group, within, name, everything=everything)
        for member in tried.pods if tried.status.code is Code.SUCCESS else ():
            if member.cycle is not None and member.goes_to >= 0:
                settle(member.cycle, member.goes_to, unbound.apply)
        unbound.keep()
    return tried


def _one_by_one(trial: Tries, group: GroupInfo, within: Rows | None, name: str, *, everything: bool) -> TriedGroup:
    pods: list[TriedMember] = []
    evicts, allowed = False, False
    for pod in group.waiting:
        pods.append(member := _pod(trial, pod, within, everything=everything))
        if (failed := stopped(pods, name)) is not None:
            return failed
        if member.goes_to < 0:
            continue
        evicts = evicts or bool(member.victims)
        allowed = allowed or member.permit is None
    if allowed and not evicts:
        return TriedGroup(pods=tuple(pods), nodes=name)
    wanted = quorum(group.pod_group.spec.scheduling_policy)
    told = feasible(group.key, wanted, group.scheduled + sum(tried_member.goes_to >= 0 for tried_member in pods), 0)
    waits = allowed and evicts
    text = f"{UNSCHEDULABLE}, {WAITS}" if waits else UNSCHEDULABLE
    status = NodeStatus(Code.UNSCHEDULABLE, "", told.whys if told is not None else (), message=text)
    return TriedGroup(status, tuple(pods), name, waits=waits)


def _pod(trial: Tries, pod: PodInfo, within: Rows | None, *, everything: bool) -> TriedMember:
    """Try one pod; place it where it fits, or where it would fit without those that it evicts."""
    cycle = trial.group_cycle(pod, within, everything=everything)
    outcome = cycle.explain(preempt=trial.preempt, of_group=True)
    if outcome.error or (outcome.choice < 0 and not decided(outcome, ambiguous=trial.ambiguous)):
        return failed_pod(cycle, outcome)
    if outcome.choice < 0:
        return _evicting(trial, cycle, outcome)
    outcome = place_pod(trial, cycle, outcome)
    if outcome.error:
        return TriedMember(pod, outcome, NodeStatus(Code.ERROR, message=outcome.error), cycle)
    assert outcome.placement is not None
    permit = _asked_to_wait(outcome.permit)
    return TriedMember(pod, replace(outcome, permit=None), None, cycle, outcome.placement.node, permit)


def _asked_to_wait(permit: NodeStatus | None) -> NodeStatus | None:
    """What Permit plugins said, as the scheduler puts it.

    Source: v1.36.3 framework/runtime/framework.go RunPermitPlugins.
    """
    if permit is None:
        return None
    return dataclasses.replace(permit, message=", ".join((*permit.reasons, ASKED_TO_WAIT)))


def _evicting(trial: Tries, cycle: Cycle, outcome: Outcome) -> TriedMember:
    """Place a pod beside those that it evicts: to the pods behind it they are still there."""
    preemption = outcome.preemption
    assert preemption is not None
    pod, node = cycle.pod, preemption.picks[0]
    victims = preemption.candidates[node].pods
    with trial.trial() as without:
        # what Reserve takes is what was found there while the victims were thought away
        without.apply(leave(without.cluster, victims))
        anew = without.group_cycle(pod, cycle.within, everything=False)
        anew.verdict(node, cycle.skipped)
    for plugin, choice in anew.choices.items():
        cycle.choices[plugin] = {**(cycle.choices.get(plugin) or {}), **choice}
    taken = trial.place(cycle, node)
    if taken.refused is not None:
        error = f"reserve: {taken.refused.text}"
        return TriedMember(pod, replace(outcome, error=error), NodeStatus(Code.ERROR, message=error), cycle)
    refused = NodeStatus(Code.UNSCHEDULABLE, message=outcome.fit_error)
    return TriedMember(pod, outcome, refused, cycle, node, _asked_to_wait(permit_of(cycle, node)), victims)
