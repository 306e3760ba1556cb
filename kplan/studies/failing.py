"""Why one pod was not placed, told while the cluster is as the pod met it."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from kplan.cluster import PodInfo
from kplan.pipeline import Planner
from kplan.result import Event, EventKind
from kplan.result.document import Cause, Group, Nearest
from kplan.studies.because import because
from kplan.studies.groups import Asked, find_groups
from kplan.studies.tell import nearest_part, tell


@dataclass(frozen=True, slots=True)
class Failure:
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


def failure(planner: Planner, pod: PodInfo, event: Event) -> Failure:
    """Tell why a pod was not placed.

    Args:
        planner: planner over the cluster as the pod met it.
        pod: the pod.
        event: what came of it.
    """
    outcome = event.outcome.preempted.then if event.outcome.preempted is not None else event.outcome
    if event.kind is EventKind.GATED:
        names = [gate.name for gate in pod.pod.spec.scheduling_gates or ()]
        word = "gate" if len(names) == 1 else "gates"
        return Failure(Cause(code="scheduling-gates", text=f"{word} {', '.join(names)} must be removed first"))
    if not planner.cluster.nodes:
        return Failure(Cause(code="no-nodes", text="there is no node at all"))
    if outcome.error:
        return Failure(Cause(code="cycle-error", text=outcome.error))
    everything, planner.everything = planner.everything, True
    try:
        cycle = planner.cycle(pod)
        asked = Asked(planner.cluster, pod, cycle, cycle.explain(preempt=False))
    finally:
        planner.everything = everything
    groups = find_groups(asked)
    if not groups:
        return Failure(Cause(code="unknown", text=outcome.fit_error))
    told = [tell(asked, group) for group in groups]
    cause = because(told[0].view, told[0].phrases, groups[1:])
    looked = outcome.diagnosis is not None and outcome.diagnosis.pre_filter is None
    nearest = nearest_part(asked, groups[0], told[0]) if looked else None
    first = msgspec.structs.replace(told[0].group, names=())
    return Failure(cause, first, len(groups), tuple(one.group for one in told), nearest)
