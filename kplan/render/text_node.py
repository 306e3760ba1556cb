"""Text of the story of one node."""

from __future__ import annotations

from functools import partial

from kplan.render.layout import Page
from kplan.render.text import Style, doubts, origin, owners
from kplan.render.text_nodes import bar, percent
from kplan.render.text_whatif import what_if_lines
from kplan.result.amounts import short, short_name
from kplan.result.document_nodes import NodeExplanation, NodeLoss, NodePod, NodeRefusal, NodeRow

CAUSES_SHOWN = 5
SCREEN = 40
"""Lines of one screen."""
RUNS_SHOWN = 6
NAME = 40
"""Longest name of a pod; of a longer one the middle is left out."""
_ORDINARY = ("", "static", "DaemonSet")
"""Notes that are left out where there is no room."""
_ALWAYS = ("cpu", "memory")
_SECONDARY = ("ephemeral-storage", "hugepages-", "attachable-volumes-")


def node_explanation(document: NodeExplanation, style: Style) -> str:
    """Lay out why pods do or do not land on a node; as many causes as one screen holds."""
    page = style.page()
    for most in range(CAUSES_SHOWN, 0, -1):
        page = style.page()
        _all(page, document, style, most)
        if style.wide or len(page.lines) <= SCREEN:
            break
    return page.text()


def _all(page: Page, document: NodeExplanation, style: Style, most: int) -> None:
    """Lay out everything, with so many causes of each kind."""
    page.verdict(f"{document.verdict}{'?' if document.doubts else ''}", document.sentence)
    doubts(page, document.doubts)
    if document.because is not None:
        page.part("Because", document.because.text)
    if style.quiet:
        return
    page.blank()
    what_if_lines(page, document.what_if, everything=style.wide)
    _node(page, document)
    _use(page, document.node, wide=style.wide)
    _refused(page, document, most, wide=style.wide)
    _lost(page, document, most, wide=style.wide)
    _evicting(page, document)
    _runs(page, document.runs, wide=style.wide)
    for note in document.notes:
        page.part("Note", note)
    origin(page, document.origin)


def _node(page: Page, document: NodeExplanation) -> None:
    told = []
    if document.about:
        told.append(document.about)
    told += [f"{text}" for text in document.node.closed]
    told += [f"taint {text}" for text in document.node.taints]
    told += list(document.conditions)
    for number, text in enumerate(told or ["open: no taint that keeps pods away, no bad condition"]):
        page.part("Node" if not number else "", text)


def _use(page: Page, node: NodeRow, *, wide: bool) -> None:
    rows = []
    for name, use in node.resources.items():
        if not wide and name.startswith(_SECONDARY) and not use.requested:
            continue
        written = partial(short, name, exact=wide or name == "cpu")
        leaving = f"{written(use.terminating)} of it is leaving" if use.terminating else ""
        rows.append(
            [
                short_name(name, list(node.resources)),
                bar(100 * use.requested / use.allocatable if use.allocatable > 0 else 100.0 * (use.requested > 0)),
                percent(use.requested, use.allocatable),
                f"{written(use.requested)} of {written(use.allocatable)}",
                f"free {written(use.free)}",
                leaving,
            ]
        )
    part = 100 * node.pods / node.allowed_pods if node.allowed_pods > 0 else 100.0
    leaving = f"{node.terminating} of them leaving" if node.terminating else ""
    free = f"free {node.allowed_pods - node.pods}"
    used = percent(node.pods, node.allowed_pods)
    rows.append(["pods", bar(part), used, f"{node.pods} of {node.allowed_pods}", free, leaving])
    heads = ("", "", "", "requested", "", "")
    if not page.table("Use", heads, rows, (2,)):
        for number, row in enumerate(rows):
            page.part("Use" if not number else "", f"{row[0]} {row[2]}: {row[3]}, {row[4]} {row[5]}")
    if node.kept:
        page.part("", f"room is kept for {node.kept} nominated {'pod' if node.kept == 1 else 'pods'}")


def _refused(page: Page, document: NodeExplanation, most: int, *, wide: bool) -> None:
    refused = document.refused
    if not refused:
        return
    total = sum(item.count for item in refused)
    page.part("Refuses", f"{total:,} {'pod' if total == 1 else 'pods'}, by cause")
    shown = refused if wide else refused[:most]
    for item in shown:
        page.counted(item.count, item.text)
        page.detail(_who(item))
        if item.nearest and item.count > 1:
            page.detail(f"nearest: {item.nearest}")
        if wide:
            for message in item.messages:
                page.detail(message, 13)
    if len(refused) > len(shown):
        rest = refused[len(shown) :]
        pods = sum(item.count for item in rest)
        page.detail(f"{len(rest)} more {'cause' if len(rest) == 1 else 'causes'}, {pods:,} pods (-o wide)", 9)


def _who(item: NodeRefusal) -> str:
    text = owners(item.owners)
    if item.elsewhere == item.count:
        return f"{text}; {'it fits' if item.count == 1 else 'all fit'} elsewhere"
    if item.elsewhere:
        return f"{text}; {item.elsewhere:,} fit elsewhere"
    return f"{text}; {'fits' if item.count == 1 else 'fit'} nowhere"


def _lost(page: Page, document: NodeExplanation, most: int, *, wide: bool) -> None:
    loses = [item for item in document.lost if item.result in ("loses", "nominated")]
    lands = [item for item in document.lost if item.result in ("lands", "ties")]
    for label, items, one, many in (
        ("Loses", loses, "that fits, while another node wins", "that fit, while another node wins"),
        ("Takes", lands, "", ""),
    ):
        if not items:
            continue
        total = sum(item.count for item in items)
        pods = f"{total:,} {'pod' if total == 1 else 'pods'}"
        page.part(label, f"{pods} {one if total == 1 else many}".strip())
        _loss_lines(page, items, most, wide=wide)


def _loss_lines(page: Page, items: list[NodeLoss], most: int, *, wide: bool) -> None:
    shown = items if wide else items[:most]
    for item in shown:
        page.counted(item.count, item.text)
        page.detail(owners(item.owners))
        race = item.closest
        if race is not None and item.text != race.text and item.result == "loses":
            page.detail(f"closest: {race.pod}, {race.text}")
        if wide and race is not None and race.gaps:
            page.detail(", ".join(f"{plugin} {gap:+d}" for plugin, gap in race.gaps.items()), 13)
    if len(items) > len(shown):
        rest = items[len(shown) :]
        page.detail(f"{len(rest)} more, {sum(item.count for item in rest):,} pods (-o wide)", 9)


def _evicting(page: Page, document: NodeExplanation) -> None:
    if document.evicting:
        names = ", ".join(document.evicting[:3])
        more = f", +{len(document.evicting) - 3:,}" if len(document.evicting) > 3 else ""
        page.part("Evicts", f"would be placed here after evictions: {names}{more} (kplan explain pod NAME)")


def _runs(page: Page, runs: tuple[NodePod, ...], *, wide: bool) -> None:
    if not runs:
        page.part("Runs", "nothing")
        return
    shown = runs if wide else runs[:RUNS_SHOWN]
    extra = sorted({name for item in shown for name in item.amounts if name not in _ALWAYS})
    extra = [name for name in extra if wide or not name.startswith(_SECONDARY)]
    names = [*_ALWAYS, *extra]
    heads = ["pod", *(short_name(name, names) for name in names), "priority", ""]
    rows = [
        [
            item.pod if wide or len(item.pod) <= NAME else f"{item.pod[: NAME - 14]}..{item.pod[-12:]}",
            *(short(name, item.amounts[name], exact=wide) if name in item.amounts else "-" for name in names),
            str(item.priority),
            item.note,
        ]
        for item in shown
    ]
    right = range(1, len(heads) - 1)
    if not page.table("Runs", heads, rows, right):
        slim = [[*row[:-1], ""] for row in rows]
        if not page.table("Runs", heads, slim, right):
            for number, item in enumerate(shown):
                taken = ", ".join(f"{short(name, amount)} {name}" for name, amount in item.amounts.items())
                page.part("Runs" if not number else "", f"{item.pod}  {taken or 'no request'}")
        else:
            for item in shown:
                if item.note not in _ORDINARY:
                    page.part("", f"{item.pod}: {item.note}")
    if len(runs) > len(shown):
        page.part("", f"+{len(runs) - len(shown):,} smaller ones (-o wide)")
