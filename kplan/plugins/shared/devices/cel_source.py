"""The text of a CEL expression: what it mentions, and how it is put to the runtime."""

from __future__ import annotations

import re
from typing import NamedTuple

from kplan.plugins.shared.devices.cel_device import CelDevice

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*)
    |(?P<string>[rRbB]{0,2}(?:\"\"\"(?:\\.|[^\\])*?\"\"\"|'''(?:\\.|[^\\])*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<number>[0-9]+(?:\.[0-9]+)?)
    |(?P<operator>==|!=|<=|>=|&&|\|\|)
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_FIELDS = ("driver", "attributes", "capacity", "allowMultipleAllocations")
_PRESENT = {"attributes": "presentAttributes", "capacity": "presentCapacity"}


OURS = {"indexOf": "indexOf_", "lastIndexOf": "lastIndexOf_", "string": "string_"}
"""Functions that the runtime has for fewer types than Kubernetes, and as what they are put to it."""
_TEXTS_OF = ("ip", "cidr")
"""What ``string()`` is called with where it is another than the runtime's."""


class Token(NamedTuple):
    """One token of an expression.

    Attributes:
        kind: ``space``, ``string``, ``name``, ``number``, ``operator`` or ``other``.
        text: as written.
        start, end: where that is.
    """

    kind: str
    text: str
    start: int
    end: int


def tokens(text: str) -> list[Token]:
    """Read an expression, its spaces and comments among the rest."""
    return [Token(match.lastgroup or "", match.group(), *match.span()) for match in _TOKEN.finditer(text)]


class CelText:
    """An expression, read for what it mentions.

    Attributes:
        text: as written.
        rewritten: as the runtime gets it: where it is asked which domains there are, it sees only those of the device
            (a domain that is looked up is there, if empty).
        literals: contents of its strings; the domains it looks up are among them.
        mentioned: names and strings in it, or None if it may look at attributes that it does not name.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        read = [(token.kind, token.text) for token in tokens(text)]
        self._all = read
        self._tokens = [token for token in read if token[0] != "space"]
        self.literals = tuple(dict.fromkeys(content(token) for kind, token in self._tokens if kind == "string"))
        self.rewritten = self._rewritten(read)
        names = (token for kind, token in self._tokens if kind == "name")
        self.mentioned = frozenset((*self.literals, *names)) if self._names_all() else None

    def seen(self, device: CelDevice) -> CelDevice:
        """Leave out of a device what the expression cannot look at, so that devices which differ in it are one."""
        if self.mentioned is None:
            return device
        attributes = tuple(entry for entry in device.attributes if entry[1] in self.mentioned)
        capacity = tuple(entry for entry in device.capacity if entry[1] in self.mentioned)
        multiple = device.multiple and "allowMultipleAllocations" in self.mentioned
        return device._replace(attributes=attributes, capacity=capacity, multiple=multiple)

    def with_literal(self, old: str, new: str) -> str:
        """The expression with other contents of a string, wherever it stands."""
        return "".join(
            text.replace(old, new) if kind == "string" and content(text) == old else text for kind, text in self._all
        )

    def with_name(self, old: str, new: str) -> str:
        """The expression with another name for an attribute, written as a name or as a key."""
        return "".join(
            new
            if kind == "name" and text == old
            else text.replace(old, new)
            if kind == "string" and content(text) == old
            else text
            for kind, text in self._all
        )

    def original(self, line: int, column: int) -> tuple[int, int]:
        """Where a place of the rewritten expression is in the one as it is written; lines and columns from 1."""
        at = sum(len(splitline) for splitline in self.rewritten.splitlines(keepends=True)[: line - 1]) + column - 1
        written = made = 0
        for before, after in self._pairs:
            if at < made + len(after):
                written += min(at - made, len(before))
                break
            written, made = written + len(before), made + len(after)
        else:
            written += at - made
        head = self.text[:written]
        return head.count("\n") + 1, written - (head.rfind("\n") + 1) + 1

    def _names_all(self) -> bool:
        """Whether all it looks at is ``device.attributes["domain"].name``, written out, in all the ways of CEL."""
        if any(self._bare(at) for at in range(len(self._tokens))):
            return False
        for at in self._uses():
            end = self._after_key(at + 3)
            if end is None or self._after_key(end) is None:
                return False
        return True

    def _uses(self) -> list[int]:
        """Where ``device.attributes`` and ``device.capacity`` stand."""
        return [at for at in range(len(self._tokens)) if self._texts(at, 3) in _MAPS]

    def _bare(self, at: int) -> bool:
        """Whether the device as a whole stands here: no field of it, and no variable of a macro by that name."""
        before, (kind, name), after = self._texts(at - 1, 1) if at else (), self._tokens[at], self._texts(at + 1, 1)
        if (kind, name) != ("name", "device") or before == (".",):
            return False
        return after[:1] not in ((".",), ("[",)) and not (before == ("(",) and after == (",",))

    def _texts(self, at: int, count: int) -> tuple[str, ...]:
        return tuple(text for _, text in self._tokens[at : at + count])

    def _after_key(self, at: int) -> int | None:
        """Return where what follows a key begins: of ``["key"]``, ``[?"key"]``, ``.key`` or ``.?key``; None if none."""
        few = self._tokens[at : at + 4]
        kinds, texts = [kind for kind, _ in few], [text for _, text in few]
        if texts[:1] == ["["]:
            skip = 2 if texts[1:2] == ["?"] else 1
            literal = kinds[skip : skip + 1] == ["string"] and texts[skip + 1 : skip + 2] == ["]"]
            return at + skip + 2 if literal else None
        if texts[:1] == ["."]:
            skip = 2 if texts[1:2] == ["?"] else 1
            called = texts[skip + 1 : skip + 2] == ["("]
            return at + skip + 1 if kinds[skip : skip + 1] == ["name"] and not called else None
        return None

    def _rewritten(self, read: list[tuple[str, str]]) -> str:
        """Ask about present domains where the question is which there are: ``in``, ``size()``, macros."""
        at = [i for i, (kind, _) in enumerate(read) if kind != "space"]
        texts = [text for _, text in read]
        for use in self._uses():
            before = self._texts(use - 1, 1) if use else ()
            after = self._texts(use + 3, 3)
            method = after[:1] == (".",) and after[2:] == ("(",)
            looked_up = after[:1] in (("[",), (".",)) and not method
            counted = before == ("(",) and self._texts(max(use - 2, 0), 1) == ("size",)
            if method or (not looked_up and (before == ("in",) or counted)):
                texts[at[use + 2]] = _PRESENT[texts[at[use + 2]]]
        for i in range(len(self._tokens) - 5):
            if self._texts(i, 4) == ("has", "(", "device", ".") and self._texts(i + 5, 1) == (")",):
                field = at[i + 4]
                if texts[field] in _FIELDS:  # a field of device is always there
                    texts[at[i] : field + 1] = ["(true", *[""] * (field - at[i])]
        for i in range(len(self._tokens)):
            if self._bare(i):
                texts[at[i]] = _WHOLE
        for i in range(len(self._tokens) - 1):
            name = self._tokens[i][1]
            if name in OURS and self._tokens[i][0] == "name" and self._tokens[i + 1][1] == "(":
                method = i > 0 and self._tokens[i - 1][1] == "."
                address = self._tokens[i + 2 : i + 3] and self._tokens[i + 2][1] in _TEXTS_OF
                if address if name == "string" else method:
                    texts[at[i]] = OURS[name]
        self._pairs = [(before, after) for (_, before), after in zip(read, texts, strict=True)]
        return "".join(texts)


_WHOLE = "{" + ", ".join(f"'{name}': dyn(device.{name})" for name in _FIELDS) + "}"
"""The device as a whole, which is no variable of its own."""
_MAPS = (("device", ".", "attributes"), ("device", ".", "capacity"))


def content(literal: str) -> str:
    """Return what stands between the quotes; escapes are left as they are, as no domain has any."""
    body = literal.lstrip("rRbB")
    quotes = 3 if body[:3] in ('"""', "'''") else 1
    return body[quotes:-quotes]
