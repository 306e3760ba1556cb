"""Text of ``kplan sweep``: those that do not fit, worst first; where numbers are the answer, all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kplan.render.text.layout import Page
from kplan.render.text.shared import notes, origin, plan_head
from kplan.render.text.style import Style
from kplan.render.text.whatif import what_if_lines
from kplan.result.document_sweep import SweepOutcome, SweepReport
from kplan.words import count

ROWS_SHOWN = 15
CAUSES_SHOWN = 6
COLUMNS_SHOWN = 6
NAMES_SHOWN = 2
_NONE = "-"

_COLUMNS: tuple[tuple[str, Callable[[SweepOutcome], int | None]], ...] = (
    ("pods", lambda outcome: outcome.pods if outcome.fits is None else None),
    ("placed", lambda outcome: outcome.placed if outcome.fits is None else None),
    ("wanted", lambda outcome: outcome.pods if outcome.fits is not None and outcome.pending else None),
    ("fit", lambda outcome: outcome.fits),
    ("nodes", lambda outcome: outcome.nodes),
    ("Pending", lambda outcome: outcome.pending),
    ("held", lambda outcome: outcome.held),
    ("GONE", lambda outcome: outcome.gone),
    ("evicts", lambda outcome: outcome.evicted),
)
"""Columns, and what is in each; one that is empty for all is left out."""


def sweep(document: SweepReport, style: Style) -> str:
    """Lay out a sweep."""
    page = style.page()
    plan_head(page, document)
    if style.quiet:
        return page.text()
    page.blank()
    what_if_lines(page, document.what_if, everything=style.wide)
    if style.wide or not _matrix(page, document):
        _rows(page, document, everything=style.wide)
    _causes(page, document, everything=style.wide)
    _fullest(page, document)
    notes(page, document.notes)
    origin(page, document.origin)
    return page.text()


def _matrix(page: Page, document: SweepReport) -> bool:
    """Write replicas, or nodes, by the points of two axes, if that is what was asked and there is room."""
    if len(document.axes) != 2 or any(outcome.fits is None for outcome in document.outcomes):
        return False
    down, across = document.axes
    if len(across.points) > COLUMNS_SHOWN or len(down.points) > ROWS_SHOWN:
        return False
    sized = any(outcome.nodes is not None for outcome in document.outcomes)
    cells = {outcome.at: _cell(outcome, sized=sized) for outcome in document.outcomes}
    rows = [[row, *(cells.get((row, column), _NONE) for column in across.points)] for row in down.points]
    return page.table("Nodes" if sized else "Fit", [down.name, *across.points], rows, range(1, len(across.points) + 1))


def _cell(outcome: SweepOutcome, *, sized: bool) -> str:
    if outcome.nodes is not None:
        return f"{outcome.nodes:,}"
    if outcome.pending:
        return "no help" if sized else f"{outcome.fits:,} of {outcome.pods:,}"
    return f"{outcome.fits:,} fit" if sized else f"{outcome.fits:,}"


def _rows(page: Page, document: SweepReport, *, everything: bool) -> None:
    """Write a row for each scenario that does not fit, worst first; for all of them where numbers are the answer."""
    numbers = any(outcome.fits is not None for outcome in document.outcomes)
    told = [outcome for outcome in document.worst_first if everything or numbers or outcome.verdict != "FITS"]
    shown = told if everything else told[:ROWS_SHOWN]
    if not shown:
        return
    columns = [(head, number) for head, number in _COLUMNS if any(number(outcome) for outcome in shown)]
    heads = ["scenario", *(head for head, _ in columns), "verdict"]
    cells = [[outcome.name, *(_number(number(outcome)) for _, number in columns), outcome.verdict] for outcome in shown]
    if everything:
        heads.append("because")
        cells = [
            [*row, outcome.because.text if outcome.because else ""] for row, outcome in zip(cells, shown, strict=True)
        ]
    label = "Worst" if len(shown) > 1 else "Case"
    if not page.table(label, heads, cells, range(1, len(columns) + 1)):
        page.parts(label, (_line(heads, row) for row in cells))
    page.more(len(told) - len(shown), where="all: -o wide; those that do not fit, by name: -o name")


def _line(heads: Sequence[str], row: Sequence[str]) -> str:
    pairs = zip(heads[1:], row[1:], strict=True)
    words = [cell if head == "verdict" else f"{head} {cell}" for head, cell in pairs if cell not in ("", _NONE)]
    return f"{row[0]}: {', '.join(words)}"


def _number(number: int | None) -> str:
    return f"{number:,}" if number else _NONE


def _causes(page: Page, document: SweepReport, *, everything: bool) -> None:
    """Write what is in the way, the most common first, with the worst scenario of each."""
    causes: dict[str, list[SweepOutcome]] = {}
    for outcome in document.worst_first:
        if outcome.verdict != "FITS" and outcome.because is not None:
            causes.setdefault(outcome.because.code, []).append(outcome)
    if sum(map(len, causes.values())) < 2:
        return  # Because has told it
    page.part("Why", f"{count(len(causes), 'cause')}, each as in its worst scenario")
    order = sorted(causes.values(), key=len, reverse=True)
    shown = order if everything else order[:CAUSES_SHOWN]
    for some in shown:
        _cause(page, some, len(some) if everything else NAMES_SHOWN)
    if len(order) > len(shown):
        page.part("", f"{count(len(order) - len(shown), 'more cause')} (-o wide)")


def _cause(page: Page, some: Sequence[SweepOutcome], most: int) -> None:
    """Write one cause; where other pods, or other numbers, are told of each scenario, each with its own."""
    more = [f"+{len(some) - most:,}"] if some[most:] else []
    texts = [outcome.because.text if outcome.because is not None else "" for outcome in some]
    if len(set(texts)) == 1:
        page.counted(len(some), texts[0])
        page.detail("; ".join([*(outcome.name for outcome in some[:most]), *more]))  # a name may hold commas
        return
    first, *others = (f"{outcome.name}: {text}" for outcome, text in zip(some[:most], texts, strict=False))
    page.counted(len(some), first)
    for line in (*others, *more):
        page.detail(line)


def _fullest(page: Page, document: SweepReport) -> None:
    """Write where the least is left; not of replicas that are counted, as these are in no cluster."""
    outcomes = [outcome for outcome in document.outcomes if outcome.fullest is not None and outcome.fits is None]
    known = [(outcome.fullest.percent, -outcome.number, outcome) for outcome in outcomes if outcome.fullest is not None]
    if not known:
        return
    percent, _, sweep_outcome = max(known)
    assert sweep_outcome.fullest is not None
    page.part("Fullest", f"{sweep_outcome.fullest.resource} {percent:,}% requested, {sweep_outcome.name}")
