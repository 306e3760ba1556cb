"""``drain --rolling``: what becomes of the pods of each node, turn by turn, and how full nodes are at the end."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from kplan.render.picture.canvas import Look
from kplan.render.picture.forms.bars import Bar, Bars, Segment
from kplan.render.picture.links import ALL_NODES, to_node
from kplan.render.picture.model import Picture
from kplan.render.picture.scale import OF_NODE, counts
from kplan.render.picture.told import percent
from kplan.result.document_drain import DrainPlan, DrainTurn, NodeFullness
from kplan.words import count, listed

_MOST = 11


def picture(plan: DrainPlan) -> Picture:
    """Draw the turns of a rolling drain."""
    panels = (_turns(plan.turns), _fullness(plan.fullness)) if plan.fullness else (_turns(plan.turns),)
    return Picture("Turn by turn", plan.sentence, panels)


def _turns(turns: Sequence[DrainTurn]) -> Bars:
    """A bar for each turn in order; of many, one for each run of turns that go alike, or for equal parts of them."""
    runs = [[turn] for turn in turns]
    if len(runs) > _MOST:
        runs = [list(run) for _, run in groupby(turns, key=_alike)]
    if len(runs) > _MOST:
        size = -(-len(turns) // _MOST)
        runs = [list(turns[at : at + size]) for at in range(0, len(turns), size)]
    bars, number = [], 1
    for run in runs:
        bars.append(_run(run, number))
        number += len(run)
    return Bars("Turns, from the first down", tuple(bars), counts("pods"), share=1.3)


def _alike(turn: DrainTurn) -> tuple[int, ...]:
    return turn.evicted, turn.waiting, turn.pending, turn.gone, turn.kept


def _run(run: Sequence[DrainTurn], first: int) -> Bar:
    number = f"{first:,}" if len(run) == 1 else f"{first:,} to {first + len(run) - 1:,}"
    evicted, pending = sum(turn.evicted for turn in run), sum(turn.pending for turn in run)
    gone, kept = sum(turn.gone for turn in run), sum(turn.kept for turn in run)
    waiting = sum(turn.waiting for turn in run)
    lands = evicted - waiting - pending - gone
    parts = (
        Segment("lands on another node", lands, Look.GOOD, f"{lands:,}"),
        Segment("waits until a node is back", waiting, Look.WARN, f"{waiting:,}"),
        Segment("without a node", pending, Look.SHORT, f"{pending:,}"),
        Segment("GONE", gone, Look.BAD, f"{gone:,}"),
        Segment("may not be evicted", kept, Look.OTHER, f"{kept:,}"),
    )
    told = [f"{waiting:,} until a node is back"] if waiting else []
    told += [f"{pending:,} Pending"] if pending else []
    told += [f"{gone:,} GONE"] if gone else []
    told += [f"{kept:,} not evicted"] if kept else []
    return Bar(
        f"{number}  {listed([turn.node for turn in run], most=1)}",
        tuple(part for part in parts if part.value),
        ", ".join([count(evicted, "pod") if evicted else "no pod to evict", *told]),
        strong=bool(waiting or pending or gone or kept),
        to=to_node(run[0].node) if len(run) == 1 else ALL_NODES,
    )


def _fullness(nodes: Sequence[NodeFullness]) -> Bars:
    shown = nodes[:_MOST]
    more = len(nodes) - len(shown)
    return Bars(
        "How full nodes are at the end",
        tuple(map(_full, shown)),
        OF_NODE,
        high=max([100.0, *(number for node in shown for number in (*node.before.values(), *node.after.values()))]),
        marks=((100, "all of the node"),),
        more=f"{count(more, 'further node')} that {'is' if more == 1 else 'are'} less full" if more else "",
    )


def _full(node: NodeFullness) -> Bar:
    names: list[str] = [name for name in ("cpu", "memory") if name in node.after]
    names = names or list(node.after)
    name = max(names, key=lambda one: node.after[one], default="")
    after, before = node.after.get(name, 0.0), node.before.get(name, 0.0)
    parts = (
        Segment("as before", min(before, after), Look.USED, percent(min(before, after))),
        Segment("more than before", max(after - before, 0), Look.WARN, percent(after)),
        Segment("less than before", max(before - after, 0), Look.EMPTY, percent(before)),
    )
    was = f", was {percent(before)}" if percent(before) != percent(after) else ""
    kept = tuple(part for part in parts if part.value)
    return Bar(node.node, kept, f"{name} {percent(after)}{was}", to=to_node(node.node))
