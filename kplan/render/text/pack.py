"""Text of ``kplan pack``."""

from __future__ import annotations

from collections.abc import Sequence

from kplan.render.text.layout import LABEL, Page
from kplan.render.text.shared import notes, origin, plan_page
from kplan.render.text.style import Style
from kplan.result.document_pack import PackedNode, PackedPool, PackPlan
from kplan.words import count, short_amount

SHOWN = 12
FREES = ("cpu", "memory")


def pack(document: PackPlan, style: Style) -> str:
    """Lay out which nodes could go."""
    page = plan_page(document, style)
    if style.quiet:
        return page.text()
    going = [node for node in document.found if node.goes]
    staying = [node for node in document.found if not node.goes and node.because is not None]
    _nodes(page, "Go", [_goes(node) for node in going], everything=style.wide)
    _nodes(page, "Stay", [_stays(node) for node in staying], everything=style.wide)
    _pools(page, document.pools)
    if document.frees:
        page.part("Frees", _frees(document))
    if style.wide:
        page.parts("Moves", (f"{move.number}  {move.pod} {move.home} -> {move.to}" for move in document.moves))
    commands = document.commands if style.wide else document.commands[:SHOWN]
    page.lines += [f"{'' if number else 'Steps':<{LABEL}}{line}" for number, line in enumerate(commands)]
    page.more(len(document.commands) - len(commands), "drains")
    notes(page, document.notes)
    origin(page, document.origin)
    return page.text()


def _nodes(page: Page, label: str, told: Sequence[str], *, everything: bool) -> None:
    shown = told if everything else told[:SHOWN]
    page.parts(label, shown)
    page.more(len(told) - len(shown), "nodes")


def _goes(node: PackedNode) -> str:
    moves = f"{count(node.moves, 'pod')} {'moves' if node.moves == 1 else 'move'}" if node.moves else "nothing to move"
    worth = f", ${node.worth:,.0f} a month" if node.worth is not None else ""
    return f"{node.number}  {node.node}, {moves}{worth}"


def _stays(node: PackedNode) -> str:
    return f"{node.node}: {node.because.text if node.because is not None else ''}"


def _pools(page: Page, pools: Sequence[PackedPool]) -> None:
    if len(pools) < 2 and not any(pool.pool for pool in pools):
        return
    priced = any(pool.saves is not None for pool in pools)
    heads = ("pool", "nodes", "could go", *(("saves a month",) if priced else ()))
    rows = [
        (pool.pool or "-", f"{pool.nodes:,}", f"{pool.going:,}", *((f"${pool.saves or 0:,.0f}",) if priced else ()))
        for pool in pools
    ]
    page.table("Pools", heads, rows, right=(1, 2, 3) if priced else (1, 2))


def _frees(document: PackPlan) -> str:
    names = [*(name for name in FREES if name in document.frees), *(n for n in document.frees if n not in FREES)]
    told = ", ".join(f"{short_amount(name, document.frees[name])} {name}" for name in names)
    if document.saves is None or document.costs is None:
        return told
    return f"{told}; ${document.saves:,.0f} of ${document.costs:,.0f} a month"
