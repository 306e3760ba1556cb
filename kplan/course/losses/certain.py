"""Losses that are borne wherever each pod lands: told by counting nodes, without carrying the loss out."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

import numpy as np
from msgspec.structs import replace

from kplan.cluster import PodInfo, leave
from kplan.cluster.owners import controller, named_node, of_its_node, returns
from kplan.course.evictions.returning import Returns
from kplan.course.trial.alike import likeness
from kplan.framework.closing import Amount
from kplan.framework.worlds import Mask, Rows
from kplan.pipeline import Planner
from kplan.pipeline.taking import Takers
from kplan.scenario.going import not_ready_below


class CertainLosses:
    """Tells which losses of nodes are borne for certain, over a cluster that stays as it is.

    A pod that takes nothing but room on its node is placed if more nodes take it than other pods that come back can
    close to it: each closes one at most, those that are in its way at all or together take up the room. What is not
    that plain is not told here. The nodes that take a pod are asked about once for all pods alike.
    """

    def __init__(self, planner: Planner) -> None:
        """Begin.

        Args:
            planner: planner over the cluster; it is as before after each question.
        """
        self._planner = planner
        self._takers: dict[Hashable, Takers | None] = {}
        self._told: dict[tuple[str, ...], int | None] = {}

    def come_back(self, nodes: Sequence[str]) -> int | None:
        """Number of pods that come back if these nodes are lost, all of them placed; None where only a run tells.

        Where it is told, no pod is evicted, and none is gone that nothing recreates.

        Args:
            nodes: names of the nodes.
        """
        key = tuple(nodes)
        if key not in self._told:
            self._told[key] = self._come_back(nodes)
        return self._told[key]

    def _come_back(self, nodes: Sequence[str]) -> int | None:
        cluster = self._planner.cluster
        lost = np.zeros(len(cluster.nodes), dtype=np.bool_)
        lost[[cluster.node_index[name] for name in nodes]] = True
        back: list[PodInfo] = []
        for pod in map(cluster.pods.__getitem__, self._on(lost).tolist()):
            if of_its_node(pod) or (pod.terminating and controller(pod)[0] != "StatefulSet"):
                continue  # it goes with its node, or was being deleted
            if (
                not returns(pod)
                or pod.terminating
                or named_node(pod, cluster)
                or not_ready_below(cluster, pod) is not None
            ):
                return None
            back.append(pod)
        rows = np.array([pod.row for pod in back], dtype=np.intp)
        for pod in {likeness(pod): pod for pod in back}.values():
            takers = self._nodes_that_take(pod)
            if takers is None or not stays_open(takers, lost, rows[rows != pod.row]):
                return None
        return len(back)

    def _on(self, lost: Mask) -> Rows:
        """Rows of the pods on some nodes."""
        home = self._planner.cluster.pod_node
        placed = np.flatnonzero(home >= 0)
        return placed[lost[home[placed]]]

    def _nodes_that_take(self, pod: PodInfo) -> Takers | None:
        """Nodes that take what is made in place of a pod; None where others have a say."""
        alike = likeness(pod)
        if alike not in self._takers:
            self._takers[alike] = self._asked(pod)
        return self._takers[alike]

    def _asked(self, pod: PodInfo) -> Takers | None:
        at = int(self._planner.cluster.pod_node[pod.row])
        with self._planner.trial(everything=False, scored=False) as trial:
            trial.apply(leave(trial.cluster, (pod.row,)))
            [copy] = Returns(trial).make_all([pod])
            takers = trial.takers(copy) if copy is not None else None
            # its own node has the room of one more now than where another of its kind is lost
            return replace(takers, rows=takers.rows[takers.rows != at]) if takers is not None else None


def stays_open(takers: Takers, lost: Mask, back: Rows) -> bool:
    """Tell whether a node is left for a pod, wherever others land that come back with it.

    Args:
        takers: nodes that take it.
        lost: bool[N], nodes that are not there any more.
        back: rows of the other pods that come back, which are on those nodes.
    """
    others = len(back)
    rivals = int(takers.rivals[back].sum()) if takers.rivals is not None else 0
    for rows in _alternatives(takers, lost):
        closed = others
        if takers.amounts is not None and len(rows) <= others:
            closed = min(others, rivals + sum(_closed(amount, rows, back) for amount in takers.amounts))
        if closed >= len(rows):
            return False
    return True


def _alternatives(takers: Takers, lost: Mask) -> Iterator[Rows]:
    """Sets of nodes each of which has to keep one that is open: the pod may be let onto one set alone."""
    rows = takers.rows[~lost[takers.rows]]
    if takers.domains is None:
        yield rows
        return
    there = np.unique(takers.domains[~lost])
    mine = takers.domains[rows]
    for domain in there[there >= 0].tolist() or [None]:
        yield rows[mine == domain] if domain is not None else rows[:0]


def _closed(amount: Amount, rows: Rows, back: Rows) -> int:
    """How many nodes pods can close together by taking all that is left of an amount: those with the least of it."""
    needed = np.sort(np.maximum(amount.left[rows] + 1, 0))
    return int(np.searchsorted(np.cumsum(needed), amount.taken[back].sum(), side="right"))
