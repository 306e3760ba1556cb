"""Text of ``kplan moves``."""

from __future__ import annotations

from collections.abc import Callable

from kplan.render.text.fitting import Fitting
from kplan.render.text.layout import LABEL, Page
from kplan.render.text.shared import notes, origin, plan_page
from kplan.render.text.style import Style
from kplan.result.document_moves import BoxedNode, BoxedPod, MovesPlan, MovesWay, PodMove
from kplan.wording.moves import stay
from kplan.words import cores, count, in_millicores, listed, short_amount

BOXES_SHOWN = 4
PODS_SHOWN = 6


def moves(document: MovesPlan, style: Style) -> str:
    """Lay out moves."""
    page = plan_page(document, style)
    if style.quiet:
        return page.text()
    _moves(page, document.moves)
    if len(document.lands) > 1 and document.moves:
        page.parts("Then", (f"{land.pod} -> {land.node}" for land in document.lands))
    _boxes(page, document.boxes, everything=style.wide)
    _ways(page, document.ways)
    _steps(page, document.commands)
    if document.left_alone:
        page.part("Stay", ", ".join(stay(code, number) for code, number in document.left_alone.items()))
    notes(page, document.notes)
    origin(page, document.origin)
    return page.text()


def _moves(page: Page, shown: tuple[PodMove, ...]) -> None:
    heads = ("#", "pod", "from", "to", "budget", "note")
    rows = [_row(move) for move in shown]
    names = Fitting(names=(1, 2, 3), wraps=(4, 5))
    if rows and not page.table("Moves", heads, rows, (0,), fitting=names):
        page.parts("Moves", map("  ".join, rows))


def _row(move: PodMove) -> tuple[str, ...]:
    to = f"{move.to} (1 of {move.tie:,})" if move.tie else move.to
    return str(move.number), move.pod, move.home, to, move.budget or "-", ", ".join(move.notes) or "-"


def _ways(page: Page, ways: tuple[MovesWay, ...]) -> None:
    label = "Or"
    for way in ways:
        if way.moves:
            told = listed([f"{move.pod} {move.home} -> {move.to}" for move in way.moves], most=4)
            page.part(label, f"{way.text}: {count(len(way.moves), 'move')}, {told}")
        elif way.because is not None:
            page.part(label, f"{way.text}: {way.because.text}")
        label = ""


def _steps(page: Page, commands: tuple[str, ...]) -> None:
    """Write commands as they are typed: a line that is broken could not be."""
    page.lines += [f"{'' if number else 'Steps':<{LABEL}}{command}" for number, command in enumerate(commands)]


def _boxes(page: Page, nodes: tuple[BoxedNode, ...], *, everything: bool) -> None:
    """Draw nodes before and after: ``-`` at a pod that leaves, ``+`` at one that lands, ``*`` at one that is wanted."""
    shown = nodes if everything else nodes[:BOXES_SHOWN]
    write = _one_unit(shown)
    for number, node in enumerate(shown):
        page.part("" if number else "Boxes", f"{node.node}, {write(node.resource, node.allocatable)} {node.resource}")
        page.detail(f"before  {_drawn(node, node.before, write, everything=everything)}", LABEL + 2)
        page.detail(f"after   {_drawn(node, node.after, write, everything=everything)}", LABEL + 2)
    page.more(len(nodes) - len(shown), "nodes")


def _one_unit(nodes: tuple[BoxedNode, ...]) -> Callable[[str, int], str]:
    """What writes the amounts of boxes, of cpu all in one unit."""
    numbers = [pod.amount for node in nodes for pod in (*node.before, *node.after)]
    numbers += [node.allocatable for node in nodes]
    milli = in_millicores(numbers)

    def write(resource: str, amount: int) -> str:
        if resource != "cpu":
            return short_amount(resource, amount)
        return f"{amount}m" if milli and amount else cores(amount)

    return write


def _drawn(node: BoxedNode, pods: tuple[BoxedPod, ...], write: Callable[[str, int], str], *, everything: bool) -> str:
    free = node.allocatable - sum(pod.amount for pod in pods)
    changing = [pod for pod in pods if pod.change]
    staying = [pod for pod in pods if not pod.change and pod.amount]
    shown = staying if everything else staying[:PODS_SHOWN]
    marks = {"leaves": "-", "lands": "+", "wanted": "*", "": ""}
    told = [f"[{marks[p.change]}{p.pod} {write(node.resource, p.amount)}]" for p in [*changing, *shown]]
    told += [f"[+{len(staying) - len(shown)} pods]"] if len(staying) > len(shown) else []
    return " ".join([*told, f"free {write(node.resource, free)}"])
