"""Go durations as text, exactly as Go's ``time`` package reads and writes them; values are int nanoseconds.

Source: Go time.ParseDuration, Duration.String.
"""

import re

from kplan.objects.whole_numbers import natural

_UNITS = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,  # micro sign
    "μs": 10**3,  # Greek letter mu
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}
_PART = re.compile(r"(?P<whole>[0-9]*)(?:\.(?P<fraction>[0-9]*))?(?P<unit>[^0-9.]*)")


def parse_duration(text: str) -> int:
    """Read ``1h2m0.5s`` as nanoseconds [ns].

    Raises:
        ValueError: with Go's words.
    """
    rest = text[1:] if text[:1] in ("+", "-") and text else text
    if rest == "0":
        return 0
    total = 0
    end = 0
    while end < len(rest) or not rest:
        match = _PART.match(rest, end)
        if match is None or not (match["whole"] or match["fraction"]):
            raise ValueError(f'time: invalid duration "{text}"')
        if not match["unit"]:
            raise ValueError(f'time: missing unit in duration "{text}"')
        if match["unit"] not in _UNITS:
            raise ValueError(f'time: unknown unit "{match["unit"]}" in duration "{text}"')
        unit, fraction = _UNITS[match["unit"]], match["fraction"] or ""
        total += (natural(match["whole"]) or 0) * unit
        total += int(float(fraction) * (unit / 10.0 ** len(fraction))) if fraction else 0
        end = match.end()
    limit = 2**63 if text.startswith("-") else 2**63 - 1
    if total > limit:
        raise ValueError(f'time: invalid duration "{text}"')
    return -total if text.startswith("-") else total


def format_duration(nanoseconds: int) -> str:
    """Write nanoseconds as Go prints a duration: ``0s``, ``500ms``, ``1h0m0.5s``."""
    if nanoseconds == 0:
        return "0s"
    sign, rest = ("-", -nanoseconds) if nanoseconds < 0 else ("", nanoseconds)
    for unit, size in (("ns", 1), ("µs", 10**3), ("ms", 10**6)):
        if rest < size * 1000:
            return f"{sign}{_decimal(rest, size)}{unit}"
    minutes, left = divmod(rest, 60 * 10**9)
    hours, minutes = divmod(minutes, 60)
    seconds = _decimal(left, 10**9)
    if hours:
        return f"{sign}{hours}h{minutes}m{seconds}s"
    return f"{sign}{minutes}m{seconds}s" if minutes else f"{sign}{seconds}s"


def _decimal(value: int, unit: int) -> str:
    whole, part = divmod(value, unit)
    if not part:
        return str(whole)
    return f"{whole}.{str(part).rjust(len(str(unit)) - 1, '0').rstrip('0')}"
