"""Facts: the counts behind a refusal, domain by domain, and which nodes counted and which did not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kplan.framework.findings import Facts
from kplan.framework.worlds import Mask
from kplan.plugins.pod_topology_spread.constraints import (
    Constraint,
    Inclusion,
    labelled_nodes,
    tolerated_nodes,
)
from kplan.plugins.pod_topology_spread.filtering import HardSpread, HardState, skews

if TYPE_CHECKING:
    from kplan.cluster import Cluster, PodInfo
    from kplan.framework.worlds import Worlds


class DomainCount(Facts, frozen=True):
    """One domain as the cluster is.

    Attributes:
        value: value of the topology label.
        pods: pods counted.
        nodes: names of the nodes that count.
    """

    value: str
    pods: int
    nodes: tuple[str, ...]


class ConstraintFacts(Facts, frozen=True):
    """One DoNotSchedule constraint as the cluster is; nodes by name.

    Attributes:
        topology_key: the label that makes domains.
        selector: which pods count, in words.
        max_skew: the largest difference allowed.
        min_domains: with fewer domains the minimum is 0.
        node_affinity_policy: Honor or Ignore.
        node_taints_policy: Honor or Ignore.
        self_match: 1 if the pod itself counts, else 0.
        domains: all domains with a node that counts, fewest pods first.
        minimum: fewest pods of a domain, 0 for too few domains.
        too_few_domains: whether there are fewer domains than minDomains.
        without_label: nodes without this label.
        without_other_label: nodes that do not count, for want of another constraint's label.
        left_out_by_affinity: nodes that do not count, for nodeSelector or node affinity.
        left_out_by_taints: nodes that do not count, for their taints.
        counted_despite_affinity: nodes that count though nodeSelector or node affinity excludes them.
        counted_despite_taints: nodes that count though the pod does not tolerate their taints.
    """

    topology_key: str
    selector: str
    max_skew: int
    min_domains: int
    node_affinity_policy: str
    node_taints_policy: str
    self_match: int
    domains: tuple[DomainCount, ...]
    minimum: int
    too_few_domains: bool
    without_label: tuple[str, ...]
    without_other_label: tuple[str, ...]
    left_out_by_affinity: tuple[str, ...]
    left_out_by_taints: tuple[str, ...]
    counted_despite_affinity: tuple[str, ...]
    counted_despite_taints: tuple[str, ...]


class RefusedBy(Facts, frozen=True):
    """One constraint that one node does not satisfy; the first of a node is the one the scheduler names.

    Attributes:
        row: position of the world.
        node: name of its node.
        constraint: place of the constraint in SpreadFacts.constraints.
        domain: value of the label; None if the node lacks it, then the numbers are 0.
        here: pods counted in the domain.
        self_match: 1 if the pod itself counts, else 0.
        minimum: fewest pods of a domain in this world.
        skew: here + self_match - minimum.
    """

    row: int
    node: str
    constraint: int
    domain: str | None
    here: int
    self_match: int
    minimum: int
    skew: int


class SpreadFacts(Facts, frozen=True):
    """Why nodes were refused.

    Attributes:
        namespace: only pods of this namespace count.
        constraints: every DoNotSchedule constraint, in order.
        refused: by node in the order asked, then by constraint.
    """

    namespace: str
    constraints: tuple[ConstraintFacts, ...]
    refused: tuple[RefusedBy, ...]


def explain(
    pod: PodInfo, state: HardState, cluster: Cluster, worlds: Worlds, rows: Sequence[int], *, comparison: bool
) -> SpreadFacts:
    """Give the counts of all constraints, and the skews of the worlds at positions ``rows``."""
    constraints = [spread.constraint for spread in state.spreads]
    nodes = Inclusion(
        labelled_nodes(constraints, cluster),
        cluster.labels.required(pod.pod),
        tolerated_nodes(pod, cluster, comparison=comparison),
    )
    return SpreadFacts(
        pod.namespace,
        tuple(_constraint(spread, cluster, nodes) for spread in state.spreads),
        _refused(pod, state, cluster, worlds.at(np.array(rows, dtype=np.intp)), rows),
    )


def _constraint(spread: HardSpread, cluster: Cluster, nodes: Inclusion) -> ConstraintFacts:
    constraint: Constraint = spread.constraint
    labelled = spread.codes >= 0
    allowed, tolerated = nodes.allowed, nodes.tolerated
    eligible = nodes.labelled

    def names(mask: Mask) -> tuple[str, ...]:
        return tuple(map(cluster.node_name, np.flatnonzero(mask).tolist()))

    nothing = np.zeros_like(labelled)
    left_out_by_affinity = eligible & ~allowed if constraint.honors_affinity else nothing
    left_out_by_taints = eligible & ~tolerated if constraint.honors_taints else nothing
    return ConstraintFacts(
        topology_key=constraint.topology_key,
        selector=str(constraint.selector),
        max_skew=constraint.max_skew,
        min_domains=constraint.min_domains,
        node_affinity_policy="Honor" if constraint.honors_affinity else "Ignore",
        node_taints_policy="Honor" if constraint.honors_taints else "Ignore",
        self_match=spread.self_match,
        domains=_domains(spread, cluster),
        minimum=0 if spread.too_few else spread.minimum,
        too_few_domains=spread.too_few,
        without_label=names(~labelled),
        without_other_label=names(labelled & ~eligible),
        left_out_by_affinity=names(left_out_by_affinity),
        left_out_by_taints=names(left_out_by_taints),
        counted_despite_affinity=names(spread.included & ~allowed),
        counted_despite_taints=names(spread.included & ~tolerated),
    )


def _domains(spread: HardSpread, cluster: Cluster) -> tuple[DomainCount, ...]:
    column = cluster.labels.column(spread.constraint.topology_key)
    included = np.flatnonzero(spread.included)
    if not len(included):
        return ()
    rows = included[spread.codes[included].argsort(kind="stable")]
    codes, begins = np.unique(spread.codes[rows], return_index=True)
    members = np.split(rows, begins[1:])
    domains = (
        DomainCount(column.values[code], int(spread.counts[code]), tuple(map(cluster.node_name, there.tolist())))
        for code, there in zip(codes.tolist(), members, strict=True)
    )
    return tuple(sorted(domains, key=lambda domain: (domain.pods, domain.value)))


def _refused(
    pod: PodInfo, state: HardState, cluster: Cluster, worlds: Worlds, rows: Sequence[int]
) -> tuple[RefusedBy, ...]:
    refusals: list[RefusedBy] = []
    for number, spread in enumerate(state.spreads):
        answer = skews(spread, pod, cluster, worlds)
        minima = np.broadcast_to(answer.minimum, answer.here.shape)
        values = cluster.labels.column(spread.constraint.topology_key).values
        for i in np.flatnonzero(answer.absent | answer.over).tolist():
            node = int(worlds.rows[i])
            name = cluster.node_name(node)
            if answer.absent[i]:
                refusals.append(RefusedBy(rows[i], name, number, None, 0, 0, 0, 0))
            else:
                here, minimum, skew = int(answer.here[i]), int(minima[i]), int(answer.skew[i])
                domain = values[int(spread.codes[node])]
                refusals.append(RefusedBy(rows[i], name, number, domain, here, spread.self_match, minimum, skew))
    place = {row: i for i, row in enumerate(rows)}
    return tuple(sorted(refusals, key=lambda refused: (place[refused.row], refused.constraint)))
