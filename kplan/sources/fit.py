"""Fit a decoded value into a model as Go's JSON decoder would, or say where and why it does not fit.

msgspec decodes what is written as the API server writes it; this is for the rest. Go reads null as nothing said,
wherever it stands: an absent field, an empty string in a map, an empty container in a list.

Source: sigs.k8s.io/json ``UnmarshalCaseSensitivePreserveInts``.
"""

import re
from functools import cache
from typing import Any

import msgspec
from msgspec import inspect

from kplan.objects.models import Object
from kplan.sources.scalars import shorten

Path = tuple[str | int, ...]

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_MSGSPEC_PATH = re.compile(r" - at `(.*)`$")


class Misfit(Exception):
    """A value that does not fit its field.

    Attributes:
        path: keys and indexes from the root of the object.
        problem: what is wrong, in words.
    """

    def __init__(self, problem: str, path: Path = ()) -> None:
        super().__init__(problem)
        self.problem = problem
        self.path = path

    def under(self, step: str | int) -> "Misfit":
        """Name the field or index that holds the value it came from."""
        self.path = (step, *self.path)
        return self


def write_path(path: Path) -> str:
    """Write a path as ``spec.containers[0].resources.requests["nvidia.com/gpu"]``."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _PLAIN_KEY.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f'["{shorten(step)[1:-1]}"]'
    return text


@cache
def type_of(model: type[Object]) -> inspect.Type:
    """The fields of a model and their types, worked out once."""
    return inspect.type_info(model)


def fit(value: object, model: type[Object]) -> Object:
    """Convert a decoded object to its model.

    Raises:
        Misfit: a value of the wrong type, with its path.
    """
    fitted = _fit(value, type_of(model))
    try:
        return msgspec.convert(fitted, model)
    except msgspec.ValidationError as error:
        path = _MSGSPEC_PATH.search(str(error))
        where = (path[1].removeprefix("$").removeprefix("."),) if path else ()
        raise Misfit(_MSGSPEC_PATH.sub("", str(error)), where) from None


def describe(value: object) -> str:
    """Name a decoded value for a message."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"the number {shorten(str(value))[1:-1]}"
        case str():
            return f"the string {shorten(value)}"
        case list():
            return "a list"
        case _:
            return "a map"


def _fit(value: object, kind: inspect.Type) -> Any:
    match kind:
        case inspect.UnionType():
            return _fit_union(value, kind.types)
        case inspect.StructType():
            return _fit_struct(value, kind)
        case inspect.ListType():
            items = _few(_expect(value, list, "a list"), kind, "elements")
            return [_fit_at(part, kind.item_type, i) for i, part in enumerate(items)]
        case inspect.DictType():
            return _fit_map(_few(_expect(value, dict, "a map"), kind, "keys"), kind)
        case inspect.StrType():
            return _few(_expect(value, str, "a string"), kind, "characters")
        case inspect.IntType():
            return _fit_int(value, kind)
        case inspect.BoolType():
            return _expect(value, bool, "true or false")
        case _:
            return value


def _fit_map(given: dict[str, object], kind: inspect.DictType) -> dict[str, object]:
    for key in given:
        _few(key, kind.key_type, "characters")
    return {key: _fit_at(part, kind.value_type, key) for key, part in given.items()}


def _few(value: Any, kind: inspect.Type, what: str) -> Any:
    """Give a list, map or text as it is, if it is no longer than its field takes."""
    most = getattr(kind, "max_length", None)
    if most is not None and len(value) > most:
        raise Misfit(f"{len(value):,} {what}, and {most:,} is the most that kplan reads")
    return value


def _fit_at(value: object, kind: inspect.Type, step: str | int) -> Any:
    try:
        return _nothing(kind) if value is None else _fit(value, kind)
    except Misfit as misfit:
        raise misfit.under(step) from None


def _fit_struct(value: object, kind: inspect.StructType) -> dict[str, object]:
    given = _expect(value, dict, "a map")
    return {
        field.encode_name: _fit_at(given[field.encode_name], field.type, field.encode_name)
        for field in kind.fields
        if given.get(field.encode_name) is not None
    }


def _fit_union(value: object, kinds: tuple[inspect.Type, ...]) -> Any:
    """Fit one of ``X | None``, ``str | int`` or ``str | int | float``."""
    some = [kind for kind in kinds if not isinstance(kind, inspect.NoneType)]
    if len(some) == 1:
        return _fit(value, some[0])
    if isinstance(value, str):
        return value
    whole = next((kind for kind in some if isinstance(kind, inspect.IntType)), inspect.IntType())
    if isinstance(value, float) and any(isinstance(kind, inspect.FloatType) for kind in some):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _fit_int(value, whole)
    raise Misfit(f"expected a string or a number, got {describe(value)}")


def _fit_int(value: object, kind: inspect.IntType) -> int:
    if isinstance(value, float) and not value.is_integer():
        raise Misfit(f"expected a whole number, got {describe(value)}")
    if isinstance(value, bool):
        raise Misfit(f"expected a number, got {describe(value)}")
    number: int = int(value) if isinstance(value, float) else _expect(value, int, "a number")
    if kind.ge is not None and kind.le is not None and not kind.ge <= number <= kind.le:
        raise Misfit(f"{describe(number)} is out of range for {(kind.le + 1).bit_length()} bits")
    return number


def _expect(value: object, python_type: type, words: str) -> Any:
    if isinstance(value, python_type):
        return value
    quoted = python_type is str and isinstance(value, (bool, int, float))
    what = "a string" if python_type in (list, dict) and isinstance(value, str) else describe(value)
    raise Misfit(f"expected {words}, got {what}" + (": put it in quotes" if quoted else ""))


def _nothing(kind: inspect.Type) -> Any:
    """What Go makes of null where a value of this type stands in a list or map."""
    match kind:
        case inspect.UnionType():
            if any(isinstance(type_, inspect.NoneType) for type_ in kind.types):
                return None
            return 0
        case inspect.StructType() | inspect.DictType():
            return {}
        case inspect.ListType():
            return []
        case inspect.StrType():
            return ""
        case inspect.IntType():
            return 0
        case inspect.BoolType():
            return False
        case _:
            return None
