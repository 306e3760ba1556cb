"""Growth: how many more nodes of a kind would be needed, or that no number of them helps and why."""

from __future__ import annotations

from collections.abc import Sequence

from kplan.cluster import Cluster
from kplan.pipeline import Planner
from kplan.result.document_base import Cause
from kplan.result.document_capacity import Growth
from kplan.scenario.add_node import AddNode
from kplan.studies.capacity.count import BOUND, Counted, count_sets
from kplan.studies.capacity.supply import Supply
from kplan.studies.cascade import Cascade

MOST_NODES = 1024
"""Nodes that are tried at most."""
SHOWN = 3
"""Numbers of nodes that the table begins with."""
_SAMPLES = 8
"""Kinds of nodes that are tried to find the one that helps most."""


def grow(
    planner: Planner,
    supplies: Sequence[Supply],
    ratio: Sequence[int],
    base: Counted,
    asked: int | None,
    shape: AddNode | None,
) -> Growth | None:
    """Try more nodes.

    Args:
        planner: planner over the cluster, which is as before afterwards.
        supplies: the workloads.
        ratio: pods of each in a set.
        base: what fits without more nodes.
        asked: sets that were asked for; None for no number.
        shape: what a new node is like; None for the kind of node of this cluster that helps most.
    """
    if base.bounded:
        return None
    found = (
        _best(planner, supplies, ratio, base) if shape is None else (shape, *_with(planner, supplies, ratio, shape, 1))
    )
    if found is None:
        return None
    shape, one, refused = found
    like = shape.like or shape.template or "that shape"
    if one.sets <= base.sets and refused is not None:
        return Growth(like=like, flag=_flag(shape), nodes=(0, 1), fits=(base.sets, one.sets), none_helps=refused)
    numbers = {0: base.sets, 1: one.sets}
    for number in range(2, SHOWN + 1):
        numbers[number] = _with(planner, supplies, ratio, shape, number)[0].sets
    needed = None
    if asked is not None:
        needed = _needed(planner, supplies, ratio, shape, asked, numbers)
    ordered = sorted(numbers)
    return Growth(
        like=like, flag=_flag(shape), nodes=tuple(ordered), fits=tuple(numbers[n] for n in ordered), needed=needed
    )


def _flag(shape: AddNode) -> str:
    return shape.flag


def _needed(
    planner: Planner,
    supplies: Sequence[Supply],
    ratio: Sequence[int],
    shape: AddNode,
    asked: int,
    numbers: dict[int, int],
) -> int | None:
    """Find the smallest number of nodes with which all fit; what is tried on the way is kept in ``numbers``."""

    def fits(number: int) -> int:
        if number not in numbers:
            numbers[number] = _with(planner, supplies, ratio, shape, number, asked)[0].sets
        return numbers[number]

    low, high = 0, max(1, SHOWN)
    while fits(high) < asked:
        if high >= MOST_NODES or (fits(high) <= fits(low) and low):
            return None
        low, high = high, min(MOST_NODES, high * 2)
    tried = dict(numbers)
    low = max((n for n, sets in tried.items() if sets < asked and n < high), default=0)
    while low + 1 < high:
        middle = (low + high) // 2
        if fits(middle) >= asked:
            high = middle
        else:
            low = middle
    for number in [n for n in numbers if n > SHOWN and n != high]:
        del numbers[number]
    return high if fits(high) >= asked else None


def _with(
    planner: Planner,
    supplies: Sequence[Supply],
    ratio: Sequence[int],
    shape: AddNode,
    number: int,
    most: int | None = None,
) -> tuple[Counted, Cause | None]:
    """Count with more nodes; beside it, why an added node that took nothing refuses the next pod."""
    from dataclasses import replace

    mark = planner.mark
    try:
        cluster = planner.cluster
        before, nodes = len(cluster.pods), set(cluster.node_index)
        planner.apply(replace(shape, count=number).effect(cluster).changes)
        Cascade(planner).place([pod for pod in cluster.pods[before:] if pod.waiting])
        new = set(cluster.node_index) - nodes
        counted = count_sets(planner, supplies, ratio, most=BOUND if most is None else most)
        used = any(new & on.keys() for on in counted.on)
        return counted, None if used else _refusal(counted, new)
    finally:
        planner.rewind(mark)


def _refusal(counted: Counted, new: set[str]) -> Cause | None:
    """Why an empty node refuses the next pod."""
    found = counted.failure
    if found is None:
        return None
    for group in found.all_groups:
        if new & set(group.names):
            return Cause(code=group.reasons[0].code, text=group.text)
    return found.because


def _best(
    planner: Planner, supplies: Sequence[Supply], ratio: Sequence[int], base: Counted
) -> tuple[AddNode, Counted, Cause | None] | None:
    """Find the kind of node that helps most; of equals the first by name."""
    best: tuple[AddNode, Counted, Cause | None] | None = None
    for name in kinds_of_nodes(planner.cluster)[:_SAMPLES]:
        shape = AddNode(like=name)
        counted, refused = _with(planner, supplies, ratio, shape, 1)
        if best is None or counted.sets > best[1].sets:
            best = (shape, counted, refused)
    return best


def kinds_of_nodes(cluster: Cluster) -> list[str]:
    """One node of each kind: the same amounts, lasting taints and zone; the most common kind first."""
    kinds: dict[object, list[str]] = {}
    for node in cluster.nodes:
        taints = tuple(
            (taint.key, taint.value, taint.effect)
            for taint in node.spec.taints or ()
            if not taint.key.startswith("node.kubernetes.io/")
        )
        zone = node.labels.get("topology.kubernetes.io/zone", "")
        pool = node.labels.get("node.kubernetes.io/instance-type", "")
        amounts = tuple(sorted((node.status.allocatable or {}).items()))
        kinds.setdefault((amounts, taints, zone, pool), []).append(node.name)
    return [names[0] for names in sorted(kinds.values(), key=lambda names: (-len(names), names[0]))]
