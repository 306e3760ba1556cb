"""Text of nodes: totals, pools, and a line a node with bars; cut in the middle where there are many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from kplan.render.heads import MEANINGS, heads_of
from kplan.render.text.fitting import INDENT
from kplan.render.text.layout import LABEL, Page
from kplan.render.text.shared import cause_lines, origin, verdict
from kplan.render.text.style import Style
from kplan.render.text.whatif import goes_on
from kplan.result.document_nodes import NodeList, NodeRow, Pool, ResourceTotal, ResourceUse
from kplan.words import count, listed, short_amount, short_amounts, short_name

ROWS_SHOWN = 24
"""Nodes up to which every one has a line."""
FIRST, LAST = 9, 5
"""Lines of more nodes than that: the first and the last."""
FEWER_FIRST, FEWER_LAST = 5, 3
"""Those of nodes whose names have lines of their own."""
LINES_SHOWN = 26
"""Lines of nodes that leave room on a screen for what is told of all of them."""
POOLS_SHOWN = 6
TOTALS_SHOWN = 6
_LAYOUTS = (
    *((width, True, False) for width in (10, 5)),
    *((width, False, False) for width in (10, 5, 4)),
    *((0, notes, False) for notes in (True, False)),
    *((width, notes, True) for notes in (True, False) for width in (10, 5, 4)),
    *((0, notes, True) for notes in (True, False)),
)
"""Width of bars, whether notes have a column, whether names have lines of their own; the best first."""
_NOT_TOLD = ("hugepages-", "attachable-volumes-")
_SECONDARY = ("ephemeral-storage", *_NOT_TOLD)
_NODE_RESOURCES = ("cpu", "memory", "ephemeral-storage", "pods")


def node_list(
    document: NodeList, style: Style, rows: int | None = None, resources: Sequence[str] = (), by: str = ""
) -> str:
    """Lay out nodes.

    Args:
        document: the nodes.
        style: how much is shown.
        rows: lines of nodes, 0 for all; as fits one screen if None.
        resources: resources with a column each; cpu and memory if empty.
        by: the label that pools were asked for by; empty for none: they are then shown where nodes are many.
    """
    page = style.page()
    verdict(page, "NODES", document.sentence, document.doubts)
    cause_lines(page, document.because)
    if not goes_on(page, document.what_if, style):
        return page.text()
    if document.nodes:
        _totals(page, document, wide=style.wide)
        _slot(page, document)
        barred = _pools(page, document, resources or ("cpu", "memory"), wide=style.wide, asked=bool(by))
        told = _rows(page, document, 0 if style.wide and rows is None else rows, resources, wide=style.wide)
        page.parts("", [text for text in told if not barred or text != _scale(BAR)])
    page.parts("Note", document.counted)
    origin(page, document.origin)
    return page.text()


BAR = 10
"""Signs of a bar, where there is room."""


def bar(part: float, width: int = BAR) -> str:
    """``####......`` for 40 %; full from 100 % on, and never empty or full before it is."""
    filled = round(width * part / 100)
    if part > 0:
        filled = max(filled, 1)
    if part < 100:
        filled = min(filled, width - 1)
    return f"{'#' * min(filled, width):.<{width}}"


def percent(requested: int, allocatable: int) -> str:
    """``58%``, rounded down; ``-`` where there is none, ``over`` where more is requested than there is."""
    if allocatable <= 0:
        return "over" if requested > 0 else "-"
    return f"{100 * requested // allocatable}%"


def part(requested: int, allocatable: int) -> float:
    """Part that is requested [percent]; 100 where more than nothing is requested of nothing."""
    return 100 * requested / allocatable if allocatable > 0 else 100.0 * (requested > 0)


def _totals(page: Page, document: NodeList, *, wide: bool) -> None:
    totals = document.totals
    names = [*(n for n in _NODE_RESOURCES if n in totals), *(n for n in totals if n not in _NODE_RESOURCES)]
    told = names if wide else [name for name in names if totals[name].requested or not name.startswith(_SECONDARY)]
    shown = told if wide else told[:TOTALS_SHOWN]
    titles = heads_of(
        "", "scale", "used", "requested", "allocatable", "free", "closed", "largest", "fragmented", "spread"
    )
    labels = {name: name if wide else short_name(name, names) for name in shown}
    rows = [_total_row(labels[name], name, totals[name], wide=wide) for name in shown]
    empty = [i for i in range(6, 10) if all(row[i] in ("-", "0") for row in rows)]
    for dropped in ((), (1,), (1, 9), (1, 8, 9), (1, 3, 8, 9), (1, 3, 6, 8, 9)):
        kept = [i for i in range(len(titles)) if i not in dropped and i not in empty]
        right = range(2 - (1 in dropped), len(kept))
        cells = [[row[i] for i in kept] for row in rows]
        if page.table("Total", [titles[i] for i in kept], cells, right, splits=False):
            break
    else:
        page.parts("Total", (f"{row[0]} {row[2]} of {row[4]}, {row[5]} free" for row in rows))
    page.more(len(told) - len(shown), f"resources: {', '.join(told[len(shown) :])}")
    if wide:
        for text in MEANINGS:
            page.detail(text)


def _total_row(label: str, name: str, total: ResourceTotal, *, wide: bool) -> list[str]:
    numbers = (total.requested, total.allocatable, total.free, total.closed, total.largest)
    return [
        label,
        bar(part(total.requested, total.allocatable)),
        percent(total.requested, total.allocatable),
        *short_amounts(name, numbers, exact=wide),
        "-" if total.fragmented is None else f"{total.fragmented}%",
        "-" if total.spread is None else f"{total.spread}",
    ]


def _slot(page: Page, document: NodeList) -> None:
    if document.slot is None:
        return
    names = [name for name in document.slot.amounts if name != "ephemeral-storage" and not name.startswith(_NOT_TOLD)]
    told = [
        f"{short_amount(name, document.slot.amounts[name])} {short_name(name, names)}"
        for name in names
        if document.slot.amounts[name] or name in ("cpu", "memory")
    ]
    page.part("Slot", f"most room for one pod: {document.slot.node}, {', '.join(told)}")


def _pools(page: Page, document: NodeList, resources: Sequence[str], *, wide: bool, asked: bool) -> bool:
    """Write the pools; tell whether their bars have their scale."""
    pools = document.pools
    if not pools or (not asked and (len(pools) < 2 or (len(document.nodes) <= ROWS_SHOWN and not wide))):
        return False
    shown = pools if wide else pools[:POOLS_SHOWN]
    heads = [document.pool_label.rpartition("/")[2], "nodes", "open"]
    for name in resources:
        heads += [name, "", "largest"]
    largest = {name: short_amounts(name, [pool.largest.get(name, 0) for pool in shown]) for name in resources}
    rows = [_pool_row(pool, {name: texts[i] for name, texts in largest.items()}) for i, pool in enumerate(shown)]
    right = [1, 2, *(column for at in range(3, len(heads), 3) for column in (at + 1, at + 2))]
    barred = page.table("Pools", heads, rows, right, splits=False)
    page.parts("" if barred else "Pools", [_scale(BAR)] if barred else [_pool_line(pool, resources) for pool in shown])
    rest = pools[len(shown) :]
    page.more(len(rest), f"pools, {count(sum(pool.nodes for pool in rest), 'node')}")
    return barred


def _pool_line(pool: Pool, resources: Sequence[str]) -> str:
    full = ", ".join(f"{name} {pool.full.get(name, 0):.0f}%" for name in resources)
    return f"{pool.name or '-'}: {count(pool.nodes, 'node')}, {full}"


def _pool_row(pool: Pool, largest: Mapping[str, str]) -> list[str]:
    cells = [pool.name or "-", f"{pool.nodes:,}", f"{pool.open:,}"]
    for name, text in largest.items():
        full = pool.full.get(name)
        cells += [
            bar(full) if full is not None else "",
            f"{int(full)}%" if full is not None else "-",
            text,
        ]
    return cells


def _rows(page: Page, document: NodeList, rows: int | None, resources: Sequence[str], *, wide: bool) -> list[str]:
    """Write the nodes, and return what is to be said of the table."""
    names = list(resources) or ([name for name in document.totals if name != "pods"] if wide else ["cpu", "memory"])
    extra = "" if wide or resources else _extended(document)
    columns = _Columns(tuple(names), extra, wide=wide)
    nodes = document.nodes
    first, last = min(rows or len(nodes), len(nodes)), 0
    if rows is None:
        for first, last in _shares(len(nodes)):
            lines = _table(page, [*nodes[:first], *nodes[len(nodes) - last :]], columns)
            if len(lines[0]) + sum(map(len, lines[1])) <= LINES_SHOWN:
                break
    else:
        lines = _table(page, nodes[:first], columns)
    heads, each, told = lines
    hidden = len(nodes) - first - last
    if hidden and last:
        each.insert(first, [f"{'':<{LABEL}}+{hidden:,} between, {document.order} (--rows all, or -l SELECTOR)"])
    elif hidden:
        each.append([f"{'':<{LABEL}}+{hidden:,}, {document.order} (--rows all)"])
    page.lines.extend([*heads, *(line for lines in each for line in lines)])
    return told


def _shares(count: int) -> Iterator[tuple[int, int]]:
    """How many of the first and of the last nodes are shown, the most first: each takes a line, or two, or more."""
    if count <= ROWS_SHOWN:
        yield count, 0
    else:
        yield FIRST, LAST
    if count > FEWER_FIRST + FEWER_LAST:
        yield FEWER_FIRST, FEWER_LAST


class _Columns(Struct, frozen=True):
    """Columns of the table of nodes.

    Attributes:
        names: resources with a bar, the part requested and what is free.
        extra: one more resource, as free and of how much; empty for none.
        wide: exact amounts, allocatable too.
    """

    names: tuple[str, ...]
    extra: str = ""
    wide: bool = False

    def heads(self) -> list[str]:
        """Heads of the columns; those of bars are the names of resources."""
        heads = ["node"]
        for name in self.names:
            label = short_name(name, self.names)
            heads += [label, "", "free", "of"] if self.wide else [label, "", "free"]
        heads += [short_name(self.extra, (self.extra,))] if self.extra else []
        return [*heads, "pods", ""]

    @property
    def bars(self) -> range:
        """Numbers of the columns of bars."""
        each = 4 if self.wide else 3
        return range(1, 1 + each * len(self.names), each)


def _table(page: Page, nodes: Sequence[NodeRow], columns: _Columns) -> tuple[list[str], list[list[str]], list[str]]:
    """Lay out nodes with as wide bars as there is room for; no name is cut.

    Where there is none beside the names, these stand on lines of their own. A table that is too wide without bars and
    without the third resource becomes a paragraph for each node.

    Returns:
        the lines of its heads, those of each node, and what else is to be said of it.
    """
    rows = [_cells(*each, columns) for each in zip(nodes, _written(nodes, columns), strict=True)]
    for width, notes, apart in _LAYOUTS:
        cells = rows if notes else [[*row[:-1], ""] for row in rows]
        lines = _with_bars(page, columns, cells, width, apart=apart)
        if lines:
            each = 2 if apart else 1
            told = [_scale(width), *([] if notes else _noted(rows))]
            by_row = [lines[at : at + each] for at in range(each, len(lines), each)]
            return lines[:each], by_row, [text for text in told if text]
    if columns.extra:
        return _table(page, nodes, replace(columns, extra=""))
    return [], [_paragraph(page, columns, row, "" if number else "Nodes") for number, row in enumerate(rows)], []


def _with_bars(page: Page, columns: _Columns, rows: Sequence[Sequence[str]], width: int, *, apart: bool) -> list[str]:
    """Lay out nodes with bars of a width, a line a node or two; nothing where there is no room."""
    heads, bars = columns.heads(), columns.bars
    right = set(range(1, len(heads) - 1)) - set(bars)
    scratch = Page(10_000 if columns.wide else page.tables)
    scratch.splits = False
    cells = [[_narrow(cell, width) if i in bars else cell for i, cell in enumerate(row)] for row in rows]
    named = [head[:width] if i in bars and width and len(head) > width + 1 else head for i, head in enumerate(heads)]
    if not apart:
        return scratch.lines if scratch.table("Nodes", named, cells, right) else []
    below = [number - 1 for number in right]
    if not scratch.table("", named[1:], [row[1:] for row in cells], below, indent=INDENT):
        return []
    first, *others = scratch.lines
    names = [line for row, told in zip(rows, others, strict=True) for line in (f"{'':<{LABEL}}{row[0]}", told)]
    return [f"{'Nodes':<{LABEL}}{named[0]}", first, *names]


def _noted(rows: Sequence[Sequence[str]]) -> list[str]:
    """Notes for which no column is left, with the names of their nodes."""
    names: dict[str, list[str]] = {}
    for row in rows:
        if row[-1]:
            names.setdefault(row[-1], []).append(row[0])
    return [f"{note}: {listed(mine)}" for note, mine in names.items()]


def _scale(width: int) -> str:
    """What a sign of a bar stands for."""
    return f"bars: a # is {100 / width:.3g}% of allocatable" if width else ""


def _paragraph(page: Page, columns: _Columns, row: Sequence[str], label: str) -> list[str]:
    """Lay out a node as a paragraph, without bars."""
    bars = list(columns.bars)
    heads = columns.heads()
    heads = ["requested" if not head and i - 1 in bars else head for i, head in enumerate(heads)]
    heads = [f"{heads[i - 1]} {head}" if i - 1 in bars else head for i, head in enumerate(heads)]
    kept = [i for i in range(len(heads)) if i not in bars]
    scratch = Page(page.width)
    scratch.row_paragraphs(label, [heads[i] for i in kept], [[row[i] for i in kept]])
    return scratch.lines


def _narrow(cell: str, width: int) -> str:
    """Draw a bar of another width; a cell holds the exact part before it is drawn."""
    return bar(float(cell), width) if cell and width else ""


def _written(nodes: Sequence[NodeRow], columns: _Columns) -> list[dict[str, tuple[str, ...]]]:
    """What is free of each resource and, if wide, allocatable, by node; a column has one unit."""
    written: list[dict[str, tuple[str, ...]]] = [{} for _ in nodes]
    for resource in columns.names:
        uses = [_there(node.resources.get(resource)) for node in nodes]
        frees = [use.free if use is not None else None for use in uses]
        wholes = [use.allocatable if use is not None else None for use in uses]
        texts = [short_amounts(resource, numbers, exact=columns.wide) for numbers in (frees, wholes)]
        for amounts, *told in zip(written, *texts[: 1 + columns.wide], strict=True):
            amounts[resource] = tuple(told)
    return written


def _there(use: ResourceUse | None) -> ResourceUse | None:
    return use if use is not None and (use.allocatable or use.requested) else None


def _cells(node: NodeRow, amounts: Mapping[str, tuple[str, ...]], columns: _Columns) -> list[str]:
    wide, cells = columns.wide, [node.node]
    for resource in columns.names:
        use = _there(node.resources.get(resource))
        if use is None:
            cells += ["", "-"]
        else:
            cells += [f"{part(use.requested, use.allocatable)}", percent(use.requested, use.allocatable)]
        cells += amounts[resource]
    if columns.extra:
        use = _there(node.resources.get(columns.extra))
        cells.append(f"{use.free:,} of {use.allocatable:,}" if use is not None else "-")
    return [*cells, f"{node.pods}/{node.allowed_pods}", _note(node, wide=wide)]


def _note(node: NodeRow, *, wide: bool) -> str:
    told = [text for text in node.closed if wide or text != "pod limit"]
    taints = [text for text in node.taints if not text.startswith("node.kubernetes.io/")]
    if wide:
        told += taints
    elif taints:
        told.append("taint" if len(taints) == 1 else f"{len(taints)} taints")
    if node.terminating:
        told.append(f"{node.terminating} leaving")
    if node.kept:
        told.append(f"{node.kept} nominated")
    return ", ".join(told if wide else told[:1])


def _extended(document: NodeList) -> str:
    """The extended resource most nodes shown have, the one of the shortest name of several; empty for none."""
    counts: Counter[str] = Counter()
    for node in document.nodes:
        for name, use in node.resources.items():
            if use.allocatable and name not in _NODE_RESOURCES and not name.startswith(_NOT_TOLD):
                counts[name] += 1
    if not counts:
        return ""
    return min(counts, key=lambda name: (-counts[name], len(name.rpartition("/")[2]), name))
