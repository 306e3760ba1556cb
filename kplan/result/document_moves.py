"""What is shown of moves: which pods leave for others, where each lands, step by step; several ways side by side."""

from __future__ import annotations

import msgspec

from kplan.framework.doubt import Doubt
from kplan.result.document_base import ApiVersion, Cause, Document, Origin, Part
from kplan.result.document_how_to import HowTo
from kplan.result.document_versions import OtherVersion
from kplan.result.document_whatif import WhatIfStep


class PodMove(Part, frozen=True, kw_only=True):
    """One pod that moves.

    Attributes:
        number: place in the order.
        pod: ``namespace/name``.
        home: the node it leaves.
        to: the node it lands on.
        instead: name of the pod that its controller makes.
        owner: its outermost controller, as ``deploy/web``.
        tie: nodes that tie where it lands, if there are several: the first by name is told.
        budget: the budget that is asked, and what it allows then: ``web-pdb 1 of 1``.
        notes: what its move costs.
        cordoned: nodes that take no pods while it lands.
    """

    number: int
    pod: str
    home: str = msgspec.field(name="from")
    to: str
    instead: str = ""
    owner: str = ""
    tie: int = 0
    budget: str = ""
    notes: tuple[str, ...] = ()
    cordoned: tuple[str, ...] = ()


class PodLands(Part, frozen=True, kw_only=True):
    """One pod that is wanted, and where it goes; of nodes that tie, if there are several, the first by name."""

    pod: str
    node: str
    tie: int = 0


class MovesWay(Part, frozen=True, kw_only=True):
    """One way to move pods.

    Attributes:
        code: ``fewest``, or what is left alone: ``no-budget``, ``no-local-data``, ``spared``; or ``annotated`` where
            pods move that annotations tell autoscalers to leave alone.
        text: what it is, in words.
        bound: fewer moves than these are not enough this way.
        moves: pods that move, in order; none where no way was found.
        lands: the pods that are wanted.
        steps: the what-ifs that carry it out.
        commands: the same as commands.
        how_to: the steps as one change, and how many of the wanted pods fit then; absent where no pod moves.
        because: why there is no such way.
    """

    code: str
    text: str
    bound: int
    moves: tuple[PodMove, ...] = ()
    lands: tuple[PodLands, ...] = ()
    steps: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    how_to: HowTo | None = None
    because: Cause | None = None


class BoxedPod(Part, frozen=True, kw_only=True):
    """A pod as a box: its amount of the resource that its node is drawn by; what it does there.

    Attributes:
        pod: ``namespace/name``.
        amount: in the scheduler's units.
        change: ``leaves``, ``lands``, ``wanted``; empty for a pod that stays.
    """

    pod: str
    amount: int
    change: str = ""


class BoxedNode(Part, frozen=True, kw_only=True):
    """A node that takes part, before and after, as boxes of pods.

    Attributes:
        node: its name.
        resource: the one it is drawn by.
        allocatable: what it offers of that, in the scheduler's units.
        before: the pods on it, largest first.
        after: the same at the end.
    """

    node: str
    resource: str
    allocatable: int
    before: tuple[BoxedPod, ...] = ()
    after: tuple[BoxedPod, ...] = ()


class MovesPlan(Document, frozen=True, kw_only=True):
    """Document of ``kplan moves``.

    Attributes:
        verdict: FITS or BLOCKED.
        pods: the pods that are wanted.
        because: why they do not fit as things are.
        bound: fewer moves than these are not enough.
        fewest: whether the moves are proved to be the fewest.
        tried: moves up to which was searched.
        moves: pods that move, in order.
        lands: where the wanted pods go.
        steps: the what-ifs that carry it out.
        commands: the same as commands.
        how_to: the steps as one change, and how many of the wanted pods fit then; absent where no pod moves.
        ways: other ways, and those that there are not.
        left_alone: pods that run and are not moved, by why.
        boxes: nodes that take part, before and after.
    """

    api_version: ApiVersion
    verdict: str
    sentence: str
    pods: tuple[str, ...]
    origin: Origin = msgspec.field(name="from")
    because: Cause | None = None
    attempt: str = msgspec.field(name="try", default="")
    doubts: tuple[Doubt, ...] = ()
    notes: tuple[str, ...] = ()
    what_if: tuple[WhatIfStep, ...] = ()
    bound: int = 0
    fewest: bool = False
    tried: int = 0
    moves: tuple[PodMove, ...] = ()
    lands: tuple[PodLands, ...] = ()
    steps: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    how_to: HowTo | None = None
    ways: tuple[MovesWay, ...] = ()
    left_alone: dict[str, int] = msgspec.field(default_factory=dict)
    boxes: tuple[BoxedNode, ...] = ()
    other_version: OtherVersion | None = None
    timings: dict[str, float] | None = None
