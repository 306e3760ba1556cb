"""A plan after what-if steps: where nothing else is tried, the steps are the answer.

Where the last of them scale workloads, and no manifest is given, that is the change that is asked about. Autoscalers
scale, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from msgspec.structs import replace

from kplan.result.document_plan import PlanStep, SimulationPlan
from kplan.result.document_whatif import HeldPods, Move, RefusedPods, WhatIfStep
from kplan.studies.simulate.counts import failing_causes
from kplan.studies.simulate.left_by_steps import LeftBySteps, left_by
from kplan.wording.simulate import (
    ScaledPods,
    after_scaling,
    held_cause,
    held_text,
    others_wait,
    refused_cause,
    refused_text,
    steps_taken,
)

_SCALE = ("--scale ", "--hpa ")
"""How steps begin that scale workloads."""


def with_steps(plan: SimulationPlan, steps: Sequence[WhatIfStep], end: LeftBySteps) -> SimulationPlan:
    """Put the steps into a plan that was made on what they left.

    Args:
        plan: of the pods that were tried after the steps.
        steps: what was done before.
        end: where the pods are that they moved.
    """
    refused = [entry for step in steps for entry in step.refused]
    first = len(steps) - sum(1 for _ in takewhile(_scales, reversed(steps)))
    held = _still_held(steps)
    made = end.new & left_by(steps[first:], frozenset(left_by(steps[:first]).moves)).new
    if made and not plan.change:
        plan = _scaled(plan, steps, first, made, end)
        return _with_refused(plan, refused, held)
    plan = replace(plan, what_if=tuple(steps))
    if not steps or (plan.totals.pods and not _none_asked(plan, end)) or plan.change:
        return plan if plan.change else _with_refused(plan, refused, held)
    left, unmet = len(end.waiting), sum(bool(step.unmet) for step in steps)
    expected = sum(bool(step.expected) for step in steps)
    sentence = steps_taken(len(steps), unmet=unmet, left=left, expected=expected, refused=refused, held=held)
    verdict = "PARTLY" if unmet or left or refused or held else plan.verdict
    if held and not (unmet or left or refused or any(step.moves or step.lost for step in steps)):
        verdict = "BLOCKED"
    because = plan.because or refused_cause(refused) or held_cause(held)
    return replace(plan, verdict=verdict, sentence=sentence + others_wait(plan.totals.waiting), because=because)


def _none_asked(plan: SimulationPlan, end: LeftBySteps) -> bool:
    """Whether only pods were tried after the steps that waited before: those that steps brought are placed."""
    return end.brings and not any(step.pod in end.waiting for step in plan.steps)


def _with_refused(plan: SimulationPlan, refused: Sequence[RefusedPods], held: Sequence[HeldPods]) -> SimulationPlan:
    """Count what is refused of the steps, or left undone, beside the pods that were tried after them."""
    if not refused and not held:
        return plan
    verdict = "PARTLY" if plan.verdict == "FITS" else plan.verdict
    told = [plan.sentence, *([refused_text(refused)] if refused else []), *([held_text(held)] if held else [])]
    because = plan.because or refused_cause(refused) or held_cause(held)
    return replace(plan, verdict=verdict, sentence="; ".join(told), because=because)


def _still_held(steps: Sequence[WhatIfStep]) -> list[HeldPods]:
    """What controllers leave undone at the end: not what a later step had made."""
    made = {move.instead_of or move.pod: number for number, step in enumerate(steps) for move in step.moves}
    return [
        entry
        for number, step in enumerate(steps)
        for entry in step.held
        if entry.because.code != "node-silent" or made.get(entry.pod, -1) <= number
    ]


def _scales(step: WhatIfStep) -> bool:
    """Whether a step scales a workload, and no scenario expects anything of it."""
    return step.step.startswith(_SCALE) and not step.expected and not step.name


def _scaled(
    plan: SimulationPlan, steps: Sequence[WhatIfStep], first: int, made: frozenset[str], end: LeftBySteps
) -> SimulationPlan:
    """Tell of the pods that scaling makes with the verdict.

    Args:
        plan: of the pods that were tried after the steps.
        steps: what was done before.
        first: place of the first step that scales, with none after it that does anything else.
        made: the pods that are made.
        end: where the pods are that the steps moved.
    """
    asked = [replace(step, asked=True) for step in steps[first:]]
    last: dict[str, PlanStep | Move] = {step.pod: step for step in plan.steps}
    new = [end.moves[pod] for pod in sorted(made)]
    ends = [last.get(move.pod, move) for move in new]
    placed, gated = sum(bool(one.node) for one in ends), sum(one.result == "gated" for one in ends)
    others = [move for pod, move in end.waiting.items() if pod not in made and not (pod in last and last[pod].node)]
    evicted = sum(bool(move.was or move.instead_of) for move in others)
    told = ScaledPods(
        owners=sorted({move.owner for move in new if move.owner}),
        made=len(made),
        placed=placed,
        gated=gated,
        causes=len(failing_causes(plan.causes)),
        evicted=evicted,
        more=len(others) - evicted,
    )
    fits = placed + gated == len(made) and not others
    why = next((move.because for move in (*new, *others) if move.because is not None and not move.node), None)
    return replace(
        plan,
        what_if=(*steps[:first], *asked),
        verdict="FITS" if fits else "PARTLY" if placed else "BLOCKED",
        sentence=after_scaling(told) + others_wait(plan.totals.waiting),
        because=plan.because or (None if fits else why),
    )
