"""What is shown of a failure: what comes back and where, what is lost, and when; or of every single one."""

from __future__ import annotations

import msgspec

from kplan.framework.doubt import Doubt
from kplan.result.document import Group, Nearest
from kplan.result.document_base import BrokenBudget, Cause, Origin, Part, VerdictDocument
from kplan.result.document_how_to import HowTo
from kplan.result.document_versions import OtherVersion
from kplan.result.document_whatif import Move, WhatIfStep


class FailedPod(Part, frozen=True, kw_only=True):
    """What becomes of one pod of a lost node.

    Attributes:
        pod: ``namespace/name``.
        node: where it ran.
        owner: its controller, ``deploy/shop/web``.
        fate: ``placed``, ``pending``, ``elsewhere`` (another scheduler decides), ``gone`` (nothing recreates it),
            ``stays`` (bound until its node is deleted, as DaemonSet pods are) or ``leaves`` (was being deleted before).
        lands_on: where what its owner makes instead is placed; empty for nowhere.
        instead: name of that pod; empty where nothing is made.
        deleted_after: when it is deleted [seconds after the loss]; absent if only with its node.
        waits_for_node: whether what comes instead is made only once the node is deleted or out-of-service.
        waits_for_volume: what keeps it from starting where it is placed until the node is deleted or out-of-service, or
            until ``starts_after``: a volume that stays attached there; empty for nothing.
        starts_after: when that volume is detached by force though the node is there, as no pod that uses it is
            [seconds after the loss]; absent where that does not happen.
        never_starts: what keeps it from starting where it is placed also once its node is deleted: a volume that
            another pod has on another node; empty for nothing.
        waits_for_deletion: why what comes instead stays Pending as long as the lost nodes are there; it is placed once
            they are deleted. Absent where nothing keeps it.
        because: why it is placed nowhere.
        evicts: pods that leave for it.
        breaks: budgets that this breaks.
        last_try: whether its Job fails with it, as its backoffLimit is used up.
    """

    pod: str
    node: str
    owner: str
    fate: str
    lands_on: str = ""
    instead: str = ""
    deleted_after: int | None = None
    waits_for_node: bool = False
    waits_for_volume: str = ""
    starts_after: int | None = None
    never_starts: str = ""
    waits_for_deletion: Cause | None = None
    because: Cause | None = None
    evicts: tuple[str, ...] = ()
    breaks: tuple[BrokenBudget, ...] = ()
    last_try: bool = False


class LostThing(Part, frozen=True, kw_only=True):
    """Something that does not come back, or not until its node or zone does.

    Attributes:
        what: ``pod``, ``emptyDir``, ``localVolume`` or ``zonalVolume``.
        pod: the pod it is of.
        name: name of the volume; empty for a pod.
        claim: the claim it is bound to.
        where: node or zone that a PersistentVolume is on; no other node reaches it.
    """

    what: str
    pod: str
    name: str = ""
    claim: str = ""
    where: str = ""


class TimePoint(Part, frozen=True, kw_only=True):
    """What happens at one time.

    Attributes:
        seconds: after the loss; absent for what waits until the node is deleted.
        until: when it happened to the last of them, where that is later.
        text: what happens.
        pods: pods it happens to.
    """

    text: str
    seconds: int | None = None
    until: int | None = None
    pods: tuple[str, ...] = ()


class FailCase(Part, frozen=True, kw_only=True):
    """One of all single failures.

    Attributes:
        name: the node, or the zone.
        nodes: how many nodes are lost.
        pods: pods that ran there, without those that belong to their node.
        placed: how many of them are placed again.
        pending: how many find no node.
        gone: how many nothing makes again, pods evicted on other nodes among them.
        evicted: pods on other nodes that are evicted for them.
        displaced: how many of these find no node.
        verdict: FITS, PARTLY or BLOCKED.
        because: why it is not borne.
    """

    name: str
    nodes: int
    pods: int
    placed: int
    pending: int
    gone: int
    verdict: str
    evicted: int = 0
    displaced: int = 0
    because: Cause | None = None


class FailReport(VerdictDocument, frozen=True, kw_only=True):
    """Document of ``kplan fail``.

    Attributes:
        verdict: FITS, PARTLY or BLOCKED.
        sentence: what follows the verdict word.
        nodes: nodes that are lost; empty with ``each``.
        each: ``node`` or ``zone`` if every single failure is told.
        because: the first thing that is not borne.
        attempt: what helps, tried.
        flags: the same as what-ifs of this command.
        how_to: how it is carried out; with ``each`` how many losses are borne then.
        cases: every single failure, worst first.
        pods: pods of the lost nodes.
        cascade: pods on other nodes that were evicted for these, and where they went.
        lost: what does not come back.
        time: what happens when.
        left: the pod that ``group`` and ``nearest`` are about.
        group: the nodes nearest to fitting it.
        groups: how many groups of nodes there are.
        more_groups: the others, nearest first.
        nearest: what keeps it from the nearest of them.
    """

    origin: Origin = msgspec.field(name="from")
    nodes: tuple[str, ...] = ()
    each: str = ""
    because: Cause | None = None
    attempt: str = msgspec.field(name="try", default="")
    flags: str = ""
    how_to: HowTo | None = None
    doubts: tuple[Doubt, ...] = ()
    notes: tuple[str, ...] = ()
    what_if: tuple[WhatIfStep, ...] = ()
    cases: tuple[FailCase, ...] = ()
    pods: tuple[FailedPod, ...] = ()
    cascade: tuple[Move, ...] = ()
    lost: tuple[LostThing, ...] = ()
    time: tuple[TimePoint, ...] = ()
    left: str = ""
    group: Group | None = None
    groups: int = 0
    more_groups: tuple[Group, ...] = ()
    nearest: Nearest | None = None
    other_version: OtherVersion | None = None
    timings: dict[str, float] | None = None
