"""``moves`` and ``pack``: nodes before and after, as boxes of pods, or as tiles where there are many."""

from __future__ import annotations

from collections.abc import Callable

from kplan.render.picture import nodes
from kplan.render.picture.canvas import Look
from kplan.render.picture.forms.bars import Bar, Bars, Segment
from kplan.render.picture.forms.tiles import Tile
from kplan.render.picture.links import to_node, to_pod
from kplan.render.picture.model import Picture
from kplan.render.picture.scale import OF_NODE
from kplan.render.picture.told import percent, writer
from kplan.result.document_moves import BoxedNode, BoxedPod, MovesPlan
from kplan.result.document_pack import PackPlan
from kplan.result.document_usage import Drawing, NodeUsage
from kplan.words import count

_MOST = 7
_PARTS = {
    "": ("stays", Look.USED),
    "leaves": ("leaves", Look.WARN),
    "lands": ("lands", Look.GOOD),
    "wanted": ("is wanted", Look.OTHER),
}


def picture(plan: MovesPlan) -> Picture | None:
    """Draw the nodes that take part, before and after; nothing where no node does."""
    if not plan.boxes:
        return None
    more = count(len(plan.boxes) - _MOST, "further node") if len(plan.boxes) > _MOST else ""
    # all boxes are of one resource, and the page's own boxes have these numbers, too
    amounts = [pod.amount for node in plan.boxes for pod in (*node.before, *node.after)]
    write = writer(plan.boxes[0].resource, [*amounts, *(node.allocatable for node in plan.boxes)])
    panels = tuple(
        Bars(title, tuple(_box(node, write, after=after) for node in plan.boxes[:_MOST]), OF_NODE, high=100, more=more)
        for title, after in (("Before", False), ("After", True))
    )
    return Picture("Nodes before and after the moves", plan.sentence, panels)


def _box(node: BoxedNode, write: Callable[[int], str], *, after: bool) -> Bar:
    pods = node.after if after else node.before
    used = write(sum(pod.amount for pod in pods))
    parts = tuple(_pod(node, pod, write) for pod in pods)
    return Bar(node.node, parts, note=f"{node.resource}: {used} of {write(node.allocatable)}", to=to_node(node.node))


def _pod(node: BoxedNode, pod: BoxedPod, write: Callable[[int], str]) -> Segment:
    part, look = _PARTS[pod.change]
    share = 100 * pod.amount / node.allocatable if node.allocatable else 0.0
    return Segment(part, share, look, write(pod.amount), name=pod.pod, to=to_pod(pod.pod))


def of_pack(plan: PackPlan, drawing: Drawing) -> Picture | None:
    """Draw how full all nodes are before and after; nothing without nodes."""
    if not drawing.nodes:
        return None
    going = set(plan.going)
    before = [(node.name, _full(node, node.before or node.requested)) for node in drawing.nodes]
    after = [(node.name, _full(node, node.requested)) for node in drawing.nodes if node.name not in going]
    panels = tuple(
        nodes.tiles_of(_tiles(numbers), f"{words}: {count(len(numbers), 'node')}")
        for words, numbers in (("Before", before), (f"After, {len(going):,} could go", after))
    )
    return Picture("How full nodes are before and after", plan.sentence, panels)


def _full(node: NodeUsage, requested: dict[str, int]) -> float:
    parts = [
        100 * requested.get(name, 0) / node.allocatable[name]
        for name in ("cpu", "memory")
        if node.allocatable.get(name)
    ]
    return max(parts, default=0.0)


def _tiles(numbers: list[tuple[str, float]]) -> tuple[Tile, ...]:
    order = sorted(numbers, key=lambda item: (-item[1], item[0]))
    return tuple(Tile(name, nodes.look_of(part), round(part, 1), percent(part), to_node(name)) for name, part in order)
