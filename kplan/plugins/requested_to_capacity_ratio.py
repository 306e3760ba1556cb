"""RequestedToCapacityRatio: scores nodes by a function of how full they would be.

What it checks:  nothing; each configured resource (cpu and memory by default) is worth what the shape says of its
                 utilization with the pod, rounded up to a whole percent; the score is their weighted mean over those
                 worth more than 0. It is the priority with requestedToCapacityRatioArguments; the strategy of that name
                 of NodeResourcesFit today rounds down.
Rejects with:    nothing.
Not modelled:    nothing.
Source:          kubernetes v1.20.15 pkg/scheduler/framework/plugins/noderesources/requested_to_capacity_ratio.go,
                 resource_allocation.go calculateResourceAllocatableRequest
"""

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kplan.framework.args import RequestedToCapacityRatioArgs
from kplan.framework.codes import Compares, Cost, Point, Reads
from kplan.framework.features import Features
from kplan.framework.plugin import Scores
from kplan.framework.worlds import Int, Rows
from kplan.objects.requests import fit_score_requests
from kplan.plugins.shared.allocation_scores import MAX_UTILIZATION, rounded, worth_of

if TYPE_CHECKING:
    from kplan.cluster import Cluster, PodInfo


class RequestedToCapacityRatio:
    """The plugin; its module says what it does."""

    name: ClassVar[str] = "RequestedToCapacityRatio"
    cost: ClassVar[Cost] = Cost.COLUMNS
    compares: ClassVar[Compares] = Compares.NOTHING

    def __init__(self, args: RequestedToCapacityRatioArgs | None, features: Features) -> None:
        args = args or RequestedToCapacityRatioArgs()
        self._worth = worth_of(args.shape)
        self._resources = args.resources

    def reads(self, point: Point, pod: "PodInfo") -> Reads:
        """Read what is requested on nodes."""
        return Reads.NODE | Reads.USAGE

    def score(self, pod: "PodInfo", state: None, cluster: "Cluster", rows: Rows, choice: None) -> Scores:
        """Score int64[F] within 0..100."""
        asked = fit_score_requests(pod.pod)
        total = np.zeros(len(rows), dtype=np.int64)
        weights = np.zeros(len(rows), dtype=np.int64)
        for resource in self._resources:
            worth = self._worth[_utilization(cluster, rows, resource.name, asked.get(resource.name, 0))]
            total += worth * resource.weight
            weights += np.where(worth > 0, resource.weight, 0)
        return rounded(total / np.maximum(weights, 1))


def _utilization(cluster: "Cluster", rows: Rows, name: str, asked: int) -> Int:
    """int64[F], how full nodes would be [percent, rounded up]; 100 where there is none of it or too little."""
    resource = cluster.resource(name)
    if resource is None:
        return np.full(len(rows), MAX_UTILIZATION, dtype=np.int64)
    requested = cluster.non_zero_requested if name in ("cpu", "memory") else cluster.requested
    capacity = cluster.allocatable[resource].take(rows)
    left = capacity - requested[resource].take(rows) - asked
    full = (capacity == 0) | (left < 0)
    utilization = MAX_UTILIZATION - left * MAX_UTILIZATION // np.where(capacity == 0, 1, capacity)
    return np.where(full, MAX_UTILIZATION, utilization)
