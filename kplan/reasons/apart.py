"""What tells causes apart that are alike in the nodes nearest to fitting."""

from __future__ import annotations

from collections.abc import Sequence

from kplan.framework.reason_codes import ReasonCode
from kplan.objects.limit_defaults import defaulted
from kplan.objects.models import Pod
from kplan.reasons.groups import NodeGroup


def told_apart(code: str, groups: Sequence[NodeGroup], pod: Pod) -> frozenset[str]:
    """Codes of what closes the domains that a spread wants filled first, and resources that a LimitRange asks for.

    Args:
        code: of the cause.
        groups: of the nodes that refuse the pod.
        pod: the pod.
    """
    atoms = [atom for group in groups for atom in group.atoms]
    lacking = {atom.resource for atom in atoms if atom.resource}
    given = {f"default {resource}" for resource in lacking if defaulted(pod, resource)}
    if code != ReasonCode.SPREAD_SKEW:
        return frozenset(given)
    return frozenset(given | {atom.public_code for atom in atoms if atom.code != ReasonCode.SPREAD_SKEW})
