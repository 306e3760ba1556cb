"""What would let in objects and pods that a quota, a class or a LimitRange refuses."""

from __future__ import annotations

from msgspec.structs import replace

from kplan.pipeline import Planner
from kplan.result.document_plan import SimulationPlan
from kplan.studies.as_a_whole import Again, Whole, landing_how_to
from kplan.studies.by_object import by_object
from kplan.wording.attempts import lands_text

_ATTEMPTS = 8
"""Objects that a remedy is looked for: each is planned again several times."""
_LOOKED_AT = 200
"""Objects of which it is worked out what may be proposed, where that is nothing for most."""


def let_in(planner: Planner, plan: SimulationPlan, again: Again) -> SimulationPlan:
    """Try what would let in what admission refuses, of the first objects; rollouts that stall are told elsewhere.

    Args:
        planner: planner over the cluster as the plan left it.
        plan: the plan.
        again: makes it again.
    """
    whole = Whole(again, plan)
    items = {item.name: item for item in by_object(plan)}
    change, left, more = [], _ATTEMPTS, _LOOKED_AT
    for expanded in plan.change:
        item = items.get(expanded.workload or expanded.object) if expanded.refused else None
        remedy = None
        if item is not None and item.rollout is None and left and more:
            before, more = whole.left, more - 1
            remedy = whole.attempt(planner, item, ())
            left -= whole.left < before  # of an object that nothing is proposed for no plan is made again
        if remedy is not None:
            text, way = lands_text(remedy.candidate, remedy.found.lands), landing_how_to(remedy)
            expanded = replace(expanded, attempt=text, edits=way.edits, how_to=way)
        change.append(expanded)
    return replace(plan, change=tuple(change))
