"""Text of the story of one node."""

from __future__ import annotations

from kplan.render.text.fitting import Fitting
from kplan.render.text.layout import LABEL, Page
from kplan.render.text.nodes import bar, part, percent
from kplan.render.text.shared import headline, more_of, notes, origin, owners
from kplan.render.text.style import Style, one_screen
from kplan.render.text.whatif import goes_on
from kplan.result.document_nodes import NodeExplanation, NodeLoss, NodePod, NodeRefusal, NodeRow
from kplan.words import count, listed, short_amounts, short_name

CAUSES_SHOWN = 5
RUNS_SHOWN = 6
_ALWAYS = ("cpu", "memory")
_SECONDARY = ("ephemeral-storage", "hugepages-", "attachable-volumes-")


def node_explanation(document: NodeExplanation, style: Style) -> str:
    """Lay out why pods do or do not land on a node; as many causes as one screen holds."""
    return one_screen(style, CAUSES_SHOWN, lambda page, most: _all(page, document, style, most))


def _all(page: Page, document: NodeExplanation, style: Style, most: int) -> None:
    """Lay out everything, with so many causes of each kind."""
    headline(page, document)
    if not goes_on(page, document.what_if, style):
        return
    _node(page, document)
    _use(page, document.node, wide=style.wide)
    _refused(page, document, most, wide=style.wide)
    _lost(page, document, most, wide=style.wide)
    _evicting(page, document)
    _runs(page, document.runs, wide=style.wide)
    notes(page, document.notes)
    origin(page, document.origin)


def _node(page: Page, document: NodeExplanation) -> None:
    told = [document.about] if document.about else []
    told += [*document.node.closed, *(f"taint {text}" for text in document.node.taints), *document.conditions]
    page.parts("Node", told or ["open: no taint that keeps pods away, no bad condition"])


def _use(page: Page, node: NodeRow, *, wide: bool) -> None:
    rows = []
    for name, use in node.resources.items():
        if not wide and name.startswith(_SECONDARY) and not use.requested:
            continue
        numbers = (use.requested, use.allocatable, use.free, use.terminating)
        requested, allocatable, free, gone = short_amounts(name, numbers, exact=wide or name == "cpu")
        leaving = f"{gone} of it is leaving" if use.terminating else ""
        rows.append(
            [
                short_name(name, list(node.resources)),
                bar(part(use.requested, use.allocatable)),
                percent(use.requested, use.allocatable),
                f"{requested} of {allocatable}",
                f"free {free}",
                leaving,
            ]
        )
    leaving = f"{node.terminating} of them leaving" if node.terminating else ""
    free = f"free {node.allowed_pods - node.pods}"
    used = percent(node.pods, node.allowed_pods)
    full = part(node.pods, node.allowed_pods) if node.allowed_pods else 100.0
    rows.append(["pods", bar(full), used, f"{node.pods} of {node.allowed_pods}", free, leaving])
    heads = ("", "0     100%", "", "requested", "", "")
    if not page.table("Use", heads, rows, (2,), splits=False):
        page.parts("Use", (f"{row[0]} {row[2]}: {row[3]}, {row[4]} {row[5]}" for row in rows))
    if node.kept:
        page.part("", f"room is kept for {count(node.kept, 'nominated pod')}")


def _refused(page: Page, document: NodeExplanation, most: int, *, wide: bool) -> None:
    refused = document.refused
    if not refused:
        return
    total = sum(item.count for item in refused)
    page.part("Refuses", f"{count(total, 'pod')}, by cause")
    shown = refused if wide else refused[:most]
    for item in shown:
        page.counted(item.count, item.text)
        page.detail(_who(item))
        if item.nearest and item.count > 1:
            page.detail(f"nearest: {item.nearest}")
        if wide:
            for message in item.messages:
                page.detail(message, 13)
    more_of(page, refused[len(shown) :], "more cause")


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
    for label, items, single, many in (
        ("Loses", loses, "that fits, while another node wins", "that fit, while another node wins"),
        ("Takes", lands, "", ""),
    ):
        if not items:
            continue
        total = sum(item.count for item in items)
        page.part(label, f"{count(total, 'pod')} {single if total == 1 else many}".strip())
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
        page.detail(f"{len(rest)} more, {count(sum(item.count for item in rest), 'pod')} (-o wide)", LABEL)


def _evicting(page: Page, document: NodeExplanation) -> None:
    if document.evicting:
        names = listed(document.evicting)
        page.part("Evicts", f"would be placed here after evictions: {names} (kplan explain pod NAME)")


def _runs(page: Page, runs: tuple[NodePod, ...], *, wide: bool) -> None:
    if not runs:
        page.part("Runs", "nothing")
        return
    shown = runs if wide else runs[:RUNS_SHOWN]
    extra = sorted({name for item in shown for name in item.amounts if name not in _ALWAYS})
    extra = [name for name in extra if wide or not name.startswith(_SECONDARY)]
    names = [*_ALWAYS, *extra]
    heads = ["pod", *(short_name(name, names) for name in names), "priority", ""]
    columns = {name: short_amounts(name, [item.amounts.get(name) for item in shown], exact=wide) for name in names}
    rows = [
        [
            item.pod,
            *(columns[name][number] for name in names),
            str(item.priority),
            item.note,
        ]
        for number, item in enumerate(shown)
    ]
    fitting = Fitting(names=(0,), wraps=(len(heads) - 1,))
    page.table("Runs", heads, rows, range(1, len(heads) - 1), fitting=fitting)
    page.more(len(runs) - len(shown), "smaller ones")
