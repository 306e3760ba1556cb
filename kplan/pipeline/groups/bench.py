"""The cluster without some pods, for as long as preemption for a group looks for those that may stay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from kplan.cluster import Nominate, Remove, Restore
from kplan.framework.codes import Code
from kplan.framework.groups import GroupInfo
from kplan.framework.preemption import NodeStatus
from kplan.pipeline.groups.trees import try_tree
from kplan.pipeline.groups.tried import Tries
from kplan.pipeline.profiles import Pipeline

_IMAGES = "ImageLocality"


class GroupBench:
    """See ``framework.groups.Bench``.

    A plugin that had nothing to say without these pods is not asked again once some are back.

    Differs from kube-scheduler: with each pod that is put back, what PreFilter plugins count is counted anew; there it
    is added to what they counted before.
    """

    def __init__(self, planner: Tries, group: GroupInfo, pipeline: Pipeline, pods: Sequence[int]) -> None:
        """Prepare it.

        Args:
            planner: the planner.
            group: the group.
            pipeline: plugins of its pods' profile.
            pods: rows of the pods that leave.
        """
        self._planner = planner
        self._group = group
        self._pipeline = pipeline
        self._node_of = {pod: int(planner.cluster.pod_node[pod]) for pod in pods}
        self._context: AbstractContextManager[Any] = planner.trial()
        self._trial: Any = None
        self._skipped: dict[int, frozenset[str]] = {}

    def __enter__(self) -> GroupBench:
        """Let the pods leave."""
        self._trial = self._context.__enter__()
        self._trial.apply(Remove(pod) for pod in self._node_of)
        return self

    def __exit__(self, *raised: Any) -> None:
        """Bring all back."""
        self._context.__exit__(*raised)

    def schedule(self) -> NodeStatus | dict[int, int]:
        """Try the group: node row by pod row where it fits, in order; else its status."""
        return self._schedule(self._trial)

    def _schedule(self, planner: Any) -> NodeStatus | dict[int, int]:
        with planner.trial() as trial:
            trial.preempt = False
            # the copy of the cluster that the scheduler tries this on no longer knows on how many nodes an image is,
            # so that none counts (v1.37.2 backend/cache/snapshot.go StartMutations copies what was copied already)
            trial.pipelines = {name: pipeline.without_score(_IMAGES) for name, pipeline in trial.pipelines.items()}
            tried = try_tree(trial, self._group, self._pipeline, everything=False)
            self._skipped = {pod.pod.row: pod.cycle.skipped for pod in tried.pods if pod.cycle is not None}
            return tried.assignments if tried.status.code is Code.SUCCESS else tried.status

    def holds(self, assignments: Mapping[int, int], back: Sequence[int]) -> bool:
        """Whether pods fit their nodes, one after another, with some of those that left back; if so, they stay."""
        with self._trial.trial() as trial:
            trial.apply(Restore(pod, self._node_of[pod]) for pod in back)
            if not self._fit(trial, assignments):
                return False
            trial.keep()
            return True

    def fits_beside(self, back: Sequence[int]) -> bool:
        """Whether the group, tried anew, fits with some of those that left back; if so, they stay."""
        with self._trial.trial() as trial:
            trial.apply(Restore(pod, self._node_of[pod]) for pod in back)
            fits = isinstance(self._schedule(trial), dict)
            if fits:
                trial.keep()
        return fits

    def _fit(self, trial: Any, assignments: Mapping[int, int]) -> bool:
        with trial.trial() as inner:
            for row, node in assignments.items():
                nominated = int(inner.cluster.pod_nominated[row])
                cycle = inner.group_cycle(inner.cluster.pods[row], None, everything=False)
                status = cycle.verdict(node, self._skipped.get(row, frozenset()))
                if status.code is not Code.SUCCESS or inner.place(cycle, node).refused is not None:
                    return False
                if nominated >= 0:  # here the scheduler leaves it nominated: it counts twice for the next
                    inner.apply([Nominate(row, nominated)])
        return True
