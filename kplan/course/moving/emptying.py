"""Emptying a node: pods leave one after the other, each landing by the scheduler's own choice before the next."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from msgspec import Struct

from kplan.cluster import Cluster, PodInfo
from kplan.course.evictions.budgets import Budgets, Permission
from kplan.course.moving.journey import Moved, take_off
from kplan.course.moving.movable import OF_ITS_NODE, Movable, Stays
from kplan.pipeline import Planner
from kplan.plugins.node_affinity import allows
from kplan.result import PlanEvent
from kplan.scenario.nodes import cordoned, node_of, put

CONTROL_PLANE = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")
"""Labels of nodes that are not there for pods."""


class Stuck(Struct, frozen=True):
    """A pod that keeps its node from being emptied.

    Attributes:
        pod: the pod, as it ran.
        stays: why it may not leave; None where it finds no other place.
        permission: what its budget said; None where none was asked.
        copy: the pod that is made instead, and what the scheduler did with it; None where it may not leave.
    """

    pod: PodInfo
    stays: Stays | None = None
    permission: Permission | None = None
    copy: tuple[PodInfo, PlanEvent] | None = None


def obstacles(movable: Movable, node: int) -> list[Stuck]:
    """Pods of a node that may not be moved, whatever room there is elsewhere; those that go with it are none."""
    cluster = movable.planner.cluster
    stuck = []
    for row in cluster.pods_on(node):
        pod = cluster.pods[row]
        stays = movable.stays(pod)
        if stays is None and asks_for_one(cluster, pod, node):
            stays = Stays.ONLY_HERE
        if stays is not None and stays not in OF_ITS_NODE and stays is not Stays.LEAVING:
            stuck.append(Stuck(pod, stays, movable.permission(pod) if stays is Stays.BUDGET else None))
    return stuck


def asks_for_one(cluster: Cluster, pod: PodInfo, node: int) -> bool:
    """Whether a node alone is what the selector and the node affinity of a pod ask for."""
    spec = pod.pod.spec
    if not spec.node_selector and (spec.affinity is None or spec.affinity.node_affinity is None):
        return False
    return not any(allows(pod.pod, other) for row, other in enumerate(cluster.nodes) if row != node)


def is_control_plane(cluster: Cluster, node: int) -> bool:
    """Whether a node runs the cluster itself."""
    return any(label in cluster.nodes[node].labels for label in CONTROL_PLANE)


def leaving(movable: Movable, cluster: Cluster, node: int) -> list[int]:
    """Rows of the pods that have to leave a node before it is empty, the largest first."""
    rows = [row for row in cluster.pods_on(node) if movable.stays(cluster.pods[row]) is None]
    large = dict(zip(rows, sizes(cluster, rows), strict=True))
    return sorted(rows, key=lambda row: (-large[row], cluster.pods[row].key))


def sizes(cluster: Cluster, rows: Sequence[int]) -> list[float]:
    """The largest part that each of some pods asks for of what all nodes offer."""
    offered = cluster.allocatable.sum(axis=1)[:, None]
    asked = cluster.pod_request[:, list(rows)]
    parts = np.divide(asked, offered, out=np.zeros(asked.shape), where=offered > 0)
    largest: list[float] = parts.max(axis=0, initial=0.0).tolist()
    return largest


def shut(trial: Planner, names: Collection[str], *, on: bool = True) -> None:
    """Cordon nodes, or let them take pods again."""
    trial.apply(put(cordoned(node_of(trial.cluster, name), on=on)) for name in names)


def empty(trial: Planner, movable: Movable, budgets: Budgets, name: str, closed: Sequence[str]) -> list[Moved] | Stuck:
    """Empty a node, which is cordoned with others; round after round, as budgets let its pods go.

    Args:
        trial: planner that is changed; it evicts nobody for those that land.
        movable: which pods leave.
        budgets: asked before each eviction.
        name: of the node.
        closed: names of all nodes that are cordoned for it, as told of each move.

    Returns:
        the moves, or what it is stuck at.
    """
    cluster, closed = trial.cluster, tuple(closed)
    waiting = leaving(movable, cluster, cluster.node_index[name])
    moves: list[Moved] = []
    while waiting:
        later: list[int] = []
        refused: Stuck | None = None
        for row in waiting:
            pod = cluster.pods[row]
            permission = budgets.ask(pod)
            if not permission.allowed:
                later.append(row)
                refused = refused or Stuck(pod, Stays.BUDGET, permission)
                continue
            copy = take_off(trial, row)
            event = trial.step(copy)
            last = event.outcome.last
            if last.placement is None:
                return Stuck(pod, copy=(copy, event))
            tie = len(last.scores.best) if last.scores is not None else 1
            to = cluster.node_name(last.placement.node)
            moves.append(Moved(row, pod.key, copy.key, name, to, permission, tie, closed))
        if refused is not None and len(later) == len(waiting):
            return refused
        waiting = later
    return moves
