"""Plain values to the structs of ``wire`` and ``framework.args``, as strictly as kube-scheduler's own decoder.

Names are case-sensitive, unknown fields are refused (all of them in one message), null means absent, a number is
never taken for a text, a float never for an integer, and an integer must fit its width.
Source: sigs.k8s.io/json UnmarshalStrict; apimachinery v0.37.2 pkg/runtime/serializer/json/json.go.
"""

import base64
import binascii
import types
import typing
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Annotated, Any, TypeVar, cast

import msgspec

from kplan.config.durations import parse_duration
from kplan.config.gates import MINORS
from kplan.config.wire import unknown_fields
from kplan.errors import ConfigError
from kplan.framework.args import BASE64, DURATION, INT32
from kplan.objects.models import PreferredSchedulingTerm, TopologySpreadConstraint

T = TypeVar("T")

# Fields of shared models that are int32 in the API.
_INT32_FIELDS: frozenset[tuple[type, str]] = frozenset(
    {
        (TopologySpreadConstraint, "max_skew"),
        (TopologySpreadConstraint, "min_domains"),
        (PreferredSchedulingTerm, "weight"),
    }
)
_OPTIONAL = (typing.Union, types.UnionType)


class Decoder:
    """Decodes the values of one file and remembers the fields it did not know.

    Args:
        minor: the minor whose fields are known.
    """

    def __init__(self, minor: int) -> None:
        self.minor = minor
        self.later = unknown_fields(minor)
        self.unknown: list[str] = []
        self.hint = ""

    def struct(self, cls: type[T], value: Any, path: str = "") -> T:
        """Decode an object.

        Raises:
            ConfigError: ``config-field-type``, for a value of the wrong type.
        """
        if not isinstance(value, Mapping):
            raise _mismatch(path, "an object", value)
        hints, names = _schema(cast(Any, cls))
        given: dict[str, Any] = {}
        for key, item in value.items():
            name = names.get(key)
            where = f"{path}.{key}" if path else str(key)
            if name is None or (cls, key) in self.later:
                self._unknown(cls, str(key), where)
                continue
            hint = hints[name]
            if (cls, name) in _INT32_FIELDS:
                hint = Annotated[int, INT32]
            if item is not None:
                given[name] = self.value(hint, item, where)
            elif hint == Annotated[int, DURATION]:
                raise ConfigError(f'{where}: time: invalid duration ""', code="config-field-type", hint="leave it out")
        return cls(**given)

    def value(self, hint: Any, value: Any, path: str) -> Any:
        """Decode a value that is not null by its type."""
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if origin in _OPTIONAL:
            return self.value(next(a for a in arguments if a is not type(None)), value, path)
        if origin in (tuple, list):
            return self._list(origin, arguments[0], value, path)
        if origin is dict:
            if not isinstance(value, Mapping):
                raise _mismatch(path, "an object", value)
            return {key: self.value(arguments[1], item, f"{path}[{key}]") for key, item in value.items()}
        if origin is Annotated:
            return _marked(arguments[1], value, path)
        if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
            return self.struct(hint, value, path)
        return value if hint is Any else _scalar(hint, value, path)

    def check_unknown(self) -> None:
        """Refuse the file if it had fields that are not known.

        Raises:
            ConfigError: ``config-unknown-field``, naming each with its path.
        """
        if self.unknown:
            fields = ", ".join(f'unknown field "{path}"' for path in self.unknown)
            raise ConfigError(
                f"strict decoding error: {fields}",
                code="config-unknown-field",
                hint=self.hint or f"kube-scheduler 1.{self.minor} refuses a file with fields it does not know",
            )

    def _unknown(self, cls: type, key: str, path: str) -> None:
        self.unknown.append(path)
        since = next((m for m in MINORS if (cls, key) in self.later and (cls, key) not in unknown_fields(m)), None)
        close = get_close_matches(key, _schema(cls)[1], n=1)
        if not self.hint and since is not None:
            self.hint = f"{key} exists from Kubernetes 1.{since} on"
        elif not self.hint and close:
            self.hint = f"did you mean {close[0]}?"

    def _list(self, origin: Any, item_hint: Any, value: Any, path: str) -> Any:
        if not isinstance(value, Sequence) or isinstance(value, str | bytes):
            raise _mismatch(path, "a list", value)
        items = (
            _zero(item_hint) if item is None else self.value(item_hint, item, f"{path}[{i}]")
            for i, item in enumerate(value)
        )
        return origin(items)


@cache
def _schema(cls: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Types by Python name, and Python names by the name in the file."""
    hints = typing.get_type_hints(cls, include_extras=True)
    return hints, {field.encode_name: field.name for field in msgspec.structs.fields(cls)}


def _zero(hint: Any) -> Any:
    """What null in a list stands for: Go's zero value."""
    return hint() if isinstance(hint, type) else None


def _scalar(hint: Any, value: Any, path: str) -> Any:
    if hint is bool and isinstance(value, bool):
        return value
    if hint is str and isinstance(value, str):
        return value
    if hint is float and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if hint is int:
        return _integer(value, 64, path)
    raise _mismatch(path, {bool: "a boolean", str: "a string", float: "a number"}.get(hint, "an integer"), value)


def _marked(mark: str, value: Any, path: str) -> Any:
    if mark == INT32:
        return _integer(value, 32, path)
    if mark == BASE64 and isinstance(value, Sequence) and not isinstance(value, str):
        return bytes(_integer(item, 8, f"{path}[{i}]") for i, item in enumerate(value))
    if not isinstance(value, str):
        raise _mismatch(path, "a duration such as 10s" if mark == DURATION else "base64 text", value)
    try:
        if mark == BASE64:
            return base64.b64decode(value.replace("\r", "").replace("\n", ""), validate=True)
        return parse_duration(value)
    except (binascii.Error, ValueError) as error:
        hint = "write it as 10s or 1m30s" if mark == DURATION else "encode it with base64"
        raise ConfigError(f"{path}: {error}", code="config-field-type", hint=hint) from error


def _integer(value: Any, bits: int, path: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise _mismatch(path, "an integer", value)
    low, high = (0, 2**8) if bits == 8 else (-(2 ** (bits - 1)), 2 ** (bits - 1))
    if not low <= value < high:
        raise ConfigError(
            f"{path}: {value} is out of range",
            code="config-field-type",
            hint=f"it must be {low} to {high - 1}",
        )
    return value


def _mismatch(path: str, wanted: str, value: Any) -> ConfigError:
    names = ((bool, "a boolean"), (str, "a string"), (int | float, "a number"), (Mapping, "an object"))
    given = next((name for kind, name in names if isinstance(value, kind)), "null" if value is None else "a list")
    if isinstance(value, float) and wanted == "an integer":
        given = f"the number {value}"
    return ConfigError(
        f"{path or 'the configuration'}: expected {wanted}, got {given}",
        code="config-field-type",
        hint="quote it if it is a text, unquote it if it is a number or a boolean",
    )
