"""Text of ``kplan plugins``."""

from __future__ import annotations

import re

from kplan.render.text.layout import Page
from kplan.render.text.style import Style
from kplan.result.document_plugins import PluginReference, PluginText

OF_A_POLICY = " Of a Policy, up to 1.22."
_NEXT_TEXT = re.compile(r"(?<=[,)]) (?=\")|(?<=\)) (?=[A-Z])|(?<=;) (?=for every node)")
"""Where one of the texts that a plugin rejects with ends and the next begins."""


def plugins(document: PluginReference, style: Style) -> str:
    """Lay out plugins: one in full, several in a line each."""
    page = style.page()
    if len(document.plugins) == 1:
        _plugin(page, document.plugins[0])
        return page.text()
    width = max((len(item.name) for item in document.plugins), default=0)
    for item in document.plugins:
        page.hanging(f"{item.name:<{width}}  ", f"{item.summary}{OF_A_POLICY if item.old else ''}")
    return page.text()


def _plugin(page: Page, item: PluginText) -> None:
    page.detail(f"{item.name}: {item.summary}", 0)
    page.blank()
    for head, text in (
        ("Points", f"{', '.join(item.points)}{'.' + OF_A_POLICY if item.old else ''}"),
        ("What it checks", item.checks),
        ("Rejects with", item.rejects),
        ("Not modelled", item.not_modelled),
        ("Source", item.source),
    ):
        page.detail(f"{head}:", 0)
        for line in _NEXT_TEXT.split(text) if text == item.rejects else [text]:
            page.detail(line, 4)
