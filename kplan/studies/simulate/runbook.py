"""A plan after what-if steps: where nothing else is tried, the steps are the answer.

Where the last of them scale workloads, and no manifest is given, that is the change that is asked about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile

from msgspec.structs import replace

from kplan.result.document_plan import SimulationPlan
from kplan.result.document_whatif import Move, RefusedPods, WhatIfStep
from kplan.wording.simulate import after_scaling, refused_cause, refused_text, steps_taken


def with_steps(plan: SimulationPlan, steps: Sequence[WhatIfStep]) -> SimulationPlan:
    """Put the steps into a plan that was made on what they left.

    Args:
        plan: of the pods that were tried after the steps.
        steps: what was done before.
    """
    refused = [entry for step in steps for entry in step.refused]
    first = len(steps) - sum(1 for _ in takewhile(_scales, reversed(steps)))
    made = _made(steps, first)
    if made and not plan.change:
        plan = _scaled(plan, steps, first, made)
        return _with_refused(plan, refused) if refused else plan
    plan = replace(plan, what_if=tuple(steps))
    if not steps or plan.totals.pods or plan.change:
        return _with_refused(plan, refused) if refused and not plan.change else plan
    left, unmet = waiting_after(steps), sum(bool(step.unmet) for step in steps)
    expected = sum(bool(step.expected) for step in steps)
    sentence = steps_taken(len(steps), unmet=unmet, left=left, expected=expected, refused=refused)
    verdict = "PARTLY" if unmet or left or refused else plan.verdict
    because = plan.because or refused_cause(refused)
    return replace(plan, verdict=verdict, sentence=sentence, because=because)


def _with_refused(plan: SimulationPlan, refused: Sequence[RefusedPods]) -> SimulationPlan:
    """Count what the API server refuses of the steps beside the pods that were tried after them."""
    verdict = "PARTLY" if plan.verdict == "FITS" else plan.verdict
    sentence = f"{plan.sentence}; {refused_text(refused)}"
    return replace(plan, verdict=verdict, sentence=sentence, because=plan.because or refused_cause(refused))


def waiting_after(steps: Sequence[WhatIfStep]) -> int:
    """Count pods that steps left without a node; one that a later step placed is none."""
    last = {move.pod: move for step in steps for move in step.moves}
    return sum(not move.node for move in last.values())


def _scales(step: WhatIfStep) -> bool:
    """Whether a step scales a workload, and no scenario expects anything of it."""
    return step.step.startswith("--scale ") and not step.expected and not step.name


def _made(steps: Sequence[WhatIfStep], first: int) -> dict[str, Move]:
    """What became at the end of the pods that steps made, by name: of all from ``first`` on, those that are new."""
    before = {move.pod for step in steps[:first] for move in step.moves}
    moves = (move for step in steps[first:] for move in step.moves)
    return {move.pod: move for move in moves if move.pod not in before and not move.was}


def _scaled(plan: SimulationPlan, steps: Sequence[WhatIfStep], first: int, made: Mapping[str, Move]) -> SimulationPlan:
    """Tell of the pods that scaling makes with the verdict.

    Args:
        plan: of the pods that were tried after the steps.
        steps: what was done before.
        first: place of the first step that scales, with none after it that does anything else.
        made: what became of the pods that are made.
    """
    asked = [replace(step, asked=True) for step in steps[first:]]
    placed = sum(bool(move.node) for move in made.values())
    owners = sorted({move.owner for move in made.values() if move.owner})
    sentence = after_scaling(plan.sentence if plan.totals.pods else "", owners, placed, len(made))
    verdict = plan.verdict if plan.totals.pods or placed == len(made) else "PARTLY"
    verdict = "PARTLY" if verdict == "BLOCKED" and placed else verdict
    return replace(plan, what_if=(*steps[:first], *asked), verdict=verdict, sentence=sentence)
