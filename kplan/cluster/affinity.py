"""Pod affinity terms, compiled: which pods a term is about and in which topology."""

from collections.abc import Mapping

from msgspec import Struct

from kplan.objects.models import Pod, PodAffinity, PodAffinityTerm
from kplan.objects.selectors import NOTHING, Selector, compile_selector


class AffinityTerm(Struct, frozen=True):
    """One compiled term.

    Attributes:
        selector: which labels.
        namespaces: names listed, or the pod's own where neither names nor a selector are given.
        namespace_selector: which namespaces beside those, by their labels; NOTHING where absent.
        topology_key: the node label that makes a domain.
    """

    selector: Selector
    namespaces: frozenset[str]
    namespace_selector: Selector
    topology_key: str

    def matches(self, namespace: str, labels: Mapping[str, str], namespace_labels: Mapping[str, str]) -> bool:
        """Tell whether a pod with these labels in this namespace is one the term is about.

        Source: kube-scheduler v0.37.2 framework/types.go AffinityTerm.Matches.
        """
        if namespace not in self.namespaces and not self.namespace_selector.matches(namespace_labels):
            return False
        return self.selector.matches(labels)


class WeightedTerm(Struct, frozen=True):
    """A preferred term and its weight."""

    weight: int
    term: AffinityTerm


def _compile(term: PodAffinityTerm, namespace: str) -> AffinityTerm:
    """Compile one term of a pod in ``namespace``.

    Source: kube-scheduler v0.37.2 framework/types.go newAffinityTerm, getNamespacesFromPodAffinityTerm.
    """
    names = frozenset(term.namespaces or ())
    if not names and term.namespace_selector is None:
        names = frozenset((namespace,))
    selector = NOTHING if term.namespace_selector is None else compile_selector(term.namespace_selector)
    return AffinityTerm(compile_selector(term.label_selector), names, selector, term.topology_key)


def required_terms(affinity: PodAffinity | None, namespace: str) -> tuple[AffinityTerm, ...]:
    """Compile the required terms of an affinity or anti-affinity."""
    return tuple(_compile(term, namespace) for term in (affinity.required if affinity else None) or ())


def preferred_terms(affinity: PodAffinity | None, namespace: str) -> tuple[WeightedTerm, ...]:
    """Compile the preferred terms of an affinity or anti-affinity."""
    return tuple(
        WeightedTerm(weighted.weight, _compile(weighted.pod_affinity_term, namespace))
        for weighted in (affinity.preferred if affinity else None) or ()
        if weighted.pod_affinity_term is not None
    )


def has_terms(pod: Pod) -> bool:
    """Tell whether a pod has any pod affinity or anti-affinity."""
    affinity = pod.spec.affinity
    return affinity is not None and (affinity.pod_affinity is not None or affinity.pod_anti_affinity is not None)
