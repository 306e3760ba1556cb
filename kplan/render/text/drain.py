"""Text of ``kplan drain``."""

from __future__ import annotations

from collections.abc import Sequence

from kplan.render.text.fitting import Fitting
from kplan.render.text.layout import LABEL, Page, WordCell
from kplan.render.text.shared import groups_lines, notes, origin, plan_page
from kplan.render.text.style import Style
from kplan.render.text.turns import fullness_lines, turn_lines
from kplan.render.tones import harm
from kplan.result.document_drain import BudgetAfter, DrainedPod, DrainFix, DrainPlan, NodeVerdict
from kplan.result.document_whatif import Move
from kplan.words import count

PODS_SHOWN = 16
FOUND_SHOWN = 12


def drain(document: DrainPlan, style: Style) -> str:
    """Lay out a drain, or which nodes could go."""
    page = plan_page(document, style)
    if style.quiet:
        return page.text()
    if document.found:
        _found(page, document.found, everything=style.wide)
    if document.turns:
        turn_lines(page, document.turns, everything=style.wide)
    if style.wide or not document.turns:
        _pods(page, document, document.pods, everything=style.wide)
    else:
        named = [pod for pod in document.pods if _to_name(pod)]
        _pods(page, document, named, everything=False)
        page.more(sum(pod.fate != "stays" for pod in document.pods) - len(named), "pods, each with its place")
    page.parts("Cascade", map(_evicted, document.cascade))
    page.parts("After", map(_after, document.after))
    fullness_lines(page, document.fullness, everything=style.wide)
    if document.group is not None:
        page.part("Why", f"{document.left}, nearest first")
        drained = "".join(f" --drain {node}" for node in document.nodes)
        groups_lines(page, document, wide=style.wide, where=f"kplan explain pod {document.left}{drained} -o wide")
    _fixes(page, document.fixes, document.no_help)
    notes(page, document.notes)
    if document.needs and document.pods:
        page.part("Needs", document.needs)
    if document.kubectl and document.pods:
        page.part("kubectl", document.kubectl)
    if document.clock:
        page.part("Time", document.clock)
    origin(page, document.origin)
    return page.text()


def _evicted(move: Move) -> str:
    where = f"-> {move.node}" if move.node else f"Pending: {move.because.text if move.because else ''}"
    return f"{move.instead_of or move.pod}, evicted on {move.was}, {where}"


def _after(budget: BudgetAfter) -> str:
    ready = f"{', '.join(budget.owners)} {budget.healthy} of {budget.expected} ready"
    return f"{ready}, {budget.budget.partition('/')[2]} allows {budget.allows}"


def _to_name(pod: DrainedPod) -> bool:
    """Whether a pod is named beside the turns of a rolling drain: what is stuck, is lost, waits or evicts others."""
    return pod.fate != "stays" and (_stuck(pod) or bool(pod.note or pod.evicts or pod.waits_for))


def _pods(page: Page, document: DrainPlan, pods: Sequence[DrainedPod], *, everything: bool) -> None:
    ordered = sorted(pods, key=lambda pod: (_harm(pod), pod.number, pod.pod))
    shown = ordered if everything else ordered[:PODS_SHOWN]
    several = len(document.nodes) > 1
    heads = ("#", "pod", *(("node",) if several else ()), "budget", "lands on", "note")
    rows = [_row(pod, several=several) for pod in shown]
    last = len(heads) - 1
    names = Fitting(names=(1, 2, last - 1) if several else (1, last - 1), wraps=(last - 2, last))
    if rows and not page.table("Pods", heads, rows, (0,), fitting=names):
        page.parts("Pods", map("  ".join, rows))
    page.more(len(pods) - len(shown), "pods that are placed or stay")


def _harm(pod: DrainedPod) -> int:
    """What has no place, or cannot go, stands first; what has to do nothing last."""
    return 0 if _stuck(pod) else harm([pod.fate])


def _stuck(pod: DrainedPod) -> bool:
    return pod.because is not None or pod.fate in ("refused", "waits")


def _row(pod: DrainedPod, *, several: bool) -> tuple[str, ...]:
    lands = WordCell(pod.fate) if pod.fate in ("stays", "refused", "waits") else pod.lands_on
    lands = lands or (WordCell("Pending") if pod.instead else "-")
    note = pod.note
    if pod.after_deletion:
        note = ", ".join(filter(None, (f"once {pod.node} is deleted", note)))
    if pod.waits_for:
        note = ", ".join(filter(None, (f"Pending from turn {pod.waits_from} until {pod.waits_for} is back", note)))
    if pod.evicts:
        note = ", ".join(filter(None, (f"evicts {', '.join(pod.evicts[:2])}", note)))
    number = str(pod.number) if pod.number else "-"
    return number, pod.pod, *((pod.node,) if several else ()), pod.budget or "-", lands, note


def _fixes(page: Page, fixes: tuple[DrainFix, ...], no_help: tuple[str, ...]) -> None:
    if not fixes and not no_help:
        return
    page.part("Fix", "each one tried")
    for number, fix in enumerate(fixes, 1):
        page.detail(f"{number}  {fix.text} -> {fix.effect}", LABEL)
    if no_help:
        page.detail(f"no help: {'; '.join(no_help)}", LABEL)


def _found(page: Page, verdicts: tuple[NodeVerdict, ...], *, everything: bool) -> None:
    going = [verdict for verdict in verdicts if verdict.goes]
    staying = [verdict for verdict in verdicts if not verdict.goes]
    for label, nodes in (("Go", going), ("Stay", staying)):
        shown = nodes if everything else nodes[:FOUND_SHOWN]
        page.parts(
            label, (f"{verdict.node}: {verdict.because}" if verdict.because else _moving(verdict) for verdict in shown)
        )
        page.more(len(nodes) - len(shown), "nodes")


def _moving(verdict: NodeVerdict) -> str:
    return f"{verdict.node}, {count(verdict.pods, 'pod')} {'moves' if verdict.pods == 1 else 'move'}"
