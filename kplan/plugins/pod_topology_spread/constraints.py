"""Spread constraints compiled: which pods each counts, on which nodes, and those a pod gets by default."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from kplan.framework.worlds import Int, Mask
from kplan.objects.models import Service, TopologySpreadConstraint
from kplan.objects.selectors import Requirement, Selector, compile_labels, compile_selector, tolerated

if TYPE_CHECKING:
    from kplan.cluster import Cluster, PodClass, PodInfo
    from kplan.cluster.counters import Counter


HOSTNAME = "kubernetes.io/hostname"
DO_NOT_SCHEDULE = "DoNotSchedule"
SCHEDULE_ANYWAY = "ScheduleAnyway"
_REPELLING = ("NoSchedule", "NoExecute")
_SELECTING = ("services", "replication_controllers", "replica_sets", "stateful_sets")
"""What default constraints take their selector from."""

SYSTEM_DEFAULTS = (
    TopologySpreadConstraint(max_skew=3, topology_key=HOSTNAME, when_unsatisfiable=SCHEDULE_ANYWAY),
    TopologySpreadConstraint(
        max_skew=5, topology_key="topology.kubernetes.io/zone", when_unsatisfiable=SCHEDULE_ANYWAY
    ),
)
"""What a pod without constraints gets unless the profile lists others; their order is that of the sum of scores."""


class Constraint(Struct, frozen=True):
    """One compiled constraint.

    Attributes:
        topology_key: the node label that makes a domain.
        selector: which pods count, merged with those of ``matchLabelKeys``.
        max_skew: the largest difference allowed.
        min_domains: with fewer domains the minimum is 0.
        honors_affinity: whether nodes that nodeSelector and node affinity exclude do not count.
        honors_taints: whether nodes with taints that the pod does not tolerate do not count.
    """

    topology_key: str
    selector: Selector
    max_skew: int
    min_domains: int = 1
    honors_affinity: bool = True
    honors_taints: bool = False


def compile_constraints(
    constraints: Iterable[TopologySpreadConstraint], labels: Mapping[str, str], action: str, *, merge_keys: bool
) -> tuple[Constraint, ...]:
    """Compile the constraints of one ``whenUnsatisfiable``, in order.

    Args:
        constraints: as written.
        labels: those of the pod, for ``matchLabelKeys``; keys it lacks are ignored.
        action: DoNotSchedule or ScheduleAnyway.
        merge_keys: the gate MatchLabelKeysInPodTopologySpread.

    Source: v1.37.2 plugins/podtopologyspread/common.go filterTopologySpreadConstraints.
    """
    return tuple(
        Constraint(
            topology_key=constraint.topology_key,
            selector=_selector(constraint, labels if merge_keys else {}),
            max_skew=constraint.max_skew,
            min_domains=1 if constraint.min_domains is None else constraint.min_domains,
            honors_affinity=(constraint.node_affinity_policy or "Honor") == "Honor",
            honors_taints=(constraint.node_taints_policy or "Ignore") == "Honor",
        )
        for constraint in constraints
        if constraint.when_unsatisfiable == action
    )


def _selector(constraint: TopologySpreadConstraint, labels: Mapping[str, str]) -> Selector:
    selector = compile_selector(constraint.label_selector)
    keys = [key for key in constraint.match_label_keys or () if key in labels]
    return selector.plus(Requirement(key, "In", (labels[key],)) for key in keys) if keys else selector


def default_constraints(
    pod: PodInfo,
    cluster: Cluster,
    defaults: Sequence[TopologySpreadConstraint],
    action: str,
    *,
    merge_keys: bool,
) -> tuple[Constraint, ...]:
    """Compile the constraints a pod without its own gets: none if nothing selects the pod.

    Source: v1.37.2 plugins/podtopologyspread/common.go buildDefaultConstraints.
    """
    selector = _known_default(pod, cluster)
    if selector.empty:
        return ()
    constraints = compile_constraints(defaults, pod.labels, action, merge_keys=merge_keys)
    return tuple(replace(constraint, selector=selector) for constraint in constraints)


def _known_default(pod: PodInfo, cluster: Cluster) -> Selector:
    """The default selector, worked out once for pods of one class and controller."""
    owner = pod.pod.controller
    key = pod.pod_class.index, (owner.api_version, owner.kind, owner.name) if owner is not None else None
    known: dict[object, Selector] = cluster.objects.derived("default selectors", _SELECTING, dict)
    selector = known.get(key)
    if selector is None:
        selector = known[key] = default_selector(pod, cluster)
    return selector


def default_selector(pod: PodInfo, cluster: Cluster) -> Selector:
    """Merge the selectors of the Services that select a pod and of the controller that owns it.

    Returns:
        a selector without requirements if there are none.

    Source: v1.37.2 plugins/helper/spread.go DefaultSelector, GetPodServices.
    """
    labels = _service_labels(pod, cluster)
    owner = pod.pod.controller
    if owner is None:
        return compile_labels(labels)
    key = f"{pod.namespace}/{owner.name}"
    match owner.api_version, owner.kind:
        case "v1", "ReplicationController":
            controller = cluster.objects.table("replication_controllers").get(key)
            if controller is not None:
                labels |= controller.spec.selector or {}
        case "apps/v1", "ReplicaSet" | "StatefulSet":
            attribute = "replica_sets" if owner.kind == "ReplicaSet" else "stateful_sets"
            workload = cluster.objects.table(attribute).get(key)
            if workload is not None:
                # A workload without selector adds nothing: that selector of nothing has no requirements to add.
                return compile_labels(labels).plus(compile_selector(workload.spec.selector).requirements)
    return compile_labels(labels)


def _service_labels(pod: PodInfo, cluster: Cluster) -> dict[str, str]:
    """Merge the selectors of the Services that select the pod; they cannot contradict each other."""
    services = cluster.objects.table("services")
    index = cluster.objects.derived(
        "selectors of Services by their first label", ("services",), lambda: _by_first_label(services.values())
    )
    labels = pod.labels
    merged: dict[str, str] = {}
    for item in labels.items():
        for selector in index.get((pod.namespace, *item), ()):
            if selector.items() <= labels.items():
                merged |= selector
    return merged


def _by_first_label(services: Iterable[Service]) -> dict[tuple[str, str, str], list[Mapping[str, str]]]:
    """Index selectors by namespace and one of their labels; a Service without any adds no requirement."""
    index: dict[tuple[str, str, str], list[Mapping[str, str]]] = {}
    for service in services:
        if service.spec.selector:
            key, value = min(service.spec.selector.items())
            index.setdefault((service.namespace, key, value), []).append(service.spec.selector)
    return index


class Inclusion(Struct, frozen=True, eq=False):
    """Which nodes a constraint may count, by each of the rules.

    Attributes:
        labelled: bool[N], the node has the topology key of every constraint (all True where that is not asked).
        allowed: bool[N], nodeSelector and required node affinity of the pod allow the node.
        tolerated: bool[N], the pod tolerates all NoSchedule and NoExecute taints of the node.
    """

    labelled: Mask
    allowed: Mask
    tolerated: Mask

    def of(self, constraint: Constraint) -> Mask:
        """bool[N], the nodes that count for a constraint.

        Source: v1.37.2 plugins/podtopologyspread/common.go matchNodeInclusionPolicies (the gate
        NodeInclusionPolicyInPodTopologySpread is locked on since 1.33).
        """
        included = self.labelled
        if constraint.honors_affinity:
            included = included & self.allowed
        if constraint.honors_taints:
            included = included & self.tolerated
        return included


def inclusion(
    pod: PodInfo, constraints: Sequence[Constraint], cluster: Cluster, *, all_keys: bool, comparison: bool
) -> Inclusion:
    """Work out which nodes may count; a rule that no constraint honours is left all True.

    Args:
        pod: the incoming pod.
        constraints: all that are looked at together.
        cluster: where.
        all_keys: whether a node has to have every topology key.
        comparison: the gate TaintTolerationComparisonOperators.
    """
    every = np.ones(len(cluster.nodes), dtype=np.bool_)
    labelled = labelled_nodes(constraints, cluster) if all_keys else every
    allowed = cluster.labels.required(pod.pod) if any(c.honors_affinity for c in constraints) else every
    honored = any(c.honors_taints for c in constraints)
    return Inclusion(labelled, allowed, tolerated_nodes(pod, cluster, comparison=comparison) if honored else every)


def labelled_nodes(constraints: Sequence[Constraint], cluster: Cluster) -> Mask:
    """bool[N], the nodes with the topology keys of all constraints."""
    labelled = np.ones(len(cluster.nodes), dtype=np.bool_)
    for key in {constraint.topology_key for constraint in constraints}:
        labelled &= cluster.labels.column(key).present
    return labelled


def tolerated_nodes(pod: PodInfo, cluster: Cluster, *, comparison: bool) -> Mask:
    """bool[N], the nodes whose NoSchedule and NoExecute taints the pod all tolerates."""
    tolerations = pod.pod.spec.tolerations or ()
    table = np.array(
        [
            all(tolerated(tolerations, t, comparison=comparison) for t in taints if t.effect in _REPELLING)
            for taints in cluster.taint_sets
        ],
        dtype=np.bool_,
    )
    mask: Mask = table.take(cluster.taint_set)
    return mask


def moved_pods(cluster: Cluster, namespace: str, selector: Selector) -> Counter:
    """Counter of the selected pods of the namespace that count when they move: terminating ones too.

    Source: v1.37.2 plugins/podtopologyspread/filtering.go updateWithPod.
    """

    def weigh(pod_class: PodClass) -> int:
        return int(pod_class.namespace == namespace and selector.matches(pod_class.labels))

    return cluster.counters.get((namespace, selector, "all"), weigh, selector.hooks)


def counted_domains(codes: NDArray[np.int32], values: int, included: Mask) -> NDArray[np.int32]:
    """int32[N], the domain each node counts for; V, the number of values, for nodes that do not count."""
    return np.where(included & (codes >= 0), codes, np.int32(values))


def domain_sums(domains: NDArray[np.int32], values: int, weights: Int) -> Int:
    """Sum a weight of nodes by domain.

    Args:
        domains: int32[N], of ``counted_domains``.
        values: number V of domains.
        weights: int64[N].

    Returns:
        int64[V + 1], 0 at the end: so that code -1, of nodes without the label, finds it.
    """
    # bincount sums in float64, which is exact for counts of pods.
    sums = np.bincount(domains, weights=weights, minlength=values + 1).astype(np.int64)
    sums[values] = 0
    return sums
