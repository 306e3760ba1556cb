"""Words of capacity: how many fit, what more nodes do, what stands in the way."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec.structs import replace

from kplan.course.supply import Supply
from kplan.result.document_base import Cause
from kplan.result.document_capacity import Growth
from kplan.words import count

NAMELESS = "that shape"
"""What a node is like that is like none here and of no template."""
SHAPES_EXAMPLE = "shapes: [{name: small, cpu: 500m, memory: 1Gi}]"
"""How shapes are written."""


@dataclass(frozen=True, slots=True)
class Fitting:
    """How many sets of pods fit.

    Attributes:
        workloads: name of each workload, as ``deploy/shop/web``, and how many pods of it a set has.
        running: pods of the first one that run.
        sets: how many fit.
        bounded: whether counting stopped there.
        wanted: sets that are missing to the number asked for; None for no number.
        replicas: pods of the first workload that are wanted in all, where a flag says so.
    """

    workloads: tuple[tuple[str, int], ...]
    running: int
    sets: int
    bounded: bool
    wanted: int | None
    replicas: int | None


def shapes_sentence(fits: int, shapes: int) -> str:
    """``2 of 3 shapes fit somewhere``."""
    return f"{fits} of {count(shapes, 'shape')} fit somewhere"


def capacity_sentence(facts: Fitting, growth: Growth | None) -> str:
    """``shop/web: 4 more replicas fit (3 run)``."""
    first = facts.workloads[0][0]
    name = first.partition("/")[2] or first
    if growth is not None and growth.none_helps is not None and not facts.sets:
        return f"{name}: no number of nodes like {growth.like} helps"
    if len(facts.workloads) > 1:
        what = "sets of " + " + ".join(f"{times} {workload}" for workload, times in facts.workloads)
        known = f"{facts.sets:,} of {facts.wanted:,}" if facts.wanted is not None else f"{facts.sets:,}"
        return f"{known} {what} fit"
    return f"{name}: {_replicas(facts)}"


def _replicas(facts: Fitting) -> str:
    run = f"{facts.running:,} run"
    known = f"at least {facts.sets:,}" if facts.bounded else f"{facts.sets:,}"
    if facts.wanted is None:
        more = known if facts.sets or facts.bounded else "no"
        return f"{more} more {'replica fits' if facts.sets == 1 else 'replicas fit'} ({run})"
    if facts.replicas is not None:
        return f"{facts.sets:,} of {facts.wanted:,} more replicas fit ({run}, {facts.replicas:,} asked for)"
    asks = f"the {facts.wanted:,} {'more ' if facts.running else ''}it asks for"
    if facts.sets < facts.wanted:
        return f"{known} of {asks} fit ({run})"
    return f"{known} more replicas fit, {asks} among them ({run})"


def growth_text(sets: int, wanted: int | None, growth: Growth | None) -> str:
    """``3 more nodes like a -> all 9 fit, and 2 to spare``; empty where no more nodes help.

    Args:
        sets: how many fit as it is.
        wanted: sets that are missing to the number asked for; None for no number.
        growth: what more nodes do.
    """
    if growth is None or growth.none_helps is not None:
        return ""
    if wanted is not None and growth.needed:
        spare = growth.fits[growth.nodes.index(growth.needed)] - wanted
        rest = f", and {spare:,} to spare" if spare > 0 else ""
        return f"{count(growth.needed, 'more node')} like {growth.like} -> all {wanted:,} fit{rest}"
    if (wanted is None or sets >= wanted) and len(growth.fits) > 1 and growth.fits[1] > sets:
        return f"one more node like {growth.like} -> {growth.fits[1] - sets:,} more fit"
    most = max(growth.fits)
    if wanted is not None and most > sets:
        nodes, tried = growth.nodes[growth.fits.index(most)], growth.nodes[-1]
        ends = f"; up to {tried:,} of them give no more" if tried > nodes else ""
        return f"{count(nodes, 'more node')} like {growth.like} -> {most:,} of {wanted:,} fit{ends}"
    return ""


def even_empty(cause: Cause) -> Cause:
    """The cause for which not even a node that nothing runs on takes the pod."""
    return replace(cause, text=f"even an empty one: {cause.text}")


def evicts_nobody(priority: int) -> str:
    """That pods are counted without what they would evict."""
    return f"capacity evicts nobody: kplan simulate tells what pods of priority {priority:,} would evict"


def quota_lets_in(number: int, sets: int, why: str, *, several: bool) -> str:
    """Which quota lets fewer in than find a place.

    Args:
        number: how many it lets in.
        sets: how many find a place.
        why: what the quota says.
        several: whether sets of several workloads are counted.
    """
    what = count(number, "set") if several else f"{number:,}"
    return f"a quota lets in only {what} of these {sets:,}: {why}"


def supply_notes(supply: Supply) -> tuple[str, ...]:
    """What to say of a workload whose pods are multiplied."""
    if not supply.shares:
        return supply.notes
    return ("its object is not in this state: new pods share the claims of the pod they are copied from", *supply.notes)
