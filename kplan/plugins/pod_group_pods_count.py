"""PodGroupPodsCount: of several sets of nodes that a group fits, the one that takes most of its pods.

What it checks:  nothing; it scores sets of nodes by how many pods of the group have or would get a node, in percent of
                 the most that any set takes.
Rejects with:    nothing.
Not modelled:    nothing.
Source:          kubernetes v1.37.2 and v1.36.3
                 pkg/scheduler/framework/plugins/podgrouppodscount/podgroup_pods_count.go
"""

from collections.abc import Sequence
from typing import ClassVar

from msgspec import Struct

from kplan.cluster import Cluster, PodInfo
from kplan.framework.codes import Cost, Point, Reads
from kplan.framework.features import Features
from kplan.framework.findings import Failed
from kplan.framework.groups import GroupInfo, Proposal
from kplan.framework.plugin import MAX_NODE_SCORE

NONE = "no pods from pod group are assigned to any of the candidate placements"


class PodGroupPodsCount(Struct, frozen=True):
    """Prefers the set of nodes with the most pods."""

    name: ClassVar[str] = "PodGroupPodsCount"
    cost: ClassVar[Cost] = Cost.COLUMNS

    args: None
    features: Features

    def reads(self, point: Point, pod: PodInfo) -> Reads:
        """Read nothing of the pod alone."""
        return Reads(0)

    def score_placements(self, group: GroupInfo, cluster: Cluster, proposals: Sequence[Proposal]) -> list[int] | Failed:
        """Score by the share of pods."""
        counts = [group.scheduled + len(proposal.assignments) for proposal in proposals]
        most = max(counts)
        return [count * MAX_NODE_SCORE // most for count in counts] if most else Failed(NONE)
