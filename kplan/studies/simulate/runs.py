"""Many runs of a plan, each as a live scheduler might carry it out: how many pods are placed, which are at risk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from statistics import median_low

import msgspec

from kplan.result.document_plan import PlanStep, SimulationPlan
from kplan.result.document_runs import AtRisk, Runs, Spread
from kplan.wording.runs import risk_lines, runs_text


def many_runs(plan: Callable[[int], SimulationPlan], runs: int, seed: int) -> Runs:
    """Make runs and count.

    Args:
        plan: makes one, drawn by a seed.
        runs: how many, at least 1.
        seed: of the first.
    """
    placed: Counter[str] = Counter()
    steps: dict[str, PlanStep] = {}
    numbers: list[int] = []
    evicted: list[int] = []
    pods = 0
    for number in range(runs):
        made = plan(seed + number)
        # a pod that comes back has another name in each run: it is counted, and not named
        own = [step for step in made.steps if not step.returned]
        steps.update((step.pod, step) for step in own)
        placed.update(step.pod for step in own if step.node)
        numbers.append(made.totals.placed)
        evicted.append(made.totals.evicted)
        pods = max(pods, made.totals.pods)
    risky = sorted((n, key) for key in steps if 0 < (n := placed[key]) < runs)
    at_risk = tuple(AtRisk(pod=key, owner=steps[key].owner, placed=n, share=round(n / runs, 6)) for n, key in risky)
    summary = Runs(runs=runs, seed=seed, pods=pods, placed=_spread(numbers), evicted=_spread(evicted), at_risk=at_risk)
    return msgspec.structs.replace(summary, text=runs_text(summary), risks=tuple(risk_lines(summary)))


def _spread(numbers: Sequence[int]) -> Spread:
    return Spread(minimum=min(numbers), median=median_low(numbers), maximum=max(numbers))
