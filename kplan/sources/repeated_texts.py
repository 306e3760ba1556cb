"""Texts that repeat from object to object, held once: half of what a decoded cluster weighs.

JSON is decoded to a new text each time, be it the same namespace, label or operator for the hundredth thousandth time.
What tells objects apart (names, uids) and free text (messages, annotations) is not looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any

from msgspec import inspect

from kplan.objects.models import Object
from kplan.sources.fit import type_of

_OWN = frozenset({"uid", "resource_version", "generate_name", "message", "annotations"})
"""Fields whose texts do not repeat, or are not worth it."""

_MOST = 10_000
"""Texts that are remembered; then it begins anew, so that texts that never repeat are not held."""

_LONGEST = 100
"""Characters of a text that is remembered."""

_Share = Callable[[Any], None]

_known: dict[str, str] = {}


def share(item: Object) -> None:
    """Replace texts of an object by equal ones of objects before it."""
    sharer = _sharer(type(item))
    if sharer:
        sharer(item)


@cache
def _sharer(model: type[Object]) -> _Share | None:
    """Compile what visits the texts of a model."""
    return _of(type_of(model))


def is_repeated(text: str) -> bool:
    """Tell whether an equal text is held already."""
    return text in _known


def remember(text: str) -> str:
    """Hold a text for those that will be equal to it, and give it back."""
    if len(text) <= _LONGEST:
        if len(_known) >= _MOST:
            _known.clear()
        _known[text] = text
    return text


def _of(kind: inspect.Type) -> _Share | None:
    match kind:
        case inspect.UnionType():
            return next((found for type_ in kind.types if (found := _of(type_))), None)
        case inspect.StructType():
            return _of_struct(kind)
        case inspect.ListType():
            return _of_texts if _holds_text(kind.item_type) else _of_list(_of(kind.item_type))
        case inspect.DictType():
            if getattr(kind.key_type, "max_length", None) is not None:  # such keys are decoded anew each time
                return _of_labels
            return _of_values if _holds_text(kind.value_type) else _of_map(_of(kind.value_type))
        case _:
            return None


def _holds_text(kind: inspect.Type) -> bool:
    kinds = kind.types if isinstance(kind, inspect.UnionType) else (kind,)
    return any(isinstance(type_, inspect.StrType) for type_ in kinds)


def _of_struct(kind: inspect.StructType) -> _Share | None:
    fields = [field for field in kind.fields if field.name not in _OWN]
    is_meta = kind.cls.__name__ == "ObjectMeta"
    texts = [field.name for field in fields if _holds_text(field.type) and not (is_meta and field.name == "name")]
    parts = [(field.name, found) for field in fields if (found := _of(field.type))]
    if not texts:
        return _parts(parts) if parts else None
    texts.append(texts[0])  # two at least, so that a tuple is given
    every, names = attrgetter(*texts), tuple(texts)
    inner = _parts(parts) if parts else None

    def shared(value: Any) -> None:
        known = _known
        for name, text in zip(names, every(value), strict=True):
            if type(text) is str:
                same = known.get(text)
                if same is None:
                    remember(text)
                elif same is not text:
                    setattr(value, name, same)
        if inner is not None:
            inner(value)

    return shared


def _parts(parts: list[tuple[str, _Share]]) -> _Share:
    names = [name for name, _ in parts]
    sharers = [found for _, found in parts]
    if len(parts) == 1:
        alone, only = attrgetter(names[0]), sharers[0]

        def one(value: Any) -> None:
            part = alone(value)
            if part:
                only(part)

        return one
    every = attrgetter(*names)

    def each(value: Any) -> None:
        for found, part in zip(sharers, every(value), strict=True):
            if part:
                found(part)

    return each


def _of_list(inner: _Share | None) -> _Share | None:
    if inner is None:
        return None

    def each(value: Any) -> None:
        for part in value:
            inner(part)

    return each


def _of_map(inner: _Share | None) -> _Share | None:
    if inner is None:
        return None

    def each(value: Any) -> None:
        for part in value.values():
            inner(part)

    return each


def _of_texts(value: list[Any]) -> None:
    known = _known
    for at, text in enumerate(value):
        if type(text) is str:
            value[at] = known.get(text) or remember(text)


def _of_values(value: dict[str, Any]) -> None:
    known = _known
    for key, text in value.items():
        if type(text) is str:
            value[key] = known.get(text) or remember(text)


def _of_labels(value: dict[str, str]) -> None:
    get = _known.get
    shared = [(get(key) or remember(key), get(text) or remember(text)) for key, text in value.items()]
    value.clear()
    value.update(shared)
