"""Links of a picture: to the row or the story of a node or a pod, by the same address that the page's script reads."""

from __future__ import annotations

import re
from html import escape, unescape
from urllib.parse import quote, unquote

from kplan.render.bidi import shown

ALL_NODES = "#nodes"
"""The section of the page with all nodes."""
_LINK = re.compile(r'href="#(/(?:node|pod)=[^"]*)"')


def to_node(name: str) -> str:
    """Address of a node; empty for no name."""
    return f"#/node={quote(name, safe='')}" if name else ""


def to_pod(name: str) -> str:
    """Address of a pod, ``namespace/name``; empty for no name."""
    return f"#/pod={quote(name, safe='')}" if name else ""


def with_anchors(text: str, markup: str) -> str:
    """Write a text as HTML in which the links of some markup end where its scripts are not run.

    Args:
        text: an answer as text; the anchors stand where a name is first told behind its first empty line, where the
            rows are, else where it is first told.
        markup: of a picture.
    """
    begins = text.find("\n\n") + 1
    places: dict[int, tuple[int, str]] = {}
    for address in dict.fromkeys(unescape(found) for found in _LINK.findall(markup)):
        name = unquote(address.partition("=")[2])
        word = re.compile(rf"(?<![\w./-]){re.escape(name)}(?![\w./-])")
        found = word.search(text, begins) or word.search(text)
        if found is not None and found.start() not in places:
            places[found.start()] = found.end(), unquote(address)
    pieces, end = [], 0
    for start, (stop, address) in sorted(places.items()):
        if start >= end:
            pieces += [shown(text[end:start]), f'<span id="{escape(address)}">{shown(text[start:stop])}</span>']
            end = stop
    return "".join([*pieces, shown(text[end:])])
