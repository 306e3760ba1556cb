"""Why one pod was not placed, told while the cluster is as the pod met it."""

from __future__ import annotations

from collections.abc import Collection

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.work import TOLD, TOLD_GROUP, TOLD_NODE
from kplan.pipeline import Planner
from kplan.plugins.shared.claims import own_claims
from kplan.reasons.groups import NodeGroup, find_groups
from kplan.reasons.run_cycle import RunCycle
from kplan.result import Outcome, PlanEvent
from kplan.result.document import Group, Nearest
from kplan.result.document_base import Cause
from kplan.wording.because import because
from kplan.wording.groups import nearest_part, tell
from kplan.wording.not_tried import CAUSE
from kplan.words import listed


class Failure(Struct, frozen=True):
    """Why a pod was not placed.

    Attributes:
        because: the cause.
        group: the nodes nearest to fitting; None if no node was looked at.
        groups: how many groups of nodes there are.
        all_groups: all of them, nearest first, each with the names of its nodes.
        nearest: what keeps it from the nearest of them; None if no node was looked at.
    """

    because: Cause
    group: Group | None = None
    groups: int = 0
    all_groups: tuple[Group, ...] = ()
    nearest: Nearest | None = None

    def further(self) -> tuple[Group, ...]:
        """The groups behind the nearest, without the names of all their nodes: few are read, and they are many."""
        return tuple(msgspec.structs.replace(group, names=()) for group in self.all_groups[1:])


def failure(planner: Planner, pod: PodInfo, event: PlanEvent, leaving: Collection[str] = ()) -> Failure:
    """Tell why a pod was not placed.

    Args:
        planner: planner over the cluster as the pod met it.
        pod: the pod.
        event: what came of it.
        leaving: names of nodes that are about to go: that they refuse the pod says nothing, unless there is no other.
    """
    refusing = _refusing(planner, pod, event, leaving)
    if isinstance(refusing, Cause):
        return Failure(refusing)
    asked, groups = refusing
    own = own_claims(pod.pod)  # of a pod that is tried, and there for no one to look at
    told = [tell(asked, group, own=own) for group in groups]
    cause = because(told[0], groups[1:])
    nearest = nearest_part(told[0]) if asked.looked else None
    first = msgspec.structs.replace(told[0].group, names=())
    return Failure(cause, first, len(groups), tuple(group.group for group in told), nearest)


def failure_in_short(planner: Planner, pod: PodInfo, event: PlanEvent, leaving: Collection[str] = ()) -> Failure:
    """The same with the cause alone; see ``failure``."""
    refusing = _refusing(planner, pod, event, leaving)
    if isinstance(refusing, Cause):
        return Failure(refusing)
    asked, groups = refusing
    return Failure(because(tell(asked, groups[0], names=False, own=own_claims(pod.pod)), groups[1:]))


def _refusing(
    planner: Planner, pod: PodInfo, event: PlanEvent, leaving: Collection[str]
) -> tuple[RunCycle, list[NodeGroup]] | Cause:
    """Ask about a pod again, and group the nodes that refuse it; the cause where there is no such group."""
    outcome = event.outcome.last
    plain = plain_cause(planner.cluster, pod, outcome)
    if plain is not None:
        return plain
    planner.cluster.work.charge(TOLD + TOLD_NODE * len(planner.cluster.nodes))
    asked = RunCycle.of(planner, pod)
    groups = find_groups(asked)
    planner.cluster.work.charge(TOLD_GROUP * len(groups))
    if leaving:
        rows = [planner.cluster.node_index[name] for name in leaving if name in planner.cluster.node_index]
        if asked.looked and len(set(rows)) == len(planner.cluster.nodes):
            return Cause(code="no-other-node", text="there is no other node")
        stays = np.ones(len(planner.cluster.nodes), dtype=np.bool_)
        stays[rows] = False
        groups = [rest for group in groups if len((rest := _among(group, stays)).rows)] or groups
    if not groups:
        return Cause(code="unknown", text=outcome.fit_error)
    return asked, groups


def _among(group: NodeGroup, stays: NDArray[np.bool_]) -> NodeGroup:
    """A group without its nodes that are about to go."""
    return replace(group, rows=group.rows[stays[group.rows]])


def plain_cause(cluster: Cluster, pod: PodInfo, outcome: Outcome) -> Cause | None:
    """Tell why a pod was not placed where no node was looked at; None where nodes were."""
    if outcome.not_tried:
        return CAUSE
    if outcome.gated:
        return Cause(code="scheduling-gates", text=f"{gates(pod, outcome)} must be removed first")
    if not cluster.nodes:
        return Cause(code="no-nodes", text="there is no node at all")
    if outcome.error:
        return Cause(code="cycle-error", text=outcome.error)
    return None


def gates(pod: PodInfo, outcome: Outcome) -> str:
    """Name what keeps a pod out of the queue."""
    names = [gate.name for gate in pod.pod.spec.scheduling_gates or ()]
    if names:
        return f"{'gate' if len(names) == 1 else 'gates'} {listed(names)}"
    return ", ".join(outcome.pre_enqueue.reasons) if outcome.pre_enqueue is not None else ""
