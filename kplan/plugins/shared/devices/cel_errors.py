"""What is wrong with a CEL expression, in the words of the scheduler's own runtime, and where in it.

Source: dynamic-resource-allocation v0.37.2 cel/compile.go; cel-go v0.26 common/error.go ToDisplayString.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kplan.plugins.shared.devices.cel_source import OURS, CelText

_STATUS = re.compile(r"^[A-Z_]+: |\s*\[[A-Z_]+\]$")
_KEY = re.compile(r"Key not found in map : (.*)")
_INDEX = re.compile(r"Index error: index=(-?\d+) size=\d+")
_CONVERSION = re.compile(r"cannot convert string to (int|uint|double)|Type conversion error from 'string' to '(bool)'")
_PLACE = re.compile(r"^ERROR: <input>:(\d+):(\d+): (.*)$")


class Spot(NamedTuple):
    """Where an expression does not compile.

    Attributes:
        line, column: from 1; 0 where the whole expression is meant.
        text: what is wrong there.
    """

    line: int
    column: int
    text: str


class ExpressionError(Exception):
    """An expression that does not compile, or fails on a device; never leaves the devices.

    Attributes:
        text: the scheduler's words, as far as the two runtimes have the same.
        compile: whether it failed to compile.
        spots: where it does not compile.
        key: the attribute that the device does not have; empty for other errors.
    """

    def __init__(self, text: str, *, compile: bool = False, spots: tuple[Spot, ...] = (), key: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.compile = compile
        self.spots = spots
        self.key = key


def without_status(text: str) -> str:
    """An error of the runtime without its status."""
    return _STATUS.sub("", text).strip()


def does_not_compile(source: CelText, text: str) -> ExpressionError:
    """Say that an expression does not compile.

    The runtime got it with names put in for others: places are those of the expression as it is written.

    Args:
        source: the expression.
        text: errors of the runtime, each followed by the line that it is about and a caret.
    """
    spots = []
    for name, ours in OURS.items():
        text = text.replace(f"'{ours}'", f"'{name}'")
    for line in text.splitlines():
        match = _PLACE.match(line)
        if match is not None:
            spots.append(Spot(*source.original(int(match.group(1)), int(match.group(2))), match.group(3)))
    told = "\n".join(_told(source, spot) for spot in spots) if source.rewritten != source.text else text
    return ExpressionError(f"compilation failed: {told}", compile=True, spots=tuple(spots))


def not_written_so(source: CelText, at: int, text: str) -> ExpressionError:
    """Say that what is written out cannot be right.

    Args:
        source: the expression.
        at: offset of it in the text; -1 for a conversion, which is tried when the expression is put together.
        text: what is wrong.
    """
    if at < 0:
        return ExpressionError(f"program instantiation failed: {text}", compile=True, spots=(Spot(0, 0, text),))
    head = source.text[:at]
    spot = Spot(head.count("\n") + 1, at - (head.rfind("\n") + 1) + 1, text)
    return ExpressionError(f"compilation failed: {_told(source, spot)}", compile=True, spots=(spot,))


def _told(source: CelText, spot: Spot) -> str:
    """A place with its line and a caret below, as the runtimes write it."""
    lines = source.text.splitlines()
    line = lines[spot.line - 1] if 0 < spot.line <= len(lines) else ""
    dots = "." * (spot.column - 1)
    return f"ERROR: <input>:{spot.line}:{spot.column}: {spot.text}\n | {line}\n | {dots}^"


def failed(text: str) -> ExpressionError:
    """Say an error of the runtime in the words of the scheduler's own."""
    text = without_status(text)
    missing = _KEY.search(text)
    if missing:
        key = missing.group(1).strip('"')
        return ExpressionError(f"no such key: {key}", key=key)
    outside = _INDEX.search(text)
    if outside:
        return ExpressionError(f"index out of bounds: {outside.group(1)}")
    conversion = _CONVERSION.search(text)
    if conversion:
        return ExpressionError(f"type conversion error from 'string' to '{conversion.group(1) or conversion.group(2)}'")
    if text.startswith("No matching overloads found"):
        return ExpressionError("no such overload")
    if text == "divide by zero":
        return ExpressionError("division by zero")
    return ExpressionError(text)
