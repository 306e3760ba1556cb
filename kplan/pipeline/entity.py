"""What the scheduler schedules at one time: a pod, or pods that are placed together or not at all."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from kplan.cluster import Change, Cluster, Nominate, PodInfo, leave
from kplan.framework.codes import Code, Point
from kplan.framework.preemption import NodeStatus
from kplan.pipeline.cycle import Cycle
from kplan.pipeline.queue import Queue
from kplan.pipeline.reserving import Taken
from kplan.result import EventKind, Outcome, Placement, PlanEvent
from kplan.result.outcome import NodeScores, Preempted


class Steps(Protocol):
    """What an entity asks of the planner that steps it; see ``Planner``."""

    cluster: Cluster
    preempt: bool
    ambiguous: bool
    everything: bool
    move_nominations: bool

    @property
    def queue(self) -> Queue:
        """The queue of this scheduler."""

    def cycle(self, pod: PodInfo, nominated: int | None = None, *, to_place: bool = False) -> Cycle:
        """Start a cycle of one pod; ``to_place`` where nothing is told of it but where the pod is placed."""

    def draw(self, cycle: Cycle, outcome: Outcome) -> Outcome:
        """What comes of a cycle where nodes are looked at as in one run."""

    def place(self, cycle: Cycle, row: int) -> Taken:
        """Assume and reserve."""

    def apply(self, changes: Iterable[Change]) -> None:
        """Change the cluster."""

    def keep_answers(self, cycle: Cycle, row: int) -> None:
        """Keep what a cycle found for the next one."""


class Entity(Protocol):
    """What is scheduled as one."""

    def step(self, planner: Steps) -> PlanEvent:
        """Try it on the planner's cluster, and carry out through the planner what comes of it."""


class SinglePod(Struct, frozen=True):
    """A pod by itself.

    Attributes:
        pod: the pod.
    """

    pod: PodInfo

    def step(self, planner: Steps) -> PlanEvent:
        """See Entity."""
        cycle = planner.cycle(self.pod, to_place=True)
        outcome = planner.draw(cycle, cycle.explain())
        if outcome.gated:
            return PlanEvent(EventKind.GATED, outcome)
        if outcome.kept_out and not outcome.error:
            return PlanEvent(EventKind.PENDING, outcome)
        if outcome.error:
            return PlanEvent(EventKind.FAILED, outcome)
        if outcome.choice < 0 and planner.preempt and decided(outcome, ambiguous=planner.ambiguous):
            outcome, cycle = self._preempted(planner, outcome)
        then = outcome.last
        if then.choice < 0:
            self._forget_nomination(planner, then)
            kind = EventKind.FAILED if then.error else EventKind.PENDING
            return PlanEvent(EventKind.PREEMPTED if outcome.preempted else kind, outcome)
        placed = place_pod(planner, cycle, then)
        if outcome.preempted is not None:
            outcome = replace(outcome, preempted=replace(outcome.preempted, then=placed))
            return PlanEvent(EventKind.PREEMPTED, outcome)
        return PlanEvent(EventKind.FAILED if placed.error else EventKind.PLACED, placed)

    def _preempted(self, planner: Steps, outcome: Outcome) -> tuple[Outcome, Cycle]:
        """Let the victims leave, nominate the pod, and try it again."""
        assert outcome.preemption is not None
        pod, cluster = self.pod, planner.cluster
        node = outcome.preemption.picks[0]
        victims = outcome.preemption.candidates[node].pods
        waiting = (cluster.pods[row] for row in cluster.nominated_on(node))
        cleared = tuple(p.row for p in waiting if p.priority < pod.priority and planner.queue.responsible(p))
        planner.apply(leave(cluster, victims))
        if planner.move_nominations:
            planner.apply(Nominate(row, -1) for row in cleared)
            planner.apply([Nominate(pod.row, node)])
        cycle = planner.cycle(pod, node)
        with cluster.work.within(sys.maxsize):  # those that leave for it have left
            then = planner.draw(cycle, cycle.explain())
        return replace(outcome, preempted=Preempted(node, victims, cleared, then)), cycle

    def _forget_nomination(self, planner: Steps, outcome: Outcome) -> None:
        """A preemption that cannot help takes a nomination away; any other failure leaves it.

        Source: v1.37.2 preemption.go evaluate (a result with an empty nominated node), schedule_one.go
        handleSchedulingFailure.
        """
        tried, row = outcome.preemption, self.pod.row
        if tried is not None and tried.eligible and not tried.candidates and planner.cluster.pod_nominated[row] >= 0:
            planner.apply([Nominate(row, -1)])


def decided(outcome: Outcome, *, ambiguous: bool) -> bool:
    """Tell whether there is a preemption to carry out: one that is drawn at random only where that is wanted."""
    preemption = outcome.preemption
    if preemption is None or not preemption.picks:
        return False
    return ambiguous or (len(preemption.picks) == 1 and not preemption.ambiguous)


def place_pod(planner: Steps, cycle: Cycle, outcome: Outcome) -> Outcome:
    """Place a pod where its cycle chose to, as a scheduling cycle does."""
    row = outcome.choice
    taken = planner.place(cycle, row)
    if taken.refused is not None:
        return replace(outcome, error=f"reserve: {taken.refused.text}")
    if not planner.everything:
        if taken.alone:
            planner.keep_answers(cycle, row)
        if outcome.scores is not None:
            # a plan of many pods would hold an array for each of them: only who won is kept
            thin = outcome.scores
            if len(thin.rows):
                none = thin.total[:0]
                thin = NodeScores(none, {}, {}, none, thin.skipped, thin.best, thin.problem)
            placement, permit = Placement(row, taken.volumes, taken.claims), permit_of(cycle, row)
            return replace(outcome, diagnosis=None, scores=thin, placement=placement, permit=permit)
    return replace(outcome, placement=Placement(row, taken.volumes, taken.claims), permit=permit_of(cycle, row))


def permit_of(cycle: Cycle, row: int) -> NodeStatus | None:
    """What a Permit plugin holds a pod back with that is placed on a node; None for none."""
    for plugin in cycle.pipeline.at(Point.PERMIT):
        answer = plugin.permit(cycle.pod, cycle.cluster, row) if hasattr(plugin, "permit") else None
        if answer is not None:
            return NodeStatus(Code.WAIT, plugin.name, answer.whys)
    return None
