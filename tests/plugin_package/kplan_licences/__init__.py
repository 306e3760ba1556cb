"""LicenceFit: a pod that needs a licence fits only nodes with one to spare.

What it checks:  a pod with the label example.com/licence needs one licence of that name. A node has as many as its
                 label example.com/licences says (none without); each pod on it with the same label uses one. Scores
                 nodes by how many would be left, at most ``enough`` of the arguments.
Rejects with:    "node(s) had no licence left" (Unschedulable), "node(s) had no licences" (UnschedulableAndUnresolvable)
Not modelled:    nothing.
Source:          this package, which is made up
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kplan.cluster import Cluster, PodClass, PodInfo
from kplan.cluster.counters import Counter
from kplan.framework.codes import Cost, Point, Reads
from kplan.framework.features import Features
from kplan.framework.findings import Findings, Ready, Refusal, Skip
from kplan.framework.plugin import Scores
from kplan.framework.reason_codes import ReasonCode
from kplan.framework.worlds import Int, Rows, Worlds

LICENCE = "example.com/licence"
LICENCES = "example.com/licences"
NONE_LEFT = "node(s) had no licence left"
NONE_AT_ALL = "node(s) had no licences"


@dataclass(frozen=True, slots=True)
class LicenceState:
    """What is known of the licence a pod needs.

    Attributes:
        there: int64[N], licences of each node.
        used: counter of the pods that use one.
    """

    there: Int
    used: Counter


@dataclass(frozen=True, slots=True)
class LicenceFit:
    """Refuses nodes without a licence to spare, and prefers those with many."""

    name: ClassVar[str] = "LicenceFit"
    cost: ClassVar[Cost] = Cost.COLUMNS

    args: Mapping[str, Any] | None
    features: Features

    def reads(self, point: Point, pod: PodInfo) -> Reads:
        """Read labels of nodes, and which pods run on a node."""
        return Reads.NODE | Reads.PODS

    def pre_filter(self, pod: PodInfo, cluster: Cluster) -> Skip | Ready[LicenceState]:
        """Count licences; a pod that needs none is skipped."""
        licence = pod.labels.get(LICENCE)
        if licence is None:
            return Skip()

        def weigh(pod_class: PodClass) -> int:
            return int(pod_class.labels.get(LICENCE) == licence)

        column = cluster.labels.column(LICENCES)
        numbers = [int(value) if value.isdigit() else 0 for value in column.values]
        there = np.array([*numbers, 0], dtype=np.int64)[column.codes]
        return Ready(LicenceState(there, cluster.counters.get((LICENCE, licence), weigh)))

    def filter(self, pod: PodInfo, state: LicenceState, cluster: Cluster, worlds: Worlds) -> Findings[None]:
        """Refuse where all licences are used; pods that would leave give theirs back."""
        there = state.there[worlds.rows]
        used = state.used.nodes[worlds.rows] + worlds.total(state.used.pods)
        none = there == 0
        refusals = (
            Refusal(ReasonCode.OTHER_PLUGIN, (), NONE_AT_ALL, none),
            Refusal(ReasonCode.OTHER_PLUGIN, (), NONE_LEFT, ~none & (used >= there)),
        )
        return Findings(refusals, none)

    def score(self, pod: PodInfo, state: LicenceState | None, cluster: Cluster, rows: Rows, choice: None) -> Scores:
        """Score int64[F]: 100 where enough are left."""
        enough = int((self.args or {}).get("enough", 10))
        if state is None:
            return np.zeros(len(rows), dtype=np.int64)
        left = np.minimum(state.there[rows] - state.used.nodes[rows], enough)
        return left * 100 // max(enough, 1)
