"""Field errors in the words of the Kubernetes API, and the checks of names they are used with.

Source: apimachinery v0.37.2 pkg/util/validation/field/errors.go, pkg/util/validation/validation.go.
"""

import json
from collections.abc import Iterable
from typing import Any


def invalid(path: str, value: Any, detail: str) -> str:
    """Say that a value is not allowed."""
    return f"{path}: Invalid value: {_shown(value)}: {detail}"


def required(path: str, detail: str = "") -> str:
    """Say that a value is missing."""
    return f"{path}: Required value" + (f": {detail}" if detail else "")


def duplicate(path: str, value: Any) -> str:
    """Say that a value was given before."""
    return f"{path}: Duplicate value: {_shown(value)}"


def forbidden(path: str, detail: str) -> str:
    """Say that a field must not be given."""
    return f"{path}: Forbidden: {detail}"


def unsupported(path: str, value: str, values: Iterable[str]) -> str:
    """Say that a value is none of those allowed."""
    return f"{path}: Unsupported value: {_shown(value)}: supported values: {', '.join(_shown(v) for v in values)}"


def child(path: str, name: str) -> str:
    """The path of a field inside another; the root is empty."""
    return f"{path}.{name}" if path else name


def _shown(value: Any) -> str:
    """A value as Go prints it in a field error: JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
