"""Simulate: what happens to the whole queue, and to the pods of manifests after it, as a document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import msgspec

from kplan.admission import Fleet, Quotas
from kplan.cluster import PodInfo
from kplan.cluster.device_claims import devices_given
from kplan.cluster.owners import returns_where_it_was
from kplan.course.controllers import controllers
from kplan.course.evictions.returning import RETURNS_OF_ONE
from kplan.course.rollout import Rollouts
from kplan.course.trial.attempts import Attempts, TriedPod
from kplan.course.volumes.ending import ended_claims
from kplan.framework.doubt import Doubt
from kplan.objects.models import Pod
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from kplan.remedies.many import attempt
from kplan.result import EventKind
from kplan.result.document_base import API_VERSION, Cause, Origin, part_of
from kplan.result.document_group import GroupPlan
from kplan.result.document_how_to import HowTo
from kplan.result.document_plan import (
    Expanded,
    PlanCause,
    PlanStep,
    RolloutPlan,
    SimulationPlan,
)
from kplan.studies.as_a_whole import Again, Attempt, Whole, landing_how_to
from kplan.studies.by_object import by_object, of_others
from kplan.studies.doubts import caller_doubts, extenders_of, groups_modelled, left_alone, missing_nodes, plan_doubts
from kplan.studies.foreign_groups import elsewhere, foreign_groups
from kplan.studies.group_turns import plan_of_group
from kplan.studies.racing import told_races
from kplan.studies.simulate.attached import attached_elsewhere
from kplan.studies.simulate.counts import evicted_of, failing_causes, owners_of, totals_of
from kplan.studies.simulate.ends import EVENED, evened, unserved
from kplan.studies.simulate.landing import careful_lines
from kplan.studies.simulate.let_in import let_in
from kplan.studies.simulate.rollouts import quota_rows, rollout_plans
from kplan.studies.simulate.telling import Telling, ToldCause, left_out, place_within
from kplan.wording.attempts import fits_text, lands_text
from kplan.wording.groups import needs_of
from kplan.wording.held import held_text
from kplan.wording.how_to import fitting_how_to
from kplan.wording.not_tried import NOT_TRIED
from kplan.wording.owners import by_number, owner_text
from kplan.wording.preempting import broken_budgets
from kplan.wording.simulate import claims_not_tried, cut_short, refusal_cause, sentence, verdict_of
from kplan.wording.volumes import ended_claim
from kplan.wording.wanted import alike, of_several

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
        waited: pods, ``namespace/name``, that waited before manifests and what-ifs.
        made: pods that what-ifs made.
        before: the state before manifests and what-ifs; that of the planner if None.
        fleets: workloads whose controllers make or remove pods step by step.
        ledger: quotas with what the manifests were charged already.
        silent: how many objects of the manifests make no pods.
        definitions: how many others only define a kind.
        attempts: whether to try what would help those that fit nowhere.
        plans: in how many parts the work is shared, where there is a most: one for each plan that the answer makes.
        again: plans the manifests again; without it remedies are tried on the pods that wait alone.
    """

    victims_return: bool = True
    doubts: tuple[Doubt, ...] = ()
    notes: tuple[str, ...] = ()
    change: tuple[Expanded, ...] = ()
    landed: int = 0
    waited: frozenset[str] = frozenset()
    made: frozenset[str] = frozenset()
    before: ClusterState | None = None
    fleets: tuple[Fleet, ...] = ()
    ledger: Quotas | None = None
    silent: int = 0
    definitions: int = 0
    attempts: bool = False
    plans: int = 1
    again: Again | None = None


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
    telling = Telling()
    foreign = foreign_groups(planner)
    attempts: Attempts[object] = Attempts(planner, telling, victims_return=options.victims_return)
    first = len(pods) - options.landed
    place_within(attempts, pods[:first], options.made, plans=options.plans, more=first < len(pods))
    features = next(iter(planner.pipelines.values())).features
    rollouts = Rollouts(attempts, options.fleets, options.ledger, controllers(features))
    rollouts.play(pods[first:])
    for pod in rollouts.stuck():
        _tell_again(attempts, telling, pod)
    options = replace(options, doubts=(*options.doubts, *left_out(attempts)))
    return _document(_Planned(attempts, telling, rollouts, foreign), rollout_plans(rollouts), origin, options)


def _tell_again(attempts: Attempts[object], telling: Telling, pod: PodInfo) -> None:
    """Try a pod that stayed Pending once more, and tell why as the cluster is now."""
    landing = attempts.landings.get(pod.row)
    if landing is not None and pod.waiting and landing.kind is EventKind.PENDING:
        told = telling.told.pop(landing.why, None)
        attempts.place([pod])
        if told is not None:  # others may have failed for what was the cause before
            telling.told.setdefault(landing.why, told)


class _Planned:
    """What became of the pods of a plan.

    Attributes:
        attempts: pods that were tried.
        rollouts: how controllers got on.
        planner: the planner.
        landings: what became of each, those that another scheduler places left out.
        steps: the same, as they are shown.
    """

    def __init__(
        self, attempts: Attempts[object], telling: Telling, rollouts: Rollouts, foreign: tuple[GroupPlan, ...]
    ) -> None:
        self.attempts = attempts
        self.rollouts = rollouts
        self.planner = attempts.planner
        self.landings = [landing for landing in attempts.landings.values() if not landing.elsewhere]
        self._told = telling.told
        self.groups = (*telling.groups.all(self.planner), *foreign)
        self.steps = [self._step(landing) for landing in self.landings]

    def told(self, landing: TriedPod[object]) -> ToldCause | None:
        """Why a pod was not placed; None for one that was."""
        return self._told[landing.why] if landing.why is not None else None

    def skipped(self, pod: PodInfo) -> bool:
        """Whether a pod was not tried at all."""
        return self.attempts.landings[pod.row].skipped

    def _step(self, landing: TriedPod[object]) -> PlanStep:
        told, cluster = self.told(landing), self.planner.cluster
        return PlanStep(
            pod=landing.pod.key,
            result=landing.kind.value,
            node=landing.node,
            owner=owner_text(landing.pod, cluster),
            evicts=tuple(cluster.pods[row].key for row in landing.evicts),
            gone=tuple(
                pod.key for pod in map(cluster.pods.__getitem__, landing.evicts) if not returns_where_it_was(pod)
            ),
            breaks=broken_budgets(landing.breaks),
            cause=told.because.code if told is not None else "",
            message=landing.message,
            tie=landing.tie if landing.tie > 1 else 0,
            returned=bool(landing.instead_of),
            permit=held_text(landing.permit),
            devices=devices_given(cluster, landing.pod.uid) if landing.node else (),
        )


_POD = frozenset({"Pod"})
"""What a plan of no pod depends on: that there is none to be tried."""


def _document(
    run: _Planned, rollouts: tuple[RolloutPlan, ...], origin: Origin, options: SimulateOptions
) -> SimulationPlan:
    steps = run.steps
    besides = of_others(options.change, rollouts, steps, options.waited, options.made)
    totals = totals_of(steps, besides)
    asked = [step for step in steps if step.pod not in besides] if totals.waiting else steps
    verdict = verdict_of(totals_of(asked), rollouts, sum(bool(change.refused) for change in options.change))
    causes, waiting = _causes(run, besides)
    failing = failing_causes(causes)
    landed = [landing.pod for landing in run.landings if landing.node]
    doubts = (
        *options.doubts,
        *attached_elsewhere(run.planner.cluster, landed, run.rollouts.shared.started, rollouts, options.made),
        *(missing_nodes(run.planner.cluster) if steps else ()),
        *caller_doubts(run.planner, [landing.pod.pod for landing in run.landings]),
        *plan_doubts(
            run.planner.cluster.state.completeness,
            _tried(run),
            frozenset() if steps else _POD,
            extenders_of(run.planner),
            nodes=bool(run.planner.cluster.nodes),
            groups=groups_modelled(run.planner),
        ),
        *elsewhere(run.groups),
    )
    plan = SimulationPlan(
        api_version=API_VERSION,
        verdict=verdict,
        sentence=sentence(
            totals_of(asked),
            len(failing),
            rollouts,
            options.change,
            evicted_of(asked),
            waiting=totals.waiting,
            silent=options.silent,
            definitions=options.definitions,
        ),
        totals=totals,
        steps=tuple(steps),
        origin=origin,
        because=failing[0].because if failing else _stalled(rollouts) or refusal_cause(options.change),
        doubts=tuple(dict.fromkeys(doubts)),
        notes=(*options.notes, *_notes(run)),
        change=options.change,
        causes=causes,
        owners=owners_of(steps),
        rollouts=rollouts,
        quotas=quota_rows(options.ledger) if options.ledger is not None else (),
        careful=tuple(
            dict.fromkeys(
                (
                    *(rollout.uneven for rollout in rollouts if rollout.uneven),
                    *map(ended_claim, ended_claims(options.before or run.planner.cluster.state, run.planner.cluster)),
                    *careful_lines(options.change),
                    *unserved(run.planner.cluster, run.landings, rollouts),
                    *told_races(run.planner, ((landing.pod, landing.node) for landing in run.landings)),
                )
            )
        ),
        groups=run.groups,
    )
    if not options.attempts or not run.planner.cluster.nodes:
        return plan
    plan = msgspec.structs.replace(plan, causes=tuple(_attempted(run, plan, waiting, options.again)))
    if options.again is None:
        return plan
    return let_in(replace(run.planner, everything=True), _unstalled(run, plan, options.again), options.again)


def _stalled(rollouts: Iterable[RolloutPlan]) -> Cause | None:
    """Why the first rollout stalls that no pod without a node stops."""
    return next((rollout.because for rollout in rollouts if rollout.because is not None), None)


def _attempted(
    run: _Planned, plan: SimulationPlan, waiting: Sequence[Sequence[PodInfo]], again: Again | None
) -> Iterator[PlanCause]:
    """Try what would help the pods of the first causes; those of a manifest as a whole."""
    planner = replace(run.planner, everything=True)
    whole = Whole(again, plan) if again is not None else None
    items = {step.pod: item for item in by_object(plan) for step in item.failed}
    left = ATTEMPTS
    for cause, pods in zip(plan.causes, waiting, strict=True):
        if not pods or not left or cause.result != "pending" or cause.because.code == NOT_TRIED:
            yield cause
            continue
        left -= 1
        item = next((items[pod.key] for pod in pods if pod.key in items), None)
        if whole is None or item is None:
            of_group = plan_of_group(run.planner.turns, plan.groups, pods[0])
            if of_group is not None and of_group.attempt:
                yield msgspec.structs.replace(cause, attempt=of_group.attempt, how_to=of_group.how_to)
                continue
            rivals = [pod for others in waiting if others is not pods for pod in others if not run.skipped(pod)]
            tried = attempt(planner, pods, rivals=rivals)
            yield msgspec.structs.replace(cause, attempt=fits_text(tried), how_to=fitting_how_to(tried, pods[0]))
            continue
        mine = [pod for pod in pods if items.get(pod.key) is item]
        attempts = whole.attempts(planner, item, mine)
        if not attempts:
            yield cause
            continue
        texts = [lands_text(tried.candidate, tried.found.lands, named=len(cause.owners) > 1) for tried in attempts]
        other = texts[1] if len(texts) > 1 else ""
        way, *ways = map(landing_how_to, attempts)
        more = {"other": other, "other_how_to": next(iter(ways), None)}
        yield msgspec.structs.replace(cause, attempt=texts[0], edits=way.edits, how_to=way, **more)


def _unstalled(run: _Planned, plan: SimulationPlan, again: Again) -> SimulationPlan:
    """Try what would let rollouts go on that no pod without a node stops."""
    whole = Whole(again, plan)
    items = {item.name: item for item in by_object(plan)}
    planner = replace(run.planner, everything=True)
    told = []
    for number, rollout in enumerate(plan.rollouts):
        item = items.get(rollout.workload)
        remedies: Sequence[Attempt] = ()
        if rollout.because is not None and item is not None and number < ATTEMPTS:
            remedies = whole.attempts(planner, item, ())
        if remedies:
            text, *texts = (lands_text(remedy.candidate, remedy.found.lands) for remedy in remedies)
            way, *ways = map(landing_how_to, remedies)
            more = {"other": next(iter(texts), ""), "other_how_to": next(iter(ways), None)}
            rollout = msgspec.structs.replace(rollout, attempt=text, edits=way.edits, how_to=way, **more)
        told.append(rollout)
    even = evened(whole, plan)
    if even is not None:
        first = next(number for number, rollout_plan in enumerate(told) if rollout_plan.uneven)
        way = HowTo(code=EVENED, edits=even[1])
        told[first] = msgspec.structs.replace(told[first], attempt=even[0], edits=even[1], how_to=way)
    return msgspec.structs.replace(plan, rollouts=tuple(told))


def _tried(run: _Planned) -> Iterator[tuple[Pod, str, str]]:
    """Yield each pod that was tried, with its verdict and why it does not fit."""
    cluster = run.planner.cluster
    for step in run.steps:
        row = cluster.pod_index.get(step.pod)
        if row is not None and step.result != "gated":
            verdict = ("PREEMPTS" if step.evicts else "FITS") if step.node else "PENDING"
            yield cluster.pods[row].pod, verdict, step.cause


def _causes(run: _Planned, besides: frozenset[str]) -> tuple[tuple[PlanCause, ...], tuple[list[PodInfo], ...]]:
    """Steps that failed by cause, and the pods of each that wait; causes whose words agree are one."""
    merged: dict[object, list[int]] = {}
    told_of: dict[object, dict[int, ToldCause]] = {}
    steps = run.steps
    for number, landing in enumerate(run.landings):
        told = run.told(landing)
        if told is None:
            continue
        same: object = (steps[number].result, steps[number].pod in besides, told.because.code, _shape(told))
        merged.setdefault(same, []).append(number)
        told_of.setdefault(same, {}).setdefault(id(told), told)
    causes: list[tuple[PlanCause, list[PodInfo]]] = []
    for same, numbers in sorted(merged.items(), key=lambda item: -len(item[1])):
        waiting = [run.landings[number].pod for number in numbers if run.landings[number].pod.waiting]
        every = list(told_of[same].values())
        told, because = every[0], _of_all(every)
        cause = part_of(
            PlanCause,
            told,
            result=steps[numbers[0]].result,
            count=len(numbers),
            because=because,
            owners=by_number(steps[number].owner for number in numbers),
            alone="" if because == told.because else told.because.text,
            waiting=sum(steps[number].pod in besides for number in numbers),
        )
        causes.append((cause, waiting))
    causes.sort(key=lambda pair: (pair[0].result == "gated", *_rank(pair[0])))
    return tuple(cause for cause, _ in causes), tuple(waiting for _, waiting in causes)


def _rank(cause: PlanCause) -> tuple[bool, bool, int, str]:
    """Causes of pods that are asked about come first, then those of most pods; none of pods that were not tried."""
    return cause.because.code == NOT_TRIED, cause.waiting == cause.count, -cause.count, cause.pod


def _shape(told: ToldCause) -> object:
    """What pods have in common whose cause is told once: the reasons, and all numbers that a range cannot tell."""
    if told.group is None:
        return told.because.text
    if told.wanted is not None:
        return told.heads, alike(told.wanted), told.apart
    return told.heads, told.group.text, needs_of(told.group), told.apart


def _of_all(every: Sequence[ToldCause]) -> Cause:
    """The cause in words that are true of all that it was told of."""
    wanted = [told.wanted for told in every if told.wanted is not None]
    if len({told.because.text for told in every}) == 1 or len(wanted) < len(every):
        return every[0].because
    return Cause(code=every[0].because.code, text=of_several(wanted))


def _notes(run: _Planned) -> Iterable[str]:
    yield from left_alone(run.planner)
    pending = (landing.pod.pod for landing in run.landings if landing.kind is EventKind.PENDING)
    claiming = sum(bool(pod.spec.resource_claims) for pod in pending)
    if claiming and not run.planner.cluster.state.completeness.has("ResourceSlice"):
        yield claims_not_tried(claiming)
    if run.attempts.cut:
        yield cut_short(len(run.attempts.cut), RETURNS_OF_ONE)
