"""Rollouts: pods that are ready, old and new, over the steps of a controller, with what it may go above and below."""

from __future__ import annotations

from kplan.render.picture.forms.curve import Curve, CurveSpot, Series
from kplan.render.picture.scale import ScaleUnit, counts
from kplan.result.document_plan import RolloutPlan

_SECONDS = ScaleUnit("seconds, at least", lambda number: f"{number:,.0f}")


def telling(rollouts: tuple[RolloutPlan, ...]) -> RolloutPlan:
    """The rollout to look at: the first that stalls, else the one with most steps."""
    return next((one for one in rollouts if one.stalled), max(rollouts, key=lambda one: len(one.steps)))


def panel(plan: RolloutPlan) -> Curve:
    """Draw one rollout, over time where specs tell of any, else step by step."""
    timed = plan.takes_least > 0
    ready, old, new = ([(0.0, float(plan.before))], [(0.0, float(plan.before))], [(0.0, float(plan.kept))])
    for number, step in enumerate(plan.steps, 1):
        at = float(step.at_least if timed else number)
        ready.append((at, step.ready))
        old.append((at, step.old))
        new.append((at, step.new))
    wanted: list[tuple[float, str]] = [(plan.replicas, f"wanted: {plan.replicas:,}")]
    floor = plan.replicas - plan.max_unavailable
    if plan.strategy == "RollingUpdate" and floor != plan.replicas:
        wanted.append((floor, f"allowed to fall to: {floor:,}"))
    stop = CurveSpot(ready[-1][0], ready[-1][1], f"stalls: {plan.stalled}") if plan.stalled else None
    return Curve(
        f"{plan.workload}: ready pods",
        (
            Series("ready", tuple(ready), "line-good broad"),
            Series("old", tuple(old), "line-used"),
            Series("new", tuple(new), "line-warn"),
        ),
        _SECONDS if timed else counts("pods made"),
        counts("pods"),
        wanted=tuple(wanted),
        spots=(stop,) if stop is not None else (),
        more=f"at one time at most {plan.peak:,}, ready at least {plan.serving:,}",
    )
