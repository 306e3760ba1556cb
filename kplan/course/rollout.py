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
from enum import StrEnum
from typing import Any

from kplan.admission import Fleet, Quotas
from kplan.cluster import AddPods, PodInfo, arrive, leave
from kplan.course.attempts import Attempts
from kplan.objects.models import Pod
from kplan.objects.readiness import is_ready
from kplan.result import EventKind


@dataclass
class Replica:
    """A pod of a fleet that is there.

    Attributes:
        pod: the pod.
        new: whether it is of the new template.
        ready: whether it is ready.
    """

    pod: PodInfo
    new: bool
    ready: bool = False


@dataclass(frozen=True, slots=True)
class Left:
    """A pod that a controller removed.

    Attributes:
        pod: ``namespace/name``.
        node: where it was; empty for nowhere.
    """

    pod: str
    node: str


@dataclass
class Step:
    """One new pod, and what its controller removes once it is ready; the first may be of no pod.

    Attributes:
        pod: the new pod; None for what leaves before any is made.
        leaves: pods that leave then.
        ready: pods that are ready then.
        old: those of them of the old template.
        new: those of them of the new one.
    """

    pod: PodInfo | None = None
    leaves: list[Left] = field(default_factory=list)
    ready: int = 0
    old: int = 0
    new: int = 0


class StalledBy(StrEnum):
    """What a rollout stops at."""

    POD = "pod"
    QUOTA = "quota"
    UNREADY = "not-ready"
    CONTROLLER = "no-step"


@dataclass(frozen=True, slots=True)
class Stall:
    """What a rollout stops at.

    Attributes:
        by: a new pod that has no node, a quota that refuses the next pod, a pod that is not ready, or nothing: its
            controller has no step left.
        pod: the pod.
        kind: what its last attempt did; None where it was not tried, as no profile has its schedulerName.
        later: pods of an ordered set that come after it, and are not made.
        quota: what the quota says.
    """

    by: StalledBy
    pod: PodInfo | None = None
    kind: EventKind | None = None
    later: int = 0
    quota: str = ""


@dataclass
class Shared:
    """What the controllers of one plan work on.

    Attributes:
        attempts: tries the pods that they make.
        ledger: quotas.
        made: pods that were made and have not been tried.
        freed: whether a pod left since the last try.
    """

    attempts: Attempts[Any]
    ledger: Quotas | None
    made: list[PodInfo] = field(default_factory=list)
    freed: bool = False


@dataclass
class Rollout:
    """A fleet on its way.

    Attributes:
        fleet: what its controller goes by.
        shared: what it works on.
        there: pods that are there, by row.
        unmade: new pods that were not made yet, by name, in the controller's order.
        steps: each new pod, in order.
        current: that of what became ready last; of no pod at first.
        wanted: new pods that a Deployment's new ReplicaSet was told to have.
        scaled: whether a Deployment's old pods have had the new number of replicas.
        refused: what the quota said of the last pod that could not be made.
        peak: most replicas so far.
        serving: fewest ready replicas so far.
    """

    fleet: Fleet
    shared: Shared
    there: dict[int, Replica] = field(default_factory=dict)
    unmade: dict[str, Pod] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    current: Step = field(default_factory=Step)
    wanted: int = 0
    scaled: bool = False
    refused: str = ""
    peak: int = 0
    serving: int = 0

    def old(self) -> list[Replica]:
        """Members of the old template."""
        return [replica for replica in self.there.values() if not replica.new]

    def new(self) -> list[Replica]:
        """Members of the new template."""
        return [replica for replica in self.there.values() if replica.new]

    def ready(self) -> int:
        """How many replicas are ready."""
        return sum(replica.ready for replica in self.there.values())

    def begin(self, replicas: Iterable[Replica]) -> None:
        """Take over the pods that run."""
        self.there = {replica.pod.row: replica for replica in replicas}
        self.peak, self.serving = len(self.there), self.ready()

    def make(self, pod: Pod, *, new: bool = True) -> bool:
        """Make a pod, unless a quota refuses it."""
        shared = self.shared
        self.refused = shared.ledger.refuses_pod(pod) if self._charged() and shared.ledger else ""
        if self.refused:
            return False
        planner = shared.attempts.planner
        planner.apply([AddPods((pod,))] if new else arrive(planner.cluster, (pod,)))
        info = planner.cluster.pods[-1]
        self.there[info.row] = Replica(info, new)
        shared.made.append(info)
        self.steps.append(Step(info))
        self.peak = max(self.peak, len(self.there))
        self.unmade.pop(pod.name, None)
        return True

    def remove(self, replica: Replica) -> None:
        """Remove a pod, and free what it used."""
        shared, pod = self.shared, replica.pod
        planner = shared.attempts.planner
        if pod in shared.made:  # made and removed in one turn: nobody sees it
            shared.made.remove(pod)
            self.steps = [step for step in self.steps if step.pod is not pod]
        else:
            self.current.leaves.append(Left(pod.key, planner.cluster.home_of(pod.row)))
        planner.apply(leave(planner.cluster, (pod.row,)))
        if not pod.bound:
            shared.attempts.landings.pop(pod.row, None)
        if shared.ledger is not None:
            shared.ledger.let_out_pod(pod.pod)
        del self.there[pod.row]
        shared.freed = True
        self.serving = min(self.serving, self.ready())

    def _charged(self) -> bool:
        """Whether its new pods were not yet held against quotas when the manifest was expanded."""
        return self.fleet.replaces

    def note(self) -> None:
        """Write down how many are ready, in the step of the pod that became ready."""
        self.current.ready = self.ready()
        self.current.new = sum(replica.ready for replica in self.new())
        self.current.old = self.current.ready - self.current.new

    @property
    def wanted_new(self) -> int:
        """How many pods of the new template there are to be."""
        if self.fleet.replaces and self.fleet.kind == "StatefulSet":
            return max(0, self.fleet.replicas - self.fleet.partition)
        return self.fleet.replicas

    @property
    def done(self) -> int:
        """How many pods of the new template are ready."""
        return sum(replica.ready for replica in self.new())

    @property
    def finished(self) -> bool:
        """Whether as many new pods are ready, and as few old ones left, as there are to be."""
        # those below the partition of a StatefulSet stay
        stay = min(self.fleet.replicas, self.fleet.partition) if self.fleet.kind == "StatefulSet" else 0
        return self.done >= self.wanted_new and not (self.fleet.replaces and len(self.old()) > stay)

    def told_steps(self) -> list[Step]:
        """Its steps with how many pods are ready at each; without those of pods that were removed before a try."""
        landings = self.shared.attempts.landings
        told = []
        for step in self.steps:
            if step.pod is not None and step.pod.gone and step.pod.row not in landings and not step.leaves:
                continue
            replica = self.there.get(step.pod.row) if step.pod is not None else None
            if replica is not None and not replica.ready:
                self.current = step
                self.note()
            told.append(step)
        return told

    def stall(self) -> Stall | None:
        """Tell what it stops at; None if it is through, or nothing more is known to come."""
        fleet = self.fleet
        if self.finished or fleet.leaving or (fleet.replaces and fleet.strategy == "OnDelete"):
            return None
        for replica in self.new():
            if not replica.pod.bound:
                landing = self.shared.attempts.landings.get(replica.pod.row)
                later = len(self.unmade) if fleet.ordered else 0
                return Stall(StalledBy.POD, replica.pod, landing.kind if landing is not None else None, later)
        if self.refused:
            return Stall(StalledBy.QUOTA, quota=self.refused)
        idle = [replica.pod for replica in self.there.values() if not replica.ready]
        return Stall(StalledBy.UNREADY, idle[0]) if idle else Stall(StalledBy.CONTROLLER)


Act = Callable[[Rollout], bool]
"""One turn of a controller; tells whether anything moved."""


class Rollouts:
    """Controllers and the scheduler in turns, until nothing moves."""

    def __init__(
        self, attempts: Attempts[Any], fleets: Iterable[Fleet], ledger: Quotas | None, acts: dict[str, Act]
    ) -> None:
        """Take the pods that run into their rollouts."""
        self.attempts = attempts
        self.shared = Shared(attempts, ledger)
        self.acts = acts
        self.waiting: deque[PodInfo] = deque()
        cluster = attempts.planner.cluster
        self.every = []
        for fleet in fleets:
            rollout = Rollout(fleet, self.shared, unmade={pod.name: pod for pod in fleet.pods})
            rows = [cluster.pod_index[pod.key] for pod in fleet.running if pod.key in cluster.pod_index]
            rollout.begin(
                Replica(pod, new=not fleet.replaces, ready=pod.bound and is_ready(pod.pod))
                for pod in map(cluster.pods.__getitem__, rows)
                if not pod.gone and not pod.terminating
            )
            self.every.append(rollout)
        attempts.placed = self._placed
        attempts.evicted = self._evicted

    def _placed(self, pod: PodInfo) -> None:
        if any(pod.row in rollout.there for rollout in self.every):
            self.waiting.append(pod)

    def _evicted(self, pod: PodInfo, copy: PodInfo | None) -> None:
        for rollout in self.every:
            replica = rollout.there.pop(pod.row, None)
            if replica is not None:
                if copy is not None:
                    rollout.there[copy.row] = Replica(copy, replica.new)
                rollout.serving = min(rollout.serving, rollout.ready())

    def play(self, landed: Sequence[PodInfo]) -> None:
        """Let all controllers begin, try the pods, and go on until nothing moves.

        Args:
            landed: other pods that the manifests bring, to be tried with those made first.
        """
        for rollout in self.every:
            self._act(rollout)
            if rollout.current.leaves:
                rollout.steps.insert(0, rollout.current)
        self._try(landed)
        while self.waiting:
            pod = self.waiting.popleft()
            for rollout in self.every:
                replica = rollout.there.get(pod.row)
                if replica is None:
                    continue
                replica.ready = True
                known = [step for step in rollout.steps if step.pod is pod]
                rollout.current = known[0] if known else rollout.current
                self._act(rollout)
            if self.shared.freed:
                for rollout in self.every:
                    if rollout.refused:
                        self._act(rollout)
            self._try(())

    def stuck(self) -> list[PodInfo]:
        """The first new pod of each rollout that has no node in the end."""
        found = []
        for rollout in self.every:
            waiting = [replica.pod for replica in rollout.new() if not replica.pod.bound]
            if waiting and rollout.fleet.replaces:
                found.append(waiting[0])
        return found

    def _act(self, rollout: Rollout) -> None:
        act = self.acts[rollout.fleet.kind]
        while act(rollout):
            pass
        rollout.note()

    def _try(self, landed: Sequence[PodInfo]) -> None:
        """Try what could not be placed before, if something left, then what was made."""
        while self.shared.freed or self.shared.made or landed:
            made, self.shared.made = self.shared.made, []
            freed, self.shared.freed = self.shared.freed, False
            if freed:
                self.attempts.retry()
            known = self.attempts.planner.queue.responsible
            tried = sorted([*landed, *made], key=lambda pod: -pod.priority)
            self.attempts.place([pod for pod in tried if pod.waiting and known(pod)])
            landed = ()
