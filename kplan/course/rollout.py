"""Rollouts: controllers make and remove pods step by step, and the planner places each new one in between.

Time stands still for all but this: pods that wait are all tried before any becomes ready; a placed pod becomes ready,
one after the other in the order of placement; then its controller acts, and what leaves has left at once.

Not modelled: probes and minReadySeconds (a placed pod becomes ready), grace periods, progressDeadlineSeconds, a rollout
that is under way already.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from kplan.admission import Fleet, Quotas
from kplan.cluster import AddPods, PodInfo, Remove
from kplan.course.run import Run
from kplan.objects.models import Pod
from kplan.objects.readiness import is_ready
from kplan.result import EventKind
from kplan.result.document_plan import Leaving, RolloutPlan, RolloutPlanStep
from kplan.words import count


@dataclass
class Member:
    """A pod of a fleet that is there.

    Attributes:
        pod: the pod.
        new: whether it is of the new template.
        ready: whether it is ready.
    """

    pod: PodInfo
    new: bool
    ready: bool = False


@dataclass
class Row:
    """One line of the table of steps; see RolloutPlanStep."""

    pod: PodInfo | None = None
    leaves: list[Leaving] = field(default_factory=list)
    ready: int = 0
    old: int = 0
    new: int = 0


@dataclass
class Floor:
    """What controllers work on.

    Attributes:
        run: the plan that is being made.
        ledger: quotas.
        made: pods that were made and have not been tried.
        freed: whether a pod left since the last try.
    """

    run: Run
    ledger: Quotas | None
    made: list[PodInfo] = field(default_factory=list)
    freed: bool = False


@dataclass
class Rollout:
    """A fleet on its way.

    Attributes:
        fleet: what its controller goes by.
        floor: what it works on.
        members: pods that are there, by row.
        unmade: new pods that were not made yet, by name, in the controller's order.
        rows: lines of the table.
        current: the line of what became ready last; of no pod at first.
        wanted: new pods that a Deployment's new ReplicaSet was told to have.
        scaled: whether a Deployment's old pods have had the new number of replicas.
        refused: what the quota said of the last pod that could not be made.
        peak: most members so far.
        serving: fewest ready members so far.
    """

    fleet: Fleet
    floor: Floor
    members: dict[int, Member] = field(default_factory=dict)
    unmade: dict[str, Pod] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    current: Row = field(default_factory=Row)
    wanted: int = 0
    scaled: bool = False
    refused: str = ""
    peak: int = 0
    serving: int = 0

    def old(self) -> list[Member]:
        """Members of the old template."""
        return [member for member in self.members.values() if not member.new]

    def new(self) -> list[Member]:
        """Members of the new template."""
        return [member for member in self.members.values() if member.new]

    def ready(self) -> int:
        """How many members are ready."""
        return sum(member.ready for member in self.members.values())

    def begin(self, members: Iterable[Member]) -> None:
        """Take over the pods that run."""
        self.members = {member.pod.row: member for member in members}
        self.peak, self.serving = len(self.members), self.ready()

    def make(self, pod: Pod, *, new: bool = True) -> bool:
        """Make a pod, unless a quota refuses it."""
        self.refused = self.floor.ledger.refuses_pod(pod) if self._charged() and self.floor.ledger else ""
        if self.refused:
            return False
        cluster = self.floor.run.planner.cluster
        cluster.apply([AddPods((pod,))])
        info = cluster.pods[-1]
        self.members[info.row] = Member(info, new)
        self.floor.made.append(info)
        self.rows.append(Row(info))
        self.peak = max(self.peak, len(self.members))
        if new:
            self.unmade.pop(pod.name, None)
        return True

    def remove(self, member: Member) -> None:
        """Remove a pod, and free what it used."""
        run, pod = self.floor.run, member.pod
        name = run.planner.cluster.home_of(pod.row)
        run.planner.cluster.apply([Remove(pod.row)])
        if not pod.bound:
            run.entries.pop(pod.row, None)
        if self.floor.ledger is not None:
            self.floor.ledger.let_out_pod(pod.pod)
        del self.members[pod.row]
        self.floor.freed = True
        self.current.leaves.append(Leaving(pod=pod.key, node=name))
        self.serving = min(self.serving, self.ready())

    def _charged(self) -> bool:
        """Whether its new pods were not yet held against quotas when the manifest was expanded."""
        return self.fleet.replaces

    def note(self) -> None:
        """Write down how many are ready, in the line of the pod that became ready."""
        self.current.ready = self.ready()
        self.current.new = sum(member.ready for member in self.new())
        self.current.old = self.current.ready - self.current.new


Act = Callable[[Rollout], bool]
"""One turn of a controller; tells whether anything moved."""


class Play:
    """Controllers and the scheduler in turns, until nothing moves."""

    def __init__(self, run: Run, fleets: Iterable[Fleet], ledger: Quotas | None, acts: dict[str, Act]) -> None:
        """Take the pods that run into their rollouts."""
        self.run = run
        self.floor = Floor(run, ledger)
        self.acts = acts
        self.waiting: deque[PodInfo] = deque()
        index = run.planner.cluster.pod_index
        pods = run.planner.cluster.pods
        self.rollouts = []
        for fleet in fleets:
            rollout = Rollout(fleet, self.floor, unmade={pod.name: pod for pod in fleet.pods})
            there = [pods[index[pod.key]] for pod in fleet.running if pod.key in index]
            rollout.begin(
                Member(pod, new=not fleet.replaces, ready=pod.bound and is_ready(pod.pod))
                for pod in there
                if not pod.gone and not pod.terminating
            )
            self.rollouts.append(rollout)
        run.placed = self._placed
        run.evicted = self._evicted

    def _placed(self, pod: PodInfo) -> None:
        if any(pod.row in rollout.members for rollout in self.rollouts):
            self.waiting.append(pod)

    def _evicted(self, pod: PodInfo, copy: PodInfo | None) -> None:
        for rollout in self.rollouts:
            member = rollout.members.pop(pod.row, None)
            if member is not None:
                if copy is not None:
                    rollout.members[copy.row] = Member(copy, member.new)
                rollout.serving = min(rollout.serving, rollout.ready())

    def play(self, landed: Sequence[PodInfo]) -> None:
        """Let all controllers begin, try the pods, and go on until nothing moves.

        Args:
            landed: other pods that the manifests bring, to be tried with those made first.
        """
        for rollout in self.rollouts:
            self._act(rollout)
            if rollout.current.leaves:
                rollout.rows.insert(0, rollout.current)
        self._try(landed)
        while self.waiting:
            pod = self.waiting.popleft()
            for rollout in self.rollouts:
                member = rollout.members.get(pod.row)
                if member is None:
                    continue
                member.ready = True
                known = [row for row in rollout.rows if row.pod is pod]
                rollout.current = known[0] if known else rollout.current
                self._act(rollout)
            if self.floor.freed:
                for rollout in self.rollouts:
                    if rollout.refused:
                        self._act(rollout)
            self._try(())
        for rollout in self.rollouts:
            stuck = [member.pod for member in rollout.new() if not member.pod.bound]
            if stuck and rollout.fleet.replaces:
                self.run.tell_again(stuck[0])

    def _act(self, rollout: Rollout) -> None:
        act = self.acts[rollout.fleet.kind]
        while act(rollout):
            pass
        rollout.note()

    def _try(self, landed: Sequence[PodInfo]) -> None:
        """Try what could not be placed before, if something left, then what was made."""
        while self.floor.freed or self.floor.made or landed:
            made, self.floor.made = self.floor.made, []
            freed, self.floor.freed = self.floor.freed, False
            if freed:
                self.run.retry()
            known = self.run.planner.queue.responsible
            tried = sorted([*landed, *made], key=lambda pod: -pod.priority)
            self.run.drain([pod for pod in tried if pod.waiting and known(pod)])
            landed = ()

    def plans(self) -> tuple[RolloutPlan, ...]:
        """Tell how each went."""
        return tuple(self._plan(rollout) for rollout in self.rollouts)

    def _plan(self, rollout: Rollout) -> RolloutPlan:
        fleet = rollout.fleet
        new, old = rollout.new(), rollout.old()
        wanted = _wanted(fleet)
        done = sum(member.ready for member in new)
        stalled = self._stalled(rollout, done < wanted or (fleet.replaces and len(old) > fleet_keeps(fleet)))
        return RolloutPlan(
            workload=fleet.workload,
            place=fleet.place,
            strategy=fleet.strategy if fleet.replaces else "",
            replicas=fleet.replicas,
            before=len(fleet.running),
            wanted=wanted,
            done=done,
            max_surge=fleet.max_surge,
            max_unavailable=fleet.max_unavailable,
            partition=fleet.partition,
            peak=rollout.peak,
            serving=rollout.serving,
            stalled=stalled,
            old=len(old),
            steps=tuple(self._step(rollout, row) for row in rollout.rows if not self._passing(row)),
        )

    def _passing(self, row: Row) -> bool:
        """Whether a line is of a pod that was removed before it was tried."""
        return row.pod is not None and row.pod.gone and row.pod.row not in self.run.entries and not row.leaves

    def _step(self, rollout: Rollout, row: Row) -> RolloutPlanStep:
        member = rollout.members.get(row.pod.row) if row.pod is not None else None
        if member is not None and not member.ready:
            rollout.current = row
            rollout.note()
        entry = self.run.entries.get(row.pod.row) if row.pod is not None else None
        return RolloutPlanStep(
            pod=row.pod.key if row.pod is not None else "",
            result=entry.step.result if entry is not None else "",
            node=entry.step.node if entry is not None else "",
            leaves=tuple(row.leaves),
            ready=row.ready,
            old=row.old,
            new=row.new,
        )

    def _stalled(self, rollout: Rollout, unfinished: bool) -> str:
        """Say why a rollout does not go on; empty if it is through."""
        if not unfinished or rollout.fleet.leaving or (rollout.fleet.replaces and rollout.fleet.strategy == "OnDelete"):
            return ""
        for member in rollout.new():
            if not member.pod.bound:
                entry = self.run.entries.get(member.pod.row)
                word = {EventKind.GATED.value: "is gated"}.get(entry.step.result if entry else "", "stays Pending")
                unknown = f" (no profile for schedulerName {member.pod.scheduler_name})" if entry is None else ""
                later = ""
                if rollout.fleet.ordered and rollout.unmade:
                    later = f", {count(len(rollout.unmade), 'pod')} after it not made"
                return f"{member.pod.name} {word}{unknown}{later}"
        if rollout.refused:
            return f"a quota refuses its next pod ({rollout.refused})"
        idle = [member.pod.name for member in rollout.members.values() if not member.ready]
        return f"{idle[0]} is not ready" if idle else "its controller has no step left"


def _wanted(fleet: Fleet) -> int:
    if not fleet.replaces:
        return fleet.replicas
    if fleet.kind == "StatefulSet":
        return max(0, fleet.replicas - fleet.partition)
    return fleet.replicas


def fleet_keeps(fleet: Fleet) -> int:
    """How many old pods stay when a rollout is through: those below the partition of a StatefulSet."""
    return min(fleet.replicas, fleet.partition) if fleet.kind == "StatefulSet" else 0
