"""Fields: what an edit of a pod's spec comes to in the manifest that the pod is of, as it is written there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from kplan.admission.refusal import Key, written
from kplan.objects.models import PodSpec
from kplan.remedies.candidate import Edit
from kplan.remedies.specs import differences, plain
from kplan.result.document_how_to import FieldChange
from kplan.sources import ManifestObject
from kplan.sources.fit import Path


class _Step(Struct, frozen=True):
    """One place in which two specs differ.

    Attributes:
        path: from the spec.
        value: what is there then; None where it is taken out.
        added: whether it is a further element of a list.
    """

    path: Path
    value: Any
    added: bool = False


def edited(manifest: ManifestObject, pod: PodSpec, edit: Edit) -> tuple[ManifestObject, tuple[FieldChange, ...]] | None:
    """Write an edit of a pod's spec into the template that the pod was made of.

    What admission or a controller added to the pod is not in the manifest and stays out of it.

    Args:
        manifest: the object of the manifest.
        pod: spec of the pod as it was admitted.
        edit: what changes it.

    Returns:
        The object with the edit, and its fields that changed; None where the template does not have what is changed.
    """
    before = plain(pod)
    steps = list(_steps(before, plain(edit(pod)), ()))
    for path in _templates(manifest.raw, ()):
        spec = _at(manifest.raw, path)
        if not steps or not _made_of(pod, spec):
            continue
        raw: Any = manifest.raw
        changes: list[FieldChange] = []
        for step in reversed(steps):  # elements are taken out from the last to the first
            replaced = _written(raw, path, before, step)
            if replaced is None:
                return None
            raw, where, old = replaced
            changes.append(_change(manifest, where, old, step))
        return manifest.with_raw(raw), tuple(reversed(changes))
    return None


def with_fields(
    manifest: ManifestObject, fields: Sequence[tuple[tuple[str, ...], object]]
) -> tuple[ManifestObject, tuple[FieldChange, ...]]:
    """Write fields of a manifest outside its pod template.

    Args:
        manifest: the object of the manifest.
        fields: path and value of each.
    """
    raw: Any = _copy(manifest.raw)
    changes = []
    for path, value in fields:
        here = raw
        for key in path[:-1]:
            here[key] = _copy(here[key]) if isinstance(here.get(key), dict) else {}
            here = here[key]
        changes.append(_change(manifest, path, here.get(path[-1]), _Step(path, value)))
        here[path[-1]] = value
    return manifest.with_raw(raw), tuple(changes)


def template_specs(manifest: ManifestObject) -> list[Any]:
    """Specs of pods in an object, as they are written."""
    return [_at(manifest.raw, path) for path in _templates(manifest.raw, ())]


def template_paths(manifest: ManifestObject) -> list[Path]:
    """Where the specs of pods in an object stand."""
    return list(_templates(manifest.raw, ()))


def _change(manifest: ManifestObject, path: Path, old: Any, step: _Step) -> FieldChange:
    line, column = manifest.at(path)
    return FieldChange(
        path=written(path),
        old="" if old is None else json.dumps(old, default=str),
        new="" if step.value is None else json.dumps(step.value, default=str),
        file=manifest.file,
        line=line,
        column=column,
    )


def _steps(before: Any, after: Any, path: Path) -> Iterator[_Step]:
    for difference in differences(before, after):
        here: Path = (*path, *(Key(key) if "." in key or "/" in key else key for key in difference.path))
        if isinstance(difference.old, list) and isinstance(difference.new, list) and difference.new:
            yield from _of_lists(difference.old, difference.new, here)
        else:
            yield _Step(here, difference.new)


def _of_lists(old: list[Any], new: list[Any], path: Path) -> Iterator[_Step]:
    if len(old) == len(new):
        for number, (one, other) in enumerate(zip(old, new, strict=True)):
            if isinstance(one, dict) and isinstance(other, dict):
                yield from _steps(one, other, (*path, number))
            elif one != other:
                yield _Step((*path, number), other)
    elif new[: len(old)] == old:
        for number, value in enumerate(new[len(old) :], len(old)):
            yield _Step((*path, number), value, added=True)
    elif len(kept := [value for value in old if value in new]) == len(new) and kept == new:
        for number, value in enumerate(old):
            if value not in new:
                yield _Step((*path, number), None)
    else:
        yield _Step(path, new)


def _templates(value: Any, path: Path) -> Iterator[Path]:
    """Paths of the pod specs in an object, wherever its kind keeps them."""
    if isinstance(value, dict):
        if isinstance(value.get("containers"), list):
            yield path
            return
        for key, part in value.items():
            yield from _templates(part, (*path, key))
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from _templates(part, (*path, number))


def _made_of(pod: PodSpec, template: Any) -> bool:
    """Whether a pod's containers are those of a template: of several in one object each has its own."""
    names = [
        (container.get("name"), container.get("image"))
        for container in template["containers"]
        if isinstance(container, dict)
    ]
    return names == [(container.name, container.image) for container in pod.containers or ()]


def _at(value: Any, path: Sequence[str | int]) -> Any:
    for step in path:
        value = value[step]
    return value


def _written(raw: Any, spec: Path, pod: Any, step: _Step) -> tuple[Any, Path, Any] | None:
    """Write one step below a spec.

    Args:
        raw: the object.
        spec: path of the spec.
        pod: the pod's spec: what its controller put into a list of it is not in the template.
        step: what to write.

    Returns:
        The object, copied as far as it changes; the path as it is there; and what was there. None where it has no such
        place.
    """
    path: list[str | int] = list(spec)
    root = here = _copy(raw)
    for key in spec:
        here[key] = _copy(here[key])
        here = here[key]
    for key, next_key in zip(step.path[:-1], step.path[1:], strict=True):
        pod = pod.get(key) if isinstance(pod, dict) else pod[key]
        if isinstance(key, int):
            if key >= len(here) or not _same(pod, here[key]):
                return None
            here[key] = _copy(here[key])
        elif isinstance(here.get(key), dict | list):
            here[key] = _copy(here[key])
        else:
            here[key] = [] if isinstance(next_key, int) else {}
        here = here[key]
        path.append(key)
        if not isinstance(here, list if isinstance(next_key, int) else dict):
            return None
    if not step.added and isinstance(step.path[-1], int):
        last = step.path[-1]
        if last >= len(here) or not _same(pod[last], here[last]):
            return None
    return _set(root, here, path, step)


def _same(one: Any, other: Any) -> bool:
    """Whether elements of two lists are of one name, where they have names."""
    return not isinstance(one, dict) or not isinstance(other, dict) or one.get("name") == other.get("name")


def _set(root: Any, here: Any, path: list[str | int], step: _Step) -> tuple[Any, Path, Any] | None:
    last = step.path[-1]
    if isinstance(last, int):
        if step.added:
            here.append(step.value)
            return root, (*path, len(here) - 1), None
        old = here[last]
        here[last : last + 1] = [] if step.value is None else [step.value]
        return root, (*path, last), old
    old = here.get(last)
    if step.value is None:
        if last not in here:
            return None
        del here[last]
    else:
        here[last] = step.value
    return root, (*path, last), old


def _copy(value: Any) -> Any:
    return dict(value) if isinstance(value, dict) else list(value) if isinstance(value, list) else value
