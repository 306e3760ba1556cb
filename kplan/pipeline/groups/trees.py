"""Groups of groups: what is tried as one, and trying it: its groups one after another, each assumed before the next.

Source: kubernetes v1.37.2 pkg/scheduler/schedule_one_podgroup.go runRootSchedulingAlgorithm,
compositePodGroupSchedulingPlacementAlgorithm, compositePodGroupSchedulingDefaultAlgorithm, successfulLeafResults,
completeCompositePodGroupAlgorithmResultMap.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kplan.cluster import Cluster
from kplan.framework.codes import Code
from kplan.framework.groups import GroupInfo, NodeSet
from kplan.framework.preemption import NodeStatus
from kplan.objects.models import CompositePodGroup, PodGroup
from kplan.pipeline.groups.tried import UNSCHEDULABLE, TriedGroup, TriedMember, Tries
from kplan.pipeline.groups.trying import best_of, may_be, node_sets, none_available, try_group, waits_in_vain
from kplan.pipeline.profiles import Pipeline
from kplan.plugins.shared.group_trees import as_pod_group, children_of, key_of_group
from kplan.plugins.shared.pod_groups import scheduled

Found = dict[str, TriedGroup]
"""What trying each group of a tree came to, by key; those that were not come to are missing."""


def tree(planner: Tries, group: PodGroup | CompositePodGroup) -> GroupInfo:
    """A group with all below it, and the pods of each that wait."""
    cluster, queue = planner.cluster, planner.queue
    key = key_of_group(group)
    if isinstance(group, PodGroup):
        mine = [cluster.pods[row] for row in cluster.in_group(key)]
        waiting = queue.sort(pod_info for pod_info in mine if pod_info.waiting and queue.responsible(pod_info))
        return GroupInfo(key, group, tuple(waiting), scheduled(key, cluster))
    groups = tuple(tree(planner, child) for child in children_of(group, cluster))
    pods = tuple(pod for group_info in groups for pod in group_info.waiting)
    runs = sum(group_info.scheduled for group_info in groups)
    return GroupInfo(key, as_pod_group(group), pods, runs, composite=True, groups=groups)


def counted_anew(group: GroupInfo, cluster: Cluster) -> GroupInfo:
    """The same with its pods that have a node by now."""
    if not group.composite:
        return replace(group, scheduled=scheduled(group.key, cluster))
    groups = tuple(counted_anew(group_info, cluster) for group_info in group.groups)
    return replace(group, groups=groups, scheduled=sum(group_info.scheduled for group_info in groups))


def try_tree(trial: Tries, root: GroupInfo, pipeline: Pipeline, *, everything: bool) -> TriedGroup:
    """Try a group, or a group of groups, on the planner of a trial; see ``try_group``.

    Of one of groups, the pods are those of all groups that were tried, also of those that came to nothing.
    """
    if not root.composite:
        tried = try_group(trial, root, pipeline, everything=everything)
        return _some(tried) if pipeline.features.since(37) and not root.asked else tried
    members: Found = {}
    _any(trial, root, pipeline, None, members, everything=everything)
    pods = tuple(pod for leaf in root.leaves if leaf.key in members for pod in members[leaf.key].pods)
    placed = {pod.pod.row for pod in _in_the_end(root, members)}
    whole = replace(members[root.key], pods=pods, of=members, placed=frozenset(placed))
    return _some(whole)


def _some(tried: TriedGroup) -> TriedGroup:
    """A group that gets what it needs without one more pod comes to nothing."""
    if tried.status.code is not Code.SUCCESS or any(pod.goes_to >= 0 for pod in tried.pods if tried.goes(pod)):
        return tried
    return replace(tried, status=NodeStatus(Code.UNSCHEDULABLE, message=UNSCHEDULABLE))


def _in_the_end(group: GroupInfo, members: Found) -> Iterator[TriedMember]:
    """Pods of groups that came to something, as did all above them."""
    tried = members.get(group.key)
    if tried is None or tried.status.code is not Code.SUCCESS:
        return
    if group.composite:
        for group_info in group.groups:
            yield from _in_the_end(group_info, members)
    else:
        yield from tried.pods


def _any(
    trial: Tries, group: GroupInfo, pipeline: Pipeline, within: NodeSet | None, members: Found, *, everything: bool
) -> TriedGroup:
    """Try one group of a tree and all below it; what is found stays on the planner where it comes to something."""
    if not group.composite:
        members[group.key] = try_group(trial, group, pipeline, everything=everything, within=within)
        return members[group.key]
    sets = node_sets(trial, group, pipeline, within)
    if isinstance(sets, NodeStatus):
        members[group.key] = TriedGroup(sets)
        return members[group.key]
    tried: list[Found] = []
    for nodes in sets:
        with trial.trial() as alone:
            tried.append(_on(alone, group, pipeline, nodes, everything=everything))
        if tried[-1][group.key].status.code is Code.ERROR:
            members[group.key] = tried[-1][group.key]
            return members[group.key]
    fitting = [(nodes, of_set) for nodes, of_set in zip(sets, tried, strict=True) if _fits(of_set[group.key])]
    if not fitting:
        members |= tried[0]
        status = none_available(tried[0][group.key].status, len(sets), pipeline)
        members[group.key] = replace(members[group.key], status=status)
        return members[group.key]
    proposed = [
        (nodes, replace(of_set[group.key], pods=tuple(_in_the_end(group, of_set)))) for nodes, of_set in fitting
    ]
    best = best_of(trial, group, pipeline, proposed)
    if isinstance(best, NodeStatus):
        members[group.key] = TriedGroup(best)
        return members[group.key]
    members |= _on(trial, group, pipeline, best, everything=everything)
    return members[group.key]


def _fits(tried: TriedGroup) -> bool:
    return tried.status.code is Code.SUCCESS


def _on(trial: Tries, group: GroupInfo, pipeline: Pipeline, nodes: NodeSet, *, everything: bool) -> Found:
    """Try the groups of a group one after another on one set of nodes."""
    members: Found = {}
    remaining, done = len(group.groups), 0
    status = may_be(group, pipeline, done, remaining)
    if status.code is Code.UNSCHEDULABLE:
        return {group.key: TriedGroup(status, (), nodes.name)}
    with trial.trial() as whole:
        for child in group.groups:
            with whole.trial() as inner:
                tried = _any(inner, child, pipeline, nodes, members, everything=everything)
                if _fits(tried):
                    inner.keep()
            if tried.status.code is Code.ERROR:
                why = ", ".join(tried.status.reasons)
                text = f"composite pod group evaluation failed due to child error: {why}"
                return {**members, group.key: TriedGroup(NodeStatus(Code.ERROR, message=text), (), nodes.name)}
            remaining -= 1
            done += _fits(tried)
            status = may_be(group, pipeline, done, remaining)
            if status.code is Code.UNSCHEDULABLE:
                break
        if status.code is Code.SUCCESS:
            whole.keep()
    members[group.key] = TriedGroup(waits_in_vain(status), (), nodes.name)
    return members


def in_the_end(root: GroupInfo, tried: TriedGroup) -> dict[str, TriedGroup]:
    """What each group with pods of a tree came to: one that is below another that came to nothing came to that.

    Statuses that are one and the same object are one to the scheduler, too: what is added to one is added to all.
    """
    complete: Found = {}

    def walk(group: GroupInfo, above: TriedGroup | None) -> None:
        own = tried.of.get(group.key) if above is not None else tried
        lost = above is not None and above.status.code is not Code.SUCCESS
        if own is None or (lost and own.status.code is Code.SUCCESS):
            assert above is not None
            own = TriedGroup(above.status)
        complete[group.key] = own
        for group_info in group.groups:
            walk(group_info, own)

    walk(root, None)
    return complete
