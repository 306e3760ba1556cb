"""Simulate: what happens to the whole queue, and to the pods of manifests after it, as a document."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from kplan.admission import Fleet, Quotas
from kplan.cluster import PodInfo
from kplan.course.controllers import controllers
from kplan.course.evictions.returning import RETURNS_OF_ONE
from kplan.course.rollout import Rollouts
from kplan.course.trial.attempts import Attempts
from kplan.course.volumes.ending import ended_claims
from kplan.framework.doubt import Doubt
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from kplan.remedies.many import attempt
from kplan.result import EventKind
from kplan.result.document_base import API_VERSION, Cause, Origin
from kplan.result.document_how_to import HowTo
from kplan.result.document_plan import (
    Expanded,
    PlanCause,
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
from kplan.studies.simulate.causes import causes_of, tried_pods
from kplan.studies.simulate.counts import evicted_of, failing_causes, owners_of, totals_of, with_those_before
from kplan.studies.simulate.ends import EVENED, evened, unserved
from kplan.studies.simulate.landing import careful_lines
from kplan.studies.simulate.left_by_steps import NO_STEPS, LeftBySteps
from kplan.studies.simulate.let_in import let_in
from kplan.studies.simulate.planned import PlannedPods
from kplan.studies.simulate.rollouts import quota_rows, rollout_plans
from kplan.studies.simulate.telling import Telling, left_out, place_within
from kplan.wording.attempts import fits_text, lands_text
from kplan.wording.how_to import fitting_how_to
from kplan.wording.not_tried import NOT_TRIED
from kplan.wording.simulate import claims_not_tried, cut_short, refusal_cause, sentence, verdict_of
from kplan.wording.volumes import ended_claim

ATTEMPTS = 3
"""Causes, the most pods first, of which it is tried what would help."""


class SimulateOptions(Struct, frozen=True):
    """What is asked.

    Attributes:
        victims_return: whether evicted pods that a controller owns come back as pending.
        doubts: about version and configuration.
        notes: what else to say.
        change: what manifests came to.
        landed: how many of the pods, the last ones, are of manifests.
        waited: pods, ``namespace/name``, that waited before manifests and what-ifs.
        end: where the pods are that what-ifs moved.
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
    end: LeftBySteps = NO_STEPS
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
    place_within(attempts, pods[:first], options.end.new, plans=options.plans, more=first < len(pods))
    features = next(iter(planner.pipelines.values())).features
    rollouts = Rollouts(attempts, options.fleets, options.ledger, controllers(features))
    rollouts.play(pods[first:])
    for pod in rollouts.stuck():
        _tell_again(attempts, telling, pod)
    options = replace(options, doubts=(*options.doubts, *left_out(attempts)))
    return _document(PlannedPods(attempts, telling, rollouts, foreign), rollout_plans(rollouts), origin, options)


def _tell_again(attempts: Attempts[object], telling: Telling, pod: PodInfo) -> None:
    """Try a pod that stayed Pending once more, and tell why as the cluster is now."""
    landing = attempts.landings.get(pod.row)
    if landing is not None and pod.waiting and landing.kind is EventKind.PENDING:
        told = telling.told.pop(landing.why, None)
        attempts.place([pod])
        if told is not None:  # others may have failed for what was the cause before
            telling.told.setdefault(landing.why, told)


_POD = frozenset({"Pod"})
"""What a plan of no pod depends on: that there is none to be tried."""


def _document(
    run: PlannedPods, rollouts: tuple[RolloutPlan, ...], origin: Origin, options: SimulateOptions
) -> SimulationPlan:
    steps = run.steps
    end = options.end
    besides = of_others(options.change, rollouts, steps, options.waited, end.new, brings=end.brings)
    before = _placed_before(run, end)
    totals = msgspec.structs.replace(totals_of(steps, besides), placed_before=before)
    asked = [step for step in steps if step.pod not in besides] if totals.waiting else steps
    of_asked = with_those_before(totals_of(asked), before)
    verdict = verdict_of(of_asked, rollouts, sum(bool(change.refused) for change in options.change))
    causes, waiting = causes_of(run, besides)
    failing = failing_causes(causes)
    landed = [landing.pod for landing in run.landings if landing.node]
    doubts = (
        *options.doubts,
        *attached_elsewhere(run.planner.cluster, landed, run.rollouts.shared.started, rollouts, options.end.new),
        *(missing_nodes(run.planner.cluster) if steps else ()),
        *caller_doubts(run.planner, [landing.pod.pod for landing in run.landings]),
        *plan_doubts(
            run.planner.cluster.state.completeness,
            tried_pods(run),
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
            of_asked,
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
    return let_in(
        dataclasses.replace(run.planner, everything=True), _unstalled(run, plan, options.again), options.again
    )


def _placed_before(run: PlannedPods, end: LeftBySteps) -> int:
    """Count the pods that what-ifs placed, where others of them are tried again and find no node."""
    cluster, tried = run.planner.cluster, {step.pod: step.node for step in run.steps}
    if all(tried.get(pod, "-") for pod in end.asked):
        return 0
    rows = (cluster.pod_index.get(pod) for pod in end.asked if pod not in tried)
    return sum(row is not None and bool(cluster.home_of(row)) for row in rows)


def _stalled(rollouts: Iterable[RolloutPlan]) -> Cause | None:
    """Why the first rollout stalls that no pod without a node stops."""
    return next((rollout.because for rollout in rollouts if rollout.because is not None), None)


def _attempted(
    run: PlannedPods, plan: SimulationPlan, waiting: Sequence[Sequence[PodInfo]], again: Again | None
) -> Iterator[PlanCause]:
    """Try what would help the pods of the first causes; those of a manifest as a whole."""
    planner = dataclasses.replace(run.planner, everything=True)
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


def _unstalled(run: PlannedPods, plan: SimulationPlan, again: Again) -> SimulationPlan:
    """Try what would let rollouts go on that no pod without a node stops."""
    whole = Whole(again, plan)
    items = {item.name: item for item in by_object(plan)}
    planner = dataclasses.replace(run.planner, everything=True)
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


def _notes(run: PlannedPods) -> Iterable[str]:
    yield from left_alone(run.planner)
    pending = (landing.pod.pod for landing in run.landings if landing.kind is EventKind.PENDING)
    claiming = sum(bool(pod.spec.resource_claims) for pod in pending)
    if claiming and not run.planner.cluster.state.completeness.has("ResourceSlice"):
        yield claims_not_tried(claiming)
    if run.attempts.cut:
        yield cut_short(len(run.attempts.cut), RETURNS_OF_ONE)
