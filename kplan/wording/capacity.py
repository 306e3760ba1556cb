"""Words of capacity: how many fit, what more nodes do, what stands in the way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from kplan.course.capacity.counting import CountedSets
from kplan.course.capacity.supply import Supply
from kplan.remedies.engine import Tried
from kplan.result.document_base import Cause
from kplan.result.document_capacity import CapacityWorkload, Growth
from kplan.result.document_how_to import HowTo
from kplan.wording.attempts import change_text
from kplan.wording.how_to import several_of
from kplan.words import count, every

NAMELESS = "that shape"
"""What a node is like that is like none here and of no template."""
SHAPES_EXAMPLE = "shapes: [{name: small, cpu: 500m, memory: 1Gi}]"
"""How shapes are written."""


def shapes_sentence(fits: int, shapes: int) -> str:
    """``2 of 3 shapes fit somewhere``."""
    return f"{fits} of {count(shapes, 'shape')} fit somewhere"


def cut_short(sets: int) -> str:
    """Note that a count was interrupted."""
    return f"cut short: {sets:,} {'was' if sets == 1 else 'were'} placed, whether more fit was not tried"


def capacity_sentence(
    workloads: Sequence[CapacityWorkload],
    counted: CountedSets[Any],
    wanted: int | None,
    replicas: int | None,
    growth: Growth | None,
    let_in: int | None = None,
    made: int | None = None,
) -> str:
    """``shop/web: 4 more replicas fit (3 run)``; ``...: a quota lets in 2 of them``.

    Args:
        workloads: of which sets fit.
        counted: how many fit.
        wanted: sets that are missing to the number asked for; None for no number.
        replicas: pods of the first workload that are wanted in all, where a flag says so.
        growth: what more nodes do.
        let_in: how many of those that fit a quota lets in; None for all.
        made: for how many of those that fit an ordered StatefulSet has made the pods; None where it makes all.
    """
    told = _fit(workloads, counted, wanted, replicas, growth)
    told = told if let_in is None else f"{told}; a quota lets in {let_in:,}"
    return told if made is None else f"{told}; its StatefulSet makes {f'{made:,} of them' if made else 'none of them'}"


def goes_on_text(goes_on: Tried[int]) -> str:
    """What lets an ordered StatefulSet go on, and how many fit then: ``evict ... first -> 117 more fit``."""
    sets = goes_on.found
    then = f"{sets:,} more {'fits' if sets == 1 else 'fit'}, if what is made instead is ready"
    return f"{change_text(goes_on.candidate)} -> {then}"


def _fit(
    workloads: Sequence[CapacityWorkload],
    counted: CountedSets[Any],
    wanted: int | None,
    replicas: int | None,
    growth: Growth | None,
) -> str:
    first, sets = workloads[0], counted.sets
    name = first.workload.partition("/")[2] or first.workload
    what = "sets of " + " + ".join(f"{workload.ratio} {workload.workload}" for workload in workloads)
    if growth is not None and growth.none_helps is not None and not sets:
        return f"{what if len(workloads) > 1 else name}: no number of nodes like {growth.like} helps"
    if len(workloads) > 1:
        return f"{sets:,} of {wanted:,} {what} fit" if wanted is not None else f"{sets:,} {what} fit"
    run = f"{first.running:,} run"
    known = f"at least {sets:,}" if counted.bounded else f"{sets:,}"
    if wanted is None:
        more = known if sets or counted.bounded else "no"
        return f"{name}: {more} more {'replica fits' if sets == 1 else 'replicas fit'} ({run})"
    if replicas is not None:
        return f"{name}: {sets:,} of {wanted:,} more replicas fit ({run}, {replicas:,} asked for)"
    asks = f"the {wanted:,} {'more ' if first.running else ''}it asks for"
    if sets < wanted:
        return f"{name}: {known} of {asks} fit ({run})"
    return f"{name}: {known} more replicas fit, {asks} among them ({run})"


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
        return f"{count(growth.needed, 'more node')} like {growth.like} -> {every(wanted)} fit{rest}"
    more = _first_that_helps(sets, growth)
    if (wanted is None or sets >= wanted) and more:
        what = "one more node" if more == 1 else count(more, "more node")
        fits = growth.fits[growth.nodes.index(more)] - sets
        return f"{what} like {growth.like} -> {fits:,} more {'fits' if fits == 1 else 'fit'}"
    most = max(growth.fits)
    if wanted is not None and most > sets:
        nodes, tried = growth.nodes[growth.fits.index(most)], growth.nodes[-1]
        ends = f"; even {tried:,} of them make no more fit" if tried > nodes else ""
        return f"{count(nodes, 'more node')} like {growth.like} -> {most:,} of {wanted:,} fit{ends}"
    return ""


def _first_that_helps(sets: int, growth: Growth) -> int:
    """The smallest number of nodes with which more fit, as pods that wait may take the first; 0 for none."""
    return next((number for number, fits in zip(growth.nodes, growth.fits, strict=True) if fits > sets), 0)


def growth_how_to(sets: int, wanted: int | None, growth: Growth | None) -> HowTo | None:
    """How what ``growth_text`` proposes is carried out, and how many sets fit then; None where it proposes nothing.

    Args:
        sets: how many fit as it is.
        wanted: sets that are missing to the number asked for; None for no number.
        growth: what more nodes do.
    """
    if growth is None or not growth_text(sets, wanted, growth):
        return None
    if wanted is not None and growth.needed:
        nodes = growth.needed
    elif wanted is None or sets >= wanted:
        nodes = _first_that_helps(sets, growth)
    else:
        nodes = growth.nodes[growth.fits.index(max(growth.fits))]
    fits = growth.fits[growth.nodes.index(nodes)]
    fits = fits if wanted is None else min(fits, max(sets, wanted))
    return HowTo(code="add-node", flags=(several_of(growth.flag, nodes),), landed=fits, wanted=wanted or 0)


def even_empty(cause: Cause) -> Cause:
    """The cause for which not even a node that nothing runs on takes the pod."""
    return replace(cause, text=f"even an empty one: {cause.text}")


def evicts_nobody(priority: int) -> str:
    """That pods are counted without what they would evict."""
    return f"capacity evicts nobody: kplan simulate shows what pods of priority {priority:,} would evict"


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
    beside = (f"{workload} has one pod for each node, and is not counted" for workload in supply.beside)
    if not supply.shares:
        return (*supply.notes, *beside)
    shared = "its object is not in the dump: new pods share the claims of the pod they are copied from"
    return (shared, *supply.notes, *beside)
