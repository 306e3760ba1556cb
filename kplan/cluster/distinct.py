"""Distinct: values that many rows share, numbered in order of first appearance."""

from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Distinct(Generic[T]):
    """Numbers distinct values.

    Attributes:
        items: the values by number.
    """

    __slots__ = ("_numbers", "items")

    def __init__(self) -> None:
        self.items: list[T] = []
        self._numbers: dict[Hashable, int] = {}

    def number(self, key: Hashable, item: T) -> int:
        """Return the number of a value; a new one comes last.

        Args:
            key: equal for equal values.
            item: the value.
        """
        number = self._numbers.setdefault(key, len(self.items))
        if number == len(self.items):
            self.items.append(item)
        return number

    def forget(self, count: int) -> None:
        """Forget all but the first values, as when a change is taken back."""
        for key in [key for key, number in self._numbers.items() if number >= count]:
            del self._numbers[key]
        del self.items[count:]
