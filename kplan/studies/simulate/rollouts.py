"""Rollouts of a plan as parts of its document."""

from __future__ import annotations

from typing import Any

from kplan.course.attempts import Landing
from kplan.course.rollout import Rollout, Rollouts, Step
from kplan.result.document_plan import Leaving, RolloutPlan, RolloutPlanStep
from kplan.wording.rollouts import stalled_at


def rollout_plans(rollouts: Rollouts) -> tuple[RolloutPlan, ...]:
    """Tell how each went, once all have come to rest."""
    landings = rollouts.attempts.landings
    return tuple(_plan(rollout, landings) for rollout in rollouts.every)


def _plan(rollout: Rollout, landings: dict[int, Landing[Any]]) -> RolloutPlan:
    fleet, stall = rollout.fleet, rollout.stall()
    return RolloutPlan(
        workload=fleet.workload,
        place=fleet.place,
        strategy=fleet.strategy if fleet.replaces else "",
        replicas=fleet.replicas,
        before=len(fleet.running),
        wanted=rollout.wanted_new,
        done=rollout.done,
        max_surge=fleet.max_surge,
        max_unavailable=fleet.max_unavailable,
        partition=fleet.partition,
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
        leaves=tuple(Leaving(pod=one.pod, node=one.node) for one in step.leaves),
        ready=step.ready,
        old=step.old,
        new=step.new,
    )
