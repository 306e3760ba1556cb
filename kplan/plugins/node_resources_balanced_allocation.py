"""NodeResourcesBalancedAllocation: prefers nodes where a pod makes the use of resources even.

What it checks:  nothing; scores by how close the used shares of the configured resources (cpu and memory by default)
                 are to each other, from 1.36 by how much the pod improves that. Skips pods that request none of them.
Rejects with:    nothing.
Not modelled:    a crash: where a resource is served by devices whose class has selectors, kube-scheduler (from 1.35)
                 dereferences a nil pointer as it scores a node with devices; kplan says so as a failure to score.
Source:          kubernetes v1.37.2 pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kplan.framework.args import NodeResourcesBalancedAllocationArgs
from kplan.framework.codes import Compares, Cost, Point, Reads
from kplan.framework.features import Features
from kplan.framework.findings import Failed, Ready, Skip
from kplan.framework.plugin import MAX_NODE_SCORE, Scores
from kplan.framework.worlds import Int, Rows
from kplan.objects.requests import balanced_score_requests
from kplan.objects.resource_names import is_scalar_resource
from kplan.plugins.shared.resources import ScoredResource, checks_devices, resource_uses

if TYPE_CHECKING:
    from kplan.cluster import Cluster, PodInfo


BalanceState = dict[str, int]
"""What the pod requests, by resource. [millicores for cpu, else whole]"""


class NodeResourcesBalancedAllocation:
    """The plugin; its module says what it does."""

    name: ClassVar[str] = "NodeResourcesBalancedAllocation"
    cost: ClassVar[Cost] = Cost.COLUMNS
    compares: ClassVar[Compares] = Compares.NOTHING
    by_taints: ClassVar[bool] = False

    def __init__(self, args: NodeResourcesBalancedAllocationArgs | None, features: Features) -> None:
        self._features = features
        self._scored = (args or NodeResourcesBalancedAllocationArgs()).resources

    def reads(self, point: Point, pod: PodInfo) -> Reads:
        """Nothing beyond the node and what is requested on it, but for resources that devices may serve."""
        if point is not Point.SCORE:
            return Reads(0)
        reads = Reads.NODE | Reads.USAGE
        if self._features.enabled("DRAExtendedResource") and any(is_scalar_resource(s.name) for s in self._scored):
            reads |= Reads.DEVICES
        return reads

    def pre_score(self, pod: PodInfo, state: None, cluster: Cluster, rows: Rows) -> Skip | Ready[BalanceState]:
        """Skip a pod that requests none of the resources, else it would go where many of its kind are.

        Source: v1.37.2 noderesources/balanced_allocation.go PreScore.
        """
        asked = balanced_score_requests(pod.pod, cluster.rules)
        return Ready(asked) if self._is_asked_for(asked) else Skip()

    def score(
        self, pod: PodInfo, state: BalanceState | None, cluster: Cluster, rows: Rows, choice: Any
    ) -> Scores | Failed:
        """Score 50 to 100, more where use is (1.34, 1.35) or becomes (from 1.36) more even.

        Without PreScore (a profile may turn it off) the pod is read here.
        Source: v1.37.2 and v1.35.4 noderesources/balanced_allocation.go Score, balancedResourceScorer.
        """
        if state is None:
            state = balanced_score_requests(pod.pod, cluster.rules)
            if not self._is_asked_for(state):
                return np.zeros(len(rows), dtype=np.int64)
        for spec in self._scored:
            if is_scalar_resource(spec.name) and state.get(spec.name, 0):
                checked = checks_devices(spec.name, cluster, self._features)
                if checked is not None and checked[rows].any():
                    return Failed(_CRASH.format(spec.name))
        uses = resource_uses(cluster, rows, self._scored, state, self._features, non_zero=False)
        if not self._features.since(36):
            return _evenness(uses, [use.requested for use in uses], (len(rows),))
        # both at one time, as int64[2, M] of each resource
        used = [_WITH_AND_WITHOUT * use.asked + use.allocated for use in uses]
        both = _evenness(uses, used, (2, len(rows)))
        half = MAX_NODE_SCORE // 2
        # within 0..100 before it is halved, as both are within 50..100
        improved: Scores = half + (half + both[0] - both[1]) // 2
        return improved

    def read_of(self, point: Point, pod: PodInfo, state: BalanceState | None) -> Hashable | None:
        """What the pod requests."""
        return tuple(state.items()) if state is not None else None

    def _is_asked_for(self, asked: Mapping[str, int]) -> bool:
        """Tell whether the pod requests any of the resources that are balanced."""
        return any(asked.get(spec.name, 0) for spec in self._scored)


_CRASH = (
    "kube-scheduler crashes here: {} is balanced and its device class has selectors, which this plugin cannot evaluate"
)
_WITH_AND_WITHOUT: Int = np.array([[1], [0]], dtype=np.int64)
"""How often the pod itself counts."""


def _evenness(uses: Sequence[ScoredResource], used: Sequence[Int], shape: tuple[int, ...]) -> Scores:
    """Score M nodes by the spread of the shares used, over the resources that each node has: int64[..., M].

    Args:
        uses: the resources.
        used: int64[..., M] of each resource, what counts as used.
        shape: of the answer.

    Source: v1.37.2 noderesources/balanced_allocation.go balancedResourceScore.
    """
    capacities = [use.allocatable for use in uses]
    if all([use.everywhere for use in uses]):
        return _evenness_of_all(used, capacities, shape)
    # nodes that have the same resources are scored together
    pattern = np.zeros(shape[-1], dtype=np.int64)
    for bit, capacity in enumerate(capacities):
        pattern |= (capacity > 0).astype(np.int64) << bit
    score = np.zeros(shape, dtype=np.int64)
    for code in np.unique(pattern):
        alike = np.flatnonzero(pattern == code)
        has = [i for i in range(len(uses)) if code >> i & 1]
        mine, there = [used[i][..., alike] for i in has], [capacities[i][alike] for i in has]
        score[..., alike] = _evenness_of_all(mine, there, (*shape[:-1], len(alike)))
    return score


def _evenness_of_all(used: Sequence[Int], capacities: Sequence[Int], shape: tuple[int, ...]) -> Scores:
    """Score nodes that have all the resources: trunc((1 - deviation) * 100), the deviation as Go's floats add up."""
    shares = [np.minimum(mine / capacity, 1.0) for mine, capacity in zip(used, capacities, strict=True)]
    deviation: NDArray[np.float64]
    if len(shares) < 2:
        deviation = np.zeros(shape)
    elif len(shares) == 2:
        deviation = np.abs((shares[0] - shares[1]) / 2)
    else:
        mean = _in_order(shares) / len(shares)
        deviation = np.sqrt(_in_order([(share - mean) * (share - mean) for share in shares]) / len(shares))
    return ((1 - deviation) * MAX_NODE_SCORE).astype(np.int64)


def _in_order(terms: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Add floats one after the other, as the last bit depends on it."""
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total
