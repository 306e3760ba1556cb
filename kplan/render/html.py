"""HTML: a document and the nodes it is about as one self-contained page.

The lines that answer are plain HTML; everything else is drawn by the page's own script from the same data as JSON.
A content security policy allows that script and that style by their hashes and nothing else: the page asks no network
for anything, and no name of an object can become code. Names reach the page escaped, or as text of the JSON.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

import msgspec

from kplan.result.document_usage import NodeUsage, PodUsage

FOLDER = Path(__file__).parents[1] / "data" / "html"
SCRIPTS = (
    "dom.js",
    "amounts.js",
    "model.js",
    "table.js",
    "grid.js",
    "scores.js",
    "answer.js",
    "plan.js",
    "generic.js",
    "story.js",
    "main.js",
)
"""Parts of the script in the order in which they build on each other."""
TONES = {
    "good": ("FITS", "READY", "BOUND", "TAKES", "IDLE", "OK", "PASSES", "SURVIVES", "DRAINED", "SAME"),
    "warn": ("PREEMPTS", "PARTLY", "GATED", "LOSES", "DOUBT", "DIFFERS"),
    "bad": ("PENDING", "BLOCKED", "REFUSES", "REFUSED", "FAILS", "FAILED", "LOST"),
}
"""Verdict words by how they are coloured."""
MARKS = {"good": "\u2713", "warn": "~", "bad": "\u00d7", "none": "\u00b7"}
"""What stands beside the colour, so that nothing is told by colour alone."""
NOTES_SHOWN = 3
CHANGES = ("", "lands", "leaves", "appears")
_TITLES = {
    "PodExplanation": "explain pod",
    "PodExplanations": "explain pods",
    "SimulationPlan": "simulate",
    "NodeExplanation": "explain node",
    "NodeList": "nodes",
    "CapacityReport": "capacity",
    "ClusterDiff": "diff",
    "CheckResult": "check",
    "DrainPlan": "drain",
    "FailurePlan": "fail",
}


def page(document: msgspec.Struct, nodes: Sequence[NodeUsage] = ()) -> str:
    """Write the page.

    Args:
        document: any kind of document; kinds the page does not know are laid out by their parts.
        nodes: how full the nodes are; without them there is no grid.
    """
    plain: dict[str, Any] = msgspec.to_builtins(document)
    style = _read("page.css")
    script = "".join(["(() => {\n'use strict';\n", *map(_read, SCRIPTS), "})();\n"])
    parts = {
        "policy": f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:",
        "title": escape(_title(plain)),
        "kind": escape(_kind(plain)),
        "head": _head(plain),
        "data": safe_json({"document": plain, "nodes": pack(nodes)}),
        "style": style,
        "script": script,
    }
    # in one pass: a text that is put in is never looked through for further places
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _read("page.html"))


def safe_json(value: object) -> str:
    """Write JSON that can stand in a ``script`` element: nothing in it can end the element or begin a comment."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def pack(nodes: Sequence[NodeUsage]) -> dict[str, Any]:
    """Give nodes as rows of numbers and of places in a list of texts: thousands of nodes repeat few of them."""
    texts: dict[str, int] = {"": 0}
    resources: dict[str, int] = dict.fromkeys(("cpu", "memory", "pods"), 0)
    for node in nodes:
        resources |= dict.fromkeys((*node.allocatable, *node.requested), 0)
    order = list(resources)

    def place(text: str) -> int:
        return texts.setdefault(text, len(texts))

    def numbers(amounts: dict[str, int]) -> list[int]:
        found = [amounts.get(name, 0) for name in order]
        while found and not found[-1]:
            found.pop()
        return found

    def pod(item: PodUsage) -> list[Any]:
        return [item.pod, item.priority, CHANGES.index(item.change), *numbers(item.amounts)]

    rows = [
        [
            node.name,
            place(node.zone),
            place(node.pool),
            place(node.instance_type),
            int(node.unschedulable),
            CHANGES.index(node.change),
            [place(taint) for taint in node.taints],
            [place(text) for label in node.labels.items() for text in label],
            numbers(node.allocatable),
            numbers(node.requested),
            0 if node.before is None else numbers(node.before),
            [pod(item) for item in node.pods],
        ]
        for node in nodes
    ]
    return {"resources": order, "texts": list(texts), "rows": rows}


def _read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Name an inline element by its content, as a content security policy does."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _kind(plain: dict[str, Any]) -> str:
    kind = str(plain.get("kind", ""))
    return _TITLES.get(kind) or re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind).lower()


def _title(plain: dict[str, Any]) -> str:
    return " ".join(part for part in (plain.get("verdict", ""), plain.get("sentence", "")) if part) or _kind(plain)


def _head(plain: dict[str, Any]) -> str:
    """Write the lines that answer, in the order of the text."""
    word = str(plain.get("verdict", ""))
    tone = next((tone for tone, words in TONES.items() if word.upper() in words), "none")
    doubted = "?" if plain.get("doubts") else ""
    lines = []
    if word:
        mark = f'<span class="mark" aria-hidden="true">{MARKS[tone]}</span>'
        lines.append(f'<span class="word">{mark}{escape(word + doubted)}</span>')
    lines.append(f'<span class="sentence">{escape(str(plain.get("sentence", "")) or _kind(plain))}</span>')
    answers = "".join(
        f'<div class="line{" doubt" if label == "Doubt" else ""}"><dt>{label}</dt><dd>{escape(text)}</dd></div>\n'
        for label, text in _lines(plain)
    )
    answers += _more_notes(_texts(plain.get("notes"))[NOTES_SHOWN:])
    return f'<h1 class="verdict {tone}">{" ".join(lines)}</h1>\n<dl class="lines">\n{answers}</dl>'


def _lines(plain: dict[str, Any]) -> Iterable[tuple[str, str]]:
    """Label and text of each line under the verdict."""
    yield from (("Doubt", doubt["text"]) for doubt in plain.get("doubts", ()))
    yield from (("Because", text) for text in _texts(plain.get("because")))
    yield from (("Try", text) for text in _texts(plain.get("try") or _first_fix(plain)))
    yield from (("Careful", text) for text in _texts(plain.get("careful")))
    yield from (("Note", text) for text in _texts(plain.get("notes"))[:NOTES_SHOWN])
    if "from" in plain:
        yield "From", _origin(plain["from"])


def _more_notes(texts: list[str]) -> str:
    """Fold away the notes that would hide the rest of the answer."""
    if not texts:
        return ""
    items = "".join(f"<li>{escape(text)}</li>" for text in texts)
    notes = "note" if len(texts) == 1 else "notes"
    fold = f"<details><summary>{len(texts):,} more {notes}</summary><ul>{items}</ul></details>"
    return f'<div class="line"><dt>Notes</dt><dd>{fold}</dd></div>\n'


def _first_fix(plain: dict[str, Any]) -> str:
    """Give the cheapest remedy in one line; empty where there is none."""
    fixes = plain.get("fixes") or ()
    return str(fixes[0].get("summary", "")) if fixes else ""


def _texts(part: Any) -> list[str]:
    """Texts of a part that is a text, something with a text, or several of either."""
    if isinstance(part, str):
        return [part] if part else []
    if isinstance(part, dict):
        return _texts(part.get("text", ""))
    return [text for item in part or () for text in _texts(item)]


def _origin(source: dict[str, Any]) -> str:
    """Say where the answer comes from, as the text does."""
    via = f" ({source['via']})" if source.get("via") else ""
    taken = f", taken {source['taken']}" if source.get("taken") else ""
    nodes, pods = source["nodes"], source["pods"]
    sizes = f"{nodes:,} {'node' if nodes == 1 else 'nodes'}, {pods:,} {'pod' if pods == 1 else 'pods'}"
    text = f"{source['source']}{via}{taken}, {sizes}; rules of {source['rules']} ({source['how']})"
    more = [f"profile {source['profile']}"] if source.get("profile") else []
    more += [source["event"]] if source.get("event") else []
    return "; ".join([text, *more])
