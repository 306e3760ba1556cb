"""Text of a simulation."""

from __future__ import annotations

from kplan.render.text.fitting import Fitting
from kplan.render.text.groups import groups
from kplan.render.text.layout import Page, WordCell
from kplan.render.text.rollout import attempt, changes, edit_text, quotas, rollout_steps, rollouts
from kplan.render.text.shared import groups_lines, headline, more_of, notes, origin, owners
from kplan.render.text.style import Style
from kplan.render.text.versions import under_lines
from kplan.render.text.whatif import goes_on
from kplan.render.tones import harm
from kplan.result.document_plan import PlanOwner, SimulationPlan
from kplan.words import listed, tallied

CAREFUL_SHOWN = 2
CAUSES_SHOWN = 6
OWNERS_SHOWN = 10
STEPS_SHOWN = 12
EVICTIONS_SHOWN = 6
NODES_SHOWN = 3
RISKS_SHOWN = 6
_BELOW_TRY = 16


def simulation(document: SimulationPlan, style: Style) -> str:
    """Lay out a plan: what is placed, what is not and why, folded by owner."""
    page = style.page()
    headline(page, document)
    asked = [cause for cause in document.causes[:1] if cause.waiting < cause.count]
    tried = [(cause.attempt, cause.edits, cause.other) for cause in asked]
    tried += [(rollout.attempt, rollout.edits, rollout.other) for rollout in document.rollouts]
    tried += [(change.attempt, change.edits, "") for change in document.change]
    for change, edits, other in [way for way in tried if way[0]][:1]:
        attempt(page, change, edits)
        if other:
            page.part("Or", other)
    for text in document.careful[: None if style.wide else CAREFUL_SHOWN]:
        page.part("Careful", text)
    under_lines(page, document, everything=style.wide)
    if not goes_on(page, document.what_if, style):
        return page.text()
    changes(page, document.change, everything=style.wide)
    rollouts(page, document.rollouts, everything=style.wide)
    groups(page, document.groups, everything=style.wide)
    _totals(page, document)
    _runs(page, document, everything=style.wide)
    if len(document.steps) <= STEPS_SHOWN or style.wide:
        _steps(page, document)
    elif _others(document):
        _where(page, document.owners, everything=style.wide)
    _evictions(page, document)
    _causes(page, document, style)
    quotas(page, document, everything=style.wide)
    notes(page, document.notes)
    origin(page, document.origin)
    return page.text()


def _totals(page: Page, document: SimulationPlan) -> None:
    totals = document.totals
    if not totals.pods or not _others(document):
        return
    text = f"{totals.placed:,} placed + {totals.not_placed:,} not placed + {totals.gated:,} gated = {totals.pods:,}"
    if totals.placed_before:
        text += f"; what-ifs placed {totals.placed_before:,} before"
    if totals.evicted:
        text += f"; {totals.evicted:,} evicted, {totals.returned:,} of them back in the queue and counted again"
    page.part("Pods", text)


def _runs(page: Page, document: SimulationPlan, *, everything: bool) -> None:
    runs = document.runs
    if runs is None:
        return
    page.part("Runs", runs.text)
    shown = runs.risks if everything else runs.risks[:RISKS_SHOWN]
    page.parts("At risk", shown)
    page.more(len(runs.risks) - len(shown))


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
    for number, step in sorted(enumerate(document.steps, 1), key=lambda item: harm([item[1].result])):
        note = f"evicts {listed(step.evicts, most=2)}" if step.evicts else ""
        note = note or (f"one of {step.tie} that tie" if step.tie else "") or step.cause
        takes = listed([name.rpartition("/")[2] for name in step.devices], most=4)
        note = "; ".join(filter(None, (note, takes and f"takes {takes}", step.permit)))
        note = f"comes back; {note}".strip("; ") if step.returned else note
        node = step.node or WordCell({"pending": "Pending", "gated": "Gated", "failed": "Failed"}[step.result])
        rows.append((str(number), step.pod, node, note))
    names = Fitting(names=(1, 2), wraps=(3,))
    if rows and not page.table("Steps", ("#", "pod", "node", ""), rows, (0,), fitting=names):
        page.parts("Steps", ("  ".join(filter(None, row)) for row in rows))


def _where(page: Page, owners: tuple[PlanOwner, ...], *, everything: bool) -> None:
    shown = owners if everything else owners[:OWNERS_SHOWN]
    heads = ("owner", "pods", "placed", "on")
    rows: list[tuple[str, ...]] = []
    for most in range(NODES_SHOWN, 0, -1):
        rows = [_owner_row(item, most) for item in shown]
        names = Fitting(names=(0, 3)) if most == 1 else None
        if not rows or page.table("Where", heads, rows, (1, 2), fitting=names):
            break
    else:
        page.parts("Where", (f"{owner}: {placed} of {pods} placed, on {on}" for owner, pods, placed, on in rows))
    rest = owners[len(shown) :]
    if rest:
        pods = sum(item.placed + item.not_placed + item.gated for item in rest)
        placed = sum(item.placed for item in rest)
        page.part("", f"+{len(rest):,} owners, {placed:,} of {pods:,} pods placed (-o wide, -o json)")


def _owner_row(item: PlanOwner, most: int) -> tuple[str, ...]:
    nodes = dict(sorted(item.on.items(), key=lambda pair: (-pair[1], pair[0])))
    pods = item.placed + item.not_placed + item.gated
    return item.owner, f"{pods:,}", f"{item.placed:,}", tallied(nodes, most) or "-"


def _evictions(page: Page, document: SimulationPlan) -> None:
    if len(document.steps) <= STEPS_SHOWN:
        return
    steps = [step for step in document.steps if step.evicts]
    shown = steps[:EVICTIONS_SHOWN]
    page.parts("Evicts", (f"{step.pod} on {step.node}: {listed(step.evicts, most=2)}" for step in shown))
    page.more(len(steps) - EVICTIONS_SHOWN, "pods that evict others", "-o json")


def _causes(page: Page, document: SimulationPlan, style: Style) -> None:
    causes = document.causes
    if not causes:
        return
    gated = sum(cause.count for cause in causes if cause.result == "gated")
    waiting = sum(cause.count for cause in causes) - gated
    told = [f"{number:,} {word}" for number, word in ((waiting, "not placed"), (gated, "gated")) if number]
    page.part("Why", f"{', '.join(told)}, most first, as each was tried")
    shown = causes if style.wide else causes[:CAUSES_SHOWN]
    helped = [cause for cause in causes if cause.attempt]
    if helped == [causes[0]] and helped[0].waiting < helped[0].count:
        helped = []  # told above, and the only one
    for cause in shown:
        word = {"gated": "GATED ", "failed": "FAILED "}.get(cause.result, "")
        page.counted(cause.count, f"{word}{cause.because.text}")
        page.detail(owners(cause.owners))
        if cause in helped:
            page.detail(f"Try  {cause.attempt}")
            for edit in cause.edits:
                page.detail(edit_text(edit), _BELOW_TRY)
    more_of(page, causes[len(shown) :], "more cause")
    failing = [cause for cause in causes if cause.group is not None]
    if len(failing) == 1:
        page.part("Nearest", f"for {failing[0].pod}")
        groups_lines(page, failing[0], wide=style.wide)
        if failing[0].preempt:
            page.part("Preempt", failing[0].preempt)
