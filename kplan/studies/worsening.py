"""What is worse with a plan that was made again for the good of one object."""

from __future__ import annotations

from kplan.remedies.engine import Worse
from kplan.result.document_plan import SimulationPlan
from kplan.studies.by_object import by_object


def worse(first: SimulationPlan, then: SimulationPlan, name: str) -> Worse:
    """Compare a plan with one that was made again for the good of one object.

    Args:
        first: the plan as it is.
        then: the other.
        name: of the object.
    """
    now, before = {item.name: item for item in by_object(then)}, by_object(first)
    fewer = [
        (other.name, now[other.name].landed, now[other.name].wanted, other.landed)
        for other in before
        if other.name != name and other.name in now and now[other.name].landed < other.landed
    ]
    theirs = {step.pod for item in before for step in item.steps}
    placed = {step.pod for step in then.steps if step.node}
    pushed = sum(bool(step.node) and step.pod not in theirs | placed for step in first.steps)
    return Worse(tuple(fewer), pushed, max(0, then.totals.evicted - first.totals.evicted))
