"""Growth: how many more nodes of a kind would be needed, or that no number of them helps and why."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from kplan.cluster import Cluster
from kplan.course.capacity.counting import BOUND, CountedSets, count_sets
from kplan.course.capacity.supply import Supply
from kplan.course.trial.trying import Trying
from kplan.objects.well_known import ZONE
from kplan.pipeline import Planner
from kplan.remedies.about import NewNode
from kplan.remedies.candidate import Candidate
from kplan.remedies.engine import Measure, Tried, best
from kplan.remedies.more_nodes import added, least, one_more, several
from kplan.result.document_base import Cause
from kplan.result.document_capacity import Growth
from kplan.scenario.add_node import AddNode
from kplan.wording.capacity import NAMELESS
from kplan.wording.failing import Failure, failure

MOST_NODES = 1024
"""Nodes that are tried at most."""
SHOWN = 3
"""Numbers of nodes that the table begins with."""
_SAMPLES = 8
"""Kinds of nodes that are tried to find the one that helps most."""


class _Grown(Struct, frozen=True):
    """What more nodes of one kind came to.

    Attributes:
        counted: what fits then.
        refused: why an added node that took nothing refuses the next pod.
        taken: pods that waited before and take room that the nodes bring, before any replica is made.
    """

    counted: CountedSets[Failure]
    refused: Cause | None
    taken: int = 0


class _Sets(Struct, frozen=True):
    """What is asked of more nodes: how many sets fit, counted over and over with more and more nodes.

    Attributes:
        trying: tries more nodes in the cluster.
        supplies: the workloads.
        ratio: pods of each in a set.
        most: sets to stop at.
        alone: whether pods that wait leave the nodes to the replicas: what the nodes are worth by themselves.
    """

    trying: Trying
    supplies: Sequence[Supply]
    ratio: Sequence[int]
    most: int = BOUND
    alone: bool = False

    def of(self, candidate: Candidate) -> Tried[_Grown]:
        """Count with the nodes of a candidate; see Measure."""
        cluster = self.trying.planner.cluster
        before = set(cluster.node_index)
        waiting = {pod.row for pod in cluster.pods if pod.waiting}
        mine = {row for supply in self.supplies for row in supply.waiting}
        with self.trying.after(candidate.steps, mine, compete=not self.alone) as trial:
            new = set(trial.cluster.node_index) - before
            taken = sum(not trial.cluster.pods[row].waiting for row in waiting - mine)
            counted = count_sets(trial, self.supplies, self.ratio, self.most, why=failure)
        used = any(new & on.keys() for on in counted.on)
        return Tried(candidate, _Grown(counted, None if used else _refusal(counted, new), taken))


def grow(
    planner: Planner,
    supplies: Sequence[Supply],
    ratio: Sequence[int],
    base: CountedSets[Failure],
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
    sets = _Sets(Trying(planner), supplies, ratio)
    kinds = [AddNode(like=name) for name in kinds_of_nodes(planner.cluster)[:_SAMPLES]] if shape is None else [shape]
    candidates = [one_more(NewNode(kind.like or kind.template), kind) for kind in kinds]
    # of equals the most common kind, then the first by name
    tried = best(candidates, Measure(replace(sets, alone=True).of), lambda grown: (grown.counted.sets,), (-1,))
    if tried is None:
        return None
    counted, refused = tried.found.counted, tried.found.refused
    verb = added(tried.candidate)
    assert verb is not None
    like, flag = verb.like or verb.template or NAMELESS, verb.flag
    if counted.sets <= base.sets and refused is not None:
        fits = (base.sets, counted.sets)
        return Growth(like=like, flag=flag, nodes=(0, 1), fits=fits, none_helps=refused)
    grown = {number: sets.of(several(tried.candidate, number)).found for number in range(1, SHOWN + 1)}
    numbers = {0: base.sets, **{number: now.counted.sets for number, now in grown.items()}}
    taken = {0: 0, **{number: now.taken for number, now in grown.items()}}
    needed = None
    if asked is not None:
        needed = _needed(replace(sets, most=asked), tried.candidate, numbers, taken)
    order = sorted(numbers)
    return Growth(
        like=like,
        flag=flag,
        nodes=tuple(order),
        fits=tuple(numbers[number] for number in order),
        needed=needed,
        taken=tuple(taken[number] for number in order) if any(taken.values()) else (),
    )


def _needed(sets: _Sets, candidate: Candidate, numbers: dict[int, int], taken: dict[int, int]) -> int | None:
    """Find the smallest number of nodes with which all fit; what was tried last is kept in ``numbers``, ``taken``."""
    asked = sets.most

    def fits(number: int) -> int:
        if number not in numbers:
            grown = sets.of(several(candidate, number)).found
            numbers[number], taken[number] = grown.counted.sets, grown.taken
        return numbers[number]

    low, high = 0, max(1, SHOWN)
    while fits(high) < asked:
        if high >= MOST_NODES or (fits(high) <= fits(low) and taken[high] <= taken[low] and low):
            return None
        low, high = high, min(MOST_NODES, high * 2)
    low = max((n for n, fitting in numbers.items() if fitting < asked and n < high), default=0)
    high = least(low, high, lambda number: fits(number) >= asked)
    for number in [n for n in numbers if n > SHOWN and n != high]:
        del numbers[number]
    return high if fits(high) >= asked else None


def _refusal(counted: CountedSets[Failure], new: set[str]) -> Cause | None:
    """Why an empty node refuses the next pod."""
    refusal = counted.failure
    if refusal is None:
        return None
    for group in refusal.all_groups:
        if new & set(group.names):
            return Cause(code=group.reasons[0].code, text=group.text)
    return refusal.because


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
