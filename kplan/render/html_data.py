"""Data of the HTML page: the document with what repeats written once, the nodes as numbers, what nodes say to pods."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Any

from msgspec import Struct, field

from kplan.render.html_columns import Tables
from kplan.result.document_usage import Drawing, NodeUsage, NodeVerdicts, PodUsage

OWN_NAME = -1
"""Stands for the name of the node where a label has it as its value, as the hostname does: no other node has that."""
CHANGES = ("", "lands", "leaves", "appears")
REFERENCE = "#"
"""Key of an object that stands for a shared part; no label, resource or field is called so."""
UNSHOWN = {"PackPlan": ("steps", "going", "howTo")}
"""Fields that no section of a page shows: its commands and its list of nodes tell the same."""
REPLACES = "-r1"
"""Behind the name of a pod that is made again in the place of another."""
LEAST_SHARED = 24
"""Shorter parts are written where they stand: a reference would be no shorter."""


def safe_json(value: object) -> str:
    """Write JSON that can stand in a ``script`` element: nothing in it can end the element or begin a comment."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text.replace("##[", "\\u0023#[")  # an order to a CI that logs it


def page_data(document: Mapping[str, Any], drawing: Drawing) -> dict[str, Any]:
    """Give all that the page's script reads: the document as plain values, and what is drawn beside it."""
    unshown = UNSHOWN.get(str(document.get("kind")), ())
    root, shared = share({name: value for name, value in document.items() if name not in unshown})
    if shared is not None:
        tables = Tables(_names(drawing.nodes))
        root, shared = tables.of(root), [tables.of(part) for part in shared]
    parts: dict[str, Any] = {"document": root, "shared": shared, "nodes": pack(drawing.nodes)}
    if drawing.verdicts is not None:
        parts["verdicts"] = coded(drawing.verdicts, drawing.nodes)
    return parts


def _names(nodes: Sequence[NodeUsage]) -> dict[str, int]:
    """Places of the names of nodes, then of pods, in the order in which ``pack`` writes them."""
    names: dict[str, int] = {}
    for place, name in enumerate([*(node.name for node in nodes), *(pod.pod for node in nodes for pod in node.pods)]):
        names.setdefault(name, place)
    return names


def share(document: Mapping[str, Any]) -> tuple[Any, list[Any] | None]:
    """Write parts that occur more than once only once: pods that are alike are told alike, but for their names.

    Returns:
        the document with ``{"#": place}`` for each shared part, and these parts, which may refer to former ones; None
        for them where a key of the document begins with ``#``, and it is left as it is.
    """
    parts = _Parts()
    root = parts.number(document)
    if parts.has_reference:
        return document, None
    return parts.body(root), parts.shared


class _Number(Struct, frozen=True):
    """Stands for a part of a document; equal parts have the same."""

    at: int


class _Parts(Struct):
    """Objects, lists and long texts of a document, each once.

    Attributes:
        shared: those that were written once for several places.
        has_reference: whether a key of the document looks like a reference.
    """

    shared: list[Any] = field(default_factory=list)
    has_reference: bool = False
    _numbers: dict[Any, _Number] = field(default_factory=dict)
    _bodies: list[dict[str, Any] | list[Any] | str] = field(default_factory=list)
    _uses: list[int] = field(default_factory=list)
    _places: dict[int, int] = field(default_factory=dict)

    def number(self, part: Mapping[str, Any] | Sequence[Any] | str) -> _Number:
        """Number an object, a list or a long text, with numbers in the place of those in it."""
        body: dict[str, Any] | list[Any] | str
        if isinstance(part, str):
            body = part
        elif isinstance(part, Mapping):
            self.has_reference = self.has_reference or any(key.startswith(REFERENCE) for key in part)
            body = {name: self._numbered(value) for name, value in part.items()}
        else:
            body = [self._numbered(value) for value in part]
        # True, 1 and 1.0 are equal and have the same hash
        key = type(body), tuple((name, type(value), value) for name, value in _items(body))
        entry = self._numbers.get(key)
        if entry is None:
            entry = self._numbers[key] = _Number(len(self._bodies))
            self._bodies.append(body)
            self._uses.append(0)
            for _, value in _items(body):
                if isinstance(value, _Number):
                    self._uses[value.at] += 1
        return entry

    def _numbered(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.number(value) if len(value) >= LEAST_SHARED else value
        return self.number(value) if isinstance(value, Mapping | list | tuple) else value

    def body(self, number: _Number) -> Any:
        """Write a part as it is."""
        body = self._bodies[number.at]
        if isinstance(body, str):
            return body
        if isinstance(body, dict):
            return {name: self._written(value) for name, value in body.items()}
        return [self._written(value) for value in body]

    def _written(self, value: Any) -> Any:
        """Write what stands in a part: a reference where it stands in several."""
        if not isinstance(value, _Number):
            return value
        if value.at not in self._places:
            made = self.body(value)
            if self._uses[value.at] < 2 or len(json.dumps(made)) < LEAST_SHARED:
                return made
            self._places[value.at] = len(self.shared)
            self.shared.append(made)
        return {REFERENCE: self._places[value.at]}


def _items(body: dict[str, Any] | list[Any] | str) -> Iterable[tuple[Any, Any]]:
    if isinstance(body, str):
        return ((0, body),)
    return body.items() if isinstance(body, dict) else enumerate(body)


def pack(nodes: Sequence[NodeUsage]) -> dict[str, Any]:
    """Give nodes as rows of numbers and of places in lists: of texts, of labels, of amounts, of what pods count.

    Thousands of nodes repeat few of them, and tens of thousands of pods differ by their names.
    """
    texts: dict[str, int] = {"": 0}
    lists: dict[tuple[int, ...], int] = {}
    resources: dict[str, int] = dict.fromkeys(("cpu", "memory", "pods"), 0)
    for node in nodes:
        resources |= dict.fromkeys((*node.allocatable, *node.requested), 0)
    order = list(resources)
    places: dict[str, int] = {}
    for at, name in enumerate(pod.pod for node in nodes for pod in node.pods):
        places.setdefault(name, at)
    entries = count()

    def place(text: str) -> int:
        return texts.setdefault(text, len(texts))

    def listed(values: Iterable[int]) -> int:
        return lists.setdefault(tuple(values), len(lists))

    def numbers(amounts: Mapping[str, int]) -> list[int]:
        values = [amounts.get(name, 0) for name in order]
        while values and not values[-1]:
            values.pop()
        return values

    def named(name: str, at: int) -> str | int:
        # a pod that moved is on two nodes, on the second under its own name or as the one that replaces it
        base = name.removesuffix(REPLACES)
        if places[name] != at:
            return places[name]
        return -1 - places[base] if base != name and base in places else name

    def pod(item: PodUsage) -> tuple[str | int, int]:
        return named(item.pod, next(entries)), listed(
            (item.priority, CHANGES.index(item.change), *numbers(item.amounts))
        )

    rows = [
        [
            node.name,
            place(node.zone),
            place(node.pool),
            place(node.instance_type),
            int(node.unschedulable),
            CHANGES.index(node.change),
            [place(taint) for taint in node.taints],
            listed(place(text) if text != node.name else OWN_NAME for label in node.labels.items() for text in label),
            listed(numbers(node.allocatable)),
            numbers(node.requested),
            0 if node.before is None else numbers(node.before),
            [part for item in node.pods for part in pod(item)],
        ]
        for node in nodes
    ]
    return {"resources": order, "texts": list(texts), "lists": list(lists), "rows": rows}


def coded(verdicts: NodeVerdicts, nodes: Sequence[NodeUsage]) -> dict[str, Any]:
    """Give verdicts in the order of the nodes of the page, which has those that left as well."""
    row = {name: at for at, name in enumerate(verdicts.nodes)}
    order = [row.get(node.name, -1) for node in nodes]
    in_order = order == list(range(len(verdicts.nodes)))
    letters = [
        text if in_order else "".join(text[at] if at >= 0 else NodeVerdicts.UNKNOWN for at in order)
        for text in verdicts.letters
    ]
    return {"pods": verdicts.pods, "letters": letters, "leftOut": verdicts.left_out}
