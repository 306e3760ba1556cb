"""Moving: others leave their nodes and land elsewhere, so that the pod fits; where nothing less than that helps."""

from __future__ import annotations

from collections.abc import Iterator

from kplan.cluster import arrive, leave
from kplan.course.evictions.returning import made_again
from kplan.course.moving import Journey, Movable, WantedPods, fewest_moves
from kplan.objects.lean import replace
from kplan.remedies.about import Moves
from kplan.remedies.candidate import Candidate, Case, Remedy, RemedyCost
from kplan.remedies.deeds import Deed, row_of
from kplan.remedies.lab import Lab

CYCLES = 1_000
MOST = 3
"""Moves that are tried; ``kplan moves`` tries more."""


def by_moving(case: Case, lab: Lab) -> Iterator[Remedy]:
    """Find the fewest moves after which the pod fits, and carry them out once more as a remedy."""
    planner = case.planner
    if not planner.queue.responsible(case.pod) or not case.pod.waiting:
        return
    fewest = fewest_moves(planner, WantedPods((case.pod.row,)), Movable(planner), most=MOST, cycles=CYCLES)
    for journey in fewest.journeys[:1]:
        candidate = Candidate(
            "move-pods",
            RemedyCost.EVICT,
            Moves(journey),
            steps=tuple(_deed(case, journey, n) for n in range(len(journey.moves))),
        )
        effect = lab.run(candidate)
        if effect is not None and not effect.evicted:
            yield Remedy(candidate, effect)


def _deed(case: Case, journey: Journey, number: int) -> Deed:
    moved = journey.moves[number]
    pod = made_again(case.cluster.pods[moved.row], moved.instead.partition("/")[2], case.cluster)
    there = (replace(pod, spec=replace(pod.spec, node_name=moved.to)),)
    return Deed(lambda cluster: (*leave(cluster, (row_of(cluster, moved.pod),)), *arrive(cluster, there)))
