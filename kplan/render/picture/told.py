"""Numbers in pictures, written as the tables of the page write them: ``script/base/amounts.js`` has the same rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from math import floor

from kplan.words import MANY_MILLICORES, cores, in_millicores

_MANY_CORES = 1_000_000
"""Millicores from which whole cores are precise enough."""
_UNITS = (("Ti", 1 << 40), ("Gi", 1 << 30), ("Mi", 1 << 20), ("Ki", 1 << 10))
_IN_BYTES = ("memory", "ephemeral-storage", "storage")


def writer(resource: str, numbers: Sequence[int]) -> Callable[[int], str]:
    """Make the function that writes amounts of one resource that stand together, all in one unit.

    Args:
        resource: its name.
        numbers: those that stand together, in the scheduler's units: millicores of cpu, bytes, else whole.
    """
    sizes = [abs(number) for number in numbers if number] or [0]
    if resource in _IN_BYTES or resource.startswith("hugepages-"):
        return _bytes(min(sizes), max(sizes))
    if resource != "cpu":
        return lambda number: f"{number:,}"
    if max(sizes) >= _MANY_CORES:
        return lambda number: f"{floor(number / 1000 + 0.5):,}"
    if in_millicores(numbers):
        return lambda number: f"{number}m"
    if max(sizes) >= MANY_MILLICORES:
        return _cores
    return lambda number: f"{number}m" if number % 1000 else f"{number // 1000:,}"


def _cores(milli: int) -> str:
    whole, point, rest = cores(abs(milli)).partition(".")
    return f"{'-' if milli < 0 else ''}{int(whole):,}{point}{rest}"


def together(resource: str, numbers: Sequence[int]) -> list[str]:
    """Write amounts that stand together; see ``writer``."""
    return list(map(writer(resource, numbers), numbers))


def _bytes(least: int, most: int) -> Callable[[int], str]:
    fitting = [(suffix, unit) for suffix, unit in _UNITS if most >= unit]
    if not fitting:
        return lambda number: f"{number:,}"
    suffix, unit = next(((suffix, unit) for suffix, unit in fitting if least * 10 >= unit), fitting[-1])
    return lambda number: f"{_two_digits(number, unit)}{suffix}" if number else "0"


def _two_digits(number: int, unit: int) -> str:
    rounded = (Decimal(number) / unit).quantize(Decimal("0.01"), ROUND_HALF_UP)
    return f"{rounded:,}".rstrip("0").rstrip(".")


def percent(part: float) -> str:
    """Write a part [percent], rounded down: nothing is full before it is."""
    return f"{floor(part + 1e-7)}%"
