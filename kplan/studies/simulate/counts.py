"""Steps of a plan, counted: in all, and by owner."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec.structs import replace

from kplan.result.document_plan import PlanCause, PlanOwner, PlanStep, PlanTotals
from kplan.wording.owners import folded_owner
from kplan.wording.simulate import Evicted


def totals_of(steps: Sequence[PlanStep], besides: frozenset[str] = frozenset()) -> PlanTotals:
    """Count pods.

    Args:
        steps: what became of each.
        besides: pods, ``namespace/name``, that are not asked about.
    """
    placed = sum(1 for step in steps if step.node)
    gated = sum(1 for step in steps if step.result == "gated")
    return PlanTotals(
        pods=len(steps),
        placed=placed,
        not_placed=len(steps) - placed - gated,
        gated=gated,
        after_eviction=sum(1 for step in steps if step.node and step.evicts),
        evicted=sum(len(step.evicts) for step in steps),
        returned=sum(1 for step in steps if step.returned),
        waiting=sum(step.pod in besides for step in steps if not step.node and step.result != "gated"),
    )


def with_those_before(totals: PlanTotals, placed: int) -> PlanTotals:
    """Count pods that what-ifs placed with those that were tried after them."""
    return replace(totals, pods=totals.pods + placed, placed=totals.placed + placed) if placed else totals


def failing_causes(causes: Sequence[PlanCause]) -> list[PlanCause]:
    """Causes for which pods fail that are asked about."""
    return [cause for cause in causes if cause.result != "gated" and cause.waiting < cause.count]


def owners_of(steps: Sequence[PlanStep]) -> tuple[PlanOwner, ...]:
    """Count pods by owner: those with pods that have no place first, then those of most pods."""
    by_owner: dict[str, list[PlanStep]] = {}
    for step in steps:
        by_owner.setdefault(folded_owner(step.owner, step.pod), []).append(step)
    made = []
    for owner, mine in by_owner.items():
        on = dict(Counter(step.node for step in mine if step.node))
        placed, gated = sum(on.values()), sum(step.result == "gated" for step in mine)
        made.append(PlanOwner(owner=owner, placed=placed, not_placed=len(mine) - placed - gated, gated=gated, on=on))

    def order(item: PlanOwner) -> tuple[bool, bool, int, str]:
        return not item.not_placed, not item.gated, -item.placed - item.not_placed - item.gated, item.owner

    return tuple(sorted(made, key=order))


def evicted_of(steps: Sequence[PlanStep]) -> Evicted:
    """Pods that others evict in a plan, those of them that are gone for good, and the budgets that this breaks."""
    placed = [step for step in steps if step.node]
    victims = tuple(key for step in placed for key in step.evicts)
    broken = tuple(budget for step in placed for budget in step.breaks)
    return Evicted(victims, tuple(key for step in placed for key in step.gone), broken)
