"""BalancedResourceAllocation: prefers nodes where the shares of cpu and memory in use are near each other.

What it checks:  nothing; scores 100 less the difference of the two shares, the pod counted in, in percent; 0 where one
                 of them is full. It is the priority of that name; NodeResourcesBalancedAllocation of today halves the
                 difference and minds other resources.
Rejects with:    nothing.
Not modelled:    volumes as a third share (gate BalanceAttachedNodeVolumes, off by default).
Source:          kubernetes v1.20.15 pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go
                 balancedResourceScorer, fractionOfCapacity
"""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.cluster import CPU, MEMORY
from kplan.framework.codes import Compares, Reads
from kplan.framework.plugin import MAX_NODE_SCORE, ColumnPlugin, Scores
from kplan.framework.worlds import Rows
from kplan.objects.requests import fit_score_requests


class BalancedResourceAllocation(ColumnPlugin[None]):
    """Ranks nodes by how even their use is."""

    name: ClassVar[str] = "BalancedResourceAllocation"
    compares: ClassVar[Compares] = Compares.NOTHING
    needs: ClassVar[Reads] = Reads.NODE | Reads.USAGE

    def score(self, pod: PodInfo, state: None, cluster: Cluster, rows: Rows, choice: None) -> Scores:
        """Score int64[F]: trunc((1 - |cpu - memory|) * 100), as Go's floats have it."""
        asked = fit_score_requests(pod.pod)
        cpu = _share(cluster, rows, CPU, asked.get("cpu", 0))
        memory = _share(cluster, rows, MEMORY, asked.get("memory", 0))
        score = ((1 - np.abs(cpu - memory)) * MAX_NODE_SCORE).astype(np.int64)
        return np.where((cpu >= 1) | (memory >= 1), 0, score)


def _share(cluster: Cluster, rows: Rows, resource: int, asked: int) -> NDArray[np.float64]:
    """float64[F], the share of a resource in use with the pod; 1 on a node that has none of it."""
    capacity = cluster.allocatable[resource].take(rows)
    used = cluster.non_zero_requested[resource].take(rows) + asked
    return np.where(capacity == 0, 1.0, used / np.where(capacity == 0, 1, capacity))
