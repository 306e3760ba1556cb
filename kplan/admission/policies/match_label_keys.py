"""matchLabelKeys and mismatchLabelKeys: merged into the selectors of affinity terms and spread constraints."""

from collections.abc import Iterable, Iterator

from kplan.objects.models import LabelSelector, LabelSelectorRequirement, Pod, PodAffinity, PodAffinityTerm


def merge_label_keys(pod: Pod) -> list[str]:
    """Merge the pod's own label values into its selectors, in place; return what was added, a phrase each.

    A key that the pod has no label of is left out, and a term without a selector stays as it is.

    Source: mutatePodAffinity, mutateTopologySpreadConstraints in pkg/registry/core/pod/strategy.go.
    """
    added: list[str] = []
    for selector, keys, operator in _key_lists(pod):
        added += _merge(selector, keys, operator, pod.labels)
    return list(dict.fromkeys(added))


def keys_read(pod: Pod) -> frozenset[str]:
    """Name the labels of a pod that the merge reads."""
    return frozenset(key for _, keys, _ in _key_lists(pod) for key in keys)


def _key_lists(pod: Pod) -> Iterator[tuple[LabelSelector | None, list[str], str]]:
    """Yield each list of keys with the selector it is merged into, and the operator it is merged by."""
    affinity = pod.spec.affinity
    for kind in (affinity.pod_affinity, affinity.pod_anti_affinity) if affinity else ():
        for term in _terms(kind):
            yield term.label_selector, term.match_label_keys or [], "In"
            yield term.label_selector, term.mismatch_label_keys or [], "NotIn"
    for constraint in pod.spec.topology_spread_constraints or ():
        yield constraint.label_selector, constraint.match_label_keys or [], "In"


def _terms(kind: PodAffinity | None) -> Iterable[PodAffinityTerm]:
    if kind is None:
        return
    yield from kind.required or ()
    yield from (weighted.pod_affinity_term for weighted in kind.preferred or () if weighted.pod_affinity_term)


def _merge(selector: LabelSelector | None, keys: list[str], operator: str, labels: dict[str, str]) -> list[str]:
    if selector is None:
        return []
    added = []
    for key in keys:
        if key in labels:
            merged = LabelSelectorRequirement(key=key, operator=operator, values=[labels[key]])
            selector.match_expressions = [*(selector.match_expressions or ()), merged]
            word = "matchLabelKeys" if operator == "In" else "mismatchLabelKeys"
            added.append(f"selector {key} {'in' if operator == 'In' else 'notin'} ({labels[key]}) from {word}")
    return added
