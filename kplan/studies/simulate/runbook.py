"""A plan after what-if steps: where nothing else is tried, the steps are the answer."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from kplan.result.document_plan import SimulationPlan
from kplan.result.document_whatif import RefusedPods, WhatIfStep
from kplan.wording.simulate import refused_cause, refused_text, steps_taken


def with_steps(plan: SimulationPlan, steps: Sequence[WhatIfStep]) -> SimulationPlan:
    """Put the steps into a plan that was made on what they left.

    Args:
        plan: of the pods that were tried after the steps.
        steps: what was done before.
    """
    plan = replace(plan, what_if=tuple(steps))
    refused = [entry for step in steps for entry in step.refused]
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
