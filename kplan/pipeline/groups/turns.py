"""The turn of a group in the queue: by its own priority, and as early as its first pod.

Source: kubernetes v1.37.2 pkg/scheduler/backend/queue/scheduling_queue.go addPodGroupMember;
framework/types.go QueuedPodGroupInfo.GetPriority; v1.36.3 schedule_one_podgroup.go podGroupInfoForPod.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from kplan.cluster import Cluster, PodInfo
from kplan.framework.codes import Point
from kplan.pipeline.queue import Queue
from kplan.plugins.shared.group_trees import as_pod_group, key_of_group
from kplan.plugins.shared.pod_groups import priority_of, turn_of


class Queued(Protocol):
    """A planner, as far as its queue goes."""

    cluster: Cluster

    @property
    def queue(self) -> Queue:
        """The queue of this scheduler."""


def in_turns(planner: Queued, pods: Sequence[PodInfo]) -> list[PodInfo]:
    """Order pods as they are tried.

    A group has the priority that it says, not that of its pods, and stands where a pod of that priority would that is
    as old as its oldest; groups of a group have the turn of the one at the top. In 1.36 it stands where the first of
    its pods stands that is let into the queue, and that one brings the others.

    Args:
        planner: holds the cluster and the queue.
        pods: in the order of the QueueSort plugin.
    """
    cluster, queue = planner.cluster, planner.queue
    turns: dict[str, list[PodInfo]] = {}
    priorities: dict[str, int] = {}
    for pod in pods:
        features = queue.pipelines[pod.scheduler_name].features
        group = turn_of(pod, cluster, features)
        if group is not None and not features.since(37) and queue.kept_out(pod, cluster) is not None:
            group = None
        turn = key_of_group(group) if group is not None else f"/{pod.row}"
        turns.setdefault(turn, []).append(pod)
        if group is not None and features.since(37):
            priorities[turn] = priority_of(as_pod_group(group))
    if len(turns) == len(pods) and not priorities:
        return list(pods)
    sort_key = next(iter(queue.pipelines.values())).at(Point.QUEUE_SORT)[0].sort_key

    def place(turn: str) -> tuple[Any, ...]:
        keys: list[tuple[Any, ...]] = [sort_key(pod) for pod in turns[turn]]
        if turn not in priorities:
            return min(keys)
        return (-priorities[turn], *min(key[1:] for key in keys))

    return [pod for turn in sorted(turns, key=place) for pod in turns[turn]]
