"""SelectorSpread: pods of one Service or controller are spread over nodes and zones.

What it checks:  nothing; counts the pods on a node that the selectors of the pod's Services, ReplicationControllers,
                 ReplicaSets and StatefulSets all select. The fewer of them on the node (a third of the score) and in
                 its zone (two thirds), the better. A pod with topology spread constraints is not scored. It is the
                 priority SelectorSpreadPriority until 1.19; since 1.20, PodTopologySpread stands in for it.
Rejects with:    nothing.
Not modelled:    nothing.
Source:          kubernetes v1.20.15 pkg/scheduler/framework/plugins/selectorspread/selector_spread.go;
                 helper/spread.go DefaultSelector; pkg/util/node/node.go GetZoneKey
"""

from typing import ClassVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kplan.cluster import Cluster, PodInfo
from kplan.framework.codes import Reads
from kplan.framework.findings import Failed, Ready
from kplan.framework.plugin import MAX_NODE_SCORE, ColumnPlugin, Scores
from kplan.framework.worlds import Rows
from kplan.objects.models import Node
from kplan.objects.selectors import Selector, compile_labels, compile_selector
from kplan.plugins.shared.services import live_pods, services_of

NO_STATE = 'reading "PreScoreSelectorSpread" from cycleState: not found'
_ZONES = ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone")
_REGIONS = ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region")
_ZONE_WEIGHT = 2.0 / 3.0


class SelectorSpreadState(Struct, frozen=True):
    """What is counted for a pod.

    Attributes:
        selector: of the pods that count; None for a pod that is not scored.
    """

    selector: Selector | None


class SelectorSpread(ColumnPlugin[None]):
    """Ranks nodes by how few of the pod's kind are near."""

    name: ClassVar[str] = "SelectorSpread"
    needs: ClassVar[Reads] = Reads.NODE | Reads.PODS | Reads.OBJECTS

    def pre_score(self, pod: PodInfo, state: None, cluster: Cluster, rows: Rows) -> Ready[SelectorSpreadState]:
        """Merge the selectors of all that select the pod."""
        if pod.pod.spec.topology_spread_constraints:
            return Ready(SelectorSpreadState(None))
        return Ready(SelectorSpreadState(default_selector(pod, cluster)))

    def score(
        self, pod: PodInfo, state: SelectorSpreadState | None, cluster: Cluster, rows: Rows, choice: None
    ) -> Scores | Failed:
        """Count int64[F] pods of the namespace that are selected and not terminating; without a selector none."""
        if pod.pod.spec.topology_spread_constraints:
            return np.zeros(len(rows), dtype=np.int64)
        if state is None:
            return Failed(NO_STATE)
        if state.selector is None:
            return np.zeros(len(rows), dtype=np.int64)
        return live_pods(cluster, pod.namespace, state.selector)[rows]

    def normalize(
        self, pod: PodInfo, state: SelectorSpreadState | None, cluster: Cluster, rows: Rows, raw: Scores
    ) -> Scores:
        """Score int64[F] within 0..100 in float64, as Go does: by node, and by zone where there are any."""
        if pod.pod.spec.topology_spread_constraints:
            return raw
        score = _fewest(raw, int(raw.max(initial=0)))
        zones: NDArray[np.intp] = cluster.objects.derived("SelectorSpread zones", ("nodes",), lambda: _zones(cluster))
        zone = zones[rows]
        zoned = zone >= 0
        if zoned.any():
            sums = np.bincount(zone[zoned], weights=raw[zoned]).astype(np.int64)
            by_zone = _fewest(sums, int(sums.max()))[np.where(zoned, zone, 0)]
            score = np.where(zoned, score * (1.0 - _ZONE_WEIGHT) + _ZONE_WEIGHT * by_zone, score)
        return score.astype(np.int64)


def _fewest(counts: Scores, most: int) -> NDArray[np.float64]:
    """Score counts against the largest: none of it is 100, all of it is 0; without any, all are 100."""
    if most <= 0:
        return np.full(len(counts), float(MAX_NODE_SCORE))
    shares: NDArray[np.float64] = float(MAX_NODE_SCORE) * ((most - counts) / float(most))
    return shares


def default_selector(pod: PodInfo, cluster: Cluster) -> Selector:
    """Merge the selectors of Services and controllers that select a pod, whoever owns it.

    Returns:
        a selector without requirements if nothing selects the pod.
    """
    labels: dict[str, str] = {}
    for service in services_of(pod, cluster):
        labels |= service.spec.selector or {}
    for controller in cluster.objects.table("replication_controllers").values():
        selector = controller.spec.selector
        if controller.namespace == pod.namespace and selector and selector.items() <= pod.labels.items():
            labels |= selector
    merged = compile_labels(labels)
    for table in ("replica_sets", "stateful_sets"):
        for workload in cluster.objects.table(table).values():
            own = compile_selector(workload.spec.selector)
            if workload.namespace == pod.namespace and not own.empty and own.matches(pod.labels):
                merged = merged.plus(own.requirements)
    return merged


def _zones(cluster: Cluster) -> NDArray[np.intp]:
    """intp[N], a number for each pair of region and zone, -1 where a node has neither."""
    numbers: dict[tuple[str, str], int] = {}
    zones = [_zone(node) for node in cluster.nodes]
    codes = [numbers.setdefault(zone, len(numbers)) if any(zone) else -1 for zone in zones]
    return np.array(codes, dtype=np.intp)


def _zone(node: Node) -> tuple[str, str]:
    """Region and zone of a node; the labels of the first releases come first."""
    region, zone = (next((node.labels[key] for key in keys if key in node.labels), "") for keys in (_REGIONS, _ZONES))
    return region, zone
