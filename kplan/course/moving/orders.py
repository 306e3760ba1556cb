"""Orders: whether moves to nodes that are known can follow one another, as far as amounts tell.

Trying an order asks the scheduler about each move. Most assignments that hold once all pods have moved cannot be
reached: no node has room for the first of them while the others are still there. That is seen by counting.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kplan.course.moving.places import asked_of, free_room
from kplan.pipeline import Planner


def in_some_order(planner: Planner, rows: Sequence[int], way: Mapping[int, int]) -> bool:
    """Whether pods can move one after the other, each landing before the next one leaves.

    Args:
        planner: planner over the cluster, on which all of them run.
        rows: rows of the pods.
        way: row of the node that each of them has to land on.
    """
    cluster = planner.cluster
    free = free_room(cluster)
    needs = asked_of(planner, rows)
    takes = np.ones_like(needs)
    takes[:, :-1] = cluster.pod_request[: needs.shape[1] - 1, list(rows)].T
    homes = [int(cluster.pod_node[row]) for row in rows]
    room = {node: free[:, node].copy() for node in {*homes, *(way[row] for row in rows)}}
    failed: set[frozenset[int]] = set()

    def go(left: frozenset[int]) -> bool:
        if not left:
            return True
        if left in failed:
            return False
        for at in left:
            to, home = way[rows[at]], homes[at]
            if ((needs[at] > 0) & (needs[at] > room[to])).any():
                continue
            room[to] -= takes[at]
            room[home] += takes[at]
            found = go(left - {at})
            room[to] += takes[at]
            room[home] -= takes[at]
            if found:
                return True
        failed.add(left)
        return False

    return go(frozenset(range(len(rows))))
