"""Plain words for amounts, names and counts: one unit for numbers that stand together, and nothing rounded."""

from collections.abc import Iterable, Mapping, Sequence

_BINARY = (("Gi", 30), ("Mi", 20), ("Ki", 10))
_IN_BYTES = ("memory", "ephemeral-storage")


def amounts(resource: str, *numbers: int) -> tuple[str, ...]:
    """Write amounts of one resource in one unit, the largest in which none has to be rounded.

    Bytes have a rounded amount beside them: ``1288490189 bytes (1.2Gi)``.

    Args:
        resource: its name.
        numbers: in the scheduler's units: millicores of cpu, bytes, else whole.
    """
    if resource == "cpu":
        if any(number % 1000 for number in numbers):
            return tuple(f"{number}m" if number else "0" for number in numbers)
        return tuple(str(number // 1000) for number in numbers)
    if resource in _IN_BYTES or resource.startswith("hugepages-"):
        for suffix, power in _BINARY:
            if not any(number % (1 << power) for number in numbers):
                return tuple(f"{number >> power}{suffix}" if number else "0" for number in numbers)
        return tuple(f"{number}{' bytes' * (not i)}{_rounded(number)}" for i, number in enumerate(numbers))
    return tuple(str(number) for number in numbers)


def _rounded(number: int) -> str:
    """Bytes in a unit one can read, rounded towards zero; nothing where they are few."""
    for suffix, power in _BINARY:
        if abs(number) >> power:
            tenths = abs(number) * 10 >> power
            return f" ({'-' if number < 0 else ''}{tenths // 10}{f'.{tenths % 10}' if tenths < 1000 else ''}{suffix})"
    return ""


def count(number: int, word: str, plural: str = "") -> str:
    """``1 pod``, ``2 pods``, ``5,000 nodes``."""
    return f"{number:,} {word if number == 1 else plural or word + 's'}"


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
    if len(numbers) > most:
        told.append(f"+{len(numbers) - most:,}{more}")
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
