"""Texts and parts that repeat from object to object, held once: most of what a dense cluster weighs.

JSON is decoded to a new text each time, be it the same namespace, label or operator for the hundredth thousandth time,
and so are the labels, containers and tolerations that all pods of a template have. What tells objects apart (names,
uids) and free text (messages, annotations) is not looked at. Parts are held once that no code changes for one object
alone: what defaults fill in is the same for each that looks the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import count
from operator import attrgetter
from typing import Any

import msgspec
from msgspec import inspect

from kplan.objects.lean import FORMS
from kplan.objects.models import Object
from kplan.sources import slim_maps
from kplan.sources.fit import type_of

_OWN = frozenset({"uid", "resource_version", "generate_name", "message", "annotations"})
"""Fields whose texts do not repeat, or are not worth it."""

_MOST = 10_000
"""Texts that are remembered; then it begins anew, so that texts that never repeat are not held."""

_LONGEST = 100
"""Characters of a text that is remembered."""

_MOST_OF_PARTS = 2 << 20
"""What the parts that are remembered may take; then it begins anew [bytes]."""

_LARGEST_PART = 2 << 10
"""Length of a part that is remembered, written down [bytes]."""

_FOR_EACH = 400
"""What it takes to remember a part, besides what it is known by [bytes]."""

_TOP = frozenset({"metadata", "spec"})
"""Fields of an object that are its own, whatever is in them."""

_ALONE = frozenset({"resources"})
"""Fields of a spec whose defaults hang on what stands beside them."""

_Share = Callable[[Any], Any]
"""Shares what is in a value, and gives the one to hold in its place."""

_known: dict[str, str] = {}
_parts: dict[bytes, Any] = {}
_hits: set[int] = set()
"""By ``id``, texts and parts of the object that was shared last which were held before."""
_encode = msgspec.msgpack.Encoder().encode
_numbers = count()
_held = [0]
"""What the parts take that are remembered [bytes]."""


def share(item: Object) -> set[int]:
    """Replace texts and parts of an object by equal ones of objects before it, and tell which, by ``id``."""
    _hits.clear()
    sharer = _sharer(type(item))
    if sharer:
        name = item.name
        is_new = _known.setdefault(name, name) is name  # labels tell it again
        sharer(item)
        if is_new:
            _known.pop(name, None)
    return _hits


def forget() -> None:
    """Hold nothing for objects to come."""
    _known.clear()
    _parts.clear()
    _held[0] = 0
    slim_maps.forget()


@cache
def _sharer(model: type[Object]) -> _Share | None:
    """Compile what visits the texts of a model."""
    return _of(type_of(model), top=True)


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


def _of(kind: inspect.Type, *, top: bool = False) -> _Share | None:
    """Compile what shares a value of a type; ``top`` is an object itself, whose metadata and spec are its own."""
    match kind:
        case inspect.UnionType():
            return next((found for type_ in kind.types if (found := _of(type_))), None)
        case inspect.StructType():
            return _of_struct(kind, top=top)
        case inspect.ListType():
            return _of_texts if _holds_text(kind.item_type) else _of_list(_part(kind.item_type), _of(kind.item_type))
        case inspect.DictType():
            if getattr(kind.key_type, "max_length", None) is not None:  # such keys are decoded anew each time
                return _of_labels
            return _of_values if _holds_text(kind.value_type) else _of_map(_part(kind.value_type))
        case _:
            return None


def _holds_text(kind: inspect.Type) -> bool:
    kinds = kind.types if isinstance(kind, inspect.UnionType) else (kind,)
    return any(isinstance(type_, inspect.StrType) for type_ in kinds)


def _part(kind: inspect.Type) -> _Share | None:
    """Compile what holds a list, a map or a struct once, with all that is in it."""
    kinds = kind.types if isinstance(kind, inspect.UnionType) else (kind,)
    if not any(isinstance(type_, inspect.StructType | inspect.ListType | inspect.DictType) for type_ in kinds):
        return None
    inner, name = _of(kind), b"%d " % next(_numbers)  # equal texts of other types are other parts

    def held(value: Any) -> Any:
        try:
            key = name + _encode(value)
        except (OverflowError, UnicodeEncodeError):  # an amount of more than 64 bits
            return inner(value) if inner is not None else value
        same = _parts.get(key)
        if same is not None:
            _hits.add(id(same))
            return same
        if inner is not None:
            value = inner(value)
        if type(value) is list:
            value = value[:]  # one that was decoded has room for more
        elif type(value) is dict:
            value = slim_maps.slim(value)
        if len(key) <= _LARGEST_PART:
            _held[0] += len(key) + _FOR_EACH
            if _held[0] > _MOST_OF_PARTS:
                _parts.clear()
                _held[0] = len(key) + _FOR_EACH
            _parts[key] = value
        return value

    return held


def _of_struct(kind: inspect.StructType, *, top: bool) -> _Share | None:
    """Compile what shares a struct, and gives its lean form if that has room for all: few fields to look at then."""
    fields = [field for field in kind.fields if field.name not in _OWN]
    shared, form = _of_fields(kind, fields, top=top), FORMS.get(kind.cls)
    if shared is None or form is None:
        return shared
    small, rare, nothing, common, often = form
    few = _of_fields(kind, [field for field in fields if field.name in small.__struct_fields__], top=top)

    def lean(value: Any) -> Any:
        if often(value) is not None or rare(value) != nothing:
            return shared(value)
        value = small(*common(value))
        return few(value) if few is not None else value

    return lean


def _of_fields(kind: inspect.StructType, fields: list[inspect.Field], *, top: bool) -> _Share | None:
    is_meta = kind.cls.__name__ == "ObjectMeta"
    texts = [field.name for field in fields if _holds_text(field.type) and not (is_meta and field.name == "name")]
    parts = [(field.name, found) for field in fields if (found := _of_field(field, kind, top=top))]
    inner = _of_parts(parts) if parts else None
    if not texts:
        return inner
    every, names = attrgetter(*texts, texts[0]), tuple(texts)  # two at least, so that a tuple is given

    def shared(value: Any) -> Any:
        get = _known.get
        for name, text in zip(names, every(value), strict=False):
            if type(text) is str:
                same = get(text)
                if same is None:
                    remember(text)
                    continue
                _hits.add(id(same))
                if same is not text:
                    setattr(value, name, same)
        if inner is not None:
            inner(value)
        return value

    return shared


def _of_field(field: inspect.Field, kind: inspect.StructType, *, top: bool) -> _Share | None:
    if top and field.name in _TOP:
        return _of(field.type)
    if kind.cls.__name__ == "PodSpec" and field.name in _ALONE:
        return _of(field.type)
    return _part(field.type)


def _of_parts(parts: list[tuple[str, _Share]]) -> _Share:
    names = [name for name, _ in (*parts, parts[0])]  # two at least, so that a tuple is given
    every = attrgetter(*names)

    def each(value: Any) -> Any:
        for (name, found), part in zip(parts, every(value), strict=False):
            if part:
                same = found(part)
                if same is not part:
                    setattr(value, name, same)
        return value

    return each


def _of_list(inner: _Share | None, only: _Share | None) -> _Share | None:
    """Compile what shares the parts of a list; one that stands alone is known by the list already."""
    if inner is None:
        return None

    def each(value: Any) -> Any:
        if only is not None and len(value) == 1:
            value[0] = only(value[0])
            return value
        for at, part in enumerate(value):
            same = inner(part)
            if same is not part:
                value[at] = same
        return value

    return each


def _of_map(inner: _Share | None) -> _Share | None:
    if inner is None:
        return None

    def each(value: Any) -> Any:
        for key, part in value.items():
            value[key] = inner(part)
        return value

    return each


def _same(text: str) -> str:
    known = _known.get(text)
    if known is None:
        return remember(text)
    _hits.add(id(known))
    return known


def _of_texts(value: list[Any]) -> Any:
    for at, text in enumerate(value):
        if type(text) is str:
            value[at] = _same(text)
    return value


def _of_values(value: dict[str, Any]) -> Any:
    for key, text in value.items():
        if type(text) is str:
            value[key] = _same(text)
    return value


def _of_labels(value: dict[str, str]) -> Any:
    shared = [(_same(key), _same(text)) for key, text in value.items()]
    value.clear()
    value.update(shared)
    return value
