"""A CEL selector in parts: what must all hold, and which of it is a plain comparison of one attribute with a value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from kplan.plugins.shared.devices.cel_source import Token, content, tokens

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_METHODS = {"isGreaterThan": ">", "isLessThan": "<"}
_MAPS = ("attributes", "capacity")


class Path(NamedTuple):
    """An attribute or a capacity that an expression names.

    Attributes:
        text: as it is written.
        domain: of the name; empty for the driver of the device.
        name: without the domain.
        field: of ``device``: ``attributes``, ``capacity`` or ``driver``.
        selected: whether the name is a field, ``.name``, and no key, ``["name"]``.
        optional: whether a device may be without it.
    """

    text: str
    domain: str
    name: str
    field: str
    selected: bool = True
    optional: bool = False

    @property
    def present(self) -> str:
        """The expression that asks whether a device has it."""
        if self.selected:
            return f"has({self.text})"
        return f'"{self.name}" in device.{self.field}["{self.domain}"]'


class Comparison(NamedTuple):
    """A part that compares what a device has with a value that is written out.

    Attributes:
        path: what is compared.
        operator: read with the path on the left.
        literal: the value as it is written; empty for a path that stands alone, or behind ``!``.
        wanted: what stands in the literal, without quotes.
        start, end: where the literal is in the text of the whole expression.
        operator_start, operator_end: where the operator is; equal for a method, which has none to change.
        flipped: whether the path is on the right.
    """

    path: Path
    operator: str
    literal: str
    wanted: str
    start: int
    end: int
    operator_start: int = 0
    operator_end: int = 0
    flipped: bool = False


class Clause(NamedTuple):
    """What must hold along with the other parts.

    Attributes:
        text: as it is written.
        start, end: where that is in the expression.
        paths: attributes and capacities that it names, in order.
        comparison: what it compares; None where it is not that plain.
        alone: whether it can stand beside ``&&`` without brackets.
    """

    text: str
    start: int
    end: int
    paths: tuple[Path, ...]
    comparison: Comparison | None
    alone: bool


@lru_cache(maxsize=4096)
def parts(text: str) -> tuple[Clause, ...]:
    """Split an expression where ``&&`` joins it; one part where it is no conjunction."""
    words = [token for token in tokens(text) if token.kind != "space"]
    ends = _ends(words)
    groups = [words] if ends is None else [words[first:last] for first, last in ends]
    return tuple(_part(text, group, alone=ends is not None) for group in groups if group)


def _ends(words: Sequence[Token]) -> list[tuple[int, int]] | None:
    """First and last position of each part; None where ``||`` or ``?`` binds less than ``&&``."""
    depth, first, ends = 0, 0, []
    for at, token in enumerate(words):
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        if depth:
            continue
        if token.text == "||" or (token.text == "?" and words[at - 1].text != "."):
            return None
        if token.text == "&&":
            ends.append((first, at))
            first = at + 1
    return [*ends, (first, len(words))]


def _part(text: str, group: Sequence[Token], *, alone: bool) -> Clause:
    start, end = group[0].start, group[-1].end
    return Clause(text[start:end], start, end, tuple(_paths(text, group)), _comparison(text, group), alone)


def _paths(text: str, group: Sequence[Token]) -> Iterator[Path]:
    for at in range(len(group)):
        path = _path(text, group, at)
        if path is not None and path[0].field != "driver":
            yield path[0]


def _comparison(text: str, group: Sequence[Token]) -> Comparison | None:
    """Read ``path op literal``, ``literal op path``, and the methods that compare."""
    negated = group[0].text == "!"
    read = _path(text, group, int(negated))
    if read is not None:
        path, after = read
        rest = group[after:]
        if not rest:
            return Comparison(path, "==", "", "false" if negated else "true", group[0].start, group[-1].end)
        return None if negated else _behind(path, rest)
    value = _literal(group[:-1])
    if value is None:
        return None
    taken, literal = value
    read = _path(text, group, taken + 1)
    operator = group[taken] if taken < len(group) else None
    if read is None or read[1] != len(group) or operator is None or operator.text not in _MIRRORED:
        return None
    return Comparison(
        read[0], _MIRRORED[operator.text], literal, _plain(literal), group[0].start, group[taken - 1].end,
        operator.start, operator.end, flipped=True,
    )  # fmt: skip


def _behind(path: Path, rest: Sequence[Token]) -> Comparison | None:
    """A comparison whose path was read, from what is behind it."""
    texts = [token.text for token in rest]
    if texts[0] in _MIRRORED:
        value = _literal(rest[1:])
        if value is None or value[0] != len(rest) - 1:
            return None
        place = rest[1].start, rest[-1].end
        return Comparison(path, texts[0], value[1], _plain(value[1]), *place, rest[0].start, rest[0].end)
    method = texts[1] if texts[0] == "." and len(texts) > 7 else ""
    if texts[2:3] + texts[4:5] + texts[6:8] != ["(", "(", ")", ")"] or rest[5].kind != "string":
        return None
    if texts[3] not in ("quantity", "semver"):
        return None
    place, wanted = (rest[5].start, rest[5].end), content(texts[5])
    if method in _METHODS and len(rest) == 8:
        return Comparison(path, _METHODS[method], texts[5], wanted, *place)
    if method == "compareTo" and len(rest) == 10 and texts[8] in _MIRRORED and texts[9] == "0":
        return Comparison(path, texts[8], texts[5], wanted, *place, rest[8].start, rest[8].end)
    return None


def _literal(group: Sequence[Token]) -> tuple[int, str] | None:
    """A value that is written out, at the beginning: how many tokens it takes, and its text."""
    if not group:
        return None
    first = group[0]
    if first.kind in ("string", "number") or first.text in ("true", "false"):
        return 1, first.text
    if first.text == "-" and len(group) > 1 and group[1].kind == "number":
        return 2, f"-{group[1].text}"
    return None


def _plain(literal: str) -> str:
    return content(literal) if literal[-1:] in ("'", '"') else literal


def _path(text: str, group: Sequence[Token], at: int) -> tuple[Path, int] | None:
    """The attribute that is named at a position, and the position behind it."""
    texts = [token.text for token in group[at : at + 3]]
    if texts == ["device", ".", "driver"]:
        return Path("device.driver", "", "driver", "driver"), at + 3
    if texts[:2] != ["device", "."] or texts[2:] not in ([name] for name in _MAPS):
        return None
    domain = _key(group, at + 3)
    name = _key(group, domain[2]) if domain is not None else None
    if domain is None or name is None:
        return None
    after, optional = name[2], domain[1] or name[1]
    if [token.text for token in group[after : after + 3]] == [".", "orValue", "("]:
        value = _literal(group[after + 3 :])
        close = after + 3 + value[0] if value is not None else len(group)
        if [token.text for token in group[close : close + 1]] == [")"]:
            after, optional = close + 1, True
    written = text[group[at].start : group[after - 1].end]
    return Path(written, domain[0], name[0], texts[2], group[name[2] - 1].text != "]", optional), after


def _key(group: Sequence[Token], at: int) -> tuple[str, bool, int] | None:
    """What is looked up at a position, whether that is optional, and the position behind it."""
    texts = [token.text for token in group[at : at + 4]]
    optional = texts[1:2] == ["?"]
    skip = at + (2 if optional else 1)
    if texts[:1] == ["["] and skip + 1 < len(group) and group[skip].kind == "string" and group[skip + 1].text == "]":
        return content(group[skip].text), optional, skip + 2
    if texts[:1] == ["."] and skip < len(group) and group[skip].kind == "name":
        called = skip + 1 < len(group) and group[skip + 1].text == "("
        return None if called else (group[skip].text, optional, skip + 1)
    return None
