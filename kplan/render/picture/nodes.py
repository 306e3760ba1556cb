"""``nodes``: how full each node is, and what is free on it, cpu against memory."""

from __future__ import annotations

from collections import Counter

from kplan.render.picture.canvas import FULLNESS, Look
from kplan.render.picture.forms.bars import Bar, Bars, Segment
from kplan.render.picture.forms.scatter import Dot, Scatter
from kplan.render.picture.forms.tiles import Tile, Tiles
from kplan.render.picture.links import ALL_NODES, to_node, to_pod
from kplan.render.picture.model import Panel, Picture
from kplan.render.picture.scale import OF_NODE, OF_POOL, amounts_of
from kplan.render.picture.told import percent, together
from kplan.result.document_nodes import NodeExplanation, NodeList, NodeRow, PieceOfNode, Pool
from kplan.words import count, listed, short_key, short_name

_STEPS = (20, 40, 60, 80, 100)
"""Ends of the classes of fullness [percent]; what is beyond the last requests more than there is."""
_WORDS = ("under 20%", "20 to 40%", "40 to 60%", "60 to 80%", "80 to 100%", "over 100%")
_MOST_RESOURCES = 6
_MOST_PODS = 12
_MOST_POOLS = 6


def picture(document: NodeList) -> Picture | None:
    """Draw all nodes, or pools where these were asked for; nothing where there are none."""
    if not document.nodes:
        return None
    if document.by and document.pools:
        return of_pools(document)
    panels: list[Panel] = [fullness(document.nodes)]
    free = _free(document.nodes, document.slot)
    if free is not None:
        panels.append(free)
    tiles = fullness(document.nodes)
    told = listed([f"{words}: {number}" for words, number in _counted(tiles).items()], most=len(_WORDS))
    return Picture("How full the nodes are", f"{document.sentence}. {told}", tuple(panels))


def of_pools(document: NodeList) -> Picture:
    """Draw pools by how full they are of cpu and memory, the fullest first, then their nodes."""
    pools = sorted(document.pools, key=lambda pool: (-max(_cpu_and_memory(pool).values(), default=0), pool.name))
    bars = [_pool(pool, name, part) for pool in pools for name, part in _cpu_and_memory(pool).items()]
    rest = len(pools) - _MOST_POOLS
    told = listed([f"{_named(pool)}: {_told(pool)}" for pool in pools], most=_MOST_POOLS)
    panels: tuple[Panel, ...] = (
        Bars(
            f"Requested of each {short_key(document.by)}, the fullest first",
            tuple(bars[: 2 * _MOST_POOLS]),
            OF_POOL,
            high=max([100.0, *(part for pool in pools for part in _cpu_and_memory(pool).values())]),
            marks=((100, "all that its nodes offer"),),
            more=f"{count(rest, 'further pool')}, below" if rest > 0 else "",
        ),
        fullness(document.nodes),
    )
    return Picture(f"How full each {short_key(document.by)} is", f"{document.sentence}. {told}", panels)


def _cpu_and_memory(pool: Pool) -> dict[str, float]:
    """The part requested of both [percent], as far as the pool has them."""
    return {name: pool.full[name] for name in ("cpu", "memory") if name in pool.full}


def _named(pool: Pool) -> str:
    return pool.name or "without the label"


def _told(pool: Pool) -> str:
    return ", ".join(f"{name} {percent(part)}" for name, part in _cpu_and_memory(pool).items())


def _pool(pool: Pool, resource: str, part: float) -> Bar:
    note = f"{percent(part)} of {count(pool.nodes, 'node')}"
    return Bar(f"{_named(pool)} {resource}", (Segment("requested", part, Look.USED),), note, to=ALL_NODES)


def full(row: NodeRow) -> float:
    """The largest part requested of cpu and memory [percent]; of a node that has neither what is fullest."""
    parts = [
        100 * use.requested / use.allocatable
        for name in ("cpu", "memory")
        if (use := row.resources.get(name)) is not None and use.allocatable
    ]
    return max(parts, default=row.full)


def look_of(part: float) -> Look:
    """The class of a fullness."""
    return FULLNESS[sum(part >= end if end < 100 else part > end for end in _STEPS)]


def fullness(rows: tuple[NodeRow, ...]) -> Tiles:
    """Draw a tile for each node, the fullest first."""
    numbers = sorted(((full(row), row.node) for row in rows), key=lambda item: (-item[0], item[1]))
    tiles = tuple(Tile(name, look_of(part), round(part, 1), percent(part), to_node(name)) for part, name in numbers)
    return tiles_of(tiles, f"cpu or memory requested, the larger: {count(len(rows), 'node')}")


def tiles_of(tiles: tuple[Tile, ...], title: str) -> Tiles:
    """Draw tiles of fullness with their scale, and how many nodes are in each class."""
    counts = Counter(tile.look for tile in tiles)
    meanings = tuple(
        (look, f"{words}: {counts[look]:,}")
        for look, words in zip(FULLNESS, _WORDS, strict=True)
        if counts[look] or look != Look.FULL_5
    )
    return Tiles(title, tiles, meanings, "percent requested", to=ALL_NODES)


def _counted(tiles: Tiles) -> Counter[str]:
    words = dict(zip(FULLNESS, _WORDS, strict=True))
    return Counter(words[tile.look] for tile in tiles.tiles)


def _free(rows: tuple[NodeRow, ...], slot: PieceOfNode | None) -> Scatter | None:
    points = [
        Dot(row.node, max(row.resources["cpu"].free, 0), max(row.resources["memory"].free, 0), to_node(row.node))
        for row in rows
        if not row.closed and {"cpu", "memory"} <= row.resources.keys()
    ]
    if not points:
        return None
    need = None
    if slot is not None and {"cpu", "memory"} <= slot.amounts.keys():
        need = slot.amounts["cpu"], slot.amounts["memory"], f"largest pod that still fits: on {slot.node}"
    cpu, memory = max(point.across for point in points), max(point.up for point in points)
    return Scatter(
        "Free cpu against free memory",
        tuple(points),
        amounts_of("cpu", cpu),
        amounts_of("memory", memory),
        "a node that takes pods",
        need,
    )


def of_one(document: NodeExplanation) -> Picture | None:
    """Draw one node: who takes what of it."""
    row = document.node
    names = sorted(row.resources, key=lambda name: (name not in ("cpu", "memory"), name))
    bars = [_resource(document, name) for name in names if row.resources[name].allocatable][:_MOST_RESOURCES]
    if not bars:
        return None
    told = "; ".join(f"{bar.label} {bar.note}" for bar in bars)
    panel = Bars(f"What is requested of {row.node}", tuple(bars), OF_NODE, marks=((100, "all of the node"),))
    return Picture(f"What is requested of {row.node}", told, (panel,))


def _resource(document: NodeExplanation, name: str) -> Bar:
    use = document.node.resources[name]
    runs = sorted(document.runs, key=lambda pod: -pod.amounts.get(name, 0))
    written = together(name, [pod.amounts.get(name, 0) for pod in runs])
    parts = [
        Segment("a pod there", 100 * amount / use.allocatable, Look.USED, shown, name=pod.pod, to=to_pod(pod.pod))
        for pod, shown in zip(runs[:_MOST_PODS], written[:_MOST_PODS], strict=True)
        if (amount := pod.amounts.get(name, 0)) > 0
    ]
    rest = use.requested - sum(max(pod.amounts.get(name, 0), 0) for pod in runs[:_MOST_PODS])
    requested, all_of_it, free = together(name, (use.requested, use.allocatable, use.free))
    if rest > 0:
        parts.append(Segment("other pods", 100 * rest / use.allocatable, Look.OTHER, together(name, (rest,))[0]))
    if use.free > 0:
        parts.append(Segment("free", 100 * use.free / use.allocatable, Look.EMPTY, free))
    return Bar(
        short_name(name, list(document.node.resources)), tuple(parts), f"{requested} of {all_of_it}, free {free}"
    )
