"""A rollout on its way: the pods that are there, the steps so far, and what it stops at."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from kplan.admission import Fleet, Quotas, RunningSet, ordinal
from kplan.cluster import AddPods, PodInfo, arrive, leave
from kplan.cluster.silence import ends_at_once, on_silent_node
from kplan.course.readiness.durations import AT_ONCE, Paces, Span, grace_of, until_ready
from kplan.course.trial.attempts import Attempts
from kplan.course.trial.kubelet import NotAdmitted
from kplan.course.volumes.held import DETACHED_AFTER, Held, exclusive_of, held_elsewhere
from kplan.objects.models import Pod
from kplan.result import EventKind


class Replica(Struct):
    """A pod of a fleet that is there.

    Attributes:
        pod: the pod.
        new: whether it is of the new template.
        ready: whether it is ready.
    """

    pod: PodInfo
    new: bool
    ready: bool = False


_NOW = "9999"
"""When a ReplicaSet that is made now was made: after all others."""


class Left(Struct, frozen=True):
    """A pod that a controller removed.

    Attributes:
        pod: ``namespace/name``.
        node: where it was; empty for nowhere.
    """

    pod: str
    node: str


class RolloutStep(Struct):
    """One new pod, and what its controller removes once it is ready; the first may be of no pod.

    Attributes:
        pod: the new pod; None for what leaves before any is made.
        leaves: pods that leave then.
        there: pods that are there then.
        ready: pods that are ready then.
        old: those of them of the old template.
        new: those of them of the new one.
        since: when it was made, in seconds since the beginning that specs tell of.
        at: when it is available, likewise.
    """

    pod: PodInfo | None = None
    leaves: list[Left] = field(default_factory=list)
    there: int = 0
    ready: int = 0
    old: int = 0
    new: int = 0
    since: Span = AT_ONCE
    at: Span = AT_ONCE


class StalledBy(StrEnum):
    """What a rollout stops at."""

    POD = "pod"
    QUOTA = "quota"
    UNREADY = "not-ready"
    TERMINATING = "terminating"
    VOLUME = "volume"
    KUBELET = "kubelet"
    CONTROLLER = "no-step"


class Stall(Struct, frozen=True):
    """What a rollout stops at.

    Attributes:
        by: a new pod that has no node or that the kubelet of the node it names refuses, a quota that refuses the next
            pod, a pod that is not ready, one that stays Terminating, a volume that another node holds, or nothing: its
            controller has no step left.
        pod: the pod.
        kind: what its last attempt did; None where it was not tried, as no profile has its schedulerName.
        later: pods of an ordered set that come after it, and are not made.
        quota: what the quota says.
        node: where the pod is.
        held: the volume that it waits for.
        in_order: whether the controller goes on only once that pod is ready, whatever its template.
        not_admitted: why a kubelet refuses the pod.
    """

    by: StalledBy
    pod: PodInfo | None = None
    kind: EventKind | None = None
    later: int = 0
    quota: str = ""
    node: str = ""
    held: Held | None = None
    in_order: bool = False
    not_admitted: NotAdmitted | None = None


class Shared(Struct):
    """What the controllers of one plan work on.

    Attributes:
        attempts: tries the pods that they make.
        ledger: quotas.
        made: pods that were made and have not been tried.
        freed: whether a pod left since the last try.
        started: rows of placed pods that became ready.
        detached: of those, the ones that waited until a volume was detached from a silent node by force, by row.
        not_admitted: pods that the kubelet of the node they name refuses, by row.
    """

    attempts: Attempts[Any]
    ledger: Quotas | None
    made: list[PodInfo] = field(default_factory=list)
    freed: bool = False
    started: set[int] = field(default_factory=set)
    detached: dict[int, Held] = field(default_factory=dict)
    not_admitted: dict[int, NotAdmitted] = field(default_factory=dict)


class Rollout(Struct):
    """A fleet on its way.

    Attributes:
        fleet: what its controller goes by.
        shared: what it works on.
        there: pods that are there, by row.
        unmade: new pods that were not made yet, by name, in the controller's order.
        steps: each new pod, in order.
        current: that of what became ready last; of no pod at first.
        sets: ReplicaSets of a Deployment, the oldest first.
        lingering: pods that were deleted and stay Terminating, as their node is silent.
        copies: how many pods were made after others of their ReplicaSet.
        kept: pods that had the wanted template from the beginning.
        refused: what the quota said of the last pod that could not be made.
        waited: pods, by name, that a quota refused at first.
        peak: most replicas so far.
        serving: fewest ready replicas so far.
        paces: how long its new pods take, as far as specs say.
        now: when what became available last did so, in seconds since the beginning.
        gone: when all that left so far are gone for good, at most.
        waits: longest time that a pod may wait for what left before it, at most [s].
        detached: silent node that a volume of its pods had to be detached from by force; empty for none.
    """

    fleet: Fleet
    shared: Shared
    there: dict[int, Replica] = field(default_factory=dict)
    unmade: dict[str, Pod] = field(default_factory=dict)
    steps: list[RolloutStep] = field(default_factory=list)
    current: RolloutStep = field(default_factory=RolloutStep)
    sets: list[RunningSet] = field(default_factory=list)
    lingering: list[Replica] = field(default_factory=list)
    copies: int = 0
    kept: int = 0
    refused: str = ""
    waited: set[str] = field(default_factory=set)
    peak: int = 0
    serving: int = 0
    paces: Paces = field(default_factory=Paces)
    now: Span = AT_ONCE
    gone: int = 0
    waits: int = 0
    detached: str = ""

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
        self.paces = self._paces()
        self.kept = len(self.new()) if self.fleet.replaces else 0
        self.sets = [replace(own) for own in self.fleet.sets]  # each plan counts on its own

    def _paces(self) -> Paces:
        pods = [*self.fleet.pods, *self.fleet.running]
        if not pods:
            return Paces()
        written = any(pod.spec.termination_grace_period_seconds is not None for pod in self.fleet.running)
        cluster = self.shared.attempts.planner.cluster
        volumes = next(exclusive_of(cluster, pods[0]), None) is not None
        return Paces(until_ready(pods[0]), self.fleet.min_ready_seconds, written, volumes)

    def made_now(self) -> Span:
        """When a pod made now is placed: at most once those that left are gone, for their room or name."""
        return Span(self.now.least, max(self.now.most, self.gone))

    def started(self, step: RolloutStep) -> None:
        """Note that the pod of a step is available, and when that is."""
        least, most = (moment + self.paces.each for moment in step.since)
        if step.pod is not None and step.pod.row in self.shared.detached:
            most += DETACHED_AFTER
            self.detached = self.shared.detached[step.pod.row].node
        step.at = Span(least, most)
        self.now = Span(max(self.now.least, least), max(self.now.most, most))

    def wanted_set(self) -> RunningSet:
        """The ReplicaSet of the wanted template; it is made if there is none."""
        wanted = next((running_set for running_set in self.sets if running_set.wanted), None)
        if wanted is None:
            owner = next(iter(self.unmade.values())).controller if self.unmade else None
            name = (owner.name or "") if owner is not None else ""
            fleet = self.fleet
            wanted = RunningSet(name, _NOW, 0, fleet.replicas, fleet.replicas + fleet.max_surge, wanted=True)
            self.sets.append(wanted)
        return wanted

    def make(self, pod: Pod, *, new: bool = True) -> bool:
        """Make a pod, unless a quota refuses it."""
        shared = self.shared
        self.refused = shared.ledger.refuses_pod(pod) if self._charged() and shared.ledger else ""
        if self.refused:
            self.waited.add(pod.name)
            return False
        planner = shared.attempts.planner
        planner.apply([AddPods((pod,))] if new else arrive(planner.cluster, (pod,)))
        info = planner.cluster.pods[-1]
        self.there[info.row] = Replica(info, new)
        shared.made.append(info)
        self.steps.append(RolloutStep(info, since=self.made_now()))
        self.waits = max(self.waits, self.gone - self.now.most)
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
            self.gone = max(self.gone, self.now.most + (grace_of(pod.pod) if pod.bound else 0))
        del self.there[pod.row]
        self.serving = min(self.serving, self.ready())
        if on_silent_node(planner.cluster, pod.row) and not ends_at_once(pod.pod):
            self.lingering.append(replica)
            return
        planner.apply(leave(planner.cluster, (pod.row,)))
        if not pod.bound:
            shared.attempts.landings.pop(pod.row, None)
        if shared.ledger is not None:
            shared.ledger.let_out_pod(pod.pod)
        shared.freed = True

    def _charged(self) -> bool:
        """Whether its new pods were not yet held against quotas when the manifest was expanded."""
        return self.fleet.replaces

    def note(self) -> None:
        """Write down how many are ready, in the step of the pod that became ready."""
        self.current.there = len(self.there)
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
        if self.fleet.kind == "StatefulSet" and not self.fleet.replaces and self.there and not self.unmade:
            if len(self.there) > self.fleet.replicas:
                return False  # those too many wait for one that is not ready
            if all(replica.ready or replica.pod.pod.spec.node_name for replica in self.there.values()):
                return True  # what was not ready before is in nobody's way
        return self.done >= self.wanted_new and not (self.fleet.replaces and len(self.old()) > stay)

    def told_steps(self) -> list[RolloutStep]:
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
        lands = all(replica.pod.bound for replica in self.new())
        if self.finished or fleet.leaving or (fleet.replaces and fleet.strategy == "OnDelete" and lands):
            return None
        cluster = self.shared.attempts.planner.cluster
        for replica in self.new():
            why = self.shared.not_admitted.get(replica.pod.row)
            if why is not None:
                return Stall(StalledBy.KUBELET, replica.pod, node=why.node, not_admitted=why)
            if not replica.pod.bound:
                landing = self.shared.attempts.landings.get(replica.pod.row)
                there = {known.pod.name for known in self.there.values()}
                later = len(self.unmade.keys() - there) if fleet.ordered else 0
                return Stall(StalledBy.POD, replica.pod, landing.kind if landing is not None else None, later)
        for replica in self.there.values():
            held = held_elsewhere(cluster, replica.pod, self.shared.started) if not replica.ready else None
            if held is not None:
                node = cluster.home_of(replica.pod.row)
                return Stall(StalledBy.VOLUME, replica.pod, node=node, held=held)
        if self.refused:
            return Stall(StalledBy.QUOTA, quota=self.refused)
        if self.lingering:
            pod = self.lingering[0].pod
            return Stall(StalledBy.TERMINATING, pod, node=cluster.home_of(pod.row), in_order=fleet.ordered)
        idle = [replica.pod for replica in self.there.values() if not replica.ready]
        if not idle:
            return Stall(StalledBy.CONTROLLER)
        if fleet.ordered:
            idle.sort(key=lambda pod: ordinal(pod.name))
        return Stall(StalledBy.UNREADY, idle[0], node=cluster.home_of(idle[0].row), in_order=fleet.ordered)
