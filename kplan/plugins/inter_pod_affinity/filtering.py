"""Filtering by required terms: of the incoming pod, and anti-affinity of placed pods."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from kplan.cluster.affinity import AffinityTerm
from kplan.framework.closing import Closing
from kplan.framework.findings import About, Findings, Mask, Refusal
from kplan.framework.reason_codes import AboutKind, ReasonCode
from kplan.framework.worlds import Int
from kplan.plugins.inter_pod_affinity.terms import (
    HOSTNAME,
    TermKind,
    any_host_anti_affinity,
    count_having,
    count_matching,
    domain_sums,
    matches_all,
    merged,
    terms_about,
)

if TYPE_CHECKING:
    from kplan.cluster import Cluster, PodInfo
    from kplan.cluster.counters import Counter
    from kplan.framework.worlds import Worlds

AFFINITY = "node(s) didn't match pod affinity rules"
ANTI_AFFINITY = "node(s) didn't match pod anti-affinity rules"
EXISTING_ANTI_AFFINITY = "node(s) didn't satisfy existing pods anti-affinity rules"


class RequiredAffinity(Struct, frozen=True, eq=False):
    """The required affinity terms of the incoming pod: one and the same pod must match all of them.

    Attributes:
        terms: as the pod has them.
        counter: of the pods that match all of them.
        labelled: bool[N], the node has the label of every term.
        fewest: int64[N], matching pods in the node's domains, of the domain with the fewest.
        anywhere: matching pods on nodes with the label of a term, of the term with the most.
        first_may: whether the pod matches all its own terms: it may be the first of its kind.
        local: whether the node itself stands for its domain (all terms by hostname, gate
            InterPodAffinityHostnameFastPath); ``anywhere`` then counts nodes without the label too.
    """

    terms: tuple[AffinityTerm, ...]
    counter: Counter
    labelled: Mask
    fewest: Int
    anywhere: int
    first_may: bool
    local: bool

    def satisfied(self, worlds: Worlds) -> Mask:
        """bool[M], the terms are met.

        Source: v1.37.2 interpodaffinity/filtering.go nodeTopologyMatchesAffinity, nodePodsSatisfyAffinity,
        satisfiesSelfAffinityCheck, updateWithPod.
        """
        met = self.fewest.take(worlds.rows)
        # A pod that moves on a node without one of the labels counts in fewer domains, but such a node fails anyhow.
        moved = worlds.total(self.counter.pods) if worlds.moved else None
        satisfied: Mask = (met if moved is None else met + moved) > 0
        if self.first_may:
            satisfied |= self.anywhere <= 0 if moved is None else self.anywhere + moved <= 0
        return satisfied & self.labelled.take(worlds.rows)


class TermConflict(Struct, frozen=True, eq=False):
    """One anti-affinity term and the pods that conflict by it.

    Attributes:
        term: the term, as its pod has it.
        counter: of the pods in conflict: those the pod's own term is about, or those that have the term.
        labelled: bool[N], the node has the term's label.
        here: int64[N], pods in conflict in the node's domain; 0 without the label.
        local: whether the node itself stands for its domain (by hostname, gate InterPodAffinityHostnameFastPath).
    """

    term: AffinityTerm
    counter: Counter
    labelled: Mask
    here: Int
    local: bool

    def holds(self, worlds: Worlds) -> Mask:
        """bool[M], a pod in conflict is in the domain.

        Source: v1.37.2 interpodaffinity/filtering.go satisfyPodAntiAffinity, satisfyExistingPodsAntiAffinity,
        topologyToMatchedTermCount.update (a pod that moves on a node without the label counts nowhere).
        """
        count = self.here.take(worlds.rows)
        if not worlds.moved:
            return count > 0
        return (count + worlds.total(self.counter.pods) > 0) & self.labelled.take(worlds.rows)


class FilterState(Struct, frozen=True, eq=False):
    """What is checked for a pod.

    Attributes:
        affinity: its required affinity, or None.
        anti_affinity: its required anti-affinity terms.
        existing: the required anti-affinity terms of other pods that are about it, also of pods not placed yet
            (nominated ones may move in).
    """

    affinity: RequiredAffinity | None
    anti_affinity: tuple[TermConflict, ...]
    existing: tuple[TermConflict, ...]


def prepare(pod: PodInfo, cluster: Cluster, *, keeps_selector: bool, host_local: bool) -> FilterState | None:
    """Count pods by domain for every term in play; None if the pod has none and no placed pod's is about it.

    Args:
        pod: the incoming pod.
        cluster: where.
        keeps_selector: see ``terms.merged``.
        host_local: the gate InterPodAffinityHostnameFastPath.

    Source: v1.37.2 interpodaffinity/filtering.go PreFilter.
    """
    own = pod.pod_class
    existing = tuple(
        _conflict(term, count_having(term, TermKind.REQUIRED_ANTI, cluster), cluster, host_local=host_local)
        for term in terms_about(pod, TermKind.REQUIRED_ANTI, cluster)
    )
    if not own.affinity and not own.anti_affinity:
        # With the gate, any term by hostname keeps the plugin awake, whichever pods it is about.
        awake = any(conflict.here.any() for conflict in existing if not conflict.local)
        if not awake and not (host_local and any_host_anti_affinity(cluster)):
            return None
    anti_affinity = []
    for term in own.anti_affinity:
        counter = count_matching((merged(term, cluster, keeps_selector=keeps_selector),), cluster)
        anti_affinity.append(_conflict(term, counter, cluster, host_local=host_local))
    affinity = None
    if own.affinity:
        terms = tuple(merged(term, cluster, keeps_selector=keeps_selector) for term in own.affinity)
        affinity = _affinity(pod, terms, cluster, host_local=host_local)
    return FilterState(affinity, tuple(anti_affinity), existing)


def _affinity(pod: PodInfo, terms: tuple[AffinityTerm, ...], cluster: Cluster, *, host_local: bool) -> RequiredAffinity:
    """Count the pods that match all merged terms, in the domains of each."""
    counter = count_matching(terms, cluster)
    keys = tuple(dict.fromkeys(term.topology_key for term in terms))
    columns = [cluster.labels.column(key) for key in keys]
    labelled = np.logical_and.reduce([column.present for column in columns])
    local = host_local and keys == (HOSTNAME,)
    if local:
        fewest, anywhere = counter.nodes.copy(), counter.total
    else:
        fewest = np.minimum.reduce([domain_sums(column, counter.nodes) for column in columns])
        anywhere = max(int(counter.nodes[column.present].sum()) for column in columns)
    first_may = matches_all(terms, pod.pod_class)
    return RequiredAffinity(pod.pod_class.affinity, counter, labelled, fewest, anywhere, first_may, local)


def _conflict(term: AffinityTerm, counter: Counter, cluster: Cluster, *, host_local: bool) -> TermConflict:
    column = cluster.labels.column(term.topology_key)
    local = host_local and term.topology_key == HOSTNAME
    present = column.present
    here = np.where(present, counter.nodes, 0) if local else domain_sums(column, counter.nodes)
    return TermConflict(term, counter, present, here, local)


def closes(state: FilterState, cluster: Cluster) -> Closing | None:
    """What others may do to the answer; None where a pod closes more than its node, or has to be there."""
    if state.affinity is not None:
        return None
    rivals = np.zeros(len(cluster.pods), dtype=np.bool_)
    for conflict in (*state.anti_affinity, *state.existing):
        codes = cluster.labels.column(conflict.term.topology_key).codes
        if np.bincount(codes[codes >= 0], minlength=1).max() > 1:
            return None
        rivals |= conflict.counter.pods > 0
    return Closing(rivals=rivals)


def judge(state: FilterState, worlds: Worlds) -> Findings[None]:
    """Refuse by affinity, then by the pod's anti-affinity, then by that of others: one reason a world.

    Source: v1.37.2 interpodaffinity/filtering.go Filter.
    """
    count = len(worlds)
    left = np.ones(count, dtype=np.bool_)
    unresolvable = np.zeros(count, dtype=np.bool_)
    refusals: list[Refusal] = []
    if state.affinity is not None:
        left = state.affinity.satisfied(worlds)
        unresolvable = ~left
        _refuse(refusals, ReasonCode.POD_AFFINITY, state.affinity.terms, AFFINITY, unresolvable)
    for code, reason, conflicts in (
        (ReasonCode.POD_ANTI_AFFINITY, ANTI_AFFINITY, state.anti_affinity),
        (ReasonCode.OTHERS_ANTI_AFFINITY, EXISTING_ANTI_AFFINITY, state.existing),
    ):
        if conflicts:
            conflicting = _any(conflicts, worlds) & left
            _refuse(refusals, code, (conflict.term for conflict in conflicts), reason, conflicting)
            left = left & ~conflicting
    return Findings(tuple(refusals), unresolvable)


def _any(conflicts: Sequence[TermConflict], worlds: Worlds) -> Mask:
    """bool[M], one of the conflicts holds."""
    held = np.zeros(len(worlds), dtype=np.bool_)
    for conflict in conflicts:
        held |= conflict.holds(worlds)
    return held


def _refuse(refusals: list[Refusal], code: ReasonCode, terms: Iterable[AffinityTerm], reason: str, rows: Mask) -> None:
    """Add a reason that is about the domains of some terms, if it holds anywhere."""
    if rows.any():
        keys = dict.fromkeys(term.topology_key for term in terms)
        refusals.append(Refusal(code, tuple(About(AboutKind.DOMAIN, key) for key in keys), reason, rows))
