"""NodeResourcesMostAllocated: prefers nodes whose cpu and memory are used most.

What it checks:  nothing; scores by the mean share of cpu and memory in use with the pod. It is the priority
                 MostRequestedPriority of a Policy that has LeastRequestedPriority, too; without that, NodeResourcesFit
                 scores in its place.
Rejects with:    nothing.
Not modelled:    nothing.
Source:          kubernetes v1.20.15 pkg/scheduler/framework/plugins/noderesources/most_allocated.go
"""

from typing import ClassVar

import numpy as np

from kplan.cluster import Cluster, PodInfo
from kplan.framework.args import CPU_AND_MEMORY
from kplan.framework.codes import Compares, Reads
from kplan.framework.plugin import ColumnPlugin, Scores
from kplan.framework.worlds import Rows
from kplan.objects.requests import fit_score_requests
from kplan.plugins.shared.allocation_scores import most_allocated
from kplan.plugins.shared.resources import resource_uses


class NodeResourcesMostAllocated(ColumnPlugin[None]):
    """Ranks nodes by how full they would be."""

    name: ClassVar[str] = "NodeResourcesMostAllocated"
    compares: ClassVar[Compares] = Compares.NOTHING
    needs: ClassVar[Reads] = Reads.NODE | Reads.USAGE

    def score(self, pod: PodInfo, state: None, cluster: Cluster, rows: Rows, choice: None) -> Scores:
        """Score int64[F] within 0..100."""
        asked = fit_score_requests(pod.pod)
        uses = resource_uses(cluster, rows, CPU_AND_MEMORY, asked, self.features, non_zero=True)
        return most_allocated(uses) if uses else np.zeros(len(rows), dtype=np.int64)
