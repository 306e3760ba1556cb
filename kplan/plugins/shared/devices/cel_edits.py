"""Edits of a CEL selector that let a device in: values, names, operators, parts left out; each tried on the device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Any, Literal, NamedTuple

from kplan.objects.quantity import QuantityFormat, format_nanos
from kplan.plugins.shared.devices.cel import compile_problem, expression
from kplan.plugins.shared.devices.cel_device import CelDevice, SemanticVersion
from kplan.plugins.shared.devices.cel_errors import ExpressionError
from kplan.plugins.shared.devices.cel_parts import Clause, Comparison, Path, parts

Kind = Literal["value", "name", "operator", "guard", "part"]
"""What of a selector is another: a value, a name that is spelled right, an operator; ``guard``: it asks first whether
an attribute is there; ``part``: one of the things that must hold is left out."""
_GUARDS = 4


class Edit(NamedTuple):
    """One change.

    Attributes:
        kind: what of the selector is another.
        subject: name of the attribute or the capacity that it is about; empty for an operator.
        new: what it says then.
        old: what it says.
    """

    kind: Kind
    subject: str
    new: str
    old: str


class Edited(NamedTuple):
    """A selector with changes.

    Attributes:
        edits: the changes.
        text: the whole selector as it is then.
    """

    edits: tuple[Edit, ...]
    text: str


class _Change(NamedTuple):
    """A change and where it is made: a text in place of what stands from start to end."""

    edit: Edit
    start: int
    end: int
    text: str


def letting_in(text: str, seen: CelDevice) -> Edited | None:
    """The least change of a selector that lets a device in; None where no change of plain parts does.

    Args:
        text: a selector that compiles.
        seen: the device that it refuses, or fails on.
    """
    conditions = parts(text)
    refused = [part for part in conditions if _holds(part.text, seen) is not True]
    changes = [_change(part, seen) for part in refused]
    told = [change for change in changes if change is not None]
    if not told or len(told) < len(changes):
        return None
    new = _applied(text, told)
    left_out = {part.start for part, change in zip(refused, told, strict=True) if change.edit.kind == "part"}
    if left_out:
        kept = [part for part in conditions if part.start not in left_out]
        if not kept:
            return None
        new = " && ".join(_applied(part.text, told, part.start) for part in kept)
    return Edited(tuple(change.edit for change in told), new) if _holds(new, seen) is True else None


def guarded(text: str, seen: CelDevice) -> Edited | None:
    """The selector that asks first whether what the device lacks is there, so that it refuses the device and no more.

    Args:
        text: a selector that fails on the device.
        seen: the device.
    """
    edits: list[Edit] = []
    new = text
    for _ in range(_GUARDS):
        held = _holds(new, seen)
        if not isinstance(held, ExpressionError):
            return Edited(tuple(edits), new) if edits else None
        failing = next(
            ((part, path) for part in parts(new) for path in part.paths if _lacks(held, path) and not path.optional),
            None,
        )
        if failing is None:
            return None
        part, path = failing
        own = part.text if part.alone else f"({part.text})"
        new = f"{new[: part.start]}{path.present} && {own}{new[part.end :]}"
        edits.append(Edit("guard", path.name, path.present, ""))
    return None


def _lacks(error: ExpressionError, path: Path) -> bool:
    return bool(error.key) and path.name == error.key


def operator_put_right(text: str, line: int, column: int) -> Edited | None:
    """``==`` in place of ``=``, where an expression does not compile for that.

    Args:
        text: the expression.
        line: where it does not compile, from 1.
        column: the place in the line, from 1.
    """
    lines = text.splitlines()
    at = column - 1
    if not 0 < line <= len(lines) or lines[line - 1][at : at + 1] != "=":
        return None
    told = lines[line - 1]
    lines[line - 1] = f"{told[:at]}=={told[at + 1 :]}"
    new = "\n".join(lines)
    return Edited((Edit("operator", "", "==", "="),), new) if compile_problem(new) is None else None


def _holds(text: str, seen: CelDevice) -> bool | ExpressionError:
    try:
        return expression(text).matches(seen)
    except ExpressionError as error:
        return error


def _applied(text: str, changes: Sequence[_Change], offset: int = 0) -> str:
    """A part of the expression, which begins at an offset, with the changes that are in it."""
    for change in sorted(changes, key=lambda piece: -piece.start):
        start, end = change.start - offset, change.end - offset
        if start >= 0 and end <= len(text):
            text = text[:start] + change.text + text[end:]
    return text


def _change(part: Clause, seen: CelDevice) -> _Change | None:
    """What would let the device in as far as one part goes; None where that is the driver, or not plain enough."""
    held = _holds(part.text, seen)
    if isinstance(held, ExpressionError):
        path = next((path for path in part.paths if _lacks(held, path)), None)
        if path is None:
            return None
        return next(_renamed(part, path, seen), None) or _left_out(part, path)
    if part.comparison is None:
        path = part.paths[0] if part.paths else None
        return _left_out(part, path) if path is not None else None
    path = part.comparison.path
    if path.field == "driver":
        return None
    value = next((value for value in _values(path, seen)), None)
    return (_other_value(part, part.comparison, value) if value is not None else None) or _left_out(part, path)


def _left_out(part: Clause, path: Path) -> _Change:
    old = " ".join(part.text.split())
    return _Change(Edit("part", path.name, "", old), part.start, part.end, "")


def _renamed(part: Clause, path: Path, seen: CelDevice) -> Iterator[_Change]:
    """The name that is meant, where the device has one that is spelled alike and does."""
    known = [name for _, name, _ in (seen.capacity if path.field == "capacity" else seen.attributes)]
    by_lower = {same.lower(): same for same in known}
    for near in get_close_matches(path.name.lower(), by_lower, n=1, cutoff=0.7):
        new = by_lower[near]
        text = expression(part.text).source.with_name(path.name, new)
        if _holds(text, seen) is True:
            yield _Change(Edit("name", path.name, new, path.name), part.start, part.end, text)


def _values(path: Path, seen: CelDevice) -> Iterator[Any]:
    """What the device has under a path; an amount of a capacity as its text."""
    domain = path.domain or seen.driver
    if path.field == "capacity":
        for at, name, nanos in seen.capacity:
            if (at, name) == (domain, path.name):
                yield format_nanos(nanos, QuantityFormat.BINARY_SI)
        return
    for at, name, value in seen.attributes:
        if (at, name) == (domain, path.name):
            yield value.text if isinstance(value, SemanticVersion) else value


_NEXT = {">": -1, "<": 1}
_WEAKER = {">": ">=", "<": "<="}


def _other_value(part: Clause, comparison: Comparison, value: Any) -> _Change | None:
    """What the device has in place of what is asked for; None where no value would do."""
    if comparison.operator == "!=" or isinstance(value, tuple):
        return None
    if not comparison.literal:
        new = f"!{comparison.path.text}" if comparison.wanted == "true" else comparison.path.text
        told = "false" if comparison.wanted == "true" else "true"
        return _Change(
            Edit("value", comparison.path.name, told, comparison.wanted), comparison.start, comparison.end, new
        )
    if isinstance(value, bool):
        written = str(value).lower()
    elif isinstance(value, int):
        value += _NEXT.get(comparison.operator, 0)
        written = str(value)
    else:
        return _other_text(part, comparison, value)
    edit = Edit(
        "value",
        comparison.path.name,
        _with(comparison.operator, written),
        _with(comparison.operator, comparison.wanted),
    )
    return _Change(edit, comparison.start, comparison.end, written)


def _other_text(part: Clause, comparison: Comparison, value: str) -> _Change | None:
    """A text, an amount or a version; ``>`` becomes ``>=``, as there is no next one."""
    if any(character in value for character in "\"'\\\n") or comparison.literal[-1:] not in ("'", '"'):
        return None
    quote = comparison.literal[-1]
    operator, end, new = comparison.operator, comparison.end, f"{quote}{value}{quote}"
    if operator in _WEAKER:
        if comparison.flipped or comparison.operator_start < comparison.end:
            return None
        operator, end = _WEAKER[operator], comparison.operator_end
        new += part.text[comparison.end - part.start : comparison.operator_start - part.start] + operator
    return _Change(
        Edit("value", comparison.path.name, _with(operator, value), _with(comparison.operator, comparison.wanted)),
        comparison.start,
        end,
        new,
    )


def _with(operator: str, value: str) -> str:
    return value if operator == "==" else f"{operator} {value}"
