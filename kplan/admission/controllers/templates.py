"""Pod templates written so that equal ones are equal."""

from __future__ import annotations

import msgspec

from kplan.admission.policies.defaults import set_spec_defaults
from kplan.admission.raw import copied, dig, read_template
from kplan.objects.models.pod import PodTemplateSpec
from kplan.objects.plain import without_empty
from kplan.sources import ManifestObject

_CONTROLLER_LABELS = frozenset(
    {
        "pod-template-hash",
        "controller-uid",
        "job-name",
        "batch.kubernetes.io/controller-uid",
        "batch.kubernetes.io/job-name",
    }
)


def normal_template(template: PodTemplateSpec) -> dict[str, object]:
    """Write a template with its defaults filled in, quantities as amounts, nothing empty, no label of a controller."""
    copy = copied(template)
    set_spec_defaults(copy.spec)
    for label in _CONTROLLER_LABELS & (copy.metadata.labels or {}).keys():
        del (copy.metadata.labels or {})[label]
    normal = without_empty(msgspec.to_builtins(copy))
    metadata = normal.get("metadata")
    if isinstance(metadata, dict):
        normal["metadata"] = {key: metadata[key] for key in ("labels", "annotations") if key in metadata}
    return normal


def template_of(manifest: ManifestObject, path: str = "spec.template") -> dict[str, object]:
    """Write the template of a manifest so.

    Raises:
        Misfit: it does not fit.
    """
    pod = read_template(dig(manifest.raw, path), path)
    return normal_template(PodTemplateSpec(metadata=pod.metadata, spec=pod.spec))
