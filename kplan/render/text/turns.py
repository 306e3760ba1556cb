"""Text of a drain in turns: a line for each node, those that go alike folded; and how full the nodes are then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from kplan.render.text.fitting import Fitting
from kplan.render.text.layout import Page
from kplan.result.document_drain import DrainTurn, NodeFullness
from kplan.words import count, listed, tallied

TURNS_SHOWN = 12
FULLNESS_SHOWN = 6


def turn_lines(page: Page, turns: Sequence[DrainTurn], *, everything: bool) -> None:
    """Write the turns: ``2-9  node-b, node-c, +6   3 pods each``."""
    runs = [list(run) for _, run in groupby(turns, key=_alike)]
    shown = runs if everything else runs[:TURNS_SHOWN]
    rows: list[tuple[str, ...]] = []
    number = 1
    for run in shown:
        rows.append(_row(run, number))
        number += len(run)
    heads: tuple[str, ...] = ("#", "node", "evicts", "lands on", "left")
    if not any(row[-1] for row in rows):
        heads, rows = heads[:-1], [row[:-1] for row in rows]
    if not page.table("Turns", heads, rows, (), fitting=Fitting(names=(1, 3))):
        page.parts("Turns", (", ".join(filter(None, row)) for row in rows))
    page.more(len(turns) - number + 1, "nodes")


def _alike(turn: DrainTurn) -> tuple[int, ...]:
    """What turns that are told together have in common: all but where the pods land."""
    return turn.evicted, turn.waiting, turn.pending, turn.gone, turn.kept


def _row(run: Sequence[DrainTurn], first: int) -> tuple[str, ...]:
    turn = run[0]
    lands: Counter[str] = Counter()
    for one in run:
        lands.update(one.lands_on)
    left = [f"{turn.waiting:,} waits for a node"] if turn.waiting else []
    left += [f"{turn.pending:,} Pending"] if turn.pending else []
    left += [f"{turn.gone:,} GONE"] if turn.gone else []
    left += [f"{turn.kept:,} not evicted"] if turn.kept else []
    each = " each" if len(run) > 1 else ""
    number = f"{first}-{first + len(run) - 1}" if len(run) > 1 else str(first)
    evicts = f"{count(turn.evicted, 'pod')}{each}" if turn.evicted else "nothing"
    where = tallied(dict(lands.most_common()), 2, more=" nodes") or "-"
    return number, listed([one.node for one in run], most=2), evicts, where, ", ".join(left) + (each if left else "")


def fullness_lines(page: Page, nodes: Sequence[NodeFullness], *, everything: bool) -> None:
    """Write how full nodes are at the end: ``node-b  cpu 78% (was 60%), memory 40% (was 31%)``."""
    shown = nodes if everything else nodes[:FULLNESS_SHOWN]
    page.parts("Full", (f"{one.node}  {', '.join(_changes(one))}" for one in shown))
    page.more(len(nodes) - len(shown), "nodes that are less full")


def _changes(node: NodeFullness) -> list[str]:
    return [
        f"{name} {now:.0f}%" + (f" (was {was:.0f}%)" if (was := node.before.get(name)) not in (None, now) else "")
        for name, now in node.after.items()
    ]
