"""Plain words for amounts, names and counts: what says nothing of a verdict, for every floor of the house."""

from collections.abc import Iterable, Mapping, Sequence

_BINARY = (("Gi", 30), ("Mi", 20), ("Ki", 10))
_BINARY_OF_OVERVIEWS = (("Ti", 40), *_BINARY)
_THOUSANDS = (("G", 10**9), ("M", 10**6))
_LONG = 100_000
"""Numbers from which on digits are counted rather than read."""
_IN_BYTES = ("memory", "ephemeral-storage")


def amounts(resource: str, *numbers: int, exact: bool = False) -> tuple[str, ...]:
    """Write amounts of one resource in one unit, the largest in which none has to be rounded.

    Cpu is in cores where one of them is 10 or more: ``900`` beside ``3.92``, not ``900000m`` beside ``3920m``.

    Bytes that would be long numbers in it are rounded in a larger one, as little as it takes to tell them apart:
    ``300Gi`` beside ``25.1Gi``, not ``314572800Ki`` beside ``26348808Ki``. Where they are too near each other for that
    they are exact, with a rounded amount beside bytes: ``1288490189 bytes (1.2Gi)``.

    Args:
        resource: its name.
        numbers: in the scheduler's units: millicores of cpu, bytes, else whole.
        exact: round nothing: what somebody is to type.
    """
    if resource == "cpu":
        if in_millicores(numbers):
            return tuple(f"{number}m" if number else "0" for number in numbers)
        return tuple(map(cores, numbers))
    if _in_bytes(resource):
        readable = () if exact else _readable(numbers)
        return readable or _exact_bytes(numbers)
    return tuple(str(number) for number in numbers)


MANY_MILLICORES = 10_000
"""Millicores from which on cores are read more easily: 3.92 of 900, not 3920m of 900000m."""


def in_millicores(numbers: Iterable[int]) -> bool:
    """Whether cpu that stands together is written in millicores: where some is a part of a core, and none is large."""
    listed_numbers = list(numbers)
    return any(number % 1000 for number in listed_numbers) and max(map(abs, listed_numbers)) < MANY_MILLICORES


def cores(milli: int) -> str:
    """Millicores as cores, exact: ``3.92``."""
    whole, rest = divmod(abs(milli), 1000)
    return f"{'-' if milli < 0 else ''}{whole}{f'.{rest:03}'.rstrip('0') if rest else ''}"


def _exact_bytes(numbers: Sequence[int]) -> tuple[str, ...]:
    for suffix, power in _BINARY:
        if not any(number % (1 << power) for number in numbers):
            return tuple(f"{number >> power}{suffix}" if number else "0" for number in numbers)
    return tuple(f"{number}{' bytes' * (not i)}{_rounded(number)}" for i, number in enumerate(numbers))


def _readable(numbers: Sequence[int]) -> tuple[str, ...]:
    """Bytes in the largest unit that one of them fills, rounded by a fiftieth at most; empty where that hides anything.

    Nothing is rounded, and the result empty, where the exact numbers are short, or one is an amount that nobody writes:
    then its digits tell where it is from.
    """
    if any(number % 1024 and number % 1000 for number in numbers):
        return ()
    largest = max(map(abs, numbers), default=0)
    suffix, power = next(((suffix, power) for suffix, power in _BINARY if largest >> power), ("", 0))
    exact = next((p for _, p in _BINARY if not any(number % (1 << p) for number in numbers)), 0)
    if not suffix or largest >> exact < _LONG:
        return ()
    for digits in (1, 2, 3):
        rounded = [round(number / (1 << power), digits) for number in numbers]
        pairs = zip(rounded, numbers, strict=True)
        near = all(abs(value * (1 << power) - number) * 50 <= abs(number) for value, number in pairs)
        if near and len(set(rounded)) == len(set(numbers)):
            return tuple(f"{value:.{digits}f}".rstrip("0").rstrip(".") + suffix if value else "0" for value in rounded)
    return ()


def aggregate(errors: Iterable[object]) -> str:
    """Join errors as Kubernetes does: one alone, or a list without repetitions.

    Source: aggregate.Error in apimachinery pkg/util/errors.
    """
    distinct = list(dict.fromkeys(map(str, errors)))
    return distinct[0] if len(distinct) == 1 else f"[{', '.join(distinct)}]"


def _rounded(number: int) -> str:
    """Bytes in a unit one can read, rounded towards zero; nothing where they are few."""
    for suffix, power in _BINARY:
        if abs(number) >> power:
            tenths = abs(number) * 10 >> power
            return f" ({'-' if number < 0 else ''}{tenths // 10}{f'.{tenths % 10}' if tenths < 1000 else ''}{suffix})"
    return ""


def _in_bytes(resource: str) -> bool:
    return resource in _IN_BYTES or resource.startswith("hugepages-")


def short_amount(resource: str, amount: int, *, exact: bool = False) -> str:
    """Write an amount in a few characters, rounded towards zero, for overviews; to the last unit if ``exact``.

    Where numbers are compared ``amounts`` writes them, and rounds nothing.

    Args:
        resource: its name.
        amount: in the scheduler's units: millicores of cpu, bytes, else whole.
        exact: round nothing.
    """
    if resource == "cpu":
        return _cpu(amount, exact=exact)
    if _in_bytes(resource):
        return _bytes(amount, exact=exact)
    if exact or abs(amount) < 1_000_000:
        return f"{amount:,}"
    suffix, power = next((s, p) for s, p in _THOUSANDS if abs(amount) >= p)
    return f"{int(amount * 10 / power) / 10}{suffix}"


def short_amounts(resource: str, numbers: Iterable[int | None], *, exact: bool = False) -> list[str]:
    """Write amounts of one column, in one unit, rounded towards zero; ``-`` for none.

    Args:
        resource: its name.
        numbers: as of ``short_amount``.
        exact: as many as three decimals rather than one.
    """
    listed_numbers = list(numbers)
    there = [number for number in listed_numbers if number is not None]
    largest = max(map(abs, there), default=0)
    least = min((abs(number) for number in there if number), default=0)
    if resource == "cpu":
        unit, suffix = (1, "m") if in_millicores(there) else (1000, "")
    elif _in_bytes(resource):
        units = ((1 << power, suffix) for suffix, power in _BINARY_OF_OVERVIEWS)
        unit, suffix = next(((one, name) for one, name in units if largest >= one and least * 10 >= one), (0, ""))
        unit, suffix = (unit, suffix) if unit else (1 << 20, "Mi") if largest >= 1 << 20 else (1, "")
    else:
        return ["-" if number is None else short_amount(resource, number, exact=exact) for number in listed_numbers]
    digits = _digits(there, unit, exact=exact)
    return ["-" if number is None else _written(number, unit, digits, suffix) for number in listed_numbers]


def _digits(numbers: Sequence[int], unit: int, *, exact: bool) -> int:
    """Decimals that a column of amounts has."""
    if not any(number % unit for number in numbers):
        return 0
    if exact:
        return 3
    if max(map(abs, numbers)) >= 1000 * unit:
        return 0
    return 2 if min(abs(number) for number in numbers if number) < unit else 1


def _written(number: int, unit: int, digits: int, suffix: str) -> str:
    if not number:
        return "0"
    cut = abs(number) * 10**digits // unit
    text = f"{cut / 10**digits:,.{digits if number % unit else 0}f}"
    return f"{'-' if number < 0 else ''}{text.replace(',', '') if suffix == 'm' else text}{suffix}"


def short_name(resource: str, among: Sequence[str]) -> str:
    """Name of a resource without its domain: ``gpu`` for ``nvidia.com/gpu``; in full where another ends like it."""
    tail = resource.rpartition("/")[2]
    return tail if sum(name.rpartition("/")[2] == tail for name in among) == 1 else resource


def _cpu(milli: int, *, exact: bool) -> str:
    if milli % 1000 == 0:
        return f"{'-' if milli < 0 else ''}{abs(milli) // 1000:,}"
    if abs(milli) < MANY_MILLICORES:
        return f"{milli}m"
    if exact:
        return f"{milli / 1000:,.3f}".rstrip("0")
    if abs(milli) >= 1_000_000:
        return f"{int(milli / 1000):,}"
    return f"{int(milli / 100) / 10:,.1f}"


def _bytes(amount: int, *, exact: bool) -> str:
    for suffix, power in _BINARY_OF_OVERVIEWS:
        if amount and amount % (1 << power) == 0 and abs(amount) >> power < 10_000:
            return f"{'-' if amount < 0 else ''}{abs(amount) >> power}{suffix}"
    if exact or not amount:
        return str(amount)
    for suffix, power in _BINARY_OF_OVERVIEWS:
        whole = abs(amount) / (1 << power)
        if whole >= 1:
            number = f"{int(whole * 10) / 10:.1f}" if whole < 100 else f"{int(whole)}"
            return f"{'-' if amount < 0 else ''}{number}{suffix}"
    return str(amount)


def count(number: int, word: str, plural: str = "") -> str:
    """``1 pod``, ``2 pods``, ``5,000 nodes``."""
    return f"{number:,} {word if number == 1 else plural or word + 's'}"


def every(number: int, word: str = "") -> str:
    """``both pods``, ``all 12 pods``, and without a word ``both``, ``all 12``: of more than one."""
    named = f" {word}s" if word else ""
    return f"both{named}" if number == 2 else f"all {number:,}{named}"


def listed(names: Sequence[str], total: int = 0, most: int = 3) -> str:
    """Some names, then how many more: ``a, b, c, +7``."""
    total = total or len(names)
    shown = list(names[:most])
    if total > len(shown):
        shown.append(f"+{total - len(shown):,}")
    return ", ".join(shown)


def did_you_mean(names: Sequence[str], otherwise: str = "") -> str:
    """A hint at what may be meant, the likeliest first; ``otherwise`` where there is nothing."""
    return f"did you mean {listed(names)}?" if names else otherwise


def tallied(numbers: Mapping[str, int], most: int = 3, *, more: str = "") -> str:
    """Some names with the number of each, then how many more names: ``a x2, b, +7``.

    Args:
        numbers: number by name, in the order shown.
        most: names shown.
        more: what the others are called, with a space before it: ``+7 nodes``.
    """
    told = [name if number == 1 else f"{name} x{number:,}" for name, number in list(numbers.items())[:most]]
    left = len(numbers) - most
    if left > 0:
        told.append(f"+{left:,}{more.removesuffix('s') if left == 1 else more}")
    return ", ".join(told)


def joined(words: Iterable[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    words = list(words)
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def short_key(key: str) -> str:
    """Name of a label without its prefix: ``hostname`` for ``kubernetes.io/hostname``."""
    return key.rpartition("/")[2] or key


def short_age(seconds: int) -> str:
    """Write an age as kubectl does: ``45s``, ``12m``, ``3h20m``, ``2d4h``, ``40d``."""
    for size, name, smaller, below, until in _AGES:
        if seconds >= size:
            whole, rest = divmod(seconds, size)
            part = f"{rest // smaller}{below}" if whole < until and rest >= smaller else ""
            return f"{whole}{name}{part}"
    return f"{seconds}s"


_AGES = ((86400, "d", 3600, "h", 8), (3600, "h", 60, "m", 8), (60, "m", 1, "s", 10))
"""Units: seconds, name, the next smaller one, and up to how many of them that is told, too."""
