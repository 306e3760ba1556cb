"""matchLabelKeys and mismatchLabelKeys: merged into the selectors of affinity terms and spread constraints."""

from collections.abc import Iterable

from kplan.objects.models import LabelSelector, LabelSelectorRequirement, Pod, PodAffinity, PodAffinityTerm


def merge_label_keys(pod: Pod) -> list[str]:
    """Merge the pod's own label values into its selectors, in place; return what was added, a phrase each.

    A key that the pod has no label of is left out, and a term without a selector stays as it is.

    Source: mutatePodAffinity, mutateTopologySpreadConstraints in pkg/registry/core/pod/strategy.go.
    """
    added: list[str] = []
    affinity = pod.spec.affinity
    for kind in (affinity.pod_affinity, affinity.pod_anti_affinity) if affinity else ():
        for term in _terms(kind):
            added += _merge(term.label_selector, term.match_label_keys, "In", pod.labels)
            added += _merge(term.label_selector, term.mismatch_label_keys, "NotIn", pod.labels)
    for constraint in pod.spec.topology_spread_constraints or ():
        added += _merge(constraint.label_selector, constraint.match_label_keys, "In", pod.labels)
    return list(dict.fromkeys(added))


def keys_read(pod: Pod) -> frozenset[str]:
    """Name the labels of a pod that the merge reads."""
    keys: set[str] = set()
    affinity = pod.spec.affinity
    for kind in (affinity.pod_affinity, affinity.pod_anti_affinity) if affinity else ():
        for term in _terms(kind):
            keys.update(term.match_label_keys or (), term.mismatch_label_keys or ())
    for constraint in pod.spec.topology_spread_constraints or ():
        keys.update(constraint.match_label_keys or ())
    return frozenset(keys)


def _terms(kind: PodAffinity | None) -> Iterable[PodAffinityTerm]:
    if kind is None:
        return
    yield from kind.required or ()
    yield from (weighted.pod_affinity_term for weighted in kind.preferred or () if weighted.pod_affinity_term)


def _merge(selector: LabelSelector | None, keys: list[str] | None, operator: str, labels: dict[str, str]) -> list[str]:
    if selector is None:
        return []
    added = []
    for key in keys or ():
        if key in labels:
            merged = LabelSelectorRequirement(key=key, operator=operator, values=[labels[key]])
            selector.match_expressions = [*(selector.match_expressions or ()), merged]
            word = "matchLabelKeys" if operator == "In" else "mismatchLabelKeys"
            added.append(f"selector {key} {'in' if operator == 'In' else 'notin'} ({labels[key]}) from {word}")
    return added
