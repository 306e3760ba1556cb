"""Text of the cheapest nodes: each shape, how many of it, and what they cost."""

from __future__ import annotations

from kplan.render.text.layout import Page
from kplan.result.document_capacity import CheapestMix
from kplan.words import listed


def mix_table(page: Page, mix: CheapestMix) -> None:
    """Write the mix, and which pods no mix lets in."""
    heads = ("shape", "nodes", *(("each a month", "a month") if mix.priced else ()))
    rows = []
    for shape in mix.shapes:
        money = (f"${shape.price:,.0f}", f"${shape.price * shape.nodes:,.0f}") if shape.price is not None else ()
        rows.append((shape.name, f"{shape.nodes:,}", *money))
    if not page.table("Nodes", heads, rows, right=(1, 2, 3) if mix.priced else (1,)):
        page.parts("Nodes", map("  ".join, rows))
    if mix.left:
        page.part("Left", listed(list(mix.left)))
