"""Run: a plan that is being made, pod by pod, with what became of each and why.

Failures are told as they happen, while the cluster is as the pod met it; one for each cause, so that a large plan
explains little more than it shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from kplan.cluster import PodInfo
from kplan.course.alike import likeness, template_likeness
from kplan.course.returning import Returns
from kplan.framework.findings import About
from kplan.pipeline import Planner
from kplan.plugins.shared.own_claims import own_claims
from kplan.reasons.groups import Asked, find_groups
from kplan.result import EventKind, Outcome
from kplan.result.document import Group
from kplan.result.document_base import Cause
from kplan.result.document_plan import PlanStep
from kplan.wording.because import because_wanted
from kplan.wording.failing import plain_cause
from kplan.wording.groups import tell
from kplan.wording.owners import owner_text
from kplan.wording.preempting import preempt_part
from kplan.wording.wanted import Wanted


@dataclass
class Told:
    """A cause of failure, told for the first pod that met it; ``wanted`` is what it says of amounts."""

    because: Cause
    pod: str
    group: Group | None = None
    groups: int = 0
    preempt: str = ""
    wanted: Wanted | None = None


@dataclass
class Entry:
    """What became of one pod.

    Attributes:
        step: as shown.
        key: of its cause; None for a pod that was placed.
    """

    step: PlanStep
    key: object


def _nobody(pod: PodInfo, copy: PodInfo | None = None) -> None:
    """Watch nothing."""


class Run:
    """A plan that is being made.

    Attributes:
        planner: the planner; its cluster is changed.
        entries: what became of each pod, by row, in the order of the last try that changed something.
        told: causes by key; a key is told once.
        returns: what makes evicted pods again; None if nothing does.
        placed: called with each pod that was placed.
        evicted: called with each pod that was evicted and the one that stands for it, if one does.
    """

    def __init__(self, planner: Planner, *, victims_return: bool = True) -> None:
        """Begin with nothing tried.

        Args:
            planner: the planner.
            victims_return: whether evicted pods that a controller owns come back.
        """
        self.planner = planner
        self.entries: dict[int, Entry] = {}
        self.told: dict[object, Told] = {}
        self.returns = Returns(planner) if victims_return else None
        self.placed: Callable[[PodInfo], None] = _nobody
        self.evicted: Callable[[PodInfo, PodInfo | None], None] = _nobody
        self._owners: dict[int, str] = {}

    @property
    def steps(self) -> list[PlanStep]:
        """What happened, in order."""
        return [entry.step for entry in self.entries.values()]

    def owner(self, pod: PodInfo) -> str:
        """Owner of a pod in words."""
        known = self._owners.get(pod.row)
        if known is None:
            known = self._owners[pod.row] = owner_text(pod, self.planner.cluster)
        return known

    def drain(self, pods: Sequence[PodInfo]) -> None:
        """Try pods one after another, then those that come back for their victims."""
        queue = list(pods)
        while queue:
            again: list[PodInfo] = []
            for pod in queue:
                again += self.come_back(self.attempt(pod))
            queue = self.planner.queue.sort(again)

    def retry(self) -> None:
        """Try those again that stayed Pending; of pods alike, no more once one has failed."""
        rows = [row for row, entry in self.entries.items() if entry.step.result == EventKind.PENDING.value]
        pending = [pod for pod in map(self.planner.cluster.pods.__getitem__, rows) if pod.waiting]
        failed: set[object] = set()
        for pod in self.planner.queue.sort(pending):
            alike = likeness(pod)
            if alike in failed or not pod.waiting:
                continue
            again = self.come_back(self.attempt(pod))
            if not pod.bound:
                failed.add(alike)
            self.drain(self.planner.queue.sort(again))

    def tell_again(self, pod: PodInfo) -> None:
        """Try a pod that stayed Pending once more, and tell why as the cluster is now."""
        entry = self.entries.get(pod.row)
        if entry is not None and pod.waiting and entry.step.result == EventKind.PENDING.value:
            self.told.pop(entry.key, None)
            self.drain(self.come_back(self.attempt(pod)))

    def attempt(self, pod: PodInfo) -> tuple[int, ...]:
        """Try one pod; return rows of the pods evicted for it."""
        planner = self.planner
        event = planner.step(pod)
        last, victims = event.outcome.last, event.outcome.victims
        placed = last.placement is not None
        kind = EventKind.PENDING if not planner.cluster.nodes and event.kind is EventKind.FAILED else event.kind
        result = kind.value if placed or event.kind is not EventKind.PREEMPTED else EventKind.PENDING.value
        tie = len(last.scores.best) if placed and last.scores is not None else 0
        key = None if placed else self._tell(pod, last)
        step = PlanStep(
            pod=pod.key,
            result=result,
            node=planner.cluster.node_name(last.placement.node) if last.placement is not None else "",
            owner=self.owner(pod),
            evicts=tuple(planner.cluster.pods[row].key for row in victims),
            cause=self.told[key].because.code if key is not None else "",
            message=last.fit_error or last.error,
            tie=tie if tie > 1 else 0,
            returned=self.returns is not None and pod.row in self.returns.first_name,
        )
        if placed:
            self.entries.pop(pod.row, None)  # a pod that waited stands where it was placed
        self.entries[pod.row] = Entry(step, key)
        if placed:
            self.placed(pod)
        return victims

    def _tell(self, pod: PodInfo, outcome: Outcome) -> object:
        """Tell the cause of a failure unless one like it was told; return its key."""
        plain = plain_cause(self.planner, pod, outcome)
        key: object = plain if plain is not None else (template_likeness(pod), _reasons(outcome, own_claims(pod.pod)))
        if key not in self.told:
            self.told[key] = Told(plain, pod.key) if plain is not None else self._of_nodes(pod, outcome)
        return key

    def _of_nodes(self, pod: PodInfo, outcome: Outcome) -> Told:
        """Tell why nodes refuse a pod; of one that is told by a group of them, without their names."""
        asked = Asked.of(self.planner, pod)
        groups = find_groups(asked)
        if not groups:
            return Told(Cause(code="unknown", text=outcome.fit_error), pod.key)
        first = tell(asked, groups[0], names=False, own=own_claims(pod.pod))
        cause, wanted = because_wanted(first, groups[1:])
        part = preempt_part(outcome, self.planner.cluster, groups)
        return Told(cause, pod.key, first.group, len(groups), part.text if part is not None else "", wanted)

    def come_back(self, victims: Iterable[int]) -> list[PodInfo]:
        """Let controllers make pods again for those that were evicted."""
        again: list[PodInfo] = []
        for row in victims:
            victim = self.planner.cluster.pods[row]
            copy = self.returns.make(victim) if self.returns is not None else None
            self.evicted(victim, copy)
            again += [copy] if copy is not None else []
        return again


def _reasons(outcome: Outcome, own: Mapping[About, str]) -> frozenset[object]:
    """The reasons, without how often each holds; claims of the pod alone count by their entries in its spec."""
    diagnosis = outcome.diagnosis
    if diagnosis is None:
        return frozenset()
    if diagnosis.pre_filter is not None:
        return frozenset((why.code, tuple(own.get(one, one) for one in why.about)) for why in diagnosis.pre_filter.whys)
    return frozenset(
        refusal.reason for failing in diagnosis.failing for refusal in failing.findings.refusals if refusal.rows.any()
    )
