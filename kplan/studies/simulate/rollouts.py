"""Rollouts and quotas of a plan as parts of its document."""

from __future__ import annotations

from typing import Any

from kplan.admission import Quotas
from kplan.course.rollout import Rollout, Rollouts, RolloutStep, Shared
from kplan.course.trial.attempts import Attempts
from kplan.result.document_base import part_of
from kplan.result.document_plan import Leaving, QuotaRow, RolloutPlan, RolloutPlanStep
from kplan.studies.simulate.ends import uneven
from kplan.wording.rollouts import clock_text, deadline_text, stall_cause, stalled_at


def rollout_plans(rollouts: Rollouts) -> tuple[RolloutPlan, ...]:
    """Tell how each went, once all have come to rest."""
    return tuple(_plan(rollout, rollouts.shared) for rollout in rollouts.every)


def _plan(rollout: Rollout, shared: Shared) -> RolloutPlan:
    fleet, stall = rollout.fleet, rollout.stall()
    return part_of(
        RolloutPlan,
        fleet,
        strategy=fleet.strategy if fleet.replaces else "",
        before=len(fleet.running),
        wanted=rollout.wanted_new,
        done=rollout.done,
        kept=rollout.kept,
        waited=len(rollout.waited),
        peak=rollout.peak,
        serving=rollout.serving,
        stalled=stalled_at(stall) if stall is not None else "",
        stalled_by=stall.by.value if stall is not None else "",
        stalled_at=stall.pod.key if stall is not None and stall.pod is not None else "",
        because=stall_cause(stall) if stall is not None else None,
        uneven=uneven(shared.attempts.planner, rollout),
        old=len(rollout.old()),
        takes_least=rollout.now.least,
        takes_most=rollout.now.most,
        clock=clock_text(rollout.paces, rollout.now, stalled=stall is not None, detached=rollout.detached),
        deadline=fleet.deadline or 0,
        deadline_told=deadline_text(fleet, rollout.paces, stalled=stall is not None, waits=rollout.waits),
        steps=tuple(_step(step, shared.attempts, shared.started) for step in rollout.told_steps()),
    )


def _step(step: RolloutStep, attempts: Attempts[Any], started: set[int]) -> RolloutPlanStep:
    landing = attempts.landings.get(step.pod.row) if step.pod is not None else None
    home = attempts.planner.cluster.home_of(step.pod.row) if step.pod is not None and step.pod.bound else ""
    return RolloutPlanStep(
        pod=step.pod.key if step.pod is not None else "",
        result=landing.kind.value if landing is not None else "",
        node=landing.node if landing is not None else home,
        starts=step.pod is not None and step.pod.row in started,
        leaves=tuple(part_of(Leaving, left) for left in step.leaves),
        there=step.there,
        ready=step.ready,
        old=step.old,
        new=step.new,
        since_least=step.since.least,
        since_most=step.since.most,
        at_least=step.at.least,
        at_most=step.at.most,
    )


def quota_rows(ledger: Quotas) -> tuple[QuotaRow, ...]:
    """Tell of every resource in which something was counted, or of a quota that refuses something.

    Args:
        ledger: the quotas, with all that was let in.
    """
    rows: list[tuple[tuple[bool, float, str, str], QuotaRow]] = []
    for use in ledger.uses():
        for resource in use.resources:
            refused = use.refusals(resource.resource)
            if not (resource.touched or refused):
                continue
            row = part_of(
                QuotaRow,
                resource,
                quota=f"{use.namespace}/{use.name}",
                refused=len(refused),
                message=next(iter(refused), ""),
            )
            rows.append(((not refused, -resource.share, row.quota, row.resource), row))
    return tuple(row for _, row in sorted(rows, key=lambda pair: pair[0]))
