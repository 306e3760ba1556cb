"""Text of ``kplan drain``."""

from __future__ import annotations

from kplan.render.layout import Page
from kplan.render.text import Style, group_lines, origin, plan_head
from kplan.render.text_whatif import what_if_lines
from kplan.result.document_drain import DrainedPod, DrainFix, DrainPlan, NodeVerdict

PODS_SHOWN = 16
FOUND_SHOWN = 12


def drain(document: DrainPlan, style: Style) -> str:
    """Lay out a drain, or which nodes could go."""
    page = style.page()
    plan_head(page, document)
    if style.quiet:
        return page.text()
    page.blank()
    what_if_lines(page, document.what_if, everything=style.wide)
    if document.found:
        _found(page, document.found, everything=style.wide)
    _pods(page, document, everything=style.wide)
    for number, move in enumerate(document.cascade):
        where = f"-> {move.node}" if move.node else f"Pending: {move.because.text if move.because else ''}"
        page.part("Cascade" if not number else "", f"{move.instead_of or move.pod}, evicted on {move.was}, {where}")
    for number, after in enumerate(document.after):
        page.part(
            "After" if not number else "",
            f"{', '.join(after.owners)} {after.healthy} of {after.expected} ready, "
            f"{after.budget.partition('/')[2]} allows {after.allows}",
        )
    if document.group is not None:
        page.part("Why", f"{document.left}, nearest first")
        group_lines(page, document.group)
        if document.groups > 1:
            page.detail(f"{document.groups - 1} more groups (kplan simulate --drain {document.nodes[0]} -o wide)", 9)
    _fixes(page, document.fixes, document.no_help)
    for note in document.notes:
        page.part("Note", note)
    if document.needs and document.pods:
        page.part("Needs", document.needs)
    origin(page, document.origin)
    return page.text()


def _pods(page: Page, document: DrainPlan, *, everything: bool) -> None:
    ordered = sorted(document.pods, key=lambda pod: (not _stuck(pod), not pod.number, pod.number))
    shown = document.pods if everything or len(document.pods) <= PODS_SHOWN else tuple(ordered[:PODS_SHOWN])
    several = len(document.nodes) > 1
    heads = ("#", "pod", *(("node",) if several else ()), "budget", "lands on", "note")
    rows = [_row(pod, several=several) for pod in sorted(shown, key=lambda pod: (not pod.number, pod.number, pod.pod))]
    if rows and not page.table("Pods", heads, rows, (0,)):
        for number, row in enumerate(rows):
            page.part("Pods" if not number else "", "  ".join(cell for cell in row if cell and cell != "-"))
    if len(document.pods) > len(shown):
        page.part("", f"+{len(document.pods) - len(shown):,} pods that are placed or stay (-o wide)")


def _stuck(pod: DrainedPod) -> bool:
    return pod.because is not None or pod.fate in ("refused", "waits")


def _row(pod: DrainedPod, *, several: bool) -> tuple[str, ...]:
    lands = {"stays": "stays", "refused": "refused", "waits": "waits"}.get(pod.fate, pod.lands_on)
    lands = lands or ("Pending" if pod.instead else "-")
    note = pod.note
    if pod.evicts:
        note = ", ".join(filter(None, (f"evicts {', '.join(pod.evicts[:2])}", note)))
    number = str(pod.number) if pod.number else "-"
    return number, pod.pod, *((pod.node,) if several else ()), pod.budget or "-", lands, note


def _fixes(page: Page, fixes: tuple[DrainFix, ...], no_help: tuple[str, ...]) -> None:
    if not fixes and not no_help:
        return
    page.part("Fix", "each one tried")
    for number, fix in enumerate(fixes, 1):
        page.detail(f"{number}  {fix.text} -> {fix.effect}", 9)
    if no_help:
        page.detail(f"no help: {'; '.join(no_help)}", 9)


def _found(page: Page, found: tuple[NodeVerdict, ...], *, everything: bool) -> None:
    going = [one for one in found if one.goes]
    staying = [one for one in found if not one.goes]
    for label, nodes in (("Go", going), ("Stay", staying)):
        shown = nodes if everything else nodes[:FOUND_SHOWN]
        rows = [(one.node, f"{one.pods:,}", one.because) for one in shown]
        for number, row in enumerate(rows):
            why = f": {row[2]}" if row[2] else f", {row[1]} pods move"
            page.part(label if not number else "", f"{row[0]}{why}")
        if len(nodes) > len(shown):
            page.part("", f"+{len(nodes) - len(shown):,} nodes (-o wide)")
