"""Looking into objects as they were written, and reading the pod templates in them."""

from collections.abc import Iterator
from typing import TypeVar

import msgspec

from kplan.objects.lean import whole_type
from kplan.objects.models import Model, Object, Pod
from kplan.sources import ManifestObject
from kplan.sources.checks import check
from kplan.sources.fit import Misfit, Path, fit

M = TypeVar("M", bound=Model)


def dig(value: object, path: str) -> object:
    """Follow a dotted path through maps; None where it ends early."""
    for step in path.split(".") if path else ():
        if not isinstance(value, dict):
            return None
        value = value.get(step)
    return value


def dig_int(value: object, path: str, default: int) -> int:
    """Follow a path to a whole number; the default where there is none."""
    number = dig(value, path)
    return number if isinstance(number, int) and not isinstance(number, bool) else default


def dig_text(value: object, path: str, default: str = "") -> str:
    """Follow a path to a text; the default where there is none."""
    text = dig(value, path)
    return text if isinstance(text, str) and text else default


def mapping_at(value: object, path: str) -> dict[str, object]:
    """Follow a path to a map; an empty one where there is none."""
    mapping = dig(value, path)
    return mapping if isinstance(mapping, dict) else {}


def spread_out(value: object, path: str) -> Iterator[tuple[str, object]]:
    """Follow a path to a list or map, and yield its elements by name: their key, or their ``name`` or ``groupName``."""
    parts = dig(value, path)
    if isinstance(parts, dict):
        yield from ((str(key), part) for key, part in parts.items())
    elif isinstance(parts, list):
        for number, part in enumerate(parts):
            yield dig_text(part, "name") or dig_text(part, "groupName") or str(number), part


def read_template(template: object, where: str) -> Pod:
    """Read a pod template as a pod without a name.

    Args:
        template: map with ``metadata`` and ``spec``.
        where: dotted path of the template in its object.

    Raises:
        Misfit: what does not fit, with its path in the object.
    """
    steps: Path = tuple(where.split(".")) if where else ()
    if not isinstance(template, dict) or not isinstance(template.get("spec"), dict):
        raise Misfit("there is no pod template here", steps)
    parts = {"metadata": template.get("metadata") or {}, "spec": template["spec"]}
    try:
        try:
            pod: Object = msgspec.convert(parts, Pod)
        except msgspec.ValidationError:
            pod = fit(parts, Pod)
        assert isinstance(pod, Pod)
        check(pod)
    except Misfit as misfit:
        misfit.path = (*steps, *misfit.path)
        raise
    return copied(pod)


def has_deadline(raw: object) -> bool:
    """Tell whether the pods of an object have an activeDeadlineSeconds of their own."""
    if isinstance(raw, dict) and raw.get("kind") == "Pod":
        return dig(raw, "spec.activeDeadlineSeconds") is not None
    paths = ("spec.template.spec", "spec.jobTemplate.spec.template.spec", "template.spec")
    return any(dig(raw, f"{path}.activeDeadlineSeconds") is not None for path in paths)


def copied(item: M) -> M:
    """Copy a model with everything in it."""
    return msgspec.json.decode(msgspec.json.encode(item), type=whole_type(type(item)))


def group_of(manifest: ManifestObject) -> str:
    """Name the API group of a manifest's object; empty for core."""
    return manifest.api_version.rpartition("/")[0]


def written_name(manifest: ManifestObject) -> str:
    """The name of an object, or what one that is made up for it begins with; as it was read, which is quicker."""
    name = manifest.item.metadata.name if manifest.item is not None else ""
    return name or dig_text(manifest.raw, "metadata.name") or dig_text(manifest.raw, "metadata.generateName")
