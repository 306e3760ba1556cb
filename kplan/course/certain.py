"""Losses that are borne wherever each pod lands: told by counting nodes, without carrying the loss out."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from kplan.cluster import PodInfo, leave
from kplan.cluster.owners import controller, of_its_node, returns
from kplan.course.alike import likeness
from kplan.course.returning import Returns
from kplan.framework.worlds import Rows
from kplan.pipeline import Planner


class CertainLosses:
    """Tells which losses of nodes are borne for certain, over a cluster that stays as it is.

    A pod that takes nothing but room on its node, and whose own nodes each decide by themselves whether they take it,
    is placed if more nodes take it than other pods have come back before: each of those fills one node at most. What is
    not that plain is not told here. The nodes that take a pod are asked about once for all pods alike.
    """

    def __init__(self, planner: Planner) -> None:
        """Begin.

        Args:
            planner: planner over the cluster; it is as before after each question.
        """
        self._planner = planner
        self._takers: dict[Hashable, Rows | None] = {}

    def come_back(self, nodes: Sequence[str]) -> int | None:
        """Number of pods that come back if these nodes are lost, all of them placed; None where only a run tells.

        Where it is told, no pod is evicted, and none is gone that nothing makes again.

        Args:
            nodes: names of the nodes.
        """
        cluster = self._planner.cluster
        lost = [cluster.node_index[name] for name in nodes]
        back: list[PodInfo] = []
        for row in lost:
            for pod in map(cluster.pods.__getitem__, np.flatnonzero(cluster.pod_node == row).tolist()):
                if of_its_node(pod) or (pod.terminating and controller(pod)[0] != "StatefulSet"):
                    continue  # it goes with its node, or was being deleted
                if not returns(pod) or pod.terminating:
                    return None
                back.append(pod)
        for pod in back:
            takers = self._nodes_that_take(pod)
            if takers is None or len(takers) - int(np.isin(takers, lost).sum()) < len(back):
                return None
        return len(back)

    def _nodes_that_take(self, pod: PodInfo) -> Rows | None:
        """Rows of nodes that take what is made in place of a pod, by themselves; None where others have a say."""
        alike = likeness(pod)
        if alike not in self._takers:
            self._takers[alike] = self._asked(pod)
        return self._takers[alike]

    def _asked(self, pod: PodInfo) -> Rows | None:
        at = int(self._planner.cluster.pod_node[pod.row])
        with self._planner.trial() as trial:
            trial.apply(leave(trial.cluster, (pod.row,)))
            [copy] = Returns(trial).make_all([pod])
            takers = trial.takers(copy) if copy is not None else None
            # its own node has the room of one more now than where another of its kind is lost
            return takers[takers != at] if takers is not None else None
