"""Text of a simulation, and of plugins."""

from __future__ import annotations

import textwrap

from kplan.render.layout import Page
from kplan.render.text import Style, doubts, group_lines, origin, owners
from kplan.render.text_rollout import changes, quotas, rollout_steps, rollouts
from kplan.render.text_whatif import what_if_lines
from kplan.result.document_plan import PlanOwner, PluginReference, PluginText, SimulationPlan

CAREFUL_SHOWN = 2
CAUSES_SHOWN = 6
OWNERS_SHOWN = 10
STEPS_SHOWN = 12
EVICTIONS_SHOWN = 6
NODES_SHOWN = 3


def simulation(document: SimulationPlan, style: Style) -> str:
    """Lay out a plan: what is placed, what is not and why, folded by owner."""
    page = style.page()
    page.verdict(f"{document.verdict}{'?' if document.doubts else ''}", document.sentence)
    doubts(page, document.doubts)
    if document.because is not None:
        page.part("Because", document.because.text)
    if document.causes and document.causes[0].attempt:
        page.part("Try", document.causes[0].attempt)
    for text in document.careful[: None if style.wide else CAREFUL_SHOWN]:
        page.part("Careful", text)
    if style.quiet:
        return page.text()
    page.blank()
    what_if_lines(page, document.what_if, everything=style.wide)
    changes(page, document.change, everything=style.wide)
    rollouts(page, document.rollouts, everything=style.wide)
    _totals(page, document)
    if len(document.steps) <= STEPS_SHOWN or style.wide:
        _steps(page, document)
    elif _others(document):
        _where(page, document.owners, everything=style.wide)
    _evictions(page, document)
    _causes(page, document, style)
    quotas(page, document, everything=style.wide)
    for note in document.notes:
        page.part("Note", note)
    origin(page, document.origin)
    return page.text()


def _totals(page: Page, document: SimulationPlan) -> None:
    totals = document.totals
    if not _others(document):
        return
    text = f"{totals.placed:,} placed + {totals.not_placed:,} not placed + {totals.gated:,} gated = {totals.pods:,}"
    if totals.evicted:
        text += f"; {totals.evicted:,} evicted, {totals.returned:,} of them back in the queue and counted again"
    page.part("Pods", text)


def _others(document: SimulationPlan) -> bool:
    """Whether there is more to tell of pods than the tables of rollouts do."""
    told = rollout_steps(document.rollouts)
    if not document.steps:
        return not document.change
    return not document.rollouts or any(step.pod not in told or step.evicts for step in document.steps)


def _steps(page: Page, document: SimulationPlan) -> None:
    rows = []
    if not _others(document):
        return
    for number, step in enumerate(document.steps, 1):
        note = f"evicts {', '.join(step.evicts[:2])}" if step.evicts else ""
        note += f", +{len(step.evicts) - 2}" if len(step.evicts) > 2 else ""
        note = note or (f"one of {step.tie} that tie" if step.tie else "") or step.cause
        note = f"comes back; {note}".strip("; ") if step.returned else note
        node = step.node or {"pending": "Pending", "gated": "Gated", "failed": "Failed"}[step.result]
        rows.append((str(number), step.pod, node, note))
    if rows and not page.table("Steps", ("#", "pod", "node", ""), rows, (0,)):
        for number, row in enumerate(rows):
            page.part("Steps" if not number else "", "  ".join(part for part in row if part))


def _where(page: Page, found: tuple[PlanOwner, ...], *, everything: bool) -> None:
    shown = found if everything else found[:OWNERS_SHOWN]
    heads = ("owner", "pods", "placed", "on")
    rows: list[tuple[str, ...]] = []
    for most in range(NODES_SHOWN, 0, -1):
        rows = [_owner_row(item, most) for item in shown]
        if not rows or page.table("Where", heads, rows, (1, 2)):
            break
    else:
        for number, row in enumerate(rows):
            page.part("Where" if not number else "", f"{row[0]}: {row[2]} of {row[1]} placed, on {row[3]}")
    rest = found[len(shown) :]
    if rest:
        pods = sum(item.placed + item.not_placed + item.gated for item in rest)
        placed = sum(item.placed for item in rest)
        page.part("", f"+{len(rest):,} owners, {placed:,} of {pods:,} pods placed (-o wide, -o json)")


def _owner_row(item: PlanOwner, most: int) -> tuple[str, ...]:
    nodes = sorted(item.on.items(), key=lambda pair: (-pair[1], pair[0]))
    told = [name if number == 1 else f"{name} x{number}" for name, number in nodes[:most]]
    told += [f"+{len(nodes) - most:,}"] if len(nodes) > most else []
    pods = item.placed + item.not_placed + item.gated
    return item.owner, f"{pods:,}", f"{item.placed:,}", ", ".join(told) or "-"


def _evictions(page: Page, document: SimulationPlan) -> None:
    if len(document.steps) <= STEPS_SHOWN:
        return
    steps = [step for step in document.steps if step.evicts]
    for number, step in enumerate(steps[:EVICTIONS_SHOWN]):
        more = f", +{len(step.evicts) - 2}" if len(step.evicts) > 2 else ""
        page.part("Evicts" if not number else "", f"{step.pod} on {step.node}: {', '.join(step.evicts[:2])}{more}")
    if len(steps) > EVICTIONS_SHOWN:
        page.part("", f"+{len(steps) - EVICTIONS_SHOWN:,} pods that evict others (-o json)")


def _causes(page: Page, document: SimulationPlan, style: Style) -> None:
    causes = document.causes
    if not causes:
        return
    waiting = sum(cause.count for cause in causes)
    page.part("Why", f"{waiting:,} not placed, most first, as each was tried")
    shown = causes if style.wide else causes[:CAUSES_SHOWN]
    for cause in shown:
        word = {"gated": "GATED ", "failed": "FAILED "}.get(cause.result, "")
        page.counted(cause.count, f"{word}{cause.because.text}")
        page.detail(owners(cause.owners))
        if cause.attempt and sum(bool(other.attempt) for other in causes) > 1:
            page.detail(f"Try  {cause.attempt}")
    if len(causes) > len(shown):
        rest = causes[len(shown) :]
        page.detail(f"{len(rest)} more causes, {sum(cause.count for cause in rest):,} pods (-o wide)", 9)
    failing = [cause for cause in causes if cause.group is not None]
    if len(failing) == 1 and failing[0].group is not None:
        page.part("Nearest", f"for {failing[0].pod}, in the first of {failing[0].groups} groups of nodes")
        group_lines(page, failing[0].group)
        if failing[0].preempt:
            page.part("Preempt", failing[0].preempt)


def plugins(document: PluginReference, style: Style) -> str:
    """Lay out plugins: one in full, several in a line each."""
    page = style.page()
    if len(document.plugins) == 1:
        plugin(page, document.plugins[0])
        return page.text()
    width = max((len(item.name) for item in document.plugins), default=0)
    for item in document.plugins:
        room = page.width - width - 2
        page.detail(f"{item.name:<{width}}  {textwrap.shorten(item.summary, room, placeholder=' ...')}", 0)
    return page.text()


def plugin(page: Page, item: PluginText) -> None:
    """Lay out one plugin with its four headings."""
    page.detail(f"{item.name}: {item.summary}", 0)
    page.blank()
    for head, text in (
        ("Points", ", ".join(item.points)),
        ("What it checks", item.checks),
        ("Rejects with", item.rejects),
        ("Not modelled", item.not_modelled),
        ("Source", item.source),
    ):
        page.detail(f"{head}:", 0)
        page.detail(text, 4)
