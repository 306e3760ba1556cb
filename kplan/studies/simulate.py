"""Simulate: what happens to the whole queue, and to the pods of manifests after it, as a document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from kplan.admission import Fleet, Quotas
from kplan.cluster import PodInfo
from kplan.pipeline import Planner
from kplan.result.document import API_VERSION, Doubt, Origin
from kplan.result.document_plan import (
    Expanded,
    PlanCause,
    PlanOwner,
    PlanStep,
    PlanTotals,
    RolloutPlan,
    SimulationPlan,
)
from kplan.studies.context import Context
from kplan.studies.controllers import controllers
from kplan.studies.doubts import broken_doubts, pod_doubts
from kplan.studies.quotas import quota_rows
from kplan.studies.remedies import attempt
from kplan.studies.rollout import Play
from kplan.studies.run import RETURNS_OF_ONE, Run, Told
from kplan.studies.verdicts import sentence, verdict_of
from kplan.studies.words import count

ATTEMPTS = 3
"""Causes, the most pods first, of which it is tried what would help."""


@dataclass(frozen=True)
class SimulateOptions:
    """What is asked.

    Attributes:
        victims_return: whether evicted pods that a controller owns come back as pending.
        doubts: about version and configuration.
        notes: what else to say.
        change: what manifests came to.
        landed: how many of the pods, the last ones, are of manifests.
        fleets: workloads whose controllers make or remove pods step by step.
        ledger: quotas with what the manifests were charged already.
        attempts: whether to try what would help those that fit nowhere.
    """

    victims_return: bool = True
    doubts: tuple[Doubt, ...] = ()
    notes: tuple[str, ...] = ()
    change: tuple[Expanded, ...] = ()
    landed: int = 0
    fleets: tuple[Fleet, ...] = ()
    ledger: Quotas | None = None
    attempts: bool = False


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
    run = Run(planner, options.victims_return)
    first = len(pods) - options.landed
    run.drain(pods[:first])
    features = next(iter(planner.pipelines.values())).features
    play = Play(run, options.fleets, options.ledger, controllers(max_unavailable=features.since(37)))
    play.play(pods[first:])
    return _document(run, play.plans(), origin, options)


def _document(run: Run, rollouts: tuple[RolloutPlan, ...], origin: Origin, options: SimulateOptions) -> SimulationPlan:
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
    verdict = verdict_of(totals, rollouts, refused)
    causes = _causes(run, origin, attempts=ATTEMPTS if options.attempts else 0)
    failing = [cause for cause in causes if cause.result != "gated"]
    doubts = (
        *options.doubts,
        *_doubts(run),
        *broken_doubts(run.planner.cluster.state.completeness.broken, storage=True),
    )
    return SimulationPlan(
        api_version=API_VERSION,
        verdict=verdict,
        sentence=sentence(totals, len(failing), rollouts, options.change),
        totals=totals,
        steps=tuple(steps),
        origin=origin,
        because=failing[0].because if failing else None,
        doubts=tuple(dict.fromkeys(doubts)) if steps else (),
        notes=(*options.notes, *_notes(run)),
        change=options.change,
        causes=causes,
        owners=_owners(steps),
        rollouts=rollouts,
        quotas=quota_rows(options.ledger) if options.ledger is not None else (),
        careful=tuple(dict.fromkeys(text for change in options.change for text in change.careful)),
    )


_NOT_MODELLED = {
    "devices-not-modelled": "resource claims, which are not modelled: devices count as there",
    "pod-group-not-modelled": "a pod group, which is not modelled: the scheduler may hold back one for another",
}


def _doubts(run: Run) -> Iterable[Doubt]:
    """Doubts that the pods themselves raise, each told once."""
    found: dict[str, int] = {}
    for row in run.entries:
        pod = run.planner.cluster.pods[row]
        for doubt in pod_doubts(pod, run.planner.cluster.state.completeness, "", frozenset()):
            found[doubt.code] = found.get(doubt.code, 0) + 1
    for code, number in found.items():
        if code in _NOT_MODELLED:
            has = "has" if number == 1 else "have"
            yield Doubt(code=code, text=f"{count(number, 'pod')} {has} {_NOT_MODELLED[code]}")


def _causes(run: Run, origin: Origin, *, attempts: int) -> tuple[PlanCause, ...]:
    """Steps that failed by cause; causes whose words agree are one. Of the first ones it is tried what would help."""
    merged: dict[tuple[str, str, str], list[int]] = {}
    first: dict[tuple[str, str, str], Told] = {}
    steps = run.steps
    for number, entry in enumerate(run.entries.values()):
        if entry.key is None:
            continue
        told = run.told[entry.key]
        shape = (
            ", ".join(reason.code + reason.text.partition(":")[0] for reason in told.group.reasons)
            if told.group
            else ""
        )
        same = (entry.step.result, told.because.code, shape or told.because.text)
        merged.setdefault(same, []).append(number)
        first.setdefault(same, told)
    causes = []
    rows = list(run.entries)
    cluster = run.planner.cluster
    context = Context(replace(run.planner, everything=True, changes=[], undos=[]), origin, brief=True)
    for same, numbers in sorted(merged.items(), key=lambda item: -len(item[1])):
        waiting = [cluster.pods[rows[number]] for number in numbers if cluster.pods[rows[number]].waiting]
        tried = waiting if attempts > 0 and same[0] == "pending" and cluster.nodes else []
        attempts -= bool(tried)
        told = first[same]
        owners: dict[str, int] = {}
        for number in numbers:
            owner = steps[number].owner
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
                preempt=told.preempt,
                attempt=attempt(context, tried) if tried else "",
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


def _notes(run: Run) -> Iterable[str]:
    for name, keys in run.planner.other_schedulers().items():
        yield f"{count(len(keys), 'pod')} of schedulerName {name}: no profile of that name (--config)"
    terminating = run.planner.terminating()
    if terminating:
        yield f"{count(len(terminating), 'pod')} being deleted: never scheduled"
    if run.cut:
        yield f"{count(run.cut, 'pod')} evicted more than {RETURNS_OF_ONE} times: the plan lets them go there"
