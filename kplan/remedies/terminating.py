"""Pods that are being deleted: their room comes free by itself, so that waiting is enough."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from kplan.cluster import leave
from kplan.remedies.about import Named
from kplan.remedies.candidate import Candidate, Case, RemedyCost
from kplan.remedies.deeds import Deed, row_of

NODES = 3
PODS = 3
"""Pods of one node that are tried each alone."""


def propose(case: Case) -> Iterator[Candidate]:
    """Wait for pods that are being deleted: one of the nearest nodes, all of such a node, all there are."""
    leaving = _leaving(case)
    on = {node: leaving[case.cluster.pod_node[leaving] == node].tolist() for node in _nodes(case, leaving)}
    for rows in on.values():
        for row in rows[:PODS]:
            yield _wait(case, (row,))
        if len(rows) > 1:
            yield _wait(case, rows)
    if len(leaving) > 1:
        yield _wait(case, leaving.tolist())


def _leaving(case: Case) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Rows of pods on nodes that are being deleted."""
    cluster = case.cluster
    classes = [number for number, pod_class in enumerate(cluster.pod_classes) if pod_class.terminating]
    rows: np.ndarray[tuple[int], np.dtype[np.intp]] = np.flatnonzero(
        np.isin(cluster.pod_class, classes) & (cluster.pod_node >= 0)
    )
    return rows


def _nodes(case: Case, leaving: np.ndarray[tuple[int], np.dtype[np.intp]]) -> list[int]:
    """The nearest nodes that such pods run on."""
    busy = np.unique(case.cluster.pod_node[leaving])
    return [int(row) for group in case.groups for row in group.rows[np.isin(group.rows, busy)]][:NODES]


def _wait(case: Case, rows: Sequence[int]) -> Candidate:
    pods = tuple(case.cluster.pods[row].key for row in rows)
    what = Named("several" if len(pods) > 1 else "", names=pods)
    gone = Deed(lambda cluster: tuple(leave(cluster, (row_of(cluster, key) for key in pods))))
    return Candidate("wait", RemedyCost.WAIT, what, steps=(gone,), unless=("wait",) if len(pods) > 1 else ())
