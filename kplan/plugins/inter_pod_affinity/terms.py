"""Terms and the pods they are about: counters for terms of the incoming pod and for those of placed pods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from kplan.cluster.affinity import AffinityTerm, WeightedTerm
from kplan.framework.worlds import Int
from kplan.objects.selectors import NOTHING, Selector

if TYPE_CHECKING:
    from kplan.cluster import Cluster, PodClass, PodInfo
    from kplan.cluster.counters import Counter
    from kplan.cluster.labels import LabelColumn

HOSTNAME = "kubernetes.io/hostname"

NO_LABELS: Mapping[str, str] = {}
"""Namespace labels that terms of the incoming pod are matched with: their namespace selectors are merged before."""

_OWNER = "InterPodAffinity"


def merged(term: AffinityTerm, cluster: Cluster, *, keeps_selector: bool) -> AffinityTerm:
    """Add the namespaces that the namespace selector of a term of the incoming pod selects to those it lists.

    Args:
        term: the term; a selector of every namespace stays as it is.
        cluster: whose Namespace objects are looked at.
        keeps_selector: whether the selector stays in force beside the names (1.34 to 1.36). Namespaces are then
            matched without labels, so that one which asks for the absence of a label selects every namespace.

    Source: v1.37.2 and v1.36.3 interpodaffinity/plugin.go mergeAffinityTermNamespacesIfNotEmpty.
    """
    selector = term.namespace_selector
    if selector.empty:
        return term
    names = term.namespaces | _selected_namespaces(selector, cluster)
    return replace(term, namespaces=names, namespace_selector=selector if keeps_selector else NOTHING)


def _selected_namespaces(selector: Selector, cluster: Cluster) -> frozenset[str]:
    def select() -> frozenset[str]:
        namespaces = cluster.objects.namespaces.items()
        return frozenset(name for name, item in namespaces if selector.matches(item.labels))

    names: frozenset[str] = cluster.objects.derived(f"namespaces of {selector!r}", ("namespaces",), select)
    return names


def matches_all(terms: Iterable[AffinityTerm], pod_class: PodClass) -> bool:
    """Tell whether pods of a class match all of some merged terms.

    Source: v1.37.2 interpodaffinity/filtering.go podMatchesAllAffinityTerms.
    """
    return all(term.matches(pod_class.namespace, pod_class.labels, NO_LABELS) for term in terms)


def count_matching(terms: Sequence[AffinityTerm], cluster: Cluster) -> Counter:
    """Count the pods that match all of some merged terms of an incoming pod.

    Args:
        terms: at least one.
        cluster: where.
    """
    # Terms that differ in topology alone are about the same pods.
    key = (_OWNER, "matching", tuple((t.selector, t.namespaces, t.namespace_selector) for t in terms))
    hooks = [marks for term in terms for marks in term.selector.hooks]
    return cluster.counters.get(key, lambda pod_class: int(matches_all(terms, pod_class)), hooks)


class TermKind(StrEnum):
    """The four lists of terms a pod may have."""

    REQUIRED = "affinity"
    REQUIRED_ANTI = "anti-affinity"
    PREFERRED = "preferred affinity"
    PREFERRED_ANTI = "preferred anti-affinity"

    def of(self, pod_class: PodClass) -> tuple[WeightedTerm, ...]:
        """Terms of this kind that the pods of a class have; required ones weigh 1."""
        match self:
            case TermKind.PREFERRED:
                return pod_class.preferred_affinity
            case TermKind.PREFERRED_ANTI:
                return pod_class.preferred_anti_affinity
            case TermKind.REQUIRED:
                terms = pod_class.affinity
            case TermKind.REQUIRED_ANTI:
                terms = pod_class.anti_affinity
        return tuple(WeightedTerm(1, term) for term in terms) if terms else ()


@dataclass(frozen=True, slots=True)
class _Index:
    """Distinct terms of one kind over all classes of pods, found by a label that they ask for.

    It is the key of a counter and weighs for it, so that it hears of every class once, also of later ones; the
    index in use is the key under which the counter was first registered.

    Attributes:
        kind: of the terms.
        owner: makes the key this plugin's own.
        terms: by (label, value) of the first In requirement, or by None for terms without one.
    """

    kind: TermKind
    owner: str = _OWNER
    terms: dict[tuple[str, str] | None, dict[AffinityTerm, None]] = field(default_factory=dict, compare=False)

    def weigh(self, pod_class: PodClass) -> int:
        """Take up the terms of a class; the weight is their number."""
        held = self.kind.of(pod_class)
        for weighted in held:
            for hook in _hooks(weighted.term.selector):
                self.terms.setdefault(hook, {})[weighted.term] = None
        return len(held)

    def candidates(self, labels: Mapping[str, str]) -> Iterable[AffinityTerm]:
        """Terms that may match these labels, each once."""
        yield from self.terms.get(None, ())
        for label in labels.items():
            yield from self.terms.get(label, ())


def _hooks(selector: Selector) -> Iterable[tuple[str, str] | None]:
    """Labels of which a pod must have one to be selected; None if there is no such list."""
    for requirement in selector.requirements:
        if requirement.operator == "In":
            return [(requirement.key, value) for value in requirement.values]
    return () if selector.nothing else (None,)


def terms_about(pod: PodInfo, kind: TermKind, cluster: Cluster) -> list[AffinityTerm]:
    """List the distinct terms of one kind, of any pod of the cluster, that match a pod.

    Source: kube-scheduler v0.37.2 framework/types.go AffinityTerm.Matches, with the labels of the pod's namespace.
    """
    known: dict[tuple[TermKind, int], tuple[int, int, list[AffinityTerm]]]
    known = cluster.objects.derived("terms about classes of pods", ("namespaces",), dict)
    size, number, found = known.get((kind, pod.pod_class.index), (-1, -1, []))
    same = size == cluster.counters.size  # other classes may have other terms
    if same and number in cluster.work.met:
        return found
    fresh = _Index(kind)
    counter = cluster.counters.get(fresh, fresh.weigh)
    if not same:
        index = counter.key
        assert isinstance(index, _Index), "equal keys are indexes"
        namespace_labels = cluster.namespace_labels(pod.namespace)
        candidates = index.candidates(pod.labels)
        found = [term for term in candidates if term.matches(pod.namespace, pod.labels, namespace_labels)]
        known[kind, pod.pod_class.index] = cluster.counters.size, counter.index, found
    return found


def count_having(term: AffinityTerm, kind: TermKind, cluster: Cluster) -> Counter:
    """Count the pods that have a term, by its weight and as often as they have it."""

    def weigh(pod_class: PodClass) -> int:
        return sum(weighted.weight for weighted in kind.of(pod_class) if weighted.term == term)

    return cluster.counters.get((_OWNER, "having", kind, term), weigh, [[(kind.value, term)]])


def any_host_anti_affinity(cluster: Cluster) -> bool:
    """Tell whether a placed pod has a required anti-affinity term with the hostname topology."""

    def weigh(pod_class: PodClass) -> int:
        return sum(term.topology_key == HOSTNAME for term in pod_class.anti_affinity)

    return bool(cluster.counters.get((_OWNER, "anti-affinity by hostname"), weigh).nodes.any())


def domain_sums(column: LabelColumn, nodes: Int) -> Int:
    """Sum over the nodes that share the value of a label.

    Args:
        column: the label.
        nodes: int64[N].

    Returns:
        int64[N], the sum of each node's domain; 0 for nodes without the label.
    """
    some = np.flatnonzero(nodes != 0)  # quicker than of integers
    codes = column.codes.take(some)
    table = np.zeros(len(column.values) + 1, dtype=np.int64)
    np.add.at(table, codes, nodes.take(some))
    table[-1] = 0
    return table.take(column.codes, mode="wrap")
