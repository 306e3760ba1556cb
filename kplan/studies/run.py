"""Run: a plan that is being made, pod by pod, with what became of each and why.

Failures are told as they happen, while the cluster is as the pod met it; one for each cause, so that a large plan
explains little more than it shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from kplan.cluster import AddPods, PodInfo
from kplan.pipeline import Planner
from kplan.result import Event, EventKind, Outcome
from kplan.result.document import Cause, Group
from kplan.result.document_plan import PlanStep
from kplan.studies.because import because
from kplan.studies.groups import Asked, find_groups
from kplan.studies.owners import owner_text
from kplan.studies.preempting import preempt_part
from kplan.studies.returning import copy_of, returns
from kplan.studies.tell import tell

RETURNS_OF_ONE = 3
"""How often a pod may be evicted and come back before the cascade is cut short."""


@dataclass
class Told:
    """A cause of failure, told for the first pod that met it."""

    because: Cause
    pod: str
    group: Group | None = None
    groups: int = 0
    preempt: str = ""


@dataclass
class Entry:
    """What became of one pod.

    Attributes:
        step: as shown.
        key: of its cause; None for a pod that was placed.
    """

    step: PlanStep
    key: object


def _nobody(pod: PodInfo, copy: PodInfo | None) -> None:
    """Watch nothing."""


@dataclass
class Run:
    """A plan that is being made.

    Attributes:
        planner: the planner.
        back: whether evicted pods that a controller owns come back.
        entries: what became of each pod, by row, in the order of the last try that changed something.
        told: causes by key; a key is told once.
        owners: owner of each pod, by row.
        returned: how often each pod came back, by the name it began with.
        first_name: name that a pod which came back began with, by row.
        cut: pods that did not come back once more.
        placed: called with each pod that was placed.
        evicted: called with each pod that was evicted and the one that stands for it, if one does.
    """

    planner: Planner
    back: bool = True
    entries: dict[int, Entry] = field(default_factory=dict)
    told: dict[object, Told] = field(default_factory=dict)
    owners: dict[int, str] = field(default_factory=dict)
    returned: dict[str, int] = field(default_factory=dict)
    first_name: dict[int, str] = field(default_factory=dict)
    cut: int = 0
    placed: Callable[[PodInfo], None] = field(default=lambda pod: None)
    evicted: Callable[[PodInfo, PodInfo | None], None] = _nobody

    @property
    def steps(self) -> list[PlanStep]:
        """What happened, in order."""
        return [entry.step for entry in self.entries.values()]

    def owner(self, pod: PodInfo) -> str:
        """Owner of a pod in words."""
        known = self.owners.get(pod.row)
        if known is None:
            known = self.owners[pod.row] = owner_text(pod, self.planner.cluster)
        return known

    def drain(self, pods: Sequence[PodInfo]) -> None:
        """Try pods one after another, then those that come back for their victims."""
        queue = list(pods)
        while queue:
            again: list[PodInfo] = []
            for pod in queue:
                again += self._come_back(self.attempt(pod))
            queue = self.planner.queue.sort(again)

    def retry(self) -> None:
        """Try those again that stayed Pending; of pods alike, no more once one has failed."""
        rows = [row for row, entry in self.entries.items() if entry.step.result == EventKind.PENDING.value]
        pending = [pod for pod in map(self.planner.cluster.pods.__getitem__, rows) if pod.waiting]
        failed: set[object] = set()
        for pod in self.planner.queue.sort(pending):
            alike = (_template(pod), self.owner(pod))
            if alike in failed or not pod.waiting:
                continue
            again = self._come_back(self.attempt(pod))
            if not pod.bound:
                failed.add(alike)
            self.drain(self.planner.queue.sort(again))

    def tell_again(self, pod: PodInfo) -> None:
        """Try a pod that stayed Pending once more, and tell why as the cluster is now."""
        entry = self.entries.get(pod.row)
        if entry is not None and pod.waiting and entry.step.result == EventKind.PENDING.value:
            self.told.pop(entry.key, None)
            self.drain(self._come_back(self.attempt(pod)))

    def attempt(self, pod: PodInfo) -> tuple[int, ...]:
        """Try one pod; return rows of the pods evicted for it."""
        planner = self.planner
        event = planner.step(pod)
        outcome = event.outcome
        last = outcome.preempted.then if outcome.preempted is not None else outcome
        placed = event.kind in (EventKind.PLACED, EventKind.PREEMPTED) and last.placement is not None
        victims = outcome.preempted.victims if outcome.preempted is not None else ()
        kind = EventKind.PENDING if not planner.cluster.nodes and event.kind is EventKind.FAILED else event.kind
        result = kind.value if placed or event.kind is not EventKind.PREEMPTED else EventKind.PENDING.value
        tie = len(last.scores.best) if placed and last.scores is not None else 0
        key: object = None if placed else self._tell(pod, event, last)
        step = PlanStep(
            pod=pod.key,
            result=result,
            node=planner.cluster.node_name(last.placement.node) if last.placement is not None and placed else "",
            owner=self.owner(pod),
            evicts=tuple(planner.cluster.pods[row].key for row in victims),
            cause=self.told[key].because.code if key is not None else "",
            message=last.fit_error or last.error,
            tie=tie if tie > 1 else 0,
            returned=pod.row in self.first_name,
        )
        if placed:
            self.entries.pop(pod.row, None)  # a pod that waited stands where it was placed
        self.entries[pod.row] = Entry(step, key)
        if placed:
            self.placed(pod)
        return victims

    def _tell(self, pod: PodInfo, event: Event, outcome: Outcome) -> object:
        """Tell the cause of a failure unless one like it was told; return its key."""
        planner = self.planner
        if event.kind is EventKind.GATED:
            names = tuple(gate.name for gate in pod.pod.spec.scheduling_gates or ())
            key: object = ("gated", names)
            text = f"{'gate' if len(names) == 1 else 'gates'} {', '.join(names)} must be removed first"
            self.told.setdefault(key, Told(Cause(code="scheduling-gates", text=text), pod.key))
            return key
        if not planner.cluster.nodes:
            self.told.setdefault("no-nodes", Told(Cause(code="no-nodes", text="there is no node at all"), pod.key))
            return "no-nodes"
        if outcome.error:
            key = ("failed", outcome.error)
            self.told.setdefault(key, Told(Cause(code="cycle-error", text=outcome.error), pod.key))
            return key
        cheap = (_template(pod), _reasons(outcome))
        if cheap in self.told:
            return cheap
        everything, planner.everything = planner.everything, True
        try:
            cycle = planner.cycle(pod)
            asked = Asked(planner.cluster, pod, cycle, cycle.explain(preempt=False))
        finally:
            planner.everything = everything
        groups = find_groups(asked)
        if not groups:
            self.told[cheap] = Told(Cause(code="unknown", text=outcome.fit_error), pod.key)
            return cheap
        first = tell(asked, groups[0], names=False)
        cause = because(first.view, first.phrases, groups[1:])
        part = preempt_part(outcome, planner.cluster, groups)
        evictions = part.text if part is not None else ""
        self.told[cheap] = Told(cause, pod.key, first.group, len(groups), evictions)
        return cheap

    def _come_back(self, victims: Iterable[int]) -> list[PodInfo]:
        """Let controllers make pods again for those that were evicted."""
        cluster = self.planner.cluster
        again: list[PodInfo] = []
        for row in victims:
            victim = cluster.pods[row]
            copy = self._copy(victim) if self.back and returns(victim) else None
            self.evicted(victim, copy)
            again += [copy] if copy is not None else []
        return again

    def _copy(self, victim: PodInfo) -> PodInfo | None:
        cluster = self.planner.cluster
        first = self.first_name.get(victim.row, victim.key)
        times = self.returned[first] = self.returned.get(first, 0) + 1
        if times > RETURNS_OF_ONE:
            self.cut += 1
            return None
        name = f"{first.partition('/')[2]}-r{times}"
        cluster.apply([AddPods((copy_of(victim, name),))])
        copy = cluster.pods[-1]
        self.first_name[copy.row] = first
        return copy


def _reasons(outcome: Outcome) -> frozenset[str]:
    """Texts of the reasons, without how often each holds."""
    diagnosis = outcome.diagnosis
    if diagnosis is None:
        return frozenset()
    if diagnosis.pre_filter is not None:
        return frozenset(diagnosis.pre_filter.reasons)
    return frozenset(
        refusal.reason for failing in diagnosis.failing for refusal in failing.findings.refusals if refusal.rows.any()
    )


def _template(pod: PodInfo) -> object:
    """What makes pods alike to the filters: they fail for the same cause."""
    return (
        pod.namespace,
        pod.priority,
        tuple(sorted(pod.requests.items())),
        tuple(sorted(pod.labels.items())),
        (tuple(sorted((pod.pod.spec.node_selector or {}).items()))),
    )
