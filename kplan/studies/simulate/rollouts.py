"""Rollouts and quotas of a plan as parts of its document."""

from __future__ import annotations

from typing import Any

from kplan.admission import Quotas
from kplan.course.attempts import Landing
from kplan.course.rollout import Rollout, Rollouts, Step
from kplan.result.document_plan import Leaving, QuotaRow, RolloutPlan, RolloutPlanStep
from kplan.wording.same_fields import part_of
from kplan.wording.simulate import stalled_at


def rollout_plans(rollouts: Rollouts) -> tuple[RolloutPlan, ...]:
    """Tell how each went, once all have come to rest."""
    landings = rollouts.attempts.landings
    return tuple(_plan(rollout, landings) for rollout in rollouts.every)


def _plan(rollout: Rollout, landings: dict[int, Landing[Any]]) -> RolloutPlan:
    fleet, stall = rollout.fleet, rollout.stall()
    return part_of(
        RolloutPlan,
        fleet,
        strategy=fleet.strategy if fleet.replaces else "",
        before=len(fleet.running),
        wanted=rollout.wanted_new,
        done=rollout.done,
        peak=rollout.peak,
        serving=rollout.serving,
        stalled=stalled_at(stall) if stall is not None else "",
        stalled_by=stall.by.value if stall is not None else "",
        old=len(rollout.old()),
        steps=tuple(_step(step, landings) for step in rollout.told_steps()),
    )


def _step(step: Step, landings: dict[int, Landing[Any]]) -> RolloutPlanStep:
    landing = landings.get(step.pod.row) if step.pod is not None else None
    return RolloutPlanStep(
        pod=step.pod.key if step.pod is not None else "",
        result=landing.kind.value if landing is not None else "",
        node=landing.node if landing is not None else "",
        leaves=tuple(part_of(Leaving, one) for one in step.leaves),
        ready=step.ready,
        old=step.old,
        new=step.new,
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
