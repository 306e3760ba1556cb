"""Text of ``kplan capacity``."""

from __future__ import annotations

from kplan.render.layout import Page
from kplan.render.text import Style, group_lines, origin, plan_head
from kplan.render.text_whatif import what_if_lines
from kplan.result.document_capacity import CapacityPlace, CapacityReport, Growth, ShapeRoom

PLACES_SHOWN = 8
NODES_SHOWN = 3
SHAPES_SHOWN = 20


def capacity(document: CapacityReport, style: Style) -> str:
    """Lay out how many fit."""
    page = style.page()
    plan_head(page, document)
    if style.quiet:
        return page.text()
    page.blank()
    what_if_lines(page, document.what_if, everything=style.wide)
    if document.workloads:
        _sets(page, document)
        _places(page, document.places, everything=style.wide)
        _next(page, document)
        if document.nearest is not None:
            page.part("Nearest", document.nearest.text)
        if document.group is not None and style.wide:
            group_lines(page, document.group)
        if document.growth is not None:
            _growth(page, document.growth)
    _shapes(page, document.shapes, everything=style.wide)
    for note in document.notes:
        page.part("Note", note)
    origin(page, document.origin)
    return page.text()


def _sets(page: Page, document: CapacityReport) -> None:
    if len(document.workloads) < 2:
        return
    rows = [(one.workload, str(one.ratio), f"{one.running:,}", f"{one.more:,}") for one in document.workloads]
    page.table("Sets", ("workload", "each", "run", "more"), rows, (1, 2, 3))


def _places(page: Page, places: tuple[CapacityPlace, ...], *, everything: bool) -> None:
    shown = places if everything else places[:PLACES_SHOWN]
    rows = [(one.place or "-", f"{one.running:,}", f"{one.more:,}", _on(one, everything=everything)) for one in shown]
    if rows and not page.table("Where", ("zone", "run", "more", "on"), rows, (1, 2)):
        for number, row in enumerate(rows):
            page.part("Where" if not number else "", f"{row[0]}: {row[1]} run, {row[2]} more on {row[3]}")
    if len(places) > len(shown):
        page.part("", f"+{len(places) - len(shown):,} zones (-o wide)")


def _on(place: CapacityPlace, *, everything: bool) -> str:
    nodes = sorted(place.nodes.items(), key=lambda item: (-item[1], item[0]))
    most = len(nodes) if everything else NODES_SHOWN
    told = [name if number == 1 else f"{name} x{number:,}" for name, number in nodes[:most]]
    return ", ".join([*told, *([f"+{len(nodes) - most:,}"] if len(nodes) > most else [])]) or "-"


def _next(page: Page, document: CapacityReport) -> None:
    if document.next_pod is None:
        return
    nodes = f"{document.nodes:,} {'node' if document.nodes == 1 else 'nodes'}"
    for number, one in enumerate(document.refusing[:4]):
        where = f"on {one.nodes:,} of {nodes}"
        start = f"number {document.next_pod:,} is refused " if not number else "and "
        page.part("Next" if not number else "", f"{start}{where}: {one.text} ({one.plugin})")


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
    right = range(1, len(growth.nodes) + 1)
    if not page.table("Nodes", rows[0], rows[1:], right):
        pairs = zip(growth.nodes, growth.fits, strict=True)
        page.part("Nodes", f"{what}: {', '.join(f'{nodes} -> {fits}' for nodes, fits in pairs)}")


def _shapes(page: Page, shapes: tuple[ShapeRoom, ...], *, everything: bool) -> None:
    shown = shapes if everything else shapes[:SHAPES_SHOWN]
    rows = [
        (
            one.name,
            one.requests,
            f"{one.fits:,}{'+' if one.bounded else ''}",
            one.stopped_by.code if one.stopped_by else "",
        )
        for one in shown
    ]
    if rows and not page.table("Shapes", ("name", "requests", "fit", "stopped by"), rows, (2,)):
        for number, row in enumerate(rows):
            page.part("Shapes" if not number else "", f"{row[0]} ({row[1]}): {row[2]} fit; {row[3]}")
    if len(shapes) > len(shown):
        page.part("", f"+{len(shapes) - len(shown):,} shapes (-o wide)")
