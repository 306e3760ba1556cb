"""ServiceAffinity: the pods of a Service run on nodes that are alike in some labels, or are spread over others.

What it checks:  a node has the values of affinityLabels that the pod's nodeSelector names; those it does not name are
                 taken from the node of a pod with the same labels, if a Service selects the pod (predicates with
                 serviceAffinity). Scores nodes by how few of the Service's pods run where each label of
                 antiAffinityLabelsPreference has the node's value (priorities with serviceAntiAffinity).
Rejects with:    "node(s) didn't match service affinity" (Unschedulable)
Not modelled:    the order in which the scheduler comes upon pods and Services, where they differ: here the first pod by
                 node and name and the first Service by name count.
Source:          kubernetes v1.20.15 pkg/scheduler/framework/plugins/serviceaffinity/service_affinity.go
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
from msgspec import Struct

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.work import SEARCHED
from kplan.framework.args import ServiceAffinityArgs
from kplan.framework.codes import Cost, Reads
from kplan.framework.findings import (
    Findings,
    Mask,
    Ready,
    Refusal,
    RowError,
    failed_everywhere,
    passed,
)
from kplan.framework.plugin import MAX_NODE_SCORE, ColumnPlugin, Scores
from kplan.framework.reason_codes import ReasonCode
from kplan.framework.worlds import Rows, Worlds
from kplan.objects.selectors import Requirement, compile_labels
from kplan.plugins.shared.services import live_pods, services_of

REASON = "node(s) didn't match service affinity"
NO_STATE = 'error reading "PreFilterServiceAffinity" from cycleState: not found'
NO_NODE = "node not found"


class ServiceAffinityState(Struct, frozen=True):
    """What is known of the pods like this one.

    Attributes:
        alike: rows of the placed pods of the namespace that have all its labels, by node and name.
        served: whether a Service selects the pod.
    """

    alike: tuple[int, ...]
    served: bool


class ServiceAffinity(ColumnPlugin[ServiceAffinityArgs]):
    """Keeps the pods of a Service together, or apart, by labels of nodes."""

    name: ClassVar[str] = "ServiceAffinity"
    cost: ClassVar[Cost] = Cost.SEARCH
    needs: ClassVar[Reads] = Reads.NODE | Reads.PODS | Reads.OBJECTS

    @property
    def _labels(self) -> tuple[str, ...]:
        return self.args.affinity_labels if self.args else ()

    def pre_filter(self, pod: PodInfo, cluster: Cluster) -> Ready[ServiceAffinityState | None]:
        """Look for the pods like this one; nothing is kept where no label is asked for."""
        if not self._labels:
            return Ready(None)
        placed = np.flatnonzero(cluster.pod_node >= 0).tolist()
        alike = [row for row in placed if is_alike(pod, cluster.pods[row])]
        alike.sort(key=lambda row: (int(cluster.pod_node[row]), cluster.pods[row].name))
        return Ready(ServiceAffinityState(tuple(alike), bool(services_of(pod, cluster))))

    def filter(
        self, pod: PodInfo, state: ServiceAffinityState | None, cluster: Cluster, worlds: Worlds
    ) -> Findings[None]:
        """Refuse nodes with other values than the pod asks for or its like has."""
        if not self._labels:
            return passed(len(worlds))
        if state is None:
            return failed_everywhere(NO_STATE, len(worlds))
        selector = pod.pod.spec.node_selector or {}
        asked = {label: selector[label] for label in self._labels if label in selector}
        if len(self._labels) <= len(asked) or not state.served:
            return _findings(self._others(asked, cluster, worlds.rows))
        cluster.work.charge(SEARCHED * len(worlds))
        refused = np.zeros(len(worlds), dtype=np.bool_)
        errors = []
        for first, positions in _by_first(pod, state, cluster, worlds).items():
            if first is not None and cluster.pod_node[first] < 0:
                errors += [RowError(i, NO_NODE) for i in positions]  # upstream looks for the node of a nominated pod
                continue
            wanted = asked if first is None else self._completed(asked, cluster, int(cluster.pod_node[first]))
            at = np.array(positions, dtype=np.intp)
            refused[at] = self._others(wanted, cluster, worlds.rows[at])
        return _findings(refused, tuple(errors))

    def _completed(self, asked: Mapping[str, str], cluster: Cluster, node: int) -> dict[str, str]:
        """Add the values that a node has of the labels not asked for."""
        labels = cluster.nodes[node].labels
        return {**{label: labels[label] for label in self._labels if label in labels}, **asked}

    def _others(self, wanted: Mapping[str, str], cluster: Cluster, rows: Rows) -> Mask:
        """bool[M], the nodes that do not have all of these labels."""
        others = np.zeros(len(cluster.nodes), dtype=np.bool_)
        for label, value in wanted.items():
            others |= ~cluster.labels.requirement(Requirement(label, "In", (value,)))
        return others[rows]

    def score(self, pod: PodInfo, state: object, cluster: Cluster, rows: Rows, choice: None) -> Scores:
        """Count int64[F] pods of the pod's first Service on each node that are not terminating."""
        services = services_of(pod, cluster)
        if not services:
            return np.zeros(len(rows), dtype=np.int64)
        return live_pods(cluster, pod.namespace, compile_labels(services[0].spec.selector))[rows]

    def normalize(self, pod: PodInfo, state: object, cluster: Cluster, rows: Rows, raw: Scores) -> Scores:
        """Score int64[F] within 0..100 in float64, as Go does: the mean over the labels, 0 for one that a node lacks.

        Source: v1.20.15 service_affinity.go updateNodeScoresForLabel.
        """
        labels = self.args.anti_affinity_labels_preference if self.args else ()
        total = int(raw.sum())
        score = np.zeros(len(rows), dtype=np.float64)
        for label in labels:
            column = cluster.labels.column(label)
            codes = column.codes[rows]
            here = codes >= 0
            counts = np.bincount(codes[here], weights=raw[here], minlength=len(column.values) or 1)
            share = np.full(len(rows), float(MAX_NODE_SCORE))
            if total > 0:
                share = float(MAX_NODE_SCORE) * ((total - counts[np.where(here, codes, 0)]) / float(total))
            score += np.where(here, share / float(len(labels)), 0.0)
        return score.astype(np.int64)


def is_alike(pod: PodInfo, other: PodInfo) -> bool:
    """Tell whether another pod of the namespace has all labels of this one."""
    return other.namespace == pod.namespace and pod.labels.items() <= other.labels.items()


def _findings(refused: Mask, errors: tuple[RowError, ...] = ()) -> Findings[None]:
    return Findings(
        (Refusal(ReasonCode.SERVICE_AFFINITY, (), REASON, refused),), np.zeros(len(refused), dtype=np.bool_), errors
    )


def _by_first(
    pod: PodInfo, state: ServiceAffinityState, cluster: Cluster, worlds: Worlds
) -> Mapping[int | None, Sequence[int]]:
    """Positions of worlds by the first pod alike in each; pods that moved in come last, those that left count not."""
    first = state.alike[0] if state.alike else None
    if not worlds.moved:
        return {first: range(len(worlds))}
    by_first_pod: dict[int | None, list[int]] = {}
    for i in range(len(worlds)):
        moves = worlds.moves(i)
        gone = {row for row, sign in moves if sign < 0}
        come = [row for row, sign in moves if sign > 0 and is_alike(pod, cluster.pods[row])]
        left = next((row for row in (*state.alike, *come) if row not in gone), None)
        by_first_pod.setdefault(left, []).append(i)
    return by_first_pod
