"""What the API server refuses in the fields of a pod that say where it may go."""

from collections.abc import Iterable, Iterator

from kplan.admission.refusal import Problem
from kplan.admission.validation.labels import (
    key_problems,
    label_problems,
    matched_key_problems,
    requirement_problems,
    selector_problems,
    value_problems,
)
from kplan.admission.validation.problems import NOT_POSITIVE, duplicate, forbidden, invalid, required, unsupported
from kplan.objects.formats import decimal_integer, dns_label, dns_subdomain, label_value
from kplan.objects.models import Affinity, NodeSelectorTerm, PodAffinityTerm, Toleration, TopologySpreadConstraint
from kplan.objects.models.pod import PodSpec
from kplan.sources.fit import Path


def placement_problems(spec: PodSpec) -> Iterator[Problem]:
    """Check them in the server's order; paths begin at the spec.

    Source: ValidatePodSpec in pkg/apis/core/validation/validation.go.
    """
    yield from label_problems(("nodeSelector",), spec.node_selector or {})
    if spec.affinity:
        yield from _affinity(spec.affinity)
    yield from _gates(spec)
    yield from _spread(spec.topology_spread_constraints or [])
    if spec.node_name:
        yield from (invalid(("nodeName",), spec.node_name, words) for words in dns_subdomain(spec.node_name))
    yield from _tolerations(spec.tolerations or [])
    for key, name in (("priorityClassName", spec.priority_class_name), ("runtimeClassName", spec.runtime_class_name)):
        if name:
            yield from (invalid((key,), name, words) for words in dns_subdomain(name))
    names = {gate.name for gate in spec.scheduling_gates or ()}
    if names and spec.node_name:
        yield forbidden(("nodeName",), "cannot be set until all schedulingGates have been cleared")


def _tolerations(tolerations: list[Toleration]) -> Iterator[Problem]:
    """Check the tolerations.

    Source: ValidateTolerations.
    """
    for number, toleration in enumerate(tolerations):
        path: Path = ("tolerations", number)
        operator = toleration.operator or ""
        if toleration.key:
            yield from key_problems((*path, "key"), toleration.key)
        if not toleration.key and operator != "Exists":
            words = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
            yield invalid((*path, "operator"), operator, words)
        if toleration.toleration_seconds is not None and toleration.effect != "NoExecute":
            words = "effect must be 'NoExecute' when `tolerationSeconds` is set"
            yield invalid((*path, "effect"), toleration.effect or "", words)
        yield from _toleration_value(path, operator, toleration.value or "")
        if toleration.effect and toleration.effect not in ("NoSchedule", "PreferNoSchedule", "NoExecute"):
            known = ("NoSchedule", "PreferNoSchedule", "NoExecute")
            yield unsupported((*path, "effect"), toleration.effect, known)


def _toleration_value(path: Path, operator: str, value: str) -> Iterator[Problem]:
    match operator:
        case "" | "Equal":
            complaints = label_value(value)
            if complaints:
                yield invalid((*path, "operator"), value, ";".join(complaints))
        case "Exists":
            if value:
                yield invalid((*path, "operator"), value, "value must be empty when `operator` is 'Exists'")
        case "Lt" | "Gt":
            yield from (invalid((*path, "value"), value, words) for words in decimal_integer(value))
        case _:
            yield unsupported((*path, "operator"), operator, ("Equal", "Exists"))


def _spread(constraints: list[TopologySpreadConstraint]) -> Iterator[Problem]:
    """Check the topology spread constraints.

    Source: validateTopologySpreadConstraints.
    """
    for number, constraint in enumerate(constraints):
        path: Path = ("topologySpreadConstraints", number)
        if constraint.max_skew <= 0:
            yield invalid((*path, "maxSkew"), constraint.max_skew, NOT_POSITIVE)
        if not constraint.topology_key:
            yield required((*path, "topologyKey"), "can not be empty")
        known = ("DoNotSchedule", "ScheduleAnyway")
        if constraint.when_unsatisfiable not in known:
            yield unsupported((*path, "whenUnsatisfiable"), constraint.when_unsatisfiable, known)
        pair = (constraint.topology_key, constraint.when_unsatisfiable)
        for other in constraints[number + 1 :]:
            if (other.topology_key, other.when_unsatisfiable) == pair:
                yield duplicate((*path, "{topologyKey, whenUnsatisfiable}"), f"{{{pair[0]}, {pair[1]}}}")
                break
        if constraint.min_domains is not None and constraint.min_domains <= 0:
            yield invalid((*path, "minDomains"), constraint.min_domains, NOT_POSITIVE)
        if constraint.min_domains is not None and pair[1] != "DoNotSchedule":
            words = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {pair[1]}"
            yield invalid((*path, "minDomains"), constraint.min_domains, words)
        for key, policy in (
            ("nodeAffinityPolicy", constraint.node_affinity_policy),
            ("nodeTaintsPolicy", constraint.node_taints_policy),
        ):
            if policy is not None and policy not in ("Honor", "Ignore"):
                yield unsupported((*path, key), policy, ("Honor", "Ignore"))
        yield from matched_key_problems(path, constraint.match_label_keys or (), (), constraint.label_selector)
        yield from selector_problems((*path, "labelSelector"), constraint.label_selector)


_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def _affinity(affinity: Affinity) -> Iterator[Problem]:
    """Check the affinities.

    Source: validateNodeAffinity, validatePodAffinityTerm, validateWeightedPodAffinityTerms.
    """
    node = affinity.node_affinity
    if node and node.required:
        path: Path = ("affinity", "nodeAffinity", _REQUIRED, "nodeSelectorTerms")
        if not node.required.node_selector_terms:
            yield required(path, "must have at least one node selector term")
        for number, term in enumerate(node.required.node_selector_terms or ()):
            yield from _node_term((*path, number), term)
    for number, preferred in enumerate((node.preferred if node else None) or ()):
        path = ("affinity", "nodeAffinity", _PREFERRED, number)
        yield from _weight(path, preferred.weight)
        if preferred.preference:
            yield from _node_term((*path, "preference"), preferred.preference, values_matter=False)
    for key, kind in (("podAffinity", affinity.pod_affinity), ("podAntiAffinity", affinity.pod_anti_affinity)):
        for number, pod_term in enumerate((kind.required if kind else None) or ()):
            yield from _pod_term(("affinity", key, _REQUIRED, number), pod_term)
        for number, weighted in enumerate((kind.preferred if kind else None) or ()):
            path = ("affinity", key, _PREFERRED, number)
            yield from _weight(path, weighted.weight)
            yield from _pod_term((*path, "podAffinityTerm"), weighted.pod_affinity_term or PodAffinityTerm())


def _weight(path: Path, weight: int) -> Iterator[Problem]:
    if not 1 <= weight <= 100:
        yield invalid((*path, "weight"), weight, "must be in the range 1-100")


def _pod_term(path: Path, term: PodAffinityTerm) -> Iterator[Problem]:
    yield from selector_problems((*path, "labelSelector"), term.label_selector)
    yield from selector_problems((*path, "namespaceSelector"), term.namespace_selector)
    for name in term.namespaces or ():
        yield from (invalid((*path, "namespace"), name, words) for words in dns_label(name))
    match, mismatch = term.match_label_keys or (), term.mismatch_label_keys or ()
    yield from matched_key_problems(path, match, mismatch, term.label_selector)
    if not term.topology_key:
        yield required((*path, "topologyKey"), "can not be empty")
    yield from key_problems((*path, "topologyKey"), term.topology_key)


def _node_term(path: Path, term: NodeSelectorTerm, *, values_matter: bool = True) -> Iterator[Problem]:
    """Check a node selector term."""
    for number, requirement in enumerate(term.match_expressions or ()):
        here = (*path, "matchExpressions", number)
        yield from requirement_problems(here, requirement, of_node=True)
        if values_matter:
            yield from value_problems((*here, "values"), requirement.values or ())
    yield from _node_fields(path, term)


def _node_fields(path: Path, term: NodeSelectorTerm) -> Iterator[Problem]:
    """Check what a term says of fields of a node, of which there is the name.

    Source: ValidateNodeFieldSelectorRequirement.
    """
    for number, requirement in enumerate(term.match_fields or ()):
        here = (*path, "matchFields", number)
        if requirement.operator not in ("In", "NotIn"):
            yield invalid((*here, "operator"), requirement.operator, "not a valid selector operator")
        elif len(requirement.values or ()) != 1:
            words = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
            yield required((*here, "values"), words)
        if requirement.key != "metadata.name":
            yield invalid((*here, "key"), requirement.key, "not a valid field selector key")
            continue
        for place, value in enumerate(requirement.values or ()):
            yield from (invalid((*here, "values", place), value, words) for words in dns_subdomain(value))


def _gates(spec: PodSpec) -> Iterator[Problem]:
    """Check the scheduling gates.

    Source: validateSchedulingGates.
    """
    names: Iterable[str] = [gate.name for gate in spec.scheduling_gates or ()]
    seen: set[str] = set()
    for number, name in enumerate(names):
        yield from key_problems(("schedulingGates", number), name)
        if name in seen:
            yield duplicate(("schedulingGates", number), name)
        seen.add(name)
