"""Plain words for amounts, names and counts: one unit for numbers that stand together, nothing rounded."""

from collections.abc import Iterable, Sequence

_BINARY = (("Gi", 30), ("Mi", 20), ("Ki", 10))
_IN_BYTES = ("memory", "ephemeral-storage")


def amounts(resource: str, *numbers: int) -> tuple[str, ...]:
    """Write amounts of one resource in one unit, the largest in which none has to be rounded."""
    if resource == "cpu":
        if any(number % 1000 for number in numbers):
            return tuple(f"{number}m" if number else "0" for number in numbers)
        return tuple(str(number // 1000) for number in numbers)
    if resource in _IN_BYTES or resource.startswith("hugepages-"):
        for suffix, power in _BINARY:
            if not any(number % (1 << power) for number in numbers):
                return tuple(f"{number >> power}{suffix}" if number else "0" for number in numbers)
        return tuple(f"{number} bytes" if i == 0 else str(number) for i, number in enumerate(numbers))
    return tuple(str(number) for number in numbers)


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


def joined(words: Iterable[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    words = list(words)
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def short_key(key: str) -> str:
    """Name of a label without its prefix: ``hostname`` for ``kubernetes.io/hostname``."""
    return key.rpartition("/")[2] or key
