"""What is written out in an expression and cannot be right: it is no expression then, whether that is used or not.

Patterns, durations, moments and conversions of a text; lists whose elements are of different types.

Source: apiserver v0.37.2 pkg/cel/environment/base.go (ASTValidators, OptOptimize); cel-go v0.26.0 cel/validator.go,
interpreter/decorators.go decOptimize.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from kplan.plugins.shared.devices.cel_source import Token, tokens

_VALIDATED = ("duration", "timestamp")
_PATTERNS = ("matches", "find", "findAll")
_CONVERSIONS = ("bool", "bytes", "double", "int", "string", "uint")

Evaluates = Callable[[str], str]
"""Says why an expression without variables has no value; empty where it has one."""
TypeOf = Callable[[str], str]
"""Names the type of an expression; empty where it is none by itself."""


class Wrong(NamedTuple):
    """What is wrong, and where.

    Attributes:
        at: offset in the text; -1 for the whole expression.
        text: in the words of the scheduler's runtime.
    """

    at: int
    text: str


def wrong_literals(text: str, evaluates: Evaluates, type_of: TypeOf) -> Iterator[Wrong]:
    """Yield what is written out and cannot be right.

    Args:
        text: an expression that compiles.
        evaluates: evaluates a conversion that is written out.
        type_of: tells types of elements apart.
    """
    words = [token for token in tokens(text) if token.kind != "space"]
    for at in range(len(words)):
        yield from _converted(words, at, evaluates)
        yield from _pattern(words, at, evaluates)
        if words[at].text == "[" and not (at and _ends_value(words[at - 1])):
            yield from _mixed(text, words, at, type_of)


def _converted(words: Sequence[Token], at: int, evaluates: Evaluates) -> Iterator[Wrong]:
    """A conversion of a text that has no value."""
    name, literal = words[at].text, _argument(words, at, 0)
    if literal is None or name not in (*_VALIDATED, *_CONVERSIONS) or _is_method(words, at):
        return
    why = evaluates(f"{name}({literal.text})")
    if why:
        yield Wrong(literal.start, f"invalid {name} argument") if name in _VALIDATED else Wrong(-1, why)


def _pattern(words: Sequence[Token], at: int, evaluates: Evaluates) -> Iterator[Wrong]:
    """A pattern that is none; of ``matches`` as a method that is found before the expression is put together."""
    name, method = words[at].text, _is_method(words, at)
    if name not in _PATTERNS or not (method or name == "matches"):
        return
    literal = _argument(words, at, 0 if method else 1)
    why = evaluates(f"''.matches({literal.text})") if literal is not None else ""
    if literal is not None and why:
        yield Wrong(literal.start, "invalid matches argument") if method and name == "matches" else Wrong(-1, why)


def _is_method(words: Sequence[Token], at: int) -> bool:
    return at > 0 and words[at - 1].text == "."


def _argument(words: Sequence[Token], at: int, number: int) -> Token | None:
    """The text that is the whole of an argument of the function which is named at a position."""
    if words[at].kind != "name" or [token.text for token in words[at + 1 : at + 2]] != ["("]:
        return None
    arguments = list(_elements(words, at + 1))
    chosen = arguments[number] if number < len(arguments) else ()
    return chosen[0] if len(chosen) == 1 and chosen[0].kind == "string" else None


def _ends_value(token: Token) -> bool:
    """Whether a bracket behind this looks something up."""
    return (token.kind in ("name", "string", "number") and token.text != "in") or token.text in (")", "]", "}")


def _mixed(text: str, words: Sequence[Token], at: int, type_of: TypeOf) -> Iterator[Wrong]:
    """The first element of a list that is of another type than the one before it."""
    elements = list(_elements(words, at))
    if len({element[0].kind for element in elements}) == 1 and all(
        len(element) == 1 and element[0].kind == "string" for element in elements
    ):
        return
    before = ""
    for element in elements:
        kind = type_of(text[element[0].start : element[-1].end])
        if before and kind and kind != before:
            yield Wrong(element[0].start, f"expected type '{before}' but found '{kind}'")
            return
        before = kind or before


def _elements(words: Sequence[Token], at: int) -> Iterator[Sequence[Token]]:
    """Elements of the list, or arguments, that begin with the bracket at a position; none where it does not end."""
    depth, first = 0, at + 1
    told: list[Sequence[Token]] = []
    for end in range(at, len(words)):
        depth += (words[end].text in ("(", "[", "{")) - (words[end].text in (")", "]", "}"))
        if (depth == 1 and words[end].text == ",") or depth == 0:
            told += [words[first:end]] if end > first else []
            first = end + 1
        if depth == 0:
            yield from told
            return
