"""What is wrong with a field, in the words of the API server.

Source: Error.ErrorBody in apimachinery v0.37.2 pkg/util/validation/field/errors.go.
"""

import json
from collections.abc import Iterable

from kplan.admission.refusal import Problem
from kplan.sources.fit import Path

NEGATIVE = "must be greater than or equal to 0"
NOT_POSITIVE = "must be greater than zero"


class Fields(dict[str, object]):
    """What the server shows as a struct: in the order of its fields, where a map is shown in that of its keys."""


def required(path: Path, detail: str = "") -> Problem:
    """Say that a field is missing."""
    return Problem(path, _with("Required value", detail))


def invalid(path: Path, value: object, detail: str) -> Problem:
    """Say that a value is not acceptable."""
    return Problem(path, _with(f"Invalid value: {_shown(value)}", detail))


def unsupported(path: Path, value: object, supported: Iterable[str]) -> Problem:
    """Say that a value is not one of a few."""
    known = ", ".join(f'"{word}"' for word in supported)
    return Problem(path, f"Unsupported value: {_shown(value)}: supported values: {known}")


def duplicate(path: Path, value: object) -> Problem:
    """Say that a value is there twice."""
    return Problem(path, f"Duplicate value: {_shown(value)}")


def forbidden(path: Path, detail: str) -> Problem:
    """Say that a field may not be there."""
    return Problem(path, _with("Forbidden", detail))


def not_found(path: Path, value: object, detail: str = "") -> Problem:
    """Say that what a value names is not there."""
    return Problem(path, _with(f"Not found: {_shown(value)}", detail))


def _with(text: str, detail: str) -> str:
    return f"{text}: {detail}" if detail else text


def _shown(value: object) -> str:
    in_order = not isinstance(value, Fields)
    return json.dumps(value, separators=(",", ":"), sort_keys=in_order, ensure_ascii=False)
