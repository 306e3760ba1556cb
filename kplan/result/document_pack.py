"""What is shown of packing: nodes that could be empty, the moves, what keeps the others, and the bound."""

from __future__ import annotations

import msgspec

from kplan.framework.doubt import Doubt
from kplan.result.document_base import ApiVersion, Cause, Document, Origin, Part
from kplan.result.document_how_to import HowTo
from kplan.result.document_moves import PodMove
from kplan.result.document_versions import OtherVersion
from kplan.result.document_whatif import WhatIfStep


class PackedNode(Part, frozen=True, kw_only=True):
    """Whether one node could go.

    Attributes:
        node: its name.
        goes: whether it could.
        number: place in the order of drains; 0 for one that stays.
        moves: pods that leave it.
        pool: its pool; empty for none that is known.
        worth: what it costs a month; absent without prices.
        because: why it stays.
        obstacles: pods in the way, by why.
    """

    node: str
    goes: bool
    number: int = 0
    moves: int = 0
    pool: str = ""
    worth: float | None = None
    because: Cause | None = None
    obstacles: dict[str, int] = msgspec.field(default_factory=dict)


class PackedPool(Part, frozen=True, kw_only=True):
    """Nodes of one pool: how many there are, how many could go, and what that frees."""

    pool: str
    nodes: int
    going: int
    saves: float | None = None


class PackPlan(Document, frozen=True, kw_only=True):
    """Document of ``kplan pack``.

    Attributes:
        verdict: FITS where a node could go, else BLOCKED.
        nodes: number of all nodes.
        going: names of those that could go, in the order of drains.
        left: number of nodes that are left.
        bound: nodes, or with prices money, below which no plan can go as long as what is in the way stays.
        bound_alone: the same by resources alone.
        proved: whether no more could go.
        saves: money a month that the nodes which could go cost; absent without prices.
        costs: money a month that all nodes cost; absent without prices.
        frees: what the nodes that could go offer, in the scheduler's units.
        pools: by pool.
        found: node by node.
        moves: pods that move, in order.
        steps: the what-ifs that carry it out.
        commands: the same as commands.
        how_to: the steps as one change, and how many nodes are empty then; absent where no node could go.
    """

    api_version: ApiVersion
    verdict: str
    sentence: str
    nodes: int
    origin: Origin = msgspec.field(name="from")
    because: Cause | None = None
    attempt: str = msgspec.field(name="try", default="")
    doubts: tuple[Doubt, ...] = ()
    notes: tuple[str, ...] = ()
    what_if: tuple[WhatIfStep, ...] = ()
    going: tuple[str, ...] = ()
    left: int = 0
    bound: float = 0.0
    bound_alone: float = 0.0
    proved: bool = False
    saves: float | None = None
    costs: float | None = None
    frees: dict[str, int] = msgspec.field(default_factory=dict)
    pools: tuple[PackedPool, ...] = ()
    found: tuple[PackedNode, ...] = ()
    moves: tuple[PodMove, ...] = ()
    steps: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    how_to: HowTo | None = None
    other_version: OtherVersion | None = None
    timings: dict[str, float] | None = None
