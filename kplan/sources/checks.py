"""Values that decode and are yet refused by an API server: quantities by grammar, times by form.

Sizes of integers and lengths of lists stand in the models, so that decoding checks them. A check is compiled once for
each model and visits only the fields that hold quantities.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import cache
from operator import attrgetter
from typing import Any

from msgspec import inspect

from kplan.errors import QuantityError
from kplan.objects.models import Object
from kplan.objects.quantity import parse
from kplan.sources.fit import Misfit, describe, type_of

_RFC3339 = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})"
)
_PLAIN = re.compile(
    r"(?!0000)[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z"
)
"""Most times, of a day that every month has: they need no calendar."""


def check(item: Object) -> None:
    """Check every quantity and time of an object.

    Raises:
        Misfit: the first that an API server would refuse, with its path.
    """
    quantities = _checker(type(item))
    if quantities:
        quantities(item)
    meta = item.metadata
    _check_time(meta.creation_timestamp, ("metadata", "creationTimestamp"))
    _check_time(meta.deletion_timestamp, ("metadata", "deletionTimestamp"))
    _check_time(getattr(getattr(item, "status", None), "start_time", None), ("status", "startTime"))


def _check_time(value: str | None, path: tuple[str, str]) -> None:
    if value is not None and not is_time(value):
        raise Misfit(f"expected a time such as 2006-01-02T15:04:05Z, got {describe(value)}", path)


def is_time(text: str) -> bool:
    """Tell whether a text is an RFC 3339 time, the only form Kubernetes reads."""
    if _PLAIN.fullmatch(text):
        return True
    if not _RFC3339.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text[:19].upper())
    except ValueError:
        return False
    return True


_Check = Callable[[Any], None]
"""Checks one value, and raises Misfit; only parts that hold quantities are visited."""


@cache
def _checker(model: type[Object]) -> _Check | None:
    """Compile the check of every quantity in a model."""
    return _check_of(type_of(model))


_good: set[str | int | float] = set()
"""Quantities that were found right."""
_MOST_GOOD = 50_000

_read = parse.__wrapped__
"""What is remembered here need not be remembered there."""


def _check_quantity(value: Any) -> None:
    if value not in _good:
        try:
            _read(value)
        except QuantityError as error:
            raise Misfit(error.message) from None
        if len(_good) >= _MOST_GOOD:
            _good.clear()
        _good.add(value)


def _check_quantities(value: Mapping[str, Any]) -> None:
    """Check a map of quantities; nearly all have been seen, so a glance at all of them does."""
    if not _good.issuperset(value.values()):
        for name, quantity in value.items():
            try:
                _check_quantity(quantity)
            except Misfit as misfit:
                raise misfit.under(name) from None


def _check_each(inner: _Check, parts: Callable[[Any], Iterable[tuple[str | int, Any]]]) -> _Check:
    """Make the check of a map or a list: ``parts`` gives what is in it, with the step that leads there."""

    def check(value: Any) -> None:
        for step, part in parts(value):
            try:
                inner(part)
            except Misfit as misfit:
                raise misfit.under(step) from None

    return check


def _check_struct(fields: list[tuple[str, str, _Check]]) -> _Check:
    # of one attribute it gives no tuple: the first is asked for twice and looked at once
    parts_of = attrgetter(fields[0][0], *(attribute for attribute, _, _ in fields))
    checks = [(name, inner) for _, name, inner in fields]

    def check(value: Any) -> None:
        for part, (name, inner) in zip(parts_of(value)[1:], checks, strict=True):
            if part is not None:
                try:
                    inner(part)
                except Misfit as misfit:
                    raise misfit.under(name) from None

    return check


def _check_of(kind: inspect.Type) -> _Check | None:
    match kind:
        case inspect.UnionType():
            if any(isinstance(type_, inspect.FloatType) for type_ in kind.types):
                return _check_quantity
            checks = [_check_of(type_) for type_ in kind.types]
            return next((check for check in checks if check), None)
        case inspect.DictType():
            inner = _check_of(kind.value_type)
            if inner is _check_quantity:
                return _check_quantities
            return _check_each(inner, dict.items) if inner else None
        case inspect.ListType():
            inner = _check_of(kind.item_type)
            return _check_each(inner, enumerate) if inner else None
        case inspect.StructType():
            parts = [(part.name, part.encode_name, _check_of(part.type)) for part in kind.fields]
            fields = [(name, wire, check) for name, wire, check in parts if check]
            return _check_struct(fields) if fields else None
        case _:
            return None
