"""Whole numbers written as text: the one place where a text from outside becomes an integer.

Python reads more than Go does (digits of other scripts, ``1_000``) and raises on thousands of digits; here a text is a
number as Go's strconv has it, or it is none.
"""

from __future__ import annotations

import re

_SIGNED = re.compile(r"[+-]?[0-9]+\Z")
_DIGITS = re.compile(r"[0-9]+\Z")
_LONGEST = 40
"""Digits that are read; a number with more is beyond any that Kubernetes keeps."""

NATURAL_LIMIT: int = 10**_LONGEST
"""What a natural number with more digits than are read counts as."""


def parse_int(text: str, bits: int = 64) -> int | None:
    """Read a decimal integer as Go's ``strconv.ParseInt(text, 10, bits)`` does; None where it fails."""
    if not _SIGNED.match(text):
        return None
    sign, digits = (text[0], text[1:]) if text[0] in "+-" else ("", text)
    number = natural(digits)
    if number is None:
        return None
    number = -number if sign == "-" else number
    limit = 1 << (bits - 1)
    return number if -limit <= number < limit else None


def natural(text: str) -> int | None:
    """Read digits; more of them than any number of Kubernetes has give NATURAL_LIMIT, anything else None."""
    if not _DIGITS.match(text):
        return None
    digits = text.lstrip("0")
    if len(digits) > _LONGEST:
        return NATURAL_LIMIT
    return int(digits or "0")


_SPAN = re.compile(r"(\d+)([smhdw])")
_SPAN_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}


def read_span(text: str) -> int | None:
    """Read a span of time [seconds], as ``90m``, ``24h``, ``1d12h``; None for what is none."""
    if not text or _SPAN.sub("", text):
        return None
    return sum((natural(number) or 0) * _SPAN_SECONDS[unit] for number, unit in _SPAN.findall(text))


def is_natural(text: str) -> bool:
    """Tell whether a text is digits alone."""
    return _DIGITS.match(text) is not None


def by_size(text: str) -> tuple[int, str] | None:
    """Give what digits are compared by, however many there are; None for what is no number.

    Source: CompareResourceVersion in apimachinery v0.37.2 pkg/util/resourceversion, which compares them as texts.
    """
    digits = text.lstrip("0")
    return (len(digits), digits) if _DIGITS.match(text) else None
