"""Lists of objects as columns: what thousands of rows repeat, names of fields and values alike, is written once."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

ROWS = "#t"
"""Key of a table: its number of rows; ``c`` has its columns by name."""
SAME = "#s"
"""Key of a column with one value in all rows."""
PLACES = "#i"
"""Key of a column with places in its list ``d`` of values; -1 where a row has none."""
NAMES = "#p"
"""Key of texts that are names: their places among the nodes and then their pods; -1 for none, others as they are."""
RANGE = "#r"
"""Key of whole numbers one after the other: the first of them."""
LEAST_ROWS = 8


class _Absent:
    """Stands for what a row does not have."""


_ABSENT = _Absent()


class Tables:
    """Writes values as tables.

    Args:
        names: places of the names of nodes and pods that the page holds beside the value.
    """

    def __init__(self, names: Mapping[str, int]) -> None:
        self._names = names

    def of(self, value: Any) -> Any:
        """Write the lists of objects in a value as tables; all else as it is. No key of it may begin with ``#``."""
        if isinstance(value, Mapping):
            return {key: self.of(one) for key, one in value.items()}
        if not isinstance(value, list | tuple):
            return value
        if len(value) >= LEAST_ROWS:
            if all(isinstance(one, Mapping) and "#" not in one for one in value):
                return self._table(value)
            if all(isinstance(one, str) for one in value):
                places = self._places(value)
                return {NAMES: places} if _length(places) + len(NAMES) < _length(value) else list(value)
        return [self.of(one) for one in value]

    def _table(self, rows: Sequence[Mapping[str, Any]]) -> Any:
        """A table of rows; as they are where few of them have the same fields, as with numbers by name."""
        keys = dict.fromkeys(key for row in rows for key in row)
        if len(rows) * len(keys) > 2 * sum(map(len, rows)) + len(rows):
            return [self.of(row) for row in rows]
        return {ROWS: len(rows), "c": {key: self._column([row.get(key, _ABSENT) for row in rows]) for key in keys}}

    def _column(self, values: list[Any]) -> Any:
        if all(isinstance(value, Mapping) and "#" not in value for value in values):
            made = self._table(values)
            if not isinstance(made, list):
                return made
        written = [value if value is _ABSENT else self.of(value) for value in values]
        texts = [_text(value) for value in written]
        distinct: dict[str, int] = {}
        for text in texts:
            if text:
                distinct.setdefault(text, len(distinct))
        if all(texts) and len(distinct) == 1:
            return {SAME: written[0]}
        if type(written[0]) is int and written == list(range(written[0], written[0] + len(written))):
            return {RANGE: written[0]}
        places = [distinct[text] if text else -1 for text in texts]
        first = {text: value for text, value in zip(reversed(texts), reversed(written), strict=True) if text}
        made_of: list[Any] = [{PLACES: places, "d": [first[text] for text in distinct]}]
        if all(texts):
            made_of.append(written)
        if all(value is _ABSENT or isinstance(value, str) for value in values):
            made_of.append({NAMES: self._places(values)})
        return min(made_of, key=_length)

    def _places(self, values: Sequence[Any]) -> list[Any]:
        return [-1 if value is _ABSENT else self._names.get(value, value) for value in values]


def _length(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _text(value: Any) -> str:
    """A value as JSON, by which it is told from others; empty for none."""
    return "" if value is _ABSENT else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
