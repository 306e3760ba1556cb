"""Paths that are looked for in a text, of all of them at one pass: where the value of each begins."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from kplan.sources.fit import Path

P = TypeVar("P")


class LookedThrough:
    """How much of a file was looked through for places inside of its objects.

    Where thousands of objects are wrong, the last of them are told with the line at which they begin.
    """

    def __init__(self, most: int) -> None:
        """Begin with nothing, of so much at the most."""
        self._most = most
        self._looked = 0

    def may(self, size: int) -> bool:
        """Whether so much more may be looked through; the first always."""
        allowed = not self._looked or self._looked + size <= self._most
        self._looked += size
        return allowed


class _Part(Generic[P]):
    """A value on the way to one that is looked for.

    Attributes:
        at: where it begins; None until it is met.
        parts: what of it is looked for, by key or index.
    """

    __slots__ = ("at", "parts")

    def __init__(self) -> None:
        self.at: P | None = None
        self.parts: dict[str | int, _Part[P]] = {}


class PathsSought(Generic[P]):
    """Follows the tokens of a text, and notes where values begin that are looked for.

    Of a key that is written twice the first value counts.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        """Begin before the value that the text holds.

        Args:
            paths: keys and indexes from that value.
        """
        self._paths = paths
        self._root: _Part[P] = _Part()
        parts = [self._root]
        for path in paths:
            part = self._root
            for step in path:
                if step not in part.parts:
                    part.parts[step] = _Part()
                    parts.append(part.parts[step])
                part = part.parts[step]
        self._missing = len(parts)
        self._inside: list[_Part[P] | None] = []
        self._steps: list[str | int] = []

    @property
    def found(self) -> bool:
        """Whether all of them were met."""
        return not self._missing

    @property
    def depth(self) -> int:
        """In how many maps and lists the next value stands."""
        return len(self._steps)

    @property
    def in_map(self) -> bool:
        """Whether it stands in a map."""
        return bool(self._steps) and isinstance(self._steps[-1], str)

    def key(self, key: str) -> None:
        """The next value stands at a key."""
        self._steps[-1] = key

    def next(self) -> None:
        """The next value is that behind the last one of a list."""
        self._steps[-1] = int(self._steps[-1]) + 1

    def value(self, at: P) -> None:
        """A value begins."""
        part = self._here()
        if part is not None and part.at is None:
            part.at = at
            self._missing -= 1

    def begin(self, *, is_map: bool, first: int = 0) -> None:
        """The value that has begun is a map, or a list whose first element has a number."""
        self._inside.append(self._here())
        self._steps.append("" if is_map else first)

    def end(self) -> None:
        """A map or list ends."""
        self._inside.pop()
        self._steps.pop()

    def places(self, otherwise: P) -> list[P]:
        """Where each path begins, or the deepest part of it that was met."""
        return [self._deepest(path, otherwise) for path in self._paths]

    def _here(self) -> _Part[P] | None:
        if not self._steps:
            return self._root
        inside = self._inside[-1]
        return inside.parts.get(self._steps[-1]) if inside is not None else None

    def _deepest(self, path: Path, otherwise: P) -> P:
        part, at = self._root, self._root.at
        for step in path:
            part = part.parts[step]
            at = part.at if part.at is not None else at
        return at if at is not None else otherwise
