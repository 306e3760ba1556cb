"""Lean forms: models without the fields that few objects of a dense cluster have, at a third of their weight.

A pod of 190 bytes of JSON was 224 bytes of spec, 112 of metadata and 96 of container, nearly all of it room for fields
that it does not have. Its lean form reads the same: a field that has no room is None. What has no room cannot be set,
either: objects are changed by ``replace``, which gives a whole one, and copied as whole ones.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
from msgspec import structs

from kplan.objects.models.meta import Lean, LeanMeta, ObjectMeta
from kplan.objects.models.pod import Container, LeanContainer, LeanPodSpec, PodSpec

S = TypeVar("S", bound=msgspec.Struct)


class LeanForm(NamedTuple):
    """What it takes to make a lean one of a whole one."""

    lean: type[Lean]
    rare: Callable[[Any], tuple[Any, ...]]
    nothing: tuple[None, ...]
    common: Callable[[Any], tuple[Any, ...]]
    often: Callable[[Any], object]


_OFTEN: Final = {LeanMeta: "labels", LeanContainer: "ports", LeanPodSpec: "tolerations"}
"""What is written most of the fields that a lean form has no room for."""

WHOLE: Final[dict[type[Any], type[Any]]] = {
    LeanMeta: ObjectMeta,
    LeanContainer: Container,
    LeanPodSpec: PodSpec,
}


def _form(small: type[Lean], large: type[Lean]) -> LeanForm:
    """Let the lean form say None of what it has no room for."""
    common = small.__struct_fields__
    rare = tuple(name for name in large.__struct_fields__ if name not in common)
    for name in rare:
        setattr(small, name, None)
    return LeanForm(small, attrgetter(*rare), (None,) * len(rare), attrgetter(*common), attrgetter(_OFTEN[small]))


FORMS: Final = {large: _form(small, large) for small, large in WHOLE.items()}
"""By model, how its lean form is made; ``sources.repeated_texts`` makes it."""

_ROOM: Final = {small: frozenset(small.__struct_fields__) for small in WHOLE}


def whole_type(kind: type[S]) -> type[S]:
    """Name the form of a model that has room for all fields."""
    return WHOLE.get(kind, kind)


def whole(value: S) -> S:
    """Give a model in the form that has room for all fields: a copy of a lean one, any other as it is."""
    kind = WHOLE.get(type(value))
    return kind(**structs.asdict(value)) if kind is not None else value


def replace(value: S, **changes: Any) -> S:
    """Copy a model with other values in some fields, as ``msgspec.structs.replace``."""
    kind = type(value)
    return structs.replace(value if changes.keys() <= _ROOM.get(kind, changes.keys()) else whole(value), **changes)
