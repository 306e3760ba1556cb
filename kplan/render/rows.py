"""A document as rows: its main list, for CSV, custom columns, and tables in Python."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from kplan.errors import UsageError
from kplan.render.jsonpath import JsonPath, value_text
from kplan.result.document_base import Document

MAIN = {
    "AuditReport": "pods",
    "BindPlan": "pods",
    "BindResult": "pods",
    "CapacityReport": "workloads",
    "CheckResult": "objects",
    "ClusterDiff": "moves",
    "DrainPlan": "pods",
    "FailReport": "pods",
    "MovesPlan": "moves",
    "NodeExplanation": "refused",
    "NodeList": "nodes",
    "PackPlan": "found",
    "PodExplanation": "groups",
    "PodExplanations": "answers",
    "SimulationPlan": "steps",
    "SweepReport": "outcomes",
}
"""By kind of document: which of its lists it is about."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for a formula where a cell begins with it."""


def plain(document: Document) -> dict[str, Any]:
    """A document as ``-o json`` writes it, in dicts and lists."""
    made: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(document))
    return made


def rows(document: Mapping[str, Any], name: str = "") -> list[dict[str, Any]]:
    """One list of a document, in dicts and lists; an object in a row is told as ``outer.inner``.

    Args:
        document: the document.
        name: of the list; the main one if empty. Of ``fail --each`` that is the list of its cases.

    Raises:
        UsageError: the document has no such list.
    """
    lists = [key for key, value in document.items() if isinstance(value, list)]
    main = "cases" if "cases" in lists and not document.get("pods") else MAIN.get(document["kind"], "")
    name = name or main or next(iter(lists), "")
    if name not in lists and name not in MAIN.values():
        raise UsageError(f"no list {name}", code="no-such-list", hint=f"one of: {', '.join(lists)}")
    return [flat(row) for row in document.get(name, [])]


def flat(row: Any) -> dict[str, Any]:
    """A row with the objects in it told as ``outer.inner``."""
    if not isinstance(row, dict):
        return {"value": row}
    cells: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, dict):
            cells |= {f"{key}.{inner}": deep for inner, deep in flat(value).items()}
        else:
            cells[key] = value
    return cells


def to_csv(document: Document) -> str:
    """Write the main list as CSV, as RFC 4180 has it: a heading, then a line a row.

    Lists in a cell are joined by ``; ``. A text that a spreadsheet would take for a formula begins with an apostrophe.
    """
    table = rows(plain(document))
    heads = list(dict.fromkeys(key for row in table for key in row))
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(heads)
    writer.writerows([_cell(row.get(head)) for head in heads] for row in table)
    return out.getvalue()


def _cell(value: Any) -> str:
    if isinstance(value, list):
        value = "; ".join(value_text(item) for item in value)
    text = "" if value is None else value_text(value)
    return f"'{text}" if isinstance(value, str) and text.startswith(_FORMULA) else text


def custom_columns(document: Document, spec: str) -> str:
    """Write columns of the main list, as ``kubectl get -o custom-columns=NAME:.path,...`` does.

    Args:
        document: the document.
        spec: names and paths; ``<none>`` stands for what is not there.

    Raises:
        UsageError: the columns cannot be read.
    """
    whole = plain(document)
    return in_columns(whole.get(MAIN.get(whole["kind"], ""), [whole]), spec)


def in_columns(listed: Sequence[Any], spec: str) -> str:
    """Write columns of a list of plain objects; see ``custom_columns``. Unlike kubectl's, an object in a cell is JSON.

    Raises:
        UsageError: the columns cannot be read.
    """
    columns = [_column(part) for part in spec.split(",")]
    table = [[name for name, _ in columns]]
    table += [[_joined(path.values(row)) for _, path in columns] for row in listed]
    widths = [max(len(row[number]) for row in table) for number in range(len(columns))]
    lines = ("   ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) for row in table)
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _column(text: str) -> tuple[str, JsonPath]:
    name, colon, path = text.partition(":")
    if not name or not colon or not path:
        hint = "NAME:.path,NAME:.path, as POD:.pod,NODE:.node"
        raise UsageError(f"custom-columns: {text!r}: no column", code="bad-columns", hint=hint)
    return name, JsonPath(path if path.startswith("{") else f"{{{path}}}")


def _joined(values: Sequence[Any]) -> str:
    return ",".join(map(value_text, values)) if values else "<none>"
