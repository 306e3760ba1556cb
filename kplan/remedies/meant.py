"""Nodes that are meant for other pods: those of a device that a pod does not ask for, of another system or machine.

Such a node takes a pod whose rules let it go there; it is a waste of the device, or the pod does not start.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kplan.objects.models import NodeSelectorRequirement
from kplan.objects.resource_names import is_extended_resource
from kplan.reasons.groups import node_terms
from kplan.remedies.about import Purpose
from kplan.remedies.candidate import Case

SYSTEM = ("kubernetes.io/os", "beta.kubernetes.io/os")
MACHINE = ("kubernetes.io/arch", "beta.kubernetes.io/arch")
_SYSTEM_TAINTS = ("os", "windows", "node.kubernetes.io/os", *SYSTEM)
_MACHINE_TAINTS = ("arch", *MACHINE)
_USUAL = "linux"
"""The system of pods that say nothing of it."""


def other_purpose(case: Case, row: int, taints: Iterable[str]) -> tuple[Purpose, ...]:
    """For which pods a node is meant whose taints are to be no obstacle; empty where it is meant for this one too.

    Args:
        case: the pod.
        row: of the node.
        taints: that are in the way, as ``key=value:effect``.
    """
    return tuple(dict.fromkeys(_purposes(case, row, taints)))


def _purposes(case: Case, row: int, taints: Iterable[str]) -> Iterator[Purpose]:
    labels = case.cluster.nodes[row].labels
    for taint in taints:
        key, _, value = taint.rpartition(":")[0].partition("=")
        if is_extended_resource(key) and _has(case, row, key) and not case.pod.requests.get(key):
            yield Purpose("resource", (key,))
        elif key in _SYSTEM_TAINTS or value == "windows":
            system = _label(labels, SYSTEM) or value or key
            if system != _USUAL and not _asks(case, SYSTEM, system):
                yield Purpose("system", (system,))
        elif key in _MACHINE_TAINTS:
            machine = _label(labels, MACHINE) or value
            if not _asks(case, MACHINE, machine):
                yield Purpose("machine", (machine,))


def not_asked_for(requirements: Iterable[tuple[str, Iterable[str]]]) -> tuple[Purpose, ...]:
    """What nodes may be that are let in where labels need not have these values; empty if that is harmless.

    Args:
        requirements: labels and the values that are asked for.
    """
    asked = [value for key, values in requirements if key in SYSTEM + MACHINE for value in values]
    return (Purpose("other", tuple(dict.fromkeys(asked))),) if asked else ()


def _has(case: Case, row: int, resource: str) -> bool:
    at = case.cluster.resources.get(resource)
    return at is not None and bool(case.cluster.allocatable[at, row] > 0)


def _label(labels: Mapping[str, str], keys: Iterable[str]) -> str:
    return next((labels[key] for key in keys if labels.get(key)), "")


def _asks(case: Case, keys: Iterable[str], value: str) -> bool:
    """Whether a pod selects nodes by a value of one of these labels."""
    selector = case.spec.node_selector or {}
    if any(selector.get(key) == value for key in keys):
        return True
    wanted = (requirement for requirement in required(case) if requirement.key in keys and requirement.operator == "In")
    return any(value in (requirement.values or ()) for requirement in wanted)


def required(case: Case) -> Iterator[NodeSelectorRequirement]:
    """Yield the requirements of a pod's node affinity, of all terms."""
    for term in node_terms(case.spec):
        yield from term.match_expressions or ()


def misspelt(value: str, known: Iterable[str]) -> bool:
    """Whether a value of a label is one of others but for its case, one letter too many or too few, or two swapped.

    Another letter or number in one place is no slip: ``pool-1`` is not ``pool-2``, nor is zone ``a`` zone ``b``.
    """
    return any(_is_slip(value.casefold(), other.casefold()) for other in known if other != value)


def _is_slip(one: str, two: str) -> bool:
    if len(one) < len(two):
        one, two = two, one
    if one == two:
        return True
    at = next((number for number, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), len(two))
    if len(one) == len(two):
        return one[at : at + 2] == two[at : at + 2][::-1] and one[at + 2 :] == two[at + 2 :]
    return len(one) == len(two) + 1 and one[at].isalpha() and one[at + 1 :] == two[at:] and len(two) > 1
