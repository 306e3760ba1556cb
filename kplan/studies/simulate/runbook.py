"""A plan after what-if steps: where nothing else is tried, the steps are the answer."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from kplan.result.document_plan import SimulationPlan
from kplan.result.document_whatif import WhatIfStep
from kplan.wording.simulate import steps_taken


def with_steps(plan: SimulationPlan, steps: Sequence[WhatIfStep]) -> SimulationPlan:
    """Put the steps into a plan that was made on what they left.

    Args:
        plan: of the pods that were tried after the steps.
        steps: what was done before.
    """
    plan = replace(plan, what_if=tuple(steps))
    if not steps or plan.totals.pods or plan.change:
        return plan
    left, unmet = waiting_after(steps), sum(bool(step.unmet) for step in steps)
    expected = sum(bool(step.expected) for step in steps)
    sentence = steps_taken(len(steps), unmet=unmet, left=left, expected=expected)
    return replace(plan, verdict="PARTLY" if unmet or left else plan.verdict, sentence=sentence)


def waiting_after(steps: Sequence[WhatIfStep]) -> int:
    """Count pods that steps left without a node; one that a later step placed is none."""
    last = {move.pod: move for step in steps for move in step.moves}
    return sum(not move.node for move in last.values())
