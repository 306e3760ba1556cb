r"""JSONPath as kubectl takes it: ``{range .steps[*]}{.pod}{"\t"}{.node}{"\n"}{end}``.

Grammar: https://kubernetes.io/docs/reference/kubectl/jsonpath/. All of it is here: fields, ``['name']``, ``[n]``,
slices with a step, unions, ``*``, ``..``, filters (``?(@.x == 'y')``, also with ``!= < <= > >=`` and alone),
``range`` and ``end``, texts in quotes.

Differs from kubectl, each time where that gives nothing or fails: a template without braces is a path, ``$`` is the
whole document in a range too, a name in quotes needs no backslash before a dot, and an index that a list does not have
is empty.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from kplan.errors import UsageError

_STEP = re.compile(
    r"""\.\.(?P<deep>[\w-]+|\*)
      | \.(?P<name>\*|(?:[^.\[\]{}()\s\\]|\\.)+)
      | \[(?P<inner>(?:[^\[\]'"]|'[^']*'|"[^"]*"|\[[^\]]*\])*)\]""",
    re.VERBOSE,
)
_FILTER = re.compile(r"\?\(\s*@(?P<path>[^=!<>]*?)\s*(?:(?P<sign>==|!=|<=|>=|<|>)\s*(?P<value>.+?))?\s*\)")
_SLICE = re.compile(r"(-?\d*):(-?\d*)(?::(-?\d*))?")
_SIGNS = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


class _Text(Struct, frozen=True):
    text: str


class _Path(Struct, frozen=True):
    text: str


class _Range(Struct, frozen=True):
    path: str
    parts: tuple[Any, ...]


class JsonPath:
    """A template.

    Args:
        template: as ``-o jsonpath=`` has it; without braces it is one path.

    Raises:
        UsageError: it cannot be read.
    """

    def __init__(self, template: str) -> None:
        text = template if "{" in template else f"{{{template}}}"
        self._parts, rest = _read(list(_tokens(text)), ended=False)
        assert not rest

    def text(self, document: Any) -> str:
        """What it makes of a document; values of one path stand side by side."""
        return "".join(_made(self._parts, document, document))

    def values(self, document: Any) -> list[Any]:
        """The values of its first path."""
        path = next((part for part in self._parts if isinstance(part, _Path)), None)
        return [] if path is None else list(_walk(path.text, document, document))


def value_text(value: Any) -> str:
    """A value as kubectl prints it: texts bare, all else as JSON with keys in their order."""
    return (
        value
        if isinstance(value, str)
        else json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    )


def _tokens(template: str) -> Iterator[tuple[str, str]]:
    """Yield texts outside braces as ``text``, what stands in them as ``code``."""
    at = 0
    while at < len(template):
        if template[at] != "{":
            end = template.find("{", at)
            end = len(template) if end < 0 else end
            yield "text", template[at:end]
            at = end
            continue
        end, quote = at + 1, ""
        while end < len(template) and (quote or template[end] != "}"):
            if template[end] == "\\" and quote:
                end += 1
            elif quote:
                quote = "" if template[end] == quote else quote
            elif template[end] in "'\"":
                quote = template[end]
            end += 1
        if end >= len(template):
            raise _unread(template, "a brace is not closed")
        yield "code", template[at + 1 : end].strip()
        at = end + 1


def _read(tokens: list[tuple[str, str]], *, ended: bool) -> tuple[tuple[Any, ...], list[tuple[str, str]]]:
    parts: list[Any] = []
    while tokens:
        (kind, text), tokens = tokens[0], tokens[1:]
        if kind == "text":
            parts.append(_Text(text))
        elif text == "end":
            if not ended:
                raise _unread("{end}", "no range begins")
            return tuple(parts), tokens
        elif text.startswith("range "):
            inner, tokens = _read(tokens, ended=True)
            parts.append(_Range(_checked(text[6:].strip()), inner))
        elif text[:1] in ("'", '"'):
            parts.append(_Text(_unquoted(text)))
        else:
            parts.append(_Path(_checked(text)))
    if ended:
        raise _unread("{range ...}", "it has no {end}")
    return tuple(parts), tokens


def _unquoted(text: str) -> str:
    if len(text) < 2 or text[-1] != text[0]:
        raise _unread(text, "a quote is not closed")
    return re.sub(r"\\(.)", lambda match: {"n": "\n", "t": "\t", "r": "\r"}.get(match[1], match[1]), text[1:-1])


def _checked(path: str) -> str:
    """A path whose every step can be read."""
    for _ in _steps(path):
        pass
    return path


def _steps(path: str) -> Iterator[re.Match[str]]:
    text = path.removeprefix("$").removeprefix("@")
    text = text if not text or text[0] in ".[" else f".{text}"
    at = 0
    while at < len(text):
        if text[at:] == ".":  # the document itself
            return
        match = _STEP.match(text, at)
        if match is None:
            raise _unread(path, f"{text[at:]!r} is not a step of a path")
        yield match
        at = match.end()


def _made(parts: Sequence[Any], here: Any, root: Any) -> Iterator[str]:
    for part in parts:
        if isinstance(part, _Text):
            yield part.text
        elif isinstance(part, _Path):
            yield " ".join(map(value_text, _walk(part.text, here, root)))
        else:
            for item in _walk(part.path, here, root):
                yield from _made(part.parts, item, root)


def _walk(path: str, here: Any, root: Any) -> Iterator[Any]:
    values = [root if path.startswith("$") else here]
    for step in _steps(path):
        if step["deep"] is not None:
            values = [value for item in values for value in _deep(item, step["deep"])]
        elif step["name"] is not None:
            name = re.sub(r"\\(.)", r"\1", step["name"])
            values = [value for item in values for value in _child(item, name)]
        else:
            values = list(_inner(values, step["inner"].strip(), root))
    yield from values


def _child(item: Any, name: str) -> Iterator[Any]:
    if name == "*":
        yield from item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
    elif isinstance(item, dict) and name in item:
        yield item[name]


def _deep(item: Any, name: str) -> Iterator[Any]:
    yield from _child(item, name)
    for below in item.values() if isinstance(item, dict) else item if isinstance(item, list) else ():
        yield from _deep(below, name)


def _inner(values: Sequence[Any], text: str, root: Any) -> Iterator[Any]:
    """What brackets choose: of a union all that its first part chooses, then all that the next one does."""
    tested = _FILTER.fullmatch(text)
    if tested is not None:
        for item in values:
            items = item if isinstance(item, list) else item.values() if isinstance(item, dict) else ()
            yield from (element for element in items if _passes(element, tested, root))
        return
    for part in re.findall(r"'[^']*'|\"[^\"]*\"|[^,]+", text):
        for item in values:
            yield from _chosen(item, part.strip(), text)


def _chosen(item: Any, part: str, text: str) -> Iterator[Any]:
    sliced = _SLICE.fullmatch(part)
    if part == "*":
        yield from _child(item, "*")
    elif part[:1] in ("'", '"'):
        yield from _child(item, re.sub(r"\\(.)", r"\1", part[1:-1]))
    elif sliced is not None:
        first, last, step = (int(bound) if bound else None for bound in sliced.groups())
        yield from item[first:last:step] if isinstance(item, list) else ()
    elif re.fullmatch(r"-?\d+", part):
        number = int(part)
        if isinstance(item, list) and -len(item) <= number < len(item):
            yield item[number]
    else:
        raise _unread(f"[{text}]", "it is neither a number, a name in quotes, a slice nor a filter")


def _passes(item: Any, tested: re.Match[str], root: Any) -> bool:
    values = list(_walk(tested["path"] or ".", item, root))
    if tested["sign"] is None:
        return bool(values)
    wanted = tested["value"].strip()
    if wanted[:1] in ("'", '"'):
        value: Any = _unquoted(wanted)
    else:
        try:
            value = json.loads(wanted)
        except (ValueError, RecursionError):
            raise _unread(wanted, "a value is a number, true, false, or a text in quotes") from None
    try:
        return any(_SIGNS[tested["sign"]](present, value) for present in values)
    except TypeError:
        return False


def _unread(text: str, why: str) -> UsageError:
    hint = 'as kubectl takes it: \'{range .steps[*]}{.pod}{"\\t"}{.node}{"\\n"}{end}\''
    return UsageError(f"-o jsonpath: {text}: {why}", code="bad-jsonpath", hint=hint)
