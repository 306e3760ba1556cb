"""Pod templates written so that equal ones are equal."""

from __future__ import annotations

import msgspec

from kplan.admission.policies.defaults import set_spec_defaults
from kplan.admission.raw import copied
from kplan.objects.models.pod import PodTemplateSpec
from kplan.objects.quantity import nanos

_QUANTITIES = frozenset({"requests", "limits", "overhead", "capacity"})
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
    normal = _without_empty(msgspec.to_builtins(copy), "")
    assert isinstance(normal, dict)
    metadata = normal.get("metadata")
    if isinstance(metadata, dict):
        normal["metadata"] = {key: metadata[key] for key in ("labels", "annotations") if key in metadata}
    return normal


def _without_empty(value: object, key: str) -> object:
    if isinstance(value, dict):
        if key in _QUANTITIES:
            return {name: nanos(raw) for name, raw in value.items() if not isinstance(raw, dict)}
        parts = {name: _without_empty(part, name) for name, part in value.items()}
        return {name: part for name, part in parts.items() if part not in (None, "", {}, [], False)}
    if isinstance(value, list):
        return [_without_empty(part, "") for part in value]
    return value
