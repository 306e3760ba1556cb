"""Specs compared: in what two pod specs differ, and the strategic merge patch that this comes to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from kplan.objects.lean import replace
from kplan.objects.models import Container, PodSpec

_MERGE_KEYS = {
    "containers": "name",
    "initContainers": "name",
    "volumes": "name",
    "ports": "containerPort",
    "volumeMounts": "mountPath",
    "topologySpreadConstraints": "topologyKey",
}
"""Lists that a strategic merge patch merges, and by which key; all others are replaced as a whole."""


class SpecDifference(Struct, frozen=True):
    """One field in which two objects differ; lists are one field.

    Attributes:
        path: keys from the object.
        old: what is there; None where there is nothing.
        new: what is there then; None where it is taken out.
    """

    path: tuple[str, ...]
    old: Any
    new: Any


def plain(spec: PodSpec) -> dict[str, Any]:
    """A spec as it is written."""
    fields: dict[str, Any] = msgspec.to_builtins(spec)
    return fields


def with_containers(spec: PodSpec, change: Callable[[Container], Container]) -> PodSpec:
    """Change each container of a spec, init containers among them."""

    def changed(containers: list[Container] | None) -> list[Container] | None:
        return None if containers is None else list(map(change, containers))

    return replace(spec, containers=changed(spec.containers), init_containers=changed(spec.init_containers))


def differences(
    before: Mapping[str, Any], after: Mapping[str, Any], path: tuple[str, ...] = ()
) -> Iterator[SpecDifference]:
    """Find the fields in which two objects differ, in their order.

    Args:
        before: the object as it is.
        after: as it is then.
        path: put before each path.
    """
    for key in [*before, *(key for key in after if key not in before)]:
        old, new = before.get(key), after.get(key)
        if old == new:
            continue
        if isinstance(old, dict) and isinstance(new, dict):
            yield from differences(old, new, (*path, key))
        else:
            yield SpecDifference((*path, key), old, new)


def merge_patch(before: PodSpec, after: PodSpec) -> dict[str, Any]:
    """Make the strategic merge patch that turns one spec into another.

    ``priority`` is left out: the API server sets it from ``priorityClassName``.
    """
    patch = _patch(plain(before), plain(after))
    patch.pop("priority", None)
    return patch


def _patch(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    patch: dict[str, Any] = {}
    for difference in differences(before, after):
        *parents, last = difference.path
        here = patch
        for key in parents:
            here = here.setdefault(key, {})
        lists = isinstance(difference.old, list) and isinstance(difference.new, list)
        here[last] = (
            _of_lists(difference.old, difference.new, _MERGE_KEYS[last])
            if lists and last in _MERGE_KEYS
            else difference.new
        )
    return patch


def _of_lists(old: list[Any], new: list[Any], key: str) -> list[Any]:
    """Entries that changed, by their merge key; the whole list where the keys do not tell entries apart."""
    names = [entry.get(key) for entry in old]
    if len(set(names)) != len(names):
        return [*new, {"$patch": "replace"}]
    known = {entry.get(key): entry for entry in old}
    kept = {entry.get(key) for entry in new}
    made: list[Any] = []
    for entry in new:
        former = known.get(entry.get(key))
        if former is None:
            made.append(entry)
        elif former != entry:
            made.append({key: entry.get(key), **_patch(former, entry)})
    made += [{"$patch": "delete", key: name} for name in names if name not in kept]
    return made
