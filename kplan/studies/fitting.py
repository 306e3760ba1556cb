"""How many pods of a group fit at once, and which one does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from kplan.cluster import Assume, PodInfo
from kplan.framework.groups import GroupInfo
from kplan.framework.preemption import NodeStatus
from kplan.framework.worlds import Rows
from kplan.pipeline import Planner
from kplan.pipeline.groups.trying import node_sets
from kplan.plugins.shared.pod_groups import quorum
from kplan.result import EventKind, PlanEvent
from kplan.result.document_base import Cause
from kplan.wording.failing import failure

DOMAINS = 64
"""Domains that are asked how many pods of a group fit there."""


class Blocked(Struct, frozen=True):
    """Why a group is not placed.

    Attributes:
        fits: how many fit one after another.
        on: node row by pod row, of those.
        pod: the first that does not.
        cause: why.
        nodes: the nodes that were asked, as ``zone=a``: the domain where most fit; empty for all nodes.
        group: key of the group below a group of groups that the pod is of, which gets less than it needs.
    """

    fits: int = 0
    on: Mapping[int, int] = field(default_factory=dict)
    pod: PodInfo | None = None
    cause: Cause | None = None
    nodes: str = ""
    group: str = ""


def fits_at_once(planner: Planner, pods: Sequence[PodInfo], within: Rows | None = None) -> Blocked:
    """Place pods one after another, those that fit nowhere left out, and say why the first of these does not.

    Args:
        planner: planner over the cluster, which is as before then.
        pods: the pods.
        within: the only nodes that are asked; None for all.
    """
    on: dict[int, int] = {}
    first: PodInfo | None = None
    cause: Cause | None = None
    with planner.trial(everything=False) as trial:
        for pod in pods:
            cycle = trial.group_cycle(pod, within, everything=False)
            outcome = cycle.explain(preempt=False)
            if outcome.choice >= 0 and not outcome.error and trial.place(cycle, outcome.choice).refused is None:
                on[pod.row] = outcome.choice
            elif first is None:
                first = pod
                cause = failure(trial, pod, PlanEvent(EventKind.PENDING, outcome)).because
    return Blocked(len(on), on, first, cause)


def in_a_domain(planner: Planner, group: GroupInfo) -> Blocked | None:
    """The domain where most of a group fits, if it has to be in one; None for all nodes.

    Args:
        planner: planner over the cluster, which is as before then.
        group: the group.
    """
    constraints = group.pod_group.spec.scheduling_constraints
    if constraints is None or not constraints.topology or not group.waiting:
        return None
    pipeline = planner.pipelines[group.waiting[0].scheduler_name]
    if not pipeline.features.enabled("TopologyAwareWorkloadScheduling"):
        return None
    sets = node_sets(planner, group, pipeline)
    if isinstance(sets, NodeStatus):
        return None
    key = constraints.topology[0].key
    domains = ((nodes.name, fits_at_once(planner, group.waiting, nodes.rows)) for nodes in sets[:DOMAINS])
    name, most = max(domains, key=lambda domain: domain[1].fits)
    return replace(most, nodes=f"{key}={name}")


def fits_in_groups(planner: Planner, group: GroupInfo) -> Blocked:
    """How many pods of a group of groups fit, group after group, each in a domain if it has to be.

    The first group that gets less than it needs is the one that blocks.

    Args:
        planner: planner over the cluster, which is as before then.
        group: the group of groups.
    """
    on: dict[int, int] = {}
    first: Blocked | None = None
    with planner.trial(everything=False) as trial:
        for leaf in group.leaves:
            blocked = in_a_domain(trial, leaf) or fits_at_once(trial, leaf.waiting)
            if first is None and leaf.scheduled + blocked.fits < quorum(leaf.pod_group.spec.scheduling_policy):
                first = replace(blocked, group=leaf.key)
            trial.apply(Assume(row, node) for row, node in blocked.on.items())
            on |= blocked.on
    return replace(first, fits=len(on), on=on) if first is not None else Blocked(len(on), on)
