"""A plan after what-if steps: where nothing else is tried, the steps are the answer."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from kplan.result.document_plan import SimulationPlan
from kplan.result.document_whatif import WhatIfStep
from kplan.words import count


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
    taken = f"{count(len(steps), 'step')} {'is' if len(steps) == 1 else 'are'} taken"
    if unmet:
        return replace(plan, verdict="PARTLY", sentence=f"{taken}, {unmet} not as expected")
    if left:
        what = f"{count(left, 'pod')} of them {'has' if left == 1 else 'have'} no place"
        return replace(plan, verdict="PARTLY", sentence=f"{taken}, and {what} at the end")
    held = sum(bool(step.expected) for step in steps)
    return replace(plan, sentence=f"{taken}, {held} as expected" if held else taken)


def waiting_after(steps: Sequence[WhatIfStep]) -> int:
    """Count pods that steps left without a node; one that a later step placed is none."""
    last = {move.pod: move for step in steps for move in step.moves}
    return sum(not move.node for move in last.values())
