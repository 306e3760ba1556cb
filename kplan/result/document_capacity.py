"""What is shown of capacity: how many more fit, what stops the next one, and what more nodes would do."""

from __future__ import annotations

import msgspec

from kplan.framework.doubt import Doubt
from kplan.result.document import Group, Nearest
from kplan.result.document_base import Cause, Origin, Part, VerdictDocument
from kplan.result.document_how_to import HowTo
from kplan.result.document_versions import OtherVersion
from kplan.result.document_whatif import WhatIfStep


class CapacityWorkload(Part, frozen=True, kw_only=True):
    """One workload that is multiplied.

    Attributes:
        workload: ``deploy/shop/web``, or the pod of a manifest.
        ratio: pods of it in each set.
        running: pods of it that have a node.
        more: pods of it that fit beside them.
        asked: pods of it that were asked for beside them; absent if no number was.
    """

    workload: str
    ratio: int
    running: int
    more: int
    asked: int | None = None


class CapacityPlace(Part, frozen=True, kw_only=True):
    """Where pods run and where more of them fit.

    Attributes:
        place: a zone; empty where nodes have none.
        running: pods there now.
        more: pods that fit there, by node.
        nodes: how many of them each node takes.
    """

    place: str
    running: int
    more: int
    nodes: dict[str, int]


class Refusing(Part, frozen=True, kw_only=True):
    """A plugin that refuses the next pod, and on how many nodes it is among those that do."""

    plugin: str
    text: str
    nodes: int


class Growth(Part, frozen=True, kw_only=True):
    """What more nodes would do.

    Attributes:
        like: what each is like.
        flag: the what-if that adds one.
        nodes: numbers of nodes that were tried, none first.
        fits: how many sets fit with each number.
        needed: the smallest number with which all that were asked for fit; absent if none was asked for or found.
        none_helps: why no number of them helps, as an empty one shows; absent where they do.
        taken: pods that waited before and take room of each number of nodes first; empty where there are none.
    """

    like: str
    flag: str
    nodes: tuple[int, ...] = ()
    fits: tuple[int, ...] = ()
    needed: int | None = None
    none_helps: Cause | None = None
    taken: tuple[int, ...] = ()


class ShapeRoom(Part, frozen=True, kw_only=True):
    """How many pods of a shape fit.

    Attributes:
        name: as the file calls it.
        requests: what one asks for, in words.
        fits: pods.
        stopped_by: what stops the next one.
        bounded: whether more were not tried.
    """

    name: str
    requests: str
    fits: int
    stopped_by: Cause | None = None
    bounded: bool = False


class MixedShape(Part, frozen=True, kw_only=True):
    """One shape of nodes that can be had.

    Attributes:
        name: as it is called.
        flag: the what-if that adds one.
        nodes: how many of it the mix has.
        price: what one costs a month; absent where nodes are counted.
    """

    name: str
    flag: str
    nodes: int
    price: float | None = None


class CheapestMix(Part, frozen=True, kw_only=True):
    """The cheapest nodes with which all pods are placed.

    Attributes:
        shapes: what can be had, and how many of it the mix has.
        cost: what the mix costs a month; its nodes where these are counted.
        bound: no mix costs less.
        proved: whether it is the cheapest.
        priced: whether nodes have prices.
        tried: mixes that were carried out.
        left: pods that no mix lets in.
    """

    shapes: tuple[MixedShape, ...]
    cost: float
    bound: float
    proved: bool
    priced: bool
    tried: int
    left: tuple[str, ...] = ()


class CapacityReport(VerdictDocument, frozen=True, kw_only=True):
    """Document of ``kplan capacity``.

    Attributes:
        verdict: FITS, PARTLY or BLOCKED.
        sentence: what follows the verdict word.
        sets: sets of the workloads that fit; of one workload its pods.
        quota_lets_in: how many of these a quota lets in; absent where all of them are.
        made: for how many of these pods are made as it is; absent where all of them are. An ordered StatefulSet makes
            none while one of its pods is not ready.
        bounded: whether it stopped at the bound and not because one did not fit.
        because: what stops the next one.
        attempt: what to do.
        how_to: how that is carried out, and how many sets fit then.
        workloads: what was multiplied.
        places: where.
        refusing: plugins that refuse the next pod, most nodes first.
        next_pod: number of the pod that does not fit, counted from those that run.
        nodes: number of all nodes.
        group: the nodes nearest to fitting it.
        groups: how many groups of nodes there are.
        more_groups: the others, nearest first.
        nearest: what keeps it from the nearest of them.
        growth: what more nodes would do.
        shapes: room for shapes of pods.
        cheapest: the cheapest nodes with which all are placed; absent if they were not asked for.
    """

    sets: int
    nodes: int
    origin: Origin = msgspec.field(name="from")
    quota_lets_in: int | None = None
    made: int | None = None
    bounded: bool = False
    because: Cause | None = None
    attempt: str = msgspec.field(name="try", default="")
    how_to: HowTo | None = None
    doubts: tuple[Doubt, ...] = ()
    notes: tuple[str, ...] = ()
    what_if: tuple[WhatIfStep, ...] = ()
    workloads: tuple[CapacityWorkload, ...] = ()
    places: tuple[CapacityPlace, ...] = ()
    refusing: tuple[Refusing, ...] = ()
    next_pod: int | None = None
    group: Group | None = None
    groups: int = 0
    more_groups: tuple[Group, ...] = ()
    nearest: Nearest | None = None
    growth: Growth | None = None
    shapes: tuple[ShapeRoom, ...] = ()
    cheapest: CheapestMix | None = None
    other_version: OtherVersion | None = None
    timings: dict[str, float] | None = None
