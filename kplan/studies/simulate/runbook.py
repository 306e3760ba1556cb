"""A plan after what-if steps: where nothing else is tried, the steps are the answer.

Where the last of them scale workloads, and no manifest is given, that is the change that is asked about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile

from msgspec.structs import replace

from kplan.result.document_plan import PlanStep, SimulationPlan
from kplan.result.document_whatif import HeldPods, Move, RefusedPods, WhatIfStep
from kplan.studies.simulate.counts import failing_causes
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

_BRING = ("--scale ", "--hpa ", "--add-manifest ")
"""How steps begin that are to bring pods."""


def with_steps(plan: SimulationPlan, steps: Sequence[WhatIfStep]) -> SimulationPlan:
    """Put the steps into a plan that was made on what they left.

    Args:
        plan: of the pods that were tried after the steps.
        steps: what was done before.
    """
    refused = [entry for step in steps for entry in step.refused]
    first = len(steps) - sum(1 for _ in takewhile(_scales, reversed(steps)))
    held = _still_held(steps)
    made = _made(steps, first)
    if made and not plan.change:
        plan = _scaled(plan, steps, first, made)
        return _with_refused(plan, refused, held)
    plan = replace(plan, what_if=tuple(steps))
    if not steps or (plan.totals.pods and not _none_asked(plan, steps)) or plan.change:
        return plan if plan.change else _with_refused(plan, refused, held)
    left, unmet = waiting_after(steps), sum(bool(step.unmet) for step in steps)
    expected = sum(bool(step.expected) for step in steps)
    sentence = steps_taken(len(steps), unmet=unmet, left=left, expected=expected, refused=refused, held=held)
    verdict = "PARTLY" if unmet or left or refused or held else plan.verdict
    if held and not (unmet or left or refused or any(step.moves or step.lost for step in steps)):
        verdict = "BLOCKED"
    because = plan.because or refused_cause(refused) or held_cause(held)
    return replace(plan, verdict=verdict, sentence=sentence + others_wait(plan.totals.waiting), because=because)


def _none_asked(plan: SimulationPlan, steps: Sequence[WhatIfStep]) -> bool:
    """Whether only pods were tried after the steps that waited before: those that steps brought are placed."""
    left = _left(steps)
    return bool(new_pods(steps)) and not any(step.pod in left for step in plan.steps)


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


def waiting_after(steps: Sequence[WhatIfStep]) -> int:
    """Count pods that steps left without a node; one that a later step placed is none."""
    return len(_left(steps))


def new_pods(steps: Sequence[WhatIfStep]) -> dict[str, Move]:
    """What became at the end of the pods that steps were to bring, by name; DaemonSet pods of new nodes are not."""
    brings = [step for step in steps if step.step.startswith(_BRING)]
    made = [move.pod for step in brings for move in step.moves if not move.was and not move.instead_of]
    last = {move.pod: move for step in steps for move in step.moves}
    return {pod: last[pod] for pod in made}


def _left(steps: Sequence[WhatIfStep]) -> dict[str, Move]:
    """Pods without a node at the end, by name."""
    last = {move.pod: move for step in steps for move in step.moves}
    return {pod: move for pod, move in last.items() if not move.node}


def _scales(step: WhatIfStep) -> bool:
    """Whether a step scales a workload, and no scenario expects anything of it."""
    return step.step.startswith("--scale ") and not step.expected and not step.name


def _made(steps: Sequence[WhatIfStep], first: int) -> dict[str, Move]:
    """What became at the end of the pods that steps made, by name: of all from ``first`` on, those that are new."""
    before = {move.pod for step in steps[:first] for move in step.moves}
    moves = (move for step in steps[first:] for move in step.moves)
    return {move.pod: move for move in moves if move.pod not in before and not move.was and not move.instead_of}


def _scaled(plan: SimulationPlan, steps: Sequence[WhatIfStep], first: int, made: Mapping[str, Move]) -> SimulationPlan:
    """Tell of the pods that scaling makes with the verdict.

    Args:
        plan: of the pods that were tried after the steps.
        steps: what was done before.
        first: place of the first step that scales, with none after it that does anything else.
        made: what became of the pods that are made.
    """
    asked = [replace(step, asked=True) for step in steps[first:]]
    last: dict[str, PlanStep | Move] = {step.pod: step for step in plan.steps}
    ends = [last.get(pod, move) for pod, move in made.items()]
    placed, gated = sum(bool(end.node) for end in ends), sum(end.result == "gated" for end in ends)
    others = [move for pod, move in _left(steps).items() if pod not in made and not (pod in last and last[pod].node)]
    evicted = sum(bool(move.was or move.instead_of) for move in others)
    told = ScaledPods(
        owners=sorted({move.owner for move in made.values() if move.owner}),
        made=len(made),
        placed=placed,
        gated=gated,
        causes=len(failing_causes(plan.causes)),
        evicted=evicted,
        more=len(others) - evicted,
    )
    fits = placed + gated == len(made) and not others
    why = next((move.because for move in (*made.values(), *others) if move.because is not None and not move.node), None)
    return replace(
        plan,
        what_if=(*steps[:first], *asked),
        verdict="FITS" if fits else "PARTLY" if placed else "BLOCKED",
        sentence=after_scaling(told) + others_wait(plan.totals.waiting),
        because=plan.because or (None if fits else why),
    )
