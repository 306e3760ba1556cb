"""Nominations: room that is kept for pods that wait."""

from __future__ import annotations

from collections.abc import Iterator

from kplan.cluster import Nominate, PodInfo
from kplan.cluster.owners import returns
from kplan.remedies.about import Named
from kplan.remedies.candidate import Candidate, Case, RemedyCost
from kplan.remedies.deeds import Deed, row_of
from kplan.remedies.eviction import deleted

NODES = 3
PODS = 3


def propose(case: Case) -> Iterator[Candidate]:
    """Clear nominations that keep room on the nearest nodes, or take those pods out."""
    for row in _nodes(case):
        rows = case.asked.cycle.filters.nominated.get(row, ()) if case.asked.cycle.filters is not None else ()
        for other in rows[:PODS]:
            yield from _of(case, case.cluster.pods[other], row)


def _nodes(case: Case) -> list[int]:
    rows = [int(row) for group in case.groups if any(atom.kept for atom in group.atoms) for row in group.rows[:NODES]]
    return rows[:NODES]


def _of(case: Case, pod: PodInfo, node: int) -> Iterator[Candidate]:
    cost = RemedyCost.STALE if is_stale(case, pod, node) else RemedyCost.EVICT
    cleared = Deed(lambda cluster: (Nominate(row_of(cluster, pod.key), -1),))
    yield Candidate("clear-nomination", cost, Named(names=(pod.key,)), steps=(cleared,), named=True)
    back = returns(pod)
    yield Candidate(
        "delete-nominated",
        RemedyCost.EVICT if back else RemedyCost.LOSS,
        Named("back" if back else "", names=(pod.key,)),
        steps=(deleted(pod),),
        harm="" if back else "gone",
        named=True,
    )


def is_stale(case: Case, pod: PodInfo, node: int) -> bool:
    """Whether a nominated pod cannot run on its node as it is, so that the room is kept for nothing."""
    cluster = case.cluster
    free = cluster.allocatable[:, node] - cluster.requested[:, node]
    return bool((cluster.pod_request[:, pod.row] > free).any())
