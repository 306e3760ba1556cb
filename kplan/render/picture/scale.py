"""Scales: from numbers to pixels, with few round ticks that all have one unit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, floor, log2, log10

from msgspec import Struct

Write = Callable[[float], str]
"""Writes a number of a scale."""


class LinearScale(Struct, frozen=True):
    """A linear scale.

    Attributes:
        low: number at the beginning.
        high: number at the end.
        start: place of ``low`` [pixels].
        end: place of ``high`` [pixels]; before ``start`` for what goes up.
    """

    low: float
    high: float
    start: float
    end: float

    def at(self, number: float) -> float:
        """Place of a number [pixels]; of one beyond the scale its end."""
        span = self.high - self.low or 1
        part = min(max((number - self.low) / span, 0), 1)
        return self.start + part * (self.end - self.start)


class ScaleUnit(Struct, frozen=True):
    """How the numbers of a scale are written, all of them alike.

    Attributes:
        name: told at the end of the axis: ``cpu [cores]``.
        write: writes a number.
        base: round steps are 1, 2 and 5 times a power of 10, or powers of 2.
        whole: whether there is nothing between whole numbers.
    """

    name: str
    write: Write
    base: int = 10
    whole: bool = True


def counts(name: str) -> ScaleUnit:
    """Unit of things that are counted."""
    return ScaleUnit(name, lambda number: f"{number:,.0f}")


OF_NODE = ScaleUnit("part of what the node offers", lambda number: f"{number:.0f}%")
OF_POOL = ScaleUnit("part of what the nodes offer", lambda number: f"{number:.0f}%")
OF_REQUEST = ScaleUnit("part of what the pod requests", lambda number: f"{number:.0f}%")


def amounts_of(resource: str, highest: float) -> ScaleUnit:
    """Unit of a resource: cores of cpu, one of Ki to Ti for bytes, else whole numbers."""
    if resource == "cpu":
        if highest < 2000:
            return ScaleUnit("cpu [millicores]", lambda number: f"{number:,.0f}")
        return ScaleUnit("cpu [cores]", lambda number: f"{number / 1000:,.1f}".removesuffix(".0"))
    if resource in ("memory", "ephemeral-storage") or resource.startswith("hugepages-"):
        power, letters = next(
            ((power, letters) for power, letters in ((40, "Ti"), (30, "Gi"), (20, "Mi")) if highest >= 2 << power),
            (10, "Ki"),
        )
        return ScaleUnit(
            f"{resource} [{letters}B]", lambda number: f"{number / (1 << power):,.1f}".removesuffix(".0"), 2
        )
    return counts(resource)


def ticks(low: float, high: float, unit: ScaleUnit, most: int = 5) -> Sequence[float]:
    """Round numbers from ``low`` to ``high``, at most ``most`` steps apart; the first is not below ``low``."""
    step = round_step((high - low) / max(most, 1), unit)
    first = ceil(low / step)
    return [number * step for number in range(first, floor(high / step + 1e-9) + 1)]


def round_step(least: float, unit: ScaleUnit) -> float:
    """The smallest round step that is at least as large."""
    if least <= 0:
        return 1
    if unit.base == 2:
        return max(2.0 ** ceil(log2(least)), 1)
    power: float = 10.0 ** floor(log10(least))
    step = next(times * power for times in (1, 2, 5, 10) if times * power >= least * (1 - 1e-9))
    return max(step, 1) if unit.whole else step


def rounded_up(number: float, unit: ScaleUnit) -> float:
    """The end of a scale from 0 that holds a number: a whole number of round steps."""
    step = round_step(number / 5, unit)
    return max(ceil(number / step - 1e-9) * step, step)
