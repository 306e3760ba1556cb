"""HTML: a document and the nodes it is about as one self-contained page.

The lines that answer are plain HTML, their picture is plain SVG; everything else is drawn by the page's own script from
the same data as JSON: a kind of document has its sections (``data/html/script/kinds``), which are made of parts that
several kinds have. A content security policy allows that script and that style by their hashes and nothing else: the
page asks no network for anything, and no name of an object can become code. Names reach the page escaped, or as text
of the JSON.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

import msgspec

from kplan.render.heads import HEADS, MEANINGS
from kplan.render.html_data import page_data, safe_json
from kplan.render.html_head import head, name_of, title
from kplan.render.picture.figure import figure
from kplan.render.picture.links import with_anchors
from kplan.render.picture.pictures import picture_of
from kplan.render.plain import shortened
from kplan.render.tones import TONES
from kplan.result.document_base import Document
from kplan.result.document_usage import Drawing

FOLDER = Path(__file__).parents[1] / "data" / "html"
SCRIPTS = (
    *(f"script/base/{name}.js" for name in ("dom", "controls", "amounts", "data", "names", "marks", "brief", "table")),
    *(f"script/base/{name}.js" for name in ("sections", "standing")),
    *(
        f"script/parts/{name}.js"
        for name in ("lens", "grid", "cells", "groups", "fixes", "devices", "facts", "preemption")
    ),
    *(f"script/parts/{name}.js" for name in ("scores", "moves", "rollouts", "steps", "packing", "boxes")),
    *(f"script/story/{name}.js" for name in ("panel", "node", "pod")),
    *(
        f"script/kinds/{name}.js"
        for name in ("pod", "pods", "plan", "nodes", "node", "capacity", "drain", "fail", "moves", "pack")
    ),
    *(
        f"script/kinds/{name}.js"
        for name in ("check", "diff", "bind", "sweep", "plugins", "config", "audit", "unknown")
    ),
    "script/main.js",
)
"""Parts of the script in the order in which they build on each other."""
STYLES = tuple(
    f"style/{name}.css"
    for name in ("colours", "text", "frame", "picture", "controls", "tables", "bars", "boxes", "nodes", "story")
)
"""Parts of the style; what is for narrow screens and for paper stands with what it is about."""


def page(document: Document, drawing: Drawing | None = None, text: str = "") -> str:
    """Write the page.

    Args:
        document: any kind of document; kinds the page does not know are laid out by their parts.
        drawing: the nodes, and what they say to each of many pods; without nodes there is no grid.
        text: the whole answer as text, which a browser without scripts shows; where it is very long, a part of it.
    """
    plain: dict[str, Any] = msgspec.to_builtins(document, str_keys=True)
    beside = drawing or Drawing()
    made = picture_of(document, beside)
    picture = figure(made) if made is not None else ""
    style = _read(STYLES)
    script = f"(() => {{\n'use strict';\nconst TONES = {json.dumps(TONES)};\n{_words()}{_read(SCRIPTS)}}})();\n"
    parts = {
        "policy": f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:",
        "title": _logged(escape(title(plain))),
        "kind": escape(name_of(plain)),
        "head": _logged(head(plain, picture)),
        "plain": _logged(f"<pre>{with_anchors(shortened(text), picture)}</pre>") if text else "",
        "data": safe_json(page_data(plain, beside)),
        "style": style,
        "script": script,
    }
    # in one pass: a text that is put in is never looked through for further places
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], _read(["page.html"]))


def _words() -> str:
    """Words that the page and the text have in common, for the script."""
    return f"const HEADS = {json.dumps(HEADS)};\nconst MEANINGS = {json.dumps(MEANINGS)};\n"


def _logged(markup: str) -> str:
    """Keep HTML from giving orders to a CI that logs it."""
    return markup.replace("##[", "&#35;#[")


def _read(names: Iterable[str]) -> str:
    return "".join((FOLDER / name).read_text(encoding="utf-8") for name in names)


def _hash(text: str) -> str:
    """Name an inline element by its content, as a content security policy does."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
