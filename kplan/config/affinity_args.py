"""The rules kube-scheduler checks NodeAffinity's ``addedAffinity`` by.

Source: kubernetes v1.37.2 pkg/scheduler/apis/config/validation/validation_pluginargs.go ValidateNodeAffinityArgs;
component-helpers v0.37.2 scheduling/corev1/nodeaffinity/nodeaffinity.go; apimachinery v0.37.2 pkg/labels/selector.go
NewRequirement.
"""

from collections.abc import Sequence

from kplan.config.field_errors import child, invalid, unsupported
from kplan.framework.args import NodeAffinityArgs
from kplan.framework.features import Features
from kplan.objects.formats import label_key, label_value
from kplan.objects.models import NodeSelectorRequirement, NodeSelectorTerm
from kplan.objects.selectors import parse_int64

_LABEL_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
_FIELD_OPERATORS = ("In", "NotIn")


def check_node_affinity(args: NodeAffinityArgs, _: Features, path: str) -> list[str]:
    """Check both parts of the added affinity.

    Terms that are empty or preferred with weight 0 are not looked at, as the scheduler drops them.
    """
    if args.added_affinity is None:
        return []
    errors: list[str] = []
    selector = args.added_affinity.required
    where = child(path, "addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms")
    for i, term in enumerate((selector.node_selector_terms or ()) if selector else ()):
        errors += _term(term, f"{where}[{i}]")
    where = child(path, "addedAffinity.preferredDuringSchedulingIgnoredDuringExecution")
    for i, preferred in enumerate(args.added_affinity.preferred or ()):
        if preferred.weight and preferred.preference:
            errors += _term(preferred.preference, f"{where}[{i}]")
    return errors


def _term(term: NodeSelectorTerm, path: str) -> list[str]:
    errors: list[str] = []
    for i, requirement in enumerate(term.match_expressions or ()):
        errors += _label_requirement(requirement, child(path, f"matchExpressions[{i}]"))
    for i, requirement in enumerate(term.match_fields or ()):
        errors += _field_requirement(requirement, child(path, f"matchFields[{i}]"))
    return errors


def _label_requirement(requirement: NodeSelectorRequirement, path: str) -> list[str]:
    key, operator, values = requirement.key, requirement.operator, requirement.values or []
    if operator not in _LABEL_OPERATORS:
        return [unsupported(f"{path}.operator", operator, _LABEL_OPERATORS)]
    errors = []
    if problems := label_key(key):
        errors.append(invalid(f"{path}.key", key, "; ".join(problems)))
    errors += _count_problems(operator, requirement.values, f"{path}.values")
    for i, value in enumerate(values):
        if problems := label_value(value):
            errors.append(invalid(f"{path}.values[{i}][{key}]", value, "; ".join(problems)))
    return errors


def _count_problems(operator: str, given: Sequence[str] | None, path: str) -> list[str]:
    values = given or []
    if operator in ("In", "NotIn"):
        return [] if values else [invalid(path, given, "for 'in', 'notin' operators, values set can't be empty")]
    if operator in ("Exists", "DoesNotExist"):
        return [invalid(path, given, "values set must be empty for exists and does not exist")] if values else []
    errors = []
    if len(values) != 1:
        errors.append(invalid(path, given, "for 'Gt', 'Lt' operators, exactly one value is required"))
    for i, value in enumerate(values):
        if parse_int64(value) is None:
            errors.append(invalid(f"{path}[{i}]", value, "for 'Gt', 'Lt' operators, the value must be an integer"))
    return errors


def _field_requirement(requirement: NodeSelectorRequirement, path: str) -> list[str]:
    if requirement.operator not in _FIELD_OPERATORS:
        return [unsupported(f"{path}.operator", requirement.operator, _FIELD_OPERATORS)]
    if len(requirement.values or ()) != 1:
        return [invalid(f"{path}.values", requirement.values, "must have one element")]
    return []
