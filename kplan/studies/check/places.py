"""Where in a manifest a finding stands: at the field that its cause is about, which a change is likely to touch.

Reviews show what stands at a line that is changed; the first line of an object seldom is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import structs

from kplan.framework.reason_codes import ReasonCode
from kplan.objects.quantity import milli_value
from kplan.objects.resource_names import CPU, MEMORY
from kplan.remedies.fields import template_paths
from kplan.result.document_check import Finding
from kplan.sources.fit import Path
from kplan.sources.manifests import ManifestObject

_INSUFFICIENT = "insufficient-"
_FIELDS: dict[str, Path] = {
    ReasonCode.NODE_AFFINITY: ("affinity", "nodeAffinity"),
    ReasonCode.NODE_SELECTOR: ("nodeSelector",),
    ReasonCode.OTHER_NODE_NAMED: ("nodeName",),
    ReasonCode.POD_AFFINITY: ("affinity", "podAffinity"),
    ReasonCode.POD_ANTI_AFFINITY: ("affinity", "podAntiAffinity"),
    ReasonCode.SPREAD_LABEL_MISSING: ("topologySpreadConstraints",),
    ReasonCode.SPREAD_SKEW: ("topologySpreadConstraints",),
    ReasonCode.TAINT_NOT_TOLERATED: ("tolerations",),
}
"""Fields of a pod's spec by the cause that they have."""


def at_its_field(finding: Finding, manifest: ManifestObject | None) -> Finding:
    """Give a finding the line of the field that its cause is about, where the only template of an object writes it.

    Args:
        finding: about one object of the manifests.
        manifest: that object; None where it is not known.
    """
    paths = template_paths(manifest) if manifest is not None and finding.cause else []
    if manifest is None or len(paths) != 1:
        return finding
    spec = _at(manifest.raw, paths[0])
    field = _field_of(finding.cause, spec)
    if field is None:
        return finding
    line, column = manifest.at((*paths[0], *field))
    return structs.replace(finding, line=line, column=column)


def _field_of(cause: str, spec: Any) -> Path | None:
    if cause.startswith(_INSUFFICIENT):
        amounts = sorted(_requests(spec, cause.removeprefix(_INSUFFICIENT)), key=lambda item: -item[0])
        return amounts[0][1] if amounts else None
    field = _FIELDS.get(cause)
    return field if field is not None and _at(spec, field) else None


def _requests(spec: Any, resource: str) -> Iterator[tuple[int, Path]]:
    """What a pod's spec and its containers ask for, and where that is written; of any extended resource for others."""
    groups = ((name, _at(spec, (name,))) for name in ("containers", "initContainers"))
    holders: list[Path] = [()]
    holders += [(name, i) for name, listed in groups if isinstance(listed, list) for i in range(len(listed))]
    for holder in holders:
        for part in ("requests", "limits"):
            path: Path = (*holder, "resources", part)
            written = _at(spec, path)
            named = written if isinstance(written, dict) else {}
            found = [
                (milli_value(str(amount)), (*path, name))
                for name, amount in named.items()
                if name == resource or (resource == "resource" and name not in (CPU, MEMORY))
            ]
            if found:
                yield from found
                break


def _at(value: Any, path: Path) -> Any:
    for key in path:
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and isinstance(key, int):
            value = value[key]
        else:
            return None
    return value
