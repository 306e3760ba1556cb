"""Attempts: pods tried one after another, with what became of each; those that leave for them come back and are tried.

Why a pod was not placed is not told here: an observer given from above is asked while the cluster is as the pod met it,
and what it says is kept.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import ClassVar, Generic, TypeVar

from msgspec import Struct

from kplan.cluster import PodInfo, leave
from kplan.cluster.owners import replaced
from kplan.cluster.work import COMES_BACK
from kplan.course.evictions.leaving import Broken, broken, leaving
from kplan.course.evictions.returning import Returns
from kplan.course.trial.alike import likeness
from kplan.course.trial.kubelet import NotAdmitted, admitted
from kplan.framework.preemption import NodeStatus
from kplan.pipeline import Planner
from kplan.result import EventKind, PlanEvent

W = TypeVar("W")
Why = Callable[[Planner, PodInfo, PlanEvent], W]
"""An observer: what it says of a pod that was not placed."""


class TriedPod(Struct, Generic[W], frozen=True):
    """What became of one pod that was tried.

    Attributes:
        pod: the pod.
        kind: what the last attempt did; PENDING for a pod that is tried by another scheduler.
        node: where it was placed; empty for nowhere.
        instead_of: the pod it stands for; empty for one that is new.
        was: node that the other ran on; empty for none.
        evicts: rows of pods that left for it.
        breaks: budgets that this breaks.
        tie: number of nodes that tied where it was placed.
        message: the scheduler's exact text, for what was not placed.
        why: what the observer said of it; None for what was placed, or where nobody asks.
        elsewhere: whether another scheduler places it.
        again: whether others evicted it over and over, until it was given up.
        named: whether its template names the node, so that no scheduler was asked.
        skipped: whether it was not tried at all.
        not_admitted: why nothing runs it there; None where its kubelet takes it.
        permit: what a Permit plugin holds it back with where it was placed; None for none.
    """

    pod: PodInfo
    kind: EventKind
    node: str = ""
    instead_of: str = ""
    was: str = ""
    evicts: tuple[int, ...] = ()
    tie: int = 0
    message: str = ""
    why: W | None = None
    elsewhere: bool = False
    again: bool = False
    breaks: tuple[Broken, ...] = ()
    permit: NodeStatus | None = None
    named: bool = False
    not_admitted: NotAdmitted | None = None
    skipped: bool = False

    @property
    def began_as(self) -> str:
        """``namespace/name`` of the pod that it stands for, or its own."""
        return self.instead_of or self.pod.key


def _nobody(pod: PodInfo, copy: PodInfo | None = None) -> None:
    """Watch nothing."""


class Attempts(Generic[W]):
    """Pods that are tried, and what became of each.

    Attributes:
        planner: the planner; its cluster is changed.
        why: asked about each pod that is not placed.
        returns: what makes evicted pods again; None if nothing does.
        landings: what became of each pod, by row, in the order of the last try that changed something.
        was: node that another left, by row of the pod that came back for it.
        placed: called with each pod that was placed.
        evicted: called with each pod that was evicted and the one that stands for it, if one does.
        bound: work that pods may have been, all in all, see ``cluster.work``; those that are ``ahead`` may be more.
        ahead: pods, ``namespace/name``, that are tried whatever is left for others.
        tell: told of how many of how many pods were tried, whoever tries them.
    """

    tell: ClassVar[Callable[[int, int], object]] = staticmethod(lambda done, total: None)

    def __init__(self, planner: Planner, why: Why[W] | None = None, *, victims_return: bool = True) -> None:
        """Begin with nothing tried.

        Args:
            planner: the planner.
            why: observer; None where nobody asks.
            victims_return: whether evicted pods that a controller owns come back.
        """
        self.planner = planner
        self.why = why
        self.returns = Returns(planner) if victims_return else None
        self.landings: dict[int, TriedPod[W]] = {}
        self.was: dict[int, str] = {}
        self.placed: Callable[[PodInfo], None] = _nobody
        self.evicted: Callable[[PodInfo, PodInfo | None], None] = _nobody
        self.bound: float = sys.maxsize
        self.ahead: Collection[str] = ()

    @property
    def cut(self) -> list[str]:
        """Pods that were evicted over and over and did not come back once more."""
        return self.returns.cut if self.returns is not None else []

    def began_as(self, pod: PodInfo) -> str:
        """``namespace/name`` of the pod that one stands for, or its own."""
        return self.returns.first_name.get(pod.row, pod.key) if self.returns is not None else pod.key

    def place(self, pods: Iterable[PodInfo]) -> list[TriedPod[W]]:
        """Try pods in the order given, then those that come back because of them, to the end."""
        landings: list[TriedPod[W]] = []
        queue = list(pods)
        while queue:
            again: list[PodInfo] = []
            for number, pod in enumerate(queue):
                Attempts.tell(number, len(queue))
                landing = self.attempt(pod)
                landings.append(landing)
                if landing.evicts:
                    again += self.come_back(dict.fromkeys(landing.evicts, landing.node))
            queue = self.planner.queue.sort(again) if again else []
        return landings

    @property
    def not_tried(self) -> int:
        """How many pods there was no work left for."""
        return sum(landing.skipped for landing in self.landings.values())

    def retry(self) -> None:
        """Try those again that stayed Pending; of pods alike, no more once one has failed."""
        pending = [
            tried_pod.pod
            for tried_pod in self.landings.values()
            if tried_pod.kind is EventKind.PENDING and not tried_pod.elsewhere and not tried_pod.skipped
        ]
        failed: set[object] = set()
        for pod in self.planner.queue.sort(pod for pod in pending if pod.waiting):
            alike = likeness(pod)
            if alike in failed or not pod.waiting:
                continue
            landing = self.attempt(pod)
            again = self.come_back(dict.fromkeys(landing.evicts, landing.node))
            if not pod.bound:
                failed.add(alike)
            self.place(self.planner.queue.sort(again))

    def attempt(self, pod: PodInfo) -> TriedPod[W]:
        """Try one pod; those that leave for it do not come back yet."""
        landing = self._land(pod)
        if landing.node:
            self.landings.pop(pod.row, None)  # a pod that waited stands where it was placed
        self.landings[pod.row] = landing
        if landing.node:
            self.placed(pod)
        return landing

    def _land(self, pod: PodInfo) -> TriedPod[W]:
        planner = self.planner
        instead_of = self.returns.first_name.get(pod.row, "") if self.returns is not None else ""
        was = self.was.get(pod.row, "")
        if pod.pod.spec.node_name:
            return self._on_its_node(pod, instead_of, was)
        if not planner.queue.responsible(pod):
            return TriedPod(pod, EventKind.PENDING, instead_of=instead_of, was=was, elsewhere=True)
        work = planner.cluster.work
        with work.within(work.most if pod.key in self.ahead else min(work.most, self.bound)):
            event = planner.step(pod)
        last, evicts = event.outcome.last, event.outcome.victims
        against = broken(leaving(planner.cluster, evicts)) if evicts else ()
        message = last.fit_error or last.error
        if last.placement is None:
            why = self.why(planner, pod, event) if self.why is not None else None
            if last.not_tried:
                return TriedPod(pod, EventKind.PENDING, "", instead_of, was, why=why, skipped=True)
            return TriedPod(
                pod, self._kind(event), "", instead_of, was, evicts, message=message, why=why, breaks=against
            )
        tie = len(last.scores.best) if last.scores is not None else 0
        node = planner.cluster.node_name(last.placement.node)
        return TriedPod(
            pod, event.kind, node, instead_of, was, evicts, tie, message, permit=last.permit, breaks=against
        )

    def _on_its_node(self, pod: PodInfo, instead_of: str, was: str) -> TriedPod[W]:
        """Ask the kubelet of the node that a template names; what it refuses takes no room."""
        planner = self.planner
        features = next(iter(planner.pipelines.values())).features
        why = admitted(planner.cluster, (pod,), features).refused.get(pod.key)
        if why is None:
            node = planner.cluster.home_of(pod.row)
            return TriedPod(pod, EventKind.PLACED, node, instead_of, was, named=True)
        planner.apply(leave(planner.cluster, (pod.row,)))
        return TriedPod(pod, EventKind.PENDING, "", instead_of, was, named=True, not_admitted=why)

    def _kind(self, event: PlanEvent) -> EventKind:
        """What a pod is that was not placed: one that evicted others waits, and so does one without any node."""
        nowhere = event.kind is EventKind.FAILED and not self.planner.cluster.nodes
        return EventKind.PENDING if nowhere or event.kind is EventKind.PREEMPTED else event.kind

    def come_back(self, left: Mapping[int, str], *, anew: bool = False) -> list[PodInfo]:
        """Let controllers make pods again; not in place of those that were being deleted, where one was made then.

        Args:
            left: by row of a pod that was removed, the node it was on.
            anew: whether what is being deleted began to be so just now.
        """
        cluster = self.planner.cluster
        cluster.work.charge(COMES_BACK * len(left))
        victims = [cluster.pods[row] for row in left]
        missed = [pod for pod in victims if anew or not replaced(pod, cluster)] if self.returns is not None else []
        made = self.returns.make_all(missed) if self.returns is not None and missed else []
        instead = {pod.row: copy for pod, copy in zip(missed, made, strict=True)}
        copies = [instead.get(pod.row) for pod in victims]
        for victim, copy, node in zip(victims, copies, left.values(), strict=True):
            if copy is not None:
                self.was[copy.row] = node
            self.evicted(victim, copy)
        return [copy for copy in copies if copy is not None]
