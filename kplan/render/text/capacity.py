"""Text of ``kplan capacity``."""

from __future__ import annotations

from kplan.render.text.fitting import Fitting
from kplan.render.text.layout import Page
from kplan.render.text.shared import groups_lines, notes, origin, plan_page
from kplan.render.text.style import Style
from kplan.result.document_capacity import CapacityPlace, CapacityReport, CheapestMix, Growth, ShapeRoom
from kplan.words import count, listed, tallied

PLACES_SHOWN = 8
NODES_SHOWN = 3
SHAPES_SHOWN = 20
REFUSING_SHOWN = 4


def capacity(document: CapacityReport, style: Style) -> str:
    """Lay out how many fit."""
    page = plan_page(document, style)
    if style.quiet:
        return page.text()
    if document.workloads:
        _sets(page, document)
        _places(page, document.places, everything=style.wide)
        _next(page, document)
        if document.nearest is not None:
            page.part("Nearest", document.nearest.text)
        if style.wide:
            groups_lines(page, document, wide=True)
        if document.growth is not None:
            _growth(page, document.growth)
    _shapes(page, document.shapes, everything=style.wide)
    if document.cheapest is not None:
        _mix(page, document.cheapest)
    notes(page, document.notes)
    origin(page, document.origin)
    return page.text()


def _sets(page: Page, document: CapacityReport) -> None:
    if len(document.workloads) < 2:
        return
    rows = [
        (workload.workload, str(workload.ratio), f"{workload.running:,}", f"{workload.more:,}")
        for workload in document.workloads
    ]
    page.table("Sets", ("workload", "each", "run", "more"), rows, (1, 2, 3))


def _places(page: Page, places: tuple[CapacityPlace, ...], *, everything: bool) -> None:
    shown = places if everything else places[:PLACES_SHOWN]
    rows = [
        (place.place or "-", f"{place.running:,}", f"{place.more:,}", _on(place, everything=everything))
        for place in shown
    ]
    names = Fitting(names=(3,))
    if rows and not page.table("Where", ("zone", "run", "more", "on"), rows, (1, 2), fitting=names):
        page.parts("Where", (f"{zone}: {run} run, {more} more on {on}" for zone, run, more, on in rows))
    page.more(len(places) - len(shown), "zones")


def _on(place: CapacityPlace, *, everything: bool) -> str:
    nodes = dict(sorted(place.nodes.items(), key=lambda item: (-item[1], item[0])))
    return tallied(nodes, len(nodes) if everything else NODES_SHOWN) or "-"


def _next(page: Page, document: CapacityReport) -> None:
    if document.next_pod is None:
        return
    nodes = count(document.nodes, "node")
    told = [
        f"on {refusing.nodes:,} of {nodes}: {refusing.text} ({refusing.plugin})"
        for refusing in document.refusing[:REFUSING_SHOWN]
    ]
    first = f"number {document.next_pod:,} is refused "
    page.parts("Next", (f"{first if not number else 'and '}{text}" for number, text in enumerate(told)))


def _growth(page: Page, growth: Growth) -> None:
    if growth.none_helps is not None:
        page.part("Nodes", f"no number of nodes like {growth.like} helps, as an empty one refuses it:")
        page.detail(growth.none_helps.text)
        return
    what = f"more nodes like {growth.like} (DaemonSets counted)"
    rows = [
        (what, *(f"{number:,}" for number in growth.nodes)),
        ("replicas that fit", *(f"{number:,}" for number in growth.fits)),
    ]
    if growth.taken:
        rows.insert(1, ("pods that waited, first", *(f"{number:,}" for number in growth.taken)))
    right = range(1, len(growth.nodes) + 1)
    # a row of numbers is no paragraph: where it does not fit, each number of nodes is told with what fits then
    if not page.table("Nodes", rows[0], rows[1:], right, splits=False):
        pairs = zip(growth.nodes, growth.fits, strict=True)
        page.part("Nodes", f"{what}: {', '.join(f'{nodes:,} -> {fits:,}' for nodes, fits in pairs)}")


def _shapes(page: Page, shapes: tuple[ShapeRoom, ...], *, everything: bool) -> None:
    ordered = sorted(shapes, key=lambda room: bool(room.fits))
    shown = ordered if everything else ordered[:SHAPES_SHOWN]
    rows = [
        (
            room.name,
            room.requests,
            f"{room.fits:,}{'+' if room.bounded else ''}",
            room.stopped_by.code if room.stopped_by else "",
        )
        for room in shown
    ]
    if rows and not page.table("Shapes", ("name", "requests", "fit", "stopped by"), rows, (2,)):
        page.parts("Shapes", (f"{name} ({requests}): {fit} fit; {stopped}" for name, requests, fit, stopped in rows))
    page.more(len(shapes) - len(shown), "shapes")


def _mix(page: Page, mix: CheapestMix) -> None:
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
