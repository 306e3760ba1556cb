"""Doubts about manifests where the source was kept from what an API server judges them by: quotas, limits, classes."""

from __future__ import annotations

from collections.abc import Iterator

from kplan.admission.raw import dig_text
from kplan.framework.doubt import Doubt
from kplan.objects.kinds import KINDS
from kplan.objects.state import ClusterState
from kplan.sources import ManifestObject, Manifests

_ALWAYS = ("ResourceQuota", "LimitRange")
_IF_NAMED = {"PriorityClass": "priorityClassName", "RuntimeClass": "runtimeClassName"}
PODS = ("spec", "spec.template.spec", "spec.jobTemplate.spec.template.spec", "template.spec")
"""Where the fields of a pod stand in a Pod, a workload, a CronJob and a PodTemplate."""
_BUILT_IN = "system-"


def unread_rules(manifests: Manifests, state: ClusterState) -> Iterator[Doubt]:
    """Doubt each kind that the source could not read, as it says, and that could change what manifests come to.

    A dump that simply holds no quotas says nothing of them, and raises no doubt.
    """
    told = state.completeness.absences
    for kind in KINDS:
        if kind.name not in told or state.completeness.has(kind.name):
            continue
        field = _IF_NAMED.get(kind.name, "")
        if kind.name in _ALWAYS or (
            field and any(_names(manifest_object, field) for manifest_object in manifests.objects)
        ):
            yield Doubt(code=f"no-{kind.plural}", text=told[kind.name])


def _names(manifest: ManifestObject, field: str) -> bool:
    """Tell whether the pods of a manifest name a class that is not one of Kubernetes' own."""
    named = (dig_text(manifest.raw, f"{path}.{field}") for path in PODS)
    return any(name and not name.startswith(_BUILT_IN) for name in named)
