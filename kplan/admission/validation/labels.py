"""What the API server refuses in metadata, labels and selectors."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from kplan.admission.refusal import Problem
from kplan.admission.validation.problems import forbidden, invalid, required
from kplan.objects.formats import dns_label, dns_subdomain, label_key, label_value, service_name
from kplan.objects.models import LabelSelector, LabelSelectorRequirement, NodeSelectorRequirement
from kplan.objects.models.meta import ObjectMeta
from kplan.sources.fit import Path

_NAMES: dict[str, Callable[[str], list[str]]] = {
    "StatefulSet": dns_label,
    "Namespace": dns_label,
    "Service": service_name,
}
"""Forms of names of the kinds that are not called by a DNS subdomain."""

_MOST_ANNOTATIONS = 256 * 1024
"""Bytes of all annotations together."""


def metadata_problems(metadata: ObjectMeta, kind: str, *, namespaced: bool = True) -> Iterator[Problem]:
    """Check name, namespace, labels and annotations of an object.

    Source: ValidateObjectMetaAccessorWithOpts in apimachinery v0.37.2 pkg/api/validation/objectmeta.go.
    """
    form = _NAMES.get(kind, dns_subdomain)
    if metadata.name:
        yield from (invalid(("metadata", "name"), metadata.name, words) for words in form(metadata.name))
    if metadata.namespace and namespaced:
        complaints = dns_label(metadata.namespace)
        yield from (invalid(("metadata", "namespace"), metadata.namespace, words) for words in complaints)
    yield from label_problems(("metadata", "labels"), metadata.labels or {})
    yield from annotation_problems(("metadata", "annotations"), metadata.annotations or {})


def label_problems(path: Path, labels: Mapping[str, str], place: Path = ()) -> Iterator[Problem]:
    """Check labels; the server names the map alone.

    Args:
        path: of the map, as the server calls it.
        labels: the map.
        place: where it is written, if elsewhere.

    Source: ValidateLabels in apimachinery v0.37.2 pkg/apis/meta/v1/validation/validation.go.
    """
    for key, value in labels.items():
        here = (*(place or path), key)
        yield from (invalid(path, key, words).written_at(here) for words in label_key(key))
        yield from (invalid(path, value, words).written_at(here) for words in label_value(value))


def annotation_problems(path: Path, annotations: Mapping[str, str], place: Path = ()) -> Iterator[Problem]:
    """Check annotations: keys, in any case, and the size of all together.

    Source: ValidateAnnotations in apimachinery v0.37.2 pkg/api/validation/objectmeta.go.
    """
    for key in annotations:
        complaints = label_key(key.lower())
        yield from (invalid(path, key, words).written_at((*(place or path), key)) for words in complaints)
    if sum(len(key.encode()) + len(value.encode()) for key, value in annotations.items()) > _MOST_ANNOTATIONS:
        yield Problem(path, f"Too long: may not be more than {_MOST_ANNOTATIONS} bytes", place or path)


def key_problems(path: Path, key: str) -> Iterator[Problem]:
    """Check one key of a label, a gate or a topology."""
    yield from (invalid(path, key, words) for words in label_key(key))


def selector_problems(path: Path, selector: LabelSelector | None) -> Iterator[Problem]:
    """Check a label selector.

    Source: ValidateLabelSelector in apimachinery v0.37.2 pkg/apis/meta/v1/validation/validation.go.
    """
    if selector is None:
        return
    yield from label_problems((*path, "matchLabels"), selector.match_labels or {})
    for number, requirement in enumerate(selector.match_expressions or ()):
        here = (*path, "matchExpressions", number)
        yield from requirement_problems(here, requirement)
        yield from value_problems((*here, "values"), requirement.values or ())


def requirement_problems(
    path: Path, requirement: LabelSelectorRequirement | NodeSelectorRequirement, *, of_node: bool = False
) -> Iterator[Problem]:
    """Check a requirement but for its values themselves; one of a node may compare numbers.

    Source: ValidateLabelSelectorRequirement; ValidateNodeSelectorRequirement.
    """
    count = len(requirement.values or ())
    match requirement.operator:
        case "In" | "NotIn":
            if not count:
                yield required((*path, "values"), "must be specified when `operator` is 'In' or 'NotIn'")
        case "Exists" | "DoesNotExist":
            if count:
                yield forbidden((*path, "values"), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
        case "Gt" | "Lt" if of_node:
            if count != 1:
                yield required((*path, "values"), "must be specified single value when `operator` is 'Lt' or 'Gt'")
        case _:
            yield invalid((*path, "operator"), requirement.operator, "not a valid selector operator")
    yield from key_problems((*path, "key"), requirement.key)


def value_problems(path: Path, values: Iterable[str]) -> Iterator[Problem]:
    """Check values of a requirement, each by its number."""
    for number, value in enumerate(values):
        yield from (invalid((*path, number), value, words) for words in label_value(value))


def matched_key_problems(
    path: Path, match: Iterable[str], mismatch: Iterable[str], selector: LabelSelector | None
) -> Iterator[Problem]:
    """Check ``matchLabelKeys`` and ``mismatchLabelKeys`` of a term or a constraint.

    Source: ValidateMatchLabelKeysAndMismatchLabelKeys, validateLabelKeys in pkg/apis/core/validation/validation.go.
    """
    match, mismatch = list(match), list(mismatch)
    for name, keys in (("matchLabelKeys", match), ("mismatchLabelKeys", mismatch)):
        if keys and selector is None:
            yield forbidden((*path, name), "must not be specified when labelSelector is not set")
            continue
        for number, key in enumerate(keys):
            yield from key_problems((*path, name, number), key)
    if selector is not None:
        seen = set(selector.match_labels or {})
        for requirement in selector.match_expressions or ():
            if requirement.key in match and requirement.key in seen:
                words = "exists in both matchLabelKeys and labelSelector"
                yield invalid((*path, match.index(requirement.key)), requirement.key, words)
            seen.add(requirement.key)
    for number, key in enumerate(match):
        if key in mismatch:
            words = "exists in both matchLabelKeys and mismatchLabelKeys"
            yield invalid((*path, "matchLabelKeys", number), key, words)
