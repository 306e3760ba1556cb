"""CEL selectors of devices: compiled once, evaluated once for each distinct device.

The language itself is Google's own runtime (cel-expr-python), imported when the first expression is compiled; what
Kubernetes adds is declared here: the variable ``device``, quantities, versions, addresses, lists.

Not modelled: a domain whose name is worked out by the expression and that the device has no attribute of (one that is
written out is an empty map, as in Kubernetes); maps whose literals mix types, which Kubernetes refuses; a version that
is compared with a text within brackets or an alternative, which is unequal here and fails there; ``string()`` of an
address that a variable holds; types of elements with variables of macros, and of what ``indexOf`` looks for in a list;
the limit on what an evaluation may cost, but for a budget of iterations of the runtime's own, which is smaller.

Source: dynamic-resource-allocation v0.37.2 cel/compile.go, errors.go; apiserver v0.37.2 pkg/cel/environment/base.go.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from kplan.plugins.shared.devices.cel_device import CelDevice, SemanticVersion
from kplan.plugins.shared.devices.cel_errors import (
    ExpressionError,
    does_not_compile,
    failed,
    not_written_so,
    without_status,
)
from kplan.plugins.shared.devices.cel_functions import CIDR, FUNCTIONS, IP, QUANTITY, SEMVER, URL
from kplan.plugins.shared.devices.cel_literals import wrong_literals
from kplan.plugins.shared.devices.cel_parts import Clause, parts
from kplan.plugins.shared.devices.cel_source import CelText

HINT = (
    ". consider using CEL optional chaining (.? followed by orValue()) or guarding the check with has() for optional"
    " fields"
)
"""What 1.37 adds to the error about a missing key."""

Value = Any
"""A plain value or one of ``cel_values``."""


class Expression:
    """One expression, compiled on first use.

    Attributes:
        source: its text, and what it mentions.
    """

    def __init__(self, text: str) -> None:
        self.source = CelText(text)
        self._program: Any = None
        self._error: ExpressionError | None = None
        self._known: dict[CelDevice, bool | ExpressionError] = {}

    @property
    def problem(self) -> ExpressionError | None:
        """Why it does not compile, or None."""
        if self._program is None and self._error is None:
            try:
                self._program = _compile(self.source)
            except ExpressionError as error:
                self._error = error
        return self._error

    def matches(self, device: CelDevice) -> bool:
        """Tell whether a device matches.

        Raises:
            ExpressionError: the expression does not compile, or fails on the device.
        """
        known = self._known.get(device)
        if known is None:
            seen = self.source.seen(device)
            known = self._known.get(seen)
            if known is None:
                known = self._known[seen] = self._evaluated(seen)
            if len(self._known) < _MOST_KEPT:
                self._known[device] = known
        if isinstance(known, ExpressionError):
            raise known
        return known

    def value(self, device: CelDevice) -> Value:
        """Evaluate for the value itself, whatever its type.

        Raises:
            ExpressionError: the expression does not compile, or fails on the device.
        """
        if self.problem is not None:
            raise self.problem
        return _run(self._program, self.source, device)

    def _evaluated(self, device: CelDevice) -> bool | ExpressionError:
        try:
            result = self._by_parts(device) if self._compares_version(device) else self.value(device)
        except ExpressionError as error:
            return error
        if isinstance(result, bool):
            return result
        kind, why = _KINDS[_kind(result)]
        return ExpressionError(f"CEL result of type {kind} could not be converted to bool: {why}")

    def _compares_version(self, device: CelDevice) -> bool:
        """Whether a version of the device is compared with a text, which is no comparison at all."""
        if all(not isinstance(value, SemanticVersion) for _, _, value in device.attributes):
            return False
        return any(_is_version(part, device) for part in parts(self.source.text))

    def _by_parts(self, device: CelDevice) -> bool:
        """Evaluate part for part: one that does not hold outdoes what fails."""
        if self.problem is not None:
            raise self.problem
        problem: ExpressionError | None = None
        for part in parts(self.source.text):
            try:
                if _is_version(part, device):
                    raise ExpressionError("no such overload")
                if not expression(part.text).matches(device):
                    return False
            except ExpressionError as error:
                problem = problem or error
        assert problem is not None, "asked where a part fails"
        raise problem


def _is_version(part: Clause, device: CelDevice) -> bool:
    comparison = part.comparison
    if (
        comparison is None
        or comparison.operator != "=="
        or comparison.flipped
        or comparison.literal[-1:] not in ("'", '"')
        or comparison.path.optional
    ):
        return False  # a text is unequal to a version, without an error
    path, domain = comparison.path, comparison.path.domain or device.driver
    return path.field == "attributes" and any(
        (at, name) == (domain, path.name) and isinstance(value, SemanticVersion)
        for at, name, value in device.attributes
    )


_MOST_KEPT = 100_000
"""Devices for which an expression remembers its answer under the device itself."""

_KINDS = {
    "int": ("int", "unsupported type conversion from 'int' to bool"),
    "str": ("string", "unsupported native conversion from string to 'bool'"),
    "float": ("double", "type conversion error from Double to 'bool'"),
    "bytes": ("bytes", "type conversion error from Bytes to 'bool'"),
    "list": ("list", "type conversion error from list to 'bool'"),
    "dict": ("map", "type conversion error from map to 'bool'"),
    "NoneType": ("null_type", "type conversion error from 'null_type' to 'bool'"),
    "semver": ("kubernetes.Semver", "type conversion error from 'Semver' to 'bool'"),
    "quantity": ("kubernetes.Quantity", "type conversion error from 'Quantity' to 'bool'"),
    "other": ("unknown", "type conversion error from 'unknown' to 'bool'"),
}
"""What a value that is no bool is called, and why it becomes none."""


def _kind(value: Value) -> str:
    match value:
        case [bytes()]:
            return "semver"
        case {True: str()}:
            return "quantity"
    name = type(value).__name__
    return name if name in _KINDS else "other"


@lru_cache(maxsize=4096)
def expression(text: str) -> Expression:
    """Return the expression of a text, the same object for the same text."""
    return Expression(text)


def compile_problem(text: str) -> str | None:
    """Say why an expression is no selector, in the API server's words; None where it is one."""
    problem = expression(text).problem
    return problem.text if problem is not None else None


_CROSS_NUMERIC = re.compile(
    r"found no matching overload for '_(?:<|<=|>|>=)_' applied to '\((int|uint|double), (int|uint|double)\)'"
)
_ERROR_LINES = re.compile(r"^ERROR: <input>:", re.MULTILINE)


def _compile(source: CelText) -> Any:
    env = _environment()
    try:
        program = env.compile(source.rewritten)
    except RuntimeError as error:
        text = without_status(str(error))
        program = _without_check(env, source, text)
        if program is None:
            raise does_not_compile(source, text) from None
        return program
    wrong = next(wrong_literals(source.text, lambda text: _no_value(env, text), lambda text: _type(env, text)), None)
    if wrong is not None:
        raise not_written_so(source, wrong.at, wrong.text)
    kind = program.return_type().name().lower()
    if kind not in ("bool", "dyn"):
        raise ExpressionError(f"must evaluate to bool or the unknown type, not {kind}", compile=True)
    return program


def _no_value(env: Any, text: str) -> str:
    """Why a conversion that is written out has no value; empty where it has one."""
    try:
        result = env.compile(text).eval(data={})
        return "" if result.type().name() != "ERROR" else failed(str(result.value())).text
    except RuntimeError as error:
        return failed(str(error)).text


def _type(env: Any, text: str) -> str:
    """The type of an expression; empty for one that cannot stand by itself, as it has a variable of a macro."""
    try:
        name = str(env.compile(text).return_type().name()).lower()
    except RuntimeError:
        return ""
    return name.replace("<", "(").replace(">", ")")


def _without_check(env: Any, source: CelText, text: str) -> Any:
    """Compile without types where all that was wrong is a comparison of numbers of two types: Kubernetes allows it."""
    if len(_ERROR_LINES.findall(text)) != len(_CROSS_NUMERIC.findall(text)):
        return None
    return env.compile(source.rewritten, disable_check=True)


def _run(program: Any, source: CelText, device: CelDevice) -> Value:
    try:
        result = program.eval(data=_variables(source, device))
        kind = result.type().name()
        value = result.plain_value() if kind != "ERROR" else result.value()
    except RuntimeError as error:
        raise failed(str(error)) from None
    if kind == "ERROR":
        raise failed(str(value))
    return value


def _variables(source: CelText, device: CelDevice) -> dict[str, Any]:
    attributes: dict[str, dict[str, Any]] = {}
    for domain, name, value in device.attributes:
        attributes.setdefault(domain, {})[name] = _attribute(value)
    capacity: dict[str, dict[str, Any]] = {}
    for domain, name, nanos in device.capacity:
        capacity.setdefault(domain, {})[name] = {True: str(nanos)}
    # a domain that is looked up and is not there is an empty map
    domains: Mapping[str, Any] = {name: {} for name in (device.driver, *source.literals)}
    fields = {
        "driver": device.driver,
        "allowMultipleAllocations": device.multiple,
        "attributes": {**domains, **attributes},
        "capacity": {**domains, **capacity},
        "presentAttributes": attributes,
        "presentCapacity": capacity,
    }
    return {**{f"device.{name}": value for name, value in fields.items()}, "device": fields}


def _attribute(value: Any) -> Any:
    if isinstance(value, SemanticVersion):
        return [_semver_text(value.text)]
    if isinstance(value, tuple):
        return [_attribute(item) for item in value]
    return value


def _semver_text(text: str) -> bytes:
    from kplan.plugins.shared.devices.cel_values import Semver

    try:
        return str(Semver.parse(text)).encode()
    except ValueError as error:
        raise ExpressionError(f"parse semantic version: {error}") from None


@lru_cache(maxsize=1)
def _environment() -> Any:
    """Declare what Kubernetes declares: all that a stored expression may use."""
    from cel_expr_python import cel

    kinds = cel.Type
    quantity = kinds.Map(kinds.BOOL, kinds.STRING)
    types = {
        "bool": kinds.BOOL,
        "int": kinds.INT,
        "double": kinds.DOUBLE,
        "string": kinds.STRING,
        "dyn": kinds.DYN,
        "list": kinds.LIST,
        "map": kinds.MAP,
        QUANTITY: quantity,
        SEMVER: kinds.List(kinds.BYTES),
        IP: kinds.Map(kinds.INT, kinds.STRING),
        CIDR: kinds.List(quantity),
        URL: kinds.Map(kinds.UINT, kinds.STRING),
    }
    overloads: dict[str, dict[tuple[Any, ...], Any]] = {}
    for function in FUNCTIONS:
        shape = (function.member, *(_SHAPES.get(kind, kind) for kind in function.parameters))
        declared = overloads.setdefault(function.name, {})
        name = "_".join((function.name, *function.parameters, *(("member",) if function.member else ())))
        declared[(shape, name)] = cel.Overload(
            name,
            return_type=types[function.result],
            parameters=[types[kind] for kind in function.parameters],
            is_member=function.member,
            impl=function.body,
        )
    functions = [cel.FunctionDecl(name, list(declared.values())) for name, declared in overloads.items()]
    domains = kinds.Map(kinds.STRING, kinds.Map(kinds.STRING, kinds.DYN))
    capacities = kinds.Map(kinds.STRING, kinds.Map(kinds.STRING, quantity))
    return cel.NewEnv(
        config=cel.NewEnvConfigFromYaml(_EXTENSIONS),
        variables={
            "device.driver": kinds.STRING,
            "device.allowMultipleAllocations": kinds.BOOL,
            "device.attributes": domains,
            "device.capacity": capacities,
            "device.presentAttributes": domains,
            "device.presentCapacity": capacities,
        },
        functions=functions,
    )


_SHAPES = {QUANTITY: "map", SEMVER: "list", IP: "map", CIDR: "list", URL: "map"}

_EXTENSIONS = """
name: devices
extensions:
- name: bindings
- name: optional
- name: strings
  version: 2
- name: sets
- name: lists
- name: two-var-comprehensions
"""
