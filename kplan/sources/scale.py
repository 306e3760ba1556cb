"""What objects weigh in memory, beside the text that they came from.

A model of a pod is a kilobyte, however little is written of it; most of what kubectl writes is never kept. So the one
weighs less than its text in a real cluster, and many times as much in a file that is made for that. Every large object
is put on the scale, and one in many of the others, drawn by what was read before.
"""

from __future__ import annotations

import sys
from collections.abc import Set
from typing import Any

import msgspec

from kplan.errors import SourceError
from kplan.objects.models import Object
from kplan.sources.bounds import HEAVIEST, LEAST_WEIGHT
from kplan.sources.counting import LONG
from kplan.sources.repeated_texts import is_repeated, remember, share

_EVERY, _EVERY_DENSE = 128, 16
"""Of so many objects one is weighed; the more surely, the nearer they are to what is refused."""

_TABLES = 3 << 20
"""What reading takes itself: texts that are remembered, modules [bytes]."""

_COUNTING = 26 << 20
"""What NumPy takes, by which the values of a long text are counted [bytes]."""

_LARGE = 1 << 15
"""Length of an object's text from which on it is always weighed [bytes]."""

_DENSE = 2.75
"""Times their text that objects weigh from which on repeated texts are looked for; kubectl writes more."""

_ENTRY = 50
"""What tables take to hold an object: a place in a map, which is twice as large as needed at times, and in a tuple
[bytes]."""

_FIRST = 16
"""Objects that are weighed before what they say counts."""


class Scales:
    """Weighs what was read, and refuses what is far too much.

    Args:
        entry: what holds an object, besides itself [bytes].

    Attributes:
        text: length of all files so far [bytes].
        objects: what the objects take in memory, estimated [bytes].
        is_dense: whether repeated texts are looked for, as objects are much heavier than their text, or that is not
            known.
    """

    def __init__(self, entry: int = _ENTRY) -> None:
        self._entry = entry
        self.text = 0
        self.objects = float(_TABLES)
        self._file = ""
        self._weighed, self._of_text, self._count = 0, 0, 0
        self._drawn = 1
        self._counted = False
        self.is_dense = True

    def reads(self, size: int, file: str) -> None:
        """Take note of a file that is about to be read [bytes]."""
        self.text += size
        self._file = file
        if size >= LONG and not self._counted:
            self._counted = True
            self.objects += _COUNTING

    def take(self, item: Object, size: int) -> None:
        """Take an object, and hold the texts once that it has in common with others.

        Args:
            item: the object.
            size: length of its text [bytes]; 0 where that is not known.

        Raises:
            SourceError: all objects together are far heavier than those of any cluster in a file of that length.
        """
        self._drawn = (self._drawn * 1_103_515_245 + size + 12_345) & 0x7FFF_FFFF
        is_dense, large = self.is_dense, size > _LARGE
        every = _EVERY_DENSE if is_dense else _EVERY
        if large or not (self._drawn >> 12) % every:
            self._weigh(item, size, 1 if large else every)
        elif is_dense:
            share(item)

    @property
    def _are_heavy(self) -> bool:
        return self._weighed > _DENSE * self._of_text

    def _weigh(self, item: Object, size: int, times: int) -> None:
        weight = _of(item, frozenset())
        own = _of_its_own(item) if self.is_dense else weight
        self._weighed += times * weight
        self._of_text += times * size
        self._count += 1
        self.is_dense = self._count < _FIRST or self._are_heavy
        self.objects += times * (self._entry + own)
        most = max(LEAST_WEIGHT, int(HEAVIEST * self.text))
        if self.objects > most and self._are_heavy and (self._count >= _FIRST or times == 1):
            raise SourceError(
                f"its objects take more than {most:,} bytes in memory, the most that is held of {self.text:,} bytes",
                file=self._file,
                code="too-large",
                hint="those of a cluster, as kubectl writes them, take a third of that or less: is it the right file?",
            )


def _of_its_own(item: Object) -> int:
    """Bytes that an object adds once all is shared that others hold, too."""
    held, name = share(item), item.name
    return _of(item, held) + (_rounded(name) if id(name) in held else 0)


def _of(value: Any, held: Set[int]) -> int:
    """Bytes of a value with all that is in it, but for what others hold, too, by ``id``."""
    kind = type(value)
    if value is None or kind is bool or kind is int or id(value) in held:
        return 0
    size = _rounded(value)
    if isinstance(value, msgspec.Struct):
        return size + sum(_of(getattr(value, name), held) for name in value.__struct_fields__)
    if kind is dict:
        return size + sum(_of_key(key, held) + _of(part, held) for key, part in value.items())
    if kind is list or kind is tuple:
        return size + sum(_of(part, held) for part in value)
    return size


def _of_key(text: str, held: Set[int]) -> int:
    """Bytes of a key, which is held once as long as it keeps coming."""
    if id(text) in held or is_repeated(text):
        return 0
    remember(text)
    return _rounded(text)


def _rounded(value: Any) -> int:
    return (sys.getsizeof(value) + 15) // 16 * 16
