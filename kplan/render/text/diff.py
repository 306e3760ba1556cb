"""Text of two plans side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from kplan.render.text.fitting import Fitting
from kplan.render.text.layout import Page
from kplan.render.text.shared import headline, notes, origin
from kplan.render.text.style import Style, one_screen
from kplan.result.document_diff import ClusterDiff, DiffFold, DiffMove, Packing
from kplan.words import count, short_amounts, short_name, tallied

MOVES_SHOWN = 8
LINES_SHOWN = 6
RESOURCES_SHOWN = 4
NODES_SHOWN = 2
_WORDS = {"tie": "a tie", "node": "a missing node", "evicted": "eviction", "state": "another state"}
_NOWHERE = {"placed": ("Pending", ""), "pending": ("", "Pending"), "new": ("-", "Pending"), "gone": ("Pending", "-")}


def diff(document: ClusterDiff, style: Style) -> str:
    """Lay out what differs: which pods are elsewhere, why, and how pods are packed; as much as one screen holds."""
    return one_screen(style, MOVES_SHOWN, lambda page, most: _all(page, document, style, most))


def _all(page: Page, document: ClusterDiff, style: Style, most: int) -> None:
    """Lay out everything, with so many moves."""
    headline(page, document)
    if style.quiet:
        return
    page.blank()
    _lines(page, "Rules", document.rules, wide=style.wide)
    _lines(page, "Nodes", document.objects, wide=style.wide)
    _moves(page, document, most, wide=style.wide)
    _lines(page, "Lands", tuple(f"{landing.pod} {landing.text}" for landing in document.landings), wide=style.wide)
    _packing(page, document, wide=style.wide)
    notes(page, document.notes)
    origin(page, document.a.origin)
    if document.b.origin != document.a.origin:
        origin(page, document.b.origin)


def _lines(page: Page, label: str, lines: Sequence[str], *, wide: bool) -> None:
    shown = lines if wide else lines[:LINES_SHOWN]
    page.parts(label, shown)
    page.more(len(lines) - len(shown))


def _moves(page: Page, document: ClusterDiff, most: int, *, wide: bool) -> None:
    moves = document.moves
    if not moves:
        return
    if len(moves) <= most or wide:
        heads = ["pod", "A", "B", "moved by"]
        rows = [[item.pod, *_ends(item), item.plugin or item.cause] for item in moves]
        if wide:
            heads = ["pod", "name in B", "A", "B", "moved by", "why"]
            rows = [[row[0], item.pod_b or "=", *row[1:], item.text] for row, item in zip(rows, moves, strict=True)]
        if page.table("Moves", heads, rows, fitting=Fitting(nodes=(1, 2), pods=(0,))):
            if not wide:
                _why(page, document)
            return
    folds = document.folds if wide else document.folds[:most]
    by = Counter(_WORDS.get(item.cause, "") or item.plugin or "cause not examined" for item in moves)
    page.part("Moves", f"{count(len(moves), 'pod')} by {', '.join(f'{name} {n:,}' for name, n in by.most_common(5))}")
    for fold in folds:
        page.counted(fold.count, f"{fold.owner}: {_fold_ends(fold)}")
        if fold.text:
            page.detail(fold.text)
    if len(document.folds) > len(folds):
        rest = document.folds[len(folds) :]
        page.detail(f"{len(rest):,} more, {sum(fold.count for fold in rest):,} pods (-o wide, -o json)", 9)


def _why(page: Page, document: ClusterDiff) -> None:
    """Why each is elsewhere; where there is but one, Because says it."""
    if len(document.moves) == 1 and document.because is not None:
        return
    page.parts("Why", (f"{item.pod}: {item.text}" for item in document.moves if item.text))


def _ends(item: DiffMove) -> tuple[str, str]:
    none_a, none_b = _NOWHERE.get(item.result, ("-", "-"))
    return item.a or none_a or "-", item.b or none_b or "-"


def _fold_ends(fold: DiffFold) -> str:
    none_a, none_b = _NOWHERE.get(fold.result, ("-", "-"))
    return f"{tallied(fold.a, NODES_SHOWN) or none_a or '-'} -> {tallied(fold.b, NODES_SHOWN) or none_b or '-'}"


def _packing(page: Page, document: ClusterDiff, *, wide: bool) -> None:
    a, b = document.a.packing, document.b.packing
    names = list(dict.fromkeys((*a.resources, *b.resources)))
    shown = names if wide else names[:RESOURCES_SHOWN]
    rows = []
    for name in shown:
        uses = [side.resources.get(name) for side in (a, b)]
        numbers = [number for use in uses for number in ((use.free, use.largest) if use is not None else (None, None))]
        texts = short_amounts(name, numbers, exact=wide)
        rows += [
            [short_name(name, names), "A", *_packed(a, name, texts[:2])],
            ["", "B", *_packed(b, name, texts[2:])],
        ]
    for name in dict.fromkeys((*a.devices, *b.devices)):
        rows += [[name, "A", *_devices(a, name)], ["", "B", *_devices(b, name)]]
    if rows:
        heads = ("", "", "used", "free", "largest", "unusable", "imbalance")
        page.table("Packing", heads, rows, range(2, 7))
        page.more(len(names) - len(shown), "resources")
    told = [f"nodes in use {a.used_nodes:,} -> {b.used_nodes:,}", f"waiting {a.waiting:,} -> {b.waiting:,}"]
    if a.within is not None and b.within is not None:
        told.append(f"cpu against memory within a node {a.within} -> {b.within} points")
    page.part("" if rows else "Packing", "; ".join(told))


def _devices(packing: Packing, name: str) -> list[str]:
    """A class of devices, in the columns of a resource."""
    total = packing.devices.get(name)
    if total is None:
        return ["-"] * 5
    return [
        f"{round(100 * total.used / total.devices, 1)}%",
        f"{total.free:,}",
        f"{total.largest:,}",
        "-" if total.fragmented is None else f"{total.fragmented}%",
        "-",
    ]


def _packed(packing: Packing, name: str, free_and_largest: Sequence[str]) -> list[str]:
    use = packing.resources.get(name)
    if use is None:
        return ["-"] * 5
    return [
        "-" if use.fullness is None else f"{use.fullness}%",
        *free_and_largest,
        "-" if use.fragmented is None else f"{use.fragmented}%",
        "-" if use.spread is None else f"{use.spread}",
    ]
