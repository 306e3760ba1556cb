"""Simulate: what happens to the whole queue, and to the pods of manifests after it, as a document.

Failures are told as they happen, while the cluster is as the pod met it; one for each cause, so that a large plan
explains little more than it shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from kplan.cluster import AddPods, PodInfo
from kplan.pipeline import Planner
from kplan.result import Event, EventKind, Outcome
from kplan.result.document import API_VERSION, Cause, Doubt, Group, Origin
from kplan.result.document_plan import (
    Expanded,
    PlanCause,
    PlanOwner,
    PlanStep,
    PlanTotals,
    SimulationPlan,
)
from kplan.studies.because import because
from kplan.studies.doubts import broken_doubts
from kplan.studies.groups import Asked, find_groups
from kplan.studies.owners import owner_text
from kplan.studies.returning import copy_of, returns
from kplan.studies.tell import tell
from kplan.studies.words import count

RETURNS_OF_ONE = 3
"""How often a pod may be evicted and come back before the cascade is cut short."""


@dataclass(frozen=True)
class SimulateOptions:
    """What is asked.

    Attributes:
        victims_return: whether evicted pods that a controller owns come back as pending.
        doubts: about version and configuration.
        notes: what else to say.
        change: what manifests came to.
    """

    victims_return: bool = True
    doubts: tuple[Doubt, ...] = ()
    notes: tuple[str, ...] = ()
    change: tuple[Expanded, ...] = ()


@dataclass
class _Told:
    because: Cause
    pod: str
    group: Group | None = None
    groups: int = 0


@dataclass
class _Run:
    """A plan that is being made.

    Attributes:
        planner: the planner.
        steps: what happened, in order.
        told: causes by key; a key is told once.
        keys: key of the cause by step.
        owners: owner of each pod, by row.
        returned: how often each pod came back, by the name it began with.
        cut: pods that did not come back once more.
    """

    planner: Planner
    steps: list[PlanStep] = field(default_factory=list)
    told: dict[object, _Told] = field(default_factory=dict)
    keys: list[object] = field(default_factory=list)
    owners: dict[int, str] = field(default_factory=dict)
    returned: dict[str, int] = field(default_factory=dict)
    first_name: dict[int, str] = field(default_factory=dict)
    cut: int = 0

    def owner(self, pod: PodInfo) -> str:
        """Owner of a pod in words."""
        known = self.owners.get(pod.row)
        if known is None:
            known = self.owners[pod.row] = owner_text(pod, self.planner.cluster)
        return known


def simulate_pods(
    planner: Planner, pods: Sequence[PodInfo], origin: Origin, options: SimulateOptions
) -> SimulationPlan:
    """Try pods one after another and tell what became of each.

    Args:
        planner: planner over the cluster; the cluster is changed.
        pods: pods to try, in this order.
        origin: where the state is from.
        options: what is asked.
    """
    run = _Run(planner)
    queue = list(pods)
    while queue:
        returned: list[PodInfo] = []
        for pod in queue:
            victims = _step(run, pod)
            if options.victims_return and victims:
                returned.extend(_come_back(run, victims))
        queue = planner.queue.sort(returned)
    return _document(run, origin, options)


def _step(run: _Run, pod: PodInfo) -> tuple[int, ...]:
    """Try one pod; return rows of the pods evicted for it."""
    planner = run.planner
    event = planner.step(pod)
    outcome = event.outcome
    last = outcome.preempted.then if outcome.preempted is not None else outcome
    placed = event.kind in (EventKind.PLACED, EventKind.PREEMPTED) and last.placement is not None
    victims = outcome.preempted.victims if outcome.preempted is not None else ()
    kind = EventKind.PENDING if not planner.cluster.nodes and event.kind is EventKind.FAILED else event.kind
    result = kind.value if placed or event.kind is not EventKind.PREEMPTED else "pending"
    tie = len(last.scores.best) if placed and last.scores is not None else 0
    code = ""
    key: object = None
    if not placed:
        key = _tell(run, pod, event, last)
        code = run.told[key].because.code
    run.keys.append(key)
    run.steps.append(
        PlanStep(
            pod=pod.key,
            result=result,
            node=planner.cluster.node_name(last.placement.node) if last.placement is not None and placed else "",
            owner=run.owner(pod),
            evicts=tuple(planner.cluster.pods[row].key for row in victims),
            cause=code,
            message=last.fit_error or last.error,
            tie=tie if tie > 1 else 0,
            returned=pod.row in run.first_name,
        )
    )
    return victims


def _tell(run: _Run, pod: PodInfo, event: Event, outcome: Outcome) -> object:
    """Tell the cause of a failure unless one like it was told; return its key."""
    planner = run.planner
    if event.kind is EventKind.GATED:
        names = tuple(gate.name for gate in pod.pod.spec.scheduling_gates or ())
        key: object = ("gated", names)
        text = f"{'gate' if len(names) == 1 else 'gates'} {', '.join(names)} must be removed first"
        run.told.setdefault(key, _Told(Cause(code="scheduling-gates", text=text), pod.key))
        return key
    if not planner.cluster.nodes:
        run.told.setdefault("no-nodes", _Told(Cause(code="no-nodes", text="there is no node at all"), pod.key))
        return "no-nodes"
    if outcome.error:
        key = ("failed", outcome.error)
        run.told.setdefault(key, _Told(Cause(code="cycle-error", text=outcome.error), pod.key))
        return key
    cheap = (_template(pod), _reasons(outcome))
    if cheap in run.told:
        return cheap
    everything, planner.everything = planner.everything, True
    try:
        cycle = planner.cycle(pod)
        asked = Asked(planner.cluster, pod, cycle, cycle.explain(preempt=False))
    finally:
        planner.everything = everything
    groups = find_groups(asked)
    if not groups:
        run.told[cheap] = _Told(Cause(code="unknown", text=outcome.fit_error), pod.key)
        return cheap
    first = tell(asked, groups[0], names=False)
    cause = because(first.view, first.phrases, groups[1:])
    run.told[cheap] = _Told(cause, pod.key, first.group, len(groups))
    return cheap


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


def _come_back(run: _Run, victims: Iterable[int]) -> list[PodInfo]:
    """Let controllers make pods again for those that were evicted."""
    cluster = run.planner.cluster
    again: list[PodInfo] = []
    for row in victims:
        victim = cluster.pods[row]
        if not returns(victim):
            continue
        first = run.first_name.get(row, victim.key)
        times = run.returned[first] = run.returned.get(first, 0) + 1
        if times > RETURNS_OF_ONE:
            run.cut += 1
            continue
        before = len(cluster.pods)
        name = f"{first.partition('/')[2]}-r{times}"
        run.planner.cluster.apply([AddPods((copy_of(victim, name),))])
        copy = cluster.pods[before]
        run.first_name[copy.row] = first
        again.append(copy)
    return again


def _document(run: _Run, origin: Origin, options: SimulateOptions) -> SimulationPlan:
    steps = run.steps
    placed = sum(1 for step in steps if step.node)
    gated = sum(1 for step in steps if step.result == "gated")
    totals = PlanTotals(
        pods=len(steps),
        placed=placed,
        not_placed=len(steps) - placed - gated,
        gated=gated,
        after_eviction=sum(1 for step in steps if step.node and step.evicts),
        evicted=sum(len(step.evicts) for step in steps),
        returned=sum(1 for step in steps if step.returned),
    )
    refused = sum(1 for change in options.change if change.refused)
    verdict = "FITS" if not totals.not_placed and not refused else "PARTLY" if placed else "BLOCKED"
    causes = _causes(run)
    failing = [cause for cause in causes if cause.result != "gated"]
    doubts = (*options.doubts, *broken_doubts(run.planner.cluster.state.completeness.broken, storage=True))
    return SimulationPlan(
        api_version=API_VERSION,
        verdict=verdict,
        sentence=_sentence(totals, len(failing)) + (f"; {count(refused, 'object')} refused" if refused else ""),
        totals=totals,
        steps=tuple(steps),
        origin=origin,
        because=failing[0].because if failing else None,
        doubts=tuple(dict.fromkeys(doubts)) if steps else (),
        notes=(*options.notes, *_notes(run)),
        change=options.change,
        causes=causes,
        owners=_owners(steps),
    )


def _sentence(totals: PlanTotals, causes: int) -> str:
    if not totals.pods:
        return "no pod waits"
    gated = f", {totals.gated:,} gated" if totals.gated else ""
    after = f" ({totals.after_eviction:,} after evictions)" if totals.after_eviction else ""
    if not totals.not_placed:
        every = "the pod is" if totals.pods == 1 else f"all {totals.placed:,} pods are" if not totals.gated else ""
        every = every or f"{totals.placed:,} of {count(totals.pods, 'pod')} {'is' if totals.placed == 1 else 'are'}"
        return f"{every} placed{after}{gated}"
    text = f"{totals.placed:,} of {count(totals.pods, 'pod')} {'is' if totals.placed == 1 else 'are'} placed{after}"
    return f"{text}, {totals.not_placed:,} not, for {count(causes, 'cause')}{gated}"


def _causes(run: _Run) -> tuple[PlanCause, ...]:
    """Steps that failed by cause; causes whose words agree are one."""
    merged: dict[tuple[str, str, str], list[int]] = {}
    first: dict[tuple[str, str, str], _Told] = {}
    for number, key in enumerate(run.keys):
        if key is None:
            continue
        told = run.told[key]
        shape = (
            ", ".join(reason.code + reason.text.partition(":")[0] for reason in told.group.reasons)
            if told.group
            else ""
        )
        same = (run.steps[number].result, told.because.code, shape or told.because.text)
        merged.setdefault(same, []).append(number)
        first.setdefault(same, told)
    causes = []
    for same, numbers in merged.items():
        told = first[same]
        owners: dict[str, int] = {}
        for number in numbers:
            owner = run.steps[number].owner
            owners[owner] = owners.get(owner, 0) + 1
        causes.append(
            PlanCause(
                result=same[0],
                count=len(numbers),
                because=told.because,
                owners=dict(sorted(owners.items(), key=lambda item: (-item[1], item[0]))),
                pod=told.pod,
                group=told.group,
                groups=told.groups,
            )
        )
    return tuple(sorted(causes, key=lambda cause: (cause.result == "gated", -cause.count, cause.pod)))


def _owners(steps: Sequence[PlanStep]) -> tuple[PlanOwner, ...]:
    by_owner: dict[str, list[PlanStep]] = {}
    for step in steps:
        bare = f"pods of {step.pod.partition('/')[0]} without an owner"
        by_owner.setdefault(bare if step.owner.startswith("pod/") else step.owner, []).append(step)
    made = []
    for owner, mine in by_owner.items():
        on: dict[str, int] = {}
        for step in mine:
            if step.node:
                on[step.node] = on.get(step.node, 0) + 1
        placed, gated = sum(on.values()), sum(step.result == "gated" for step in mine)
        made.append(PlanOwner(owner=owner, placed=placed, not_placed=len(mine) - placed - gated, gated=gated, on=on))
    return tuple(sorted(made, key=lambda item: (-item.placed - item.not_placed - item.gated, item.owner)))


def _notes(run: _Run) -> Iterable[str]:
    for name, keys in run.planner.other_schedulers().items():
        yield f"{count(len(keys), 'pod')} of schedulerName {name}: no profile of that name (--config)"
    terminating = run.planner.terminating()
    if terminating:
        yield f"{count(len(terminating), 'pod')} being deleted: never scheduled"
    if run.cut:
        yield f"{count(run.cut, 'pod')} evicted more than {RETURNS_OF_ONE} times: the plan lets them go there"
