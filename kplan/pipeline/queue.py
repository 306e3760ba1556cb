"""The scheduling queue of one scheduler: which pods wait, in which order, and which of them hold room on a node."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.work import NOMINATED
from kplan.framework.codes import Code, Point
from kplan.framework.findings import Refused
from kplan.framework.preemption import NodeStatus
from kplan.pipeline.profiles import Pipeline


class Queue(Struct, frozen=True):
    """The pods that the profiles of one scheduler are responsible for.

    Attributes:
        pipelines: plugins of each profile, by scheduler name.
    """

    pipelines: Mapping[str, Pipeline]

    def responsible(self, pod: PodInfo) -> bool:
        """Tell whether a profile has the pod's schedulerName."""
        return pod.scheduler_name in self.pipelines

    def waiting(self, cluster: Cluster) -> list[PodInfo]:
        """Pods without a node that are not being deleted, in order of rows."""
        return [pod for pod in cluster.pods if pod.waiting and self.responsible(pod)]

    def sort(self, pods: Iterable[PodInfo]) -> list[PodInfo]:
        """Sort pods by the QueueSort plugin, which all profiles share; its key ends in the name."""
        pipeline = next(iter(self.pipelines.values()))
        return sorted(pods, key=pipeline.at(Point.QUEUE_SORT)[0].sort_key)

    def kept_out(self, pod: PodInfo, cluster: Cluster) -> NodeStatus | None:
        """Say why PreEnqueue plugins keep the pod out of the queue, or None."""
        for plugin in self.pipelines[pod.scheduler_name].at(Point.PRE_ENQUEUE):
            answer: Refused | None = plugin.pre_enqueue(pod, cluster) if hasattr(plugin, "pre_enqueue") else None
            if answer is not None:
                code = Code.UNSCHEDULABLE_AND_UNRESOLVABLE if answer.unresolvable else Code.UNSCHEDULABLE
                return NodeStatus(code, plugin.name, answer.whys)
        return None

    def nominated(self, cluster: Cluster, pod: PodInfo) -> dict[int, Sequence[int]]:
        """Rows of the nominated pods that hold room against this pod, by node row.

        Those of equal or higher priority in this queue, not the pod itself. Up to 1.36 a pod that PreEnqueue keeps
        out holds none: its nomination was noted only on its way into the queue.
        Source: v1.37.2 framework/runtime/framework.go addGENominatedPods, backend/queue/scheduling_queue.go addPod;
        v1.36.3 backend/queue/scheduling_queue.go moveToActiveQ.
        """
        if not cluster.nominations:
            return {}
        by_node: dict[int, list[int]] = {}
        rows = (cluster.pod_nominated >= 0).nonzero()[0].tolist()
        cluster.work.charge(NOMINATED * len(rows))
        for row in rows:
            other = cluster.pods[row]
            if other.row == pod.row or other.priority < pod.priority or not self.responsible(other):
                continue
            features = self.pipelines[other.scheduler_name].features
            if features.since(37) or self.kept_out(other, cluster) is None:
                by_node.setdefault(int(cluster.pod_nominated[row]), []).append(row)
        return dict(by_node)
