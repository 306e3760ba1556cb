"""The report of packing: which nodes could go, what keeps the others, and how near it is to the bound."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection

import numpy as np
from msgspec import Struct

from kplan.cluster import Cluster
from kplan.course.losses.loss import FailRun, lose
from kplan.course.moving import Journey, Movable, MovingRules
from kplan.course.moving.emptying import Stuck
from kplan.course.moving.packing import KeptNode, Packed, PackingLimits, PackSearch
from kplan.framework.doubt import Doubt
from kplan.objects.well_known import ZONES
from kplan.pipeline import Planner
from kplan.result.document_base import API_VERSION, Cause, Origin
from kplan.result.document_pack import PackedNode, PackedPool, PackPlan
from kplan.scenario.drain import ALL, drain_pods
from kplan.studies.moves.told import told_moves
from kplan.studies.pack.prices import Prices
from kplan.studies.usage import POOLS
from kplan.wording import pack as words
from kplan.wording.failing import failure_in_short
from kplan.wording.moving import journey_how_to

MOVES_WRITTEN = 20_000
"""Moves that a document names."""


class PackAsked(Struct, frozen=True):
    """What is asked.

    Attributes:
        nodes: names of the nodes that may go; all for None.
        prices: what nodes cost; None to count them.
        keep_free: part that stays free.
        survive: ``zone`` or ``node``: the result bears the loss of any one; empty for no such thing.
        annotated: move also what annotations tell autoscalers to leave alone.
        doubts: about version and configuration.
    """

    nodes: frozenset[str] | None = None
    prices: Prices | None = None
    keep_free: float = 0.0
    survive: str = ""
    annotated: bool = False
    doubts: tuple[Doubt, ...] = ()


def pack(
    planner: Planner,
    asked: PackAsked,
    origin: Origin,
    *,
    progress: Callable[[int, int], None] | None = None,
    seen: Callable[[Cluster], None] | None = None,
) -> PackPlan:
    """Find the nodes that could be empty.

    Args:
        planner: planner over the cluster, which is as before afterwards; it evicts nobody for pods that land.
        asked: what is asked.
        origin: where the state is from.
        progress: told how many of how many nodes were looked at.
        seen: shown the cluster as it is then.
    """
    cluster = planner.cluster
    worth, unpriced = _worth(cluster, asked.prices)
    causes: dict[str, Cause] = {}
    open_first = ~cluster.unschedulable

    def note(trial: Planner, stuck: Stuck) -> None:
        assert stuck.copy is not None
        closed = [
            trial.cluster.node_name(row) for row in np.flatnonzero(trial.cluster.unschedulable & open_first).tolist()
        ]
        causes[stuck.pod.key] = failure_in_short(trial, *stuck.copy, leaving=closed).because

    movable = Movable(planner, MovingRules(annotated=asked.annotated))
    bears = _bears(asked.survive) if asked.survive else None
    limits = PackingLimits(asked.keep_free, bears, asked.nodes)
    packed = PackSearch(planner, movable, worth, limits, progress, seen=note, left=seen).run()
    return _plan(planner, movable, asked, origin, packed, worth, unpriced, causes)


def _worth(cluster: Cluster, prices: Prices | None) -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], list[str]]:
    """float64[N], what each node costs: its price, or one; and nodes of which the list has no price."""
    if prices is None:
        return np.ones(len(cluster.nodes)), []
    costs = [prices.of(node) for node in cluster.nodes]
    missing = [node.name for node, price in zip(cluster.nodes, costs, strict=True) if price is None]
    return np.array([price or 0.0 for price in costs]), missing


def _bears(what: str) -> Callable[[Planner, Collection[str]], bool]:
    """Whether a cluster without some nodes loses any one zone, or node, and has no more pods that wait than before."""

    def bears(trial: Planner, gone: Collection[str]) -> bool:
        domains: dict[str, list[str]] = {}
        for node in trial.cluster.nodes:
            if node.name not in gone:
                zone = next((node.labels[label] for label in ZONES if label in node.labels), "")
                domains.setdefault(zone if what == "zone" else node.name, []).append(node.name)
        for names in domains.values():
            run: FailRun[None] = lose(trial, names)
            if any(pod.pending for pod in run.back):
                return False
        return True

    return bears


def _plan(
    planner: Planner,
    movable: Movable,
    asked: PackAsked,
    origin: Origin,
    packed: Packed,
    worth: np.ndarray[tuple[int], np.dtype[np.float64]],
    unpriced: list[str],
    causes: dict[str, Cause],
) -> PackPlan:
    cluster, priced = planner.cluster, asked.prices is not None
    names = packed.emptied.nodes
    rows = [cluster.node_index[name] for name in names]
    leaving: Counter[str] = Counter(move.home for move in packed.emptied.moves)
    saves = float(worth[rows].sum())
    nodes: list[PackedNode] = [
        PackedNode(
            node=name,
            goes=True,
            number=number,
            moves=leaving[name],
            pool=_pool(cluster, name),
            worth=float(worth[cluster.node_index[name]]) if priced else None,
        )
        for number, name in enumerate(names, 1)
    ]
    nodes += [
        _kept(cluster, node, float(worth[cluster.node_index[node.node]]) if priced else None, causes)
        for node in packed.kept
    ]
    journey = Journey(packed.emptied.moves, (), emptied=names)
    return PackPlan(
        api_version=API_VERSION,
        verdict="FITS" if names else "BLOCKED",
        sentence=words.sentence(len(cluster.nodes), packed, saves=saves if priced else None),
        nodes=len(cluster.nodes),
        origin=origin,
        because=words.nothing_goes(nodes) if not names else None,
        attempt=words.attempt(names, len(packed.emptied.moves)),
        doubts=asked.doubts,
        notes=tuple(words.notes(packed, unpriced, asked.keep_free, asked.survive)),
        going=names,
        left=len(cluster.nodes) - len(names),
        bound=packed.bound,
        bound_alone=packed.bound_alone,
        proved=packed.proved,
        saves=saves if priced else None,
        costs=float(worth.sum()) if priced else None,
        frees=_frees(cluster, rows),
        pools=_pools(cluster, names, worth if priced else None),
        found=tuple(nodes),
        moves=told_moves(movable, packed.emptied.moves[:MOVES_WRITTEN], cordons=False),
        steps=tuple(step.flag for step in journey.steps()),
        commands=words.commands([_drained(cluster, name) for name in names], packed.emptied.moves),
        how_to=journey_how_to(journey, "drain-nodes", len(names)),
    )


def _drained(cluster: Cluster, name: str) -> words.NodeDrain:
    """What a drain of a node as it is now has to be told: nothing comes to it once it is cordoned."""
    taken = [pod for pod in drain_pods(cluster, name, ALL) if pod.flags]
    return words.NodeDrain(name, tuple((cluster.pods[pod.row].key, pod.flags) for pod in taken))


def _kept(cluster: Cluster, node: KeptNode, worth: float | None, causes: dict[str, Cause]) -> PackedNode:
    return PackedNode(
        node=node.node,
        goes=False,
        pool=_pool(cluster, node.node),
        worth=worth,
        because=words.stays(node, causes),
        obstacles=dict(sorted(Counter(str(stuck.stays or "no-room") for stuck in node.stuck).items())),
    )


def _pool(cluster: Cluster, name: str) -> str:
    labels = cluster.nodes[cluster.node_index[name]].labels
    return next((labels[label] for label in POOLS if label in labels), "")


def _frees(cluster: Cluster, rows: list[int]) -> dict[str, int]:
    amounts = {name: int(cluster.allocatable[at, rows].sum()) for name, at in cluster.resources.items()}
    return {name: amount for name, amount in amounts.items() if amount}


def _pools(
    cluster: Cluster, going: Collection[str], worth: np.ndarray[tuple[int], np.dtype[np.float64]] | None
) -> tuple[PackedPool, ...]:
    pools: dict[str, list[int]] = {}
    for row, node in enumerate(cluster.nodes):
        pools.setdefault(_pool(cluster, node.name), []).append(row)
    gone = set(going)
    packed = []
    for pool, rows in sorted(pools.items()):
        leave = [row for row in rows if cluster.node_name(row) in gone]
        saves = float(worth[leave].sum()) if worth is not None else None
        packed.append(PackedPool(pool=pool, nodes=len(rows), going=len(leave), saves=saves))
    return tuple(packed)
