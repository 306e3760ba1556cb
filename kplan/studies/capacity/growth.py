"""Growth: how many more nodes of a kind would be needed, or that no number of them helps and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kplan.cluster import Cluster
from kplan.course.cascade import Cascade
from kplan.course.counting import BOUND, Counted, count_sets
from kplan.course.supply import Supply
from kplan.objects.well_known import ZONE
from kplan.pipeline import Planner
from kplan.result.document_base import Cause
from kplan.result.document_capacity import Growth
from kplan.scenario.add_node import AddNode

MOST_NODES = 1024
"""Nodes that are tried at most."""
SHOWN = 3
"""Numbers of nodes that the table begins with."""
_SAMPLES = 8
"""Kinds of nodes that are tried to find the one that helps most."""


@dataclass(frozen=True, slots=True)
class _Grown:
    """What more nodes of one kind came to.

    Attributes:
        shape: what a new node is like.
        counted: what fits then.
        refused: why an added node that took nothing refuses the next pod.
    """

    shape: AddNode
    counted: Counted
    refused: Cause | None


@dataclass(frozen=True, slots=True)
class _Question:
    """Sets that are counted over and over, with more and more nodes."""

    planner: Planner
    supplies: Sequence[Supply]
    ratio: Sequence[int]

    def with_nodes(self, shape: AddNode, number: int, most: int = BOUND) -> _Grown:
        """Count with so many more nodes; sets to stop at are ``most``."""
        with self.planner.trial() as trial:
            cluster = trial.cluster
            before, nodes = len(cluster.pods), set(cluster.node_index)
            trial.apply(replace(shape, count=number).effect(cluster).changes)
            Cascade(trial).place([pod for pod in cluster.pods[before:] if pod.waiting])
            new = set(cluster.node_index) - nodes
            counted = count_sets(trial, self.supplies, self.ratio, most)
            used = any(new & on.keys() for on in counted.on)
            return _Grown(shape, counted, None if used else _refusal(counted, new))

    def best(self) -> _Grown | None:
        """Find the kind of node that helps most; of equals the most common, then the first by name."""
        kinds = kinds_of_nodes(self.planner.cluster)[:_SAMPLES]
        grown = [self.with_nodes(AddNode(like=name), 1) for name in kinds]
        return max(grown, key=lambda one: one.counted.sets, default=None)


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
        asked: sets that were asked for; None for no number, or if they fit as it is.
        shape: what a new node is like; None for the kind of node of this cluster that helps most.
    """
    if base.bounded:
        return None
    question = _Question(planner, supplies, ratio)
    one = question.best() if shape is None else question.with_nodes(shape, 1)
    if one is None:
        return None
    like, flag = one.shape.like or one.shape.template or "that shape", one.shape.flag
    numbers = {0: base.sets, 1: one.counted.sets}
    if one.counted.sets <= base.sets and one.refused is not None:
        return Growth(like=like, flag=flag, nodes=tuple(numbers), fits=tuple(numbers.values()), none_helps=one.refused)
    for number in range(2, SHOWN + 1):
        numbers[number] = question.with_nodes(one.shape, number).counted.sets
    needed = _needed(question, one.shape, asked, numbers) if asked is not None else None
    numbers = dict(sorted(numbers.items()))
    return Growth(like=like, flag=flag, nodes=tuple(numbers), fits=tuple(numbers.values()), needed=needed)


def _needed(question: _Question, shape: AddNode, asked: int, numbers: dict[int, int]) -> int | None:
    """Find the smallest number of nodes with which all fit; what was tried last is kept in ``numbers``."""

    def fits(number: int) -> int:
        if number not in numbers:
            numbers[number] = question.with_nodes(shape, number, asked).counted.sets
        return numbers[number]

    low, high = 0, max(1, SHOWN)
    while fits(high) < asked:
        if high >= MOST_NODES or (fits(high) <= fits(low) and low):
            return None
        low, high = high, min(MOST_NODES, high * 2)
    low = max((n for n, sets in numbers.items() if sets < asked and n < high), default=0)
    while low + 1 < high:
        middle = (low + high) // 2
        if fits(middle) >= asked:
            high = middle
        else:
            low = middle
    for number in [n for n in numbers if n > SHOWN and n != high]:
        del numbers[number]
    return high if fits(high) >= asked else None


def _refusal(counted: Counted, new: set[str]) -> Cause | None:
    """Why an empty node refuses the next pod."""
    found = counted.failure
    if found is None:
        return None
    for group in found.all_groups:
        if new & set(group.names):
            return Cause(code=group.reasons[0].code, text=group.text)
    return found.because


def kinds_of_nodes(cluster: Cluster) -> list[str]:
    """One node of each kind: the same amounts, lasting taints and zone; the most common kind first."""
    kinds: dict[object, list[str]] = {}
    for node in cluster.nodes:
        taints = tuple(
            (taint.key, taint.value, taint.effect)
            for taint in node.spec.taints or ()
            if not taint.key.startswith("node.kubernetes.io/")
        )
        zone = node.labels.get(ZONE, "")
        pool = node.labels.get("node.kubernetes.io/instance-type", "")
        amounts = tuple(sorted((node.status.allocatable or {}).items()))
        kinds.setdefault((amounts, taints, zone, pool), []).append(node.name)
    return [names[0] for names in sorted(kinds.values(), key=lambda names: (-len(names), names[0]))]
