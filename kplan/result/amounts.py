"""Amounts in a few characters, rounded towards zero, for overviews; where numbers are compared, ``words.amounts``."""

from collections.abc import Sequence

_BYTES = ("memory", "ephemeral-storage")
_THOUSANDS = (("G", 10**9), ("M", 10**6))
_SUFFIXES = (("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10))


def short(resource: str, amount: int, *, exact: bool = False) -> str:
    """Write an amount in a few characters; to the last unit if ``exact``.

    Args:
        resource: its name.
        amount: in the scheduler's units: millicores of cpu, bytes, else whole.
        exact: round nothing.
    """
    if resource == "cpu":
        return _cpu(amount, exact=exact)
    if resource in _BYTES or resource.startswith("hugepages-"):
        return _bytes(amount, exact=exact)
    if exact or abs(amount) < 1_000_000:
        return f"{amount:,}"
    suffix, power = next((s, p) for s, p in _THOUSANDS if abs(amount) >= p)
    return f"{int(amount * 10 / power) / 10}{suffix}"


def short_name(resource: str, among: Sequence[str]) -> str:
    """Name of a resource without its domain: ``gpu`` for ``nvidia.com/gpu``; in full where another ends like it."""
    tail = resource.rpartition("/")[2]
    return tail if sum(name.rpartition("/")[2] == tail for name in among) == 1 else resource


def _cpu(milli: int, *, exact: bool) -> str:
    if milli % 1000 == 0:
        return f"{'-' if milli < 0 else ''}{abs(milli) // 1000:,}"
    if abs(milli) < 10_000:
        return f"{milli}m"
    if exact:
        return f"{milli / 1000:,.3f}".rstrip("0")
    if abs(milli) >= 1_000_000:
        return f"{int(milli / 1000):,}"
    return f"{int(milli / 100) / 10:,.1f}"


def _bytes(amount: int, *, exact: bool) -> str:
    for suffix, power in _SUFFIXES:
        if amount and amount % (1 << power) == 0 and abs(amount) >> power < 10_000:
            return f"{'-' if amount < 0 else ''}{abs(amount) >> power}{suffix}"
    if exact or not amount:
        return str(amount)
    for suffix, power in _SUFFIXES:
        whole = abs(amount) / (1 << power)
        if whole >= 1:
            number = f"{int(whole * 10) / 10:.1f}" if whole < 100 else f"{int(whole)}"
            return f"{'-' if amount < 0 else ''}{number}{suffix}"
    return str(amount)
