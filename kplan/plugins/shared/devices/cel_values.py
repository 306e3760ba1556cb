"""Values of Kubernetes' own CEL types, as the CEL runtime can hold them: a shape no expression would write by hand.

The runtime takes no types of its own from Python, so each of them has a container type that differs from all others:
its operators are refused at compile time like those of the real type, and equality is that of the text inside.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import total_ordering
from typing import Any

from kplan.errors import QuantityError
from kplan.objects import quantity
from kplan.objects.whole_numbers import is_natural, natural

_NUMBER = r"(?:0|[1-9][0-9]*)"
_IDENTIFIER = r"[0-9A-Za-z-]+"
_SEMVER = re.compile(
    rf"(?P<major>{_NUMBER})\.(?P<minor>{_NUMBER})\.(?P<patch>{_NUMBER})"
    rf"(?:-(?P<pre>{_IDENTIFIER}(?:\.{_IDENTIFIER})*))?(?:\+(?P<build>{_IDENTIFIER}(?:\.{_IDENTIFIER})*))?"
)
_MAX_UINT64 = 2**64 - 1


def from_quantity(nanos: int) -> dict[bool, str]:
    """Hold an amount [10^-9]."""
    return {True: str(nanos)}


def to_nanos(value: Any) -> int:
    """Read an amount [10^-9].

    Raises:
        ValueError: the value is no quantity.
    """
    inner = plain(value)
    if isinstance(inner, dict) and set(inner) == {True} and isinstance(inner[True], str):
        return int(inner[True])
    raise ValueError("no such overload")


def read_quantity(text: str) -> dict[bool, str]:
    """Parse ``quantity("1Gi")``.

    Raises:
        ValueError: the text is no quantity.
    """
    try:
        return from_quantity(quantity.nanos(text))
    except QuantityError as error:
        raise ValueError(
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
        ) from error


@total_ordering
@dataclass(frozen=True, slots=True)
class Semver:
    """A semantic version without its build metadata, which counts for no comparison.

    Attributes:
        numbers: major, minor, patch.
        pre: identifiers of the pre-release; empty for a release.
    """

    numbers: tuple[int, int, int]
    pre: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> "Semver":
        """Read ``1.2.3-beta.1+build``.

        Raises:
            ValueError: the text is no semantic version.

        Source: github.com/blang/semver/v4 Parse.
        """
        match = _SEMVER.fullmatch(text)
        if match is None:
            raise ValueError(f"invalid semantic version {text!r}")
        numbers = (natural(match["major"]) or 0, natural(match["minor"]) or 0, natural(match["patch"]) or 0)
        pre = tuple(match["pre"].split(".")) if match["pre"] else ()
        if max(numbers) > _MAX_UINT64 or any(len(part) > 1 and part[0] == "0" and is_natural(part) for part in pre):
            raise ValueError(f"invalid semantic version {text!r}")
        return cls(numbers, pre)

    def __lt__(self, other: "Semver") -> bool:
        return self._order() < other._order()

    def _order(self) -> tuple[Any, ...]:
        """Releases after their pre-releases; numeric identifiers by value and before others; a prefix first."""
        pre = tuple((0, natural(part) or 0, "") if is_natural(part) else (1, 0, part) for part in self.pre)
        return (*self.numbers, not self.pre, pre)

    def __str__(self) -> str:
        text = ".".join(map(str, self.numbers))
        return f"{text}-{'.'.join(self.pre)}" if self.pre else text


def from_semver(version: Semver) -> list[bytes]:
    """Hold a version."""
    return [str(version).encode()]


def to_semver(value: Any) -> Semver:
    """Read a version.

    Raises:
        ValueError: the value is no version.
    """
    inner = plain(value)
    if isinstance(inner, list) and len(inner) == 1 and isinstance(inner[0], bytes):
        return Semver.parse(inner[0].decode())
    raise ValueError("no such overload")


def normalized_semver(text: str) -> Semver:
    """Read a version leniently: ``v1.2`` is 1.2.0, ``01.1.1`` is 1.1.1.

    Raises:
        ValueError: it is no version even so.

    Source: apiserver v0.37.2 pkg/cel/library/semverlib.go normalizeAndParse.
    """
    text = text.removeprefix("v")
    parts = text.split(".", 2)
    for i, part in enumerate(parts):
        if len(part) > 1:
            stripped = part.lstrip("0")
            if not stripped or not stripped[0].isdigit():
                stripped = f"0{stripped}"
            parts[i] = stripped
    if len(parts) < 3:
        if any(c in parts[-1] for c in "+-"):
            raise ValueError("short version cannot contain PreRelease/Build meta data")
        parts += ["0"] * (3 - len(parts))
    return Semver.parse(".".join(parts))


def plain(value: Any) -> Any:
    """Turn what the runtime hands to a function into plain Python values, all the way down."""
    value = value.plain_value() if hasattr(value, "plain_value") else value
    if isinstance(value, dict):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, bytes | bytearray):
        return bytes(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(item) for item in value]
    return value
