"""What stands behind a refusal: the term, the domain it fails in, and the pods there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from kplan.cluster.affinity import AffinityTerm
from kplan.framework.findings import Facts, Findings
from kplan.framework.reason_codes import ReasonCode
from kplan.plugins.inter_pod_affinity.filtering import FilterState, RequiredAffinity, TermConflict

if TYPE_CHECKING:
    from kplan.cluster import Cluster, PodInfo
    from kplan.cluster.counters import Counter
    from kplan.framework.worlds import Worlds

SHOWN = 10
"""Most names in one list; a count stands beside each."""


class PodNames(Struct, frozen=True):
    """Some names, sorted, and how many there are in all."""

    count: int
    shown: tuple[str, ...]


class TermFacts(Struct, frozen=True):
    """One term as its pod has it.

    Attributes:
        selector: labels of the pods it is about.
        namespaces: names it lists, or the namespace of its pod.
        namespace_selector: labels of the namespaces it is about beside those; empty where it has none.
        topology_key: the node label that makes a domain.
    """

    selector: str
    namespaces: tuple[str, ...]
    namespace_selector: str
    topology_key: str


class FailedTerm(Struct, frozen=True):
    """One term that fails on a node.

    Attributes:
        term: the term.
        domain: value of the node's label; None where it has none, which fails an affinity term by itself.
        pods: pods in conflict in that domain: for the pod's own anti-affinity those the term is about, for that of
            others those that have the term; for affinity none, for want of a pod that matches all terms there.
    """

    term: TermFacts
    domain: str | None
    pods: PodNames


class NodeConflict(Struct, frozen=True):
    """Why one node is refused.

    Attributes:
        node: its name.
        code: pod-affinity, pod-anti-affinity or others-anti-affinity.
        terms: what fails, in the order of the pod's terms; those of other pods by their pods.
    """

    node: str
    code: ReasonCode
    terms: tuple[FailedTerm, ...]


class AffinityReach(Struct, frozen=True):
    """Where the required affinity of the pod could be met.

    Attributes:
        terms: its terms.
        matching: placed pods that match all of them.
        domains: for each term, values of its label on nodes where such pods run.
        matches_itself: whether the pod matches its own terms: it may then be the first of its kind.
    """

    terms: tuple[TermFacts, ...]
    matching: PodNames
    domains: tuple[PodNames, ...]
    matches_itself: bool


class InterPodAffinityFacts(Facts, frozen=True):
    """Why nodes are refused.

    Attributes:
        nodes: the nodes asked about.
        affinity: the pod's required affinity as a whole, where it refuses one of them.
    """

    nodes: tuple[NodeConflict, ...]
    affinity: AffinityReach | None


def explain(
    pod: PodInfo,
    state: FilterState,
    cluster: Cluster,
    worlds: Worlds,
    findings: Findings[None],
    rows: Sequence[int],
) -> InterPodAffinityFacts:
    """Look up terms, domains and pods for the worlds at some positions."""
    look = _Look(cluster, worlds)
    nodes = []
    for row in rows:
        for code in (why.code for why in findings.whys(row)):
            if code is ReasonCode.POD_AFFINITY:
                assert state.affinity is not None, "refused for affinity"
                terms = look.unmet(state.affinity, row)
            else:
                own = code is ReasonCode.POD_ANTI_AFFINITY
                terms = look.conflicts(state.anti_affinity if own else state.existing, row)
            nodes.append(NodeConflict(cluster.node_name(int(worlds.rows[row])), code, terms))
    refused = state.affinity is not None and any(conflict.code is ReasonCode.POD_AFFINITY for conflict in nodes)
    reach = look.reach(state.affinity) if refused and state.affinity is not None else None
    return InterPodAffinityFacts(tuple(nodes), reach)


class _Look:
    """Looks up the pods of domains; what nothing moved in is looked up once a domain."""

    def __init__(self, cluster: Cluster, worlds: Worlds) -> None:
        self._cluster = cluster
        self._worlds = worlds
        self._known: dict[tuple[int, str, int], list[str]] = {}

    def unmet(self, affinity: RequiredAffinity, row: int) -> tuple[FailedTerm, ...]:
        """Terms without a matching pod in the domain of a world; those the node lacks the label for."""
        terms = (self._term(term, affinity, row) for term in affinity.terms)
        return tuple(term for term in terms if not term.pods.count)

    def conflicts(self, conflicts: Sequence[TermConflict], row: int) -> tuple[FailedTerm, ...]:
        """Terms by which a pod in the domain of a world conflicts."""
        terms = (self._term(conflict.term, conflict, row) for conflict in conflicts)
        return tuple(term for term in terms if term.pods.count)

    def _term(self, term: AffinityTerm, counted: RequiredAffinity | TermConflict, row: int) -> FailedTerm:
        """A term with the pods that are counted for it in the domain of a world."""
        domain = self._domain(term, row)
        pods = [] if domain is None else self._pods(counted.counter, term, row, local=counted.local)
        return FailedTerm(term_facts(term), domain, names(pods))

    def reach(self, affinity: RequiredAffinity) -> AffinityReach:
        """Where pods match all terms, in the cluster as it is."""
        cluster = self._cluster
        matching = np.flatnonzero((affinity.counter.pods > 0) & (cluster.pod_node >= 0))
        domains = []
        for term in affinity.terms:
            column = cluster.labels.column(term.topology_key)
            codes = np.unique(column.codes[cluster.pod_node[matching]])
            domains.append(names([column.values[code] for code in codes if code >= 0]))
        keys = names([cluster.pods[pod].key for pod in matching])
        return AffinityReach(tuple(map(term_facts, affinity.terms)), keys, tuple(domains), affinity.first_may)

    def _domain(self, term: AffinityTerm, row: int) -> str | None:
        column = self._cluster.labels.column(term.topology_key)
        code = int(column.codes[self._worlds.rows[row]])
        return column.values[code] if code >= 0 else None

    def _pods(self, counter: Counter, term: AffinityTerm, row: int, *, local: bool) -> list[str]:
        """Keys of the pods that a counter counts in the domain of a world."""
        keys = self._placed(counter, term, int(self._worlds.rows[row]), local=local)
        if not self._worlds.moved:
            return keys
        moved = set(keys)
        weights = counter.pods
        for pod, sign in self._worlds.moves(row):
            if weights[pod] > 0:
                (moved.add if sign > 0 else moved.discard)(self._cluster.pods[pod].key)
        return list(moved)

    def _placed(self, counter: Counter, term: AffinityTerm, node: int, *, local: bool) -> list[str]:
        cluster = self._cluster
        codes = cluster.labels.column(term.topology_key).codes
        key = (counter.index, "" if local else term.topology_key, node if local else int(codes[node]))
        known = self._known.get(key)
        if known is None:
            counted = np.flatnonzero((counter.pods > 0) & (cluster.pod_node >= 0))
            nodes = cluster.pod_node[counted]
            here = counted[nodes == node] if local else counted[codes[nodes] == codes[node]]
            known = self._known[key] = [cluster.pods[pod].key for pod in here]
        return known


def names(keys: Sequence[str]) -> PodNames:
    """Sort names and keep the first of them."""
    return PodNames(len(keys), tuple(sorted(keys)[:SHOWN]))


def term_facts(term: AffinityTerm) -> TermFacts:
    """Write a term out."""
    selector = term.namespace_selector
    text = "" if selector.nothing else "every namespace" if selector.empty else str(selector)
    return TermFacts(str(term.selector), tuple(sorted(term.namespaces)), text, term.topology_key)
