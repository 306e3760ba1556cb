"""What is shown of a drain: pod by pod in the order of eviction, what is left, and what would make it possible."""

from __future__ import annotations

import msgspec

from kplan.framework.doubt import Doubt
from kplan.result.document import Group
from kplan.result.document_base import BrokenBudget, Cause, Origin, Part, VerdictDocument
from kplan.result.document_how_to import HowTo
from kplan.result.document_versions import OtherVersion
from kplan.result.document_whatif import Move, WhatIfStep


class DrainedPod(Part, frozen=True, kw_only=True):
    """What a drain does with one pod.

    Attributes:
        number: place in the order of evictions; 0 for one that is not evicted.
        pod: ``namespace/name``.
        node: the node that is drained.
        fate: ``evicted``, ``stays``, ``refused`` (kubectl drain gives up at it) or ``waits`` (its budget allows none).
        budget: the budget that is asked and what it allows then, ``web-pdb 1 of 1``.
        lands_on: where what its owner makes instead is placed; empty for nowhere.
        instead: name of that pod; empty where nothing is made.
        note: what is lost, or why it stays.
        needs: the flag of ``kubectl drain`` it takes.
        because: why it is placed nowhere, or may not be evicted.
        evicts: pods that leave for it.
        breaks: budgets that this breaks.
        back: whether it went back to a node that is drained too, or later.
        after_deletion: whether it is placed only once the node that was drained is deleted.
        waits_for: node that has to be back, uncordoned, before it is placed; empty for none.
        waits_from: number of the turn from which it waits for that; 0 for none.
    """

    pod: str
    node: str
    fate: str
    number: int = 0
    budget: str = ""
    lands_on: str = ""
    instead: str = ""
    note: str = ""
    needs: str = ""
    because: Cause | None = None
    evicts: tuple[str, ...] = ()
    breaks: tuple[BrokenBudget, ...] = ()
    back: bool = False
    after_deletion: bool = False
    waits_for: str = ""
    waits_from: int = 0


class BudgetAfter(Part, frozen=True, kw_only=True):
    """A budget once the drain is through, or stuck."""

    budget: str
    healthy: int
    expected: int
    allows: int
    owners: tuple[str, ...] = ()


class DrainFix(Part, frozen=True, kw_only=True):
    """Something that was tried and makes the drain possible.

    Attributes:
        text: what it is.
        flags: as what-ifs of this command.
        effect: what comes of it.
        how_to: how it is carried out.
    """

    text: str
    flags: str
    effect: str
    how_to: HowTo | None = None


class NodeVerdict(Part, frozen=True, kw_only=True):
    """Whether one node could go.

    Attributes:
        node: its name.
        goes: whether it is in the set that could go together.
        pods: pods that would be evicted.
        because: why it stays.
    """

    node: str
    goes: bool
    pods: int
    because: str = ""


class DrainTurn(Part, frozen=True, kw_only=True):
    """What a rolling drain does with one node, which is back before the next one goes.

    Attributes:
        node: the node.
        evicted: pods that are evicted from it.
        lands_on: how many of those that come back land on which node, the most first.
        waiting: how many of those are placed only once a node is back.
        pending: pods that find no node, or that their controllers do not make again.
        gone: pods that nothing recreates.
        kept: pods that may not be evicted.
    """

    node: str
    evicted: int
    lands_on: dict[str, int] = msgspec.field(default_factory=dict)
    waiting: int = 0
    pending: int = 0
    gone: int = 0
    kept: int = 0


class NodeFullness(Part, frozen=True, kw_only=True):
    """How full a node is before and after.

    Attributes:
        node: the node.
        before: requested of what is allocatable [percent], by resource.
        after: the same at the end.
    """

    node: str
    before: dict[str, float] = msgspec.field(default_factory=dict)
    after: dict[str, float] = msgspec.field(default_factory=dict)


class DrainPlan(VerdictDocument, frozen=True, kw_only=True):
    """Document of ``kplan drain``.

    Attributes:
        verdict: FITS or BLOCKED.
        nodes: nodes that are drained, in order.
        pods: what becomes of each pod.
        cascade: pods that are evicted for those, and where they land.
        after: budgets at the end.
        group: the nodes nearest to taking the first pod that is left.
        left: that pod.
        groups: how many groups of nodes refuse it.
        more_groups: the others, nearest first.
        fixes: what would make it possible, each tried.
        no_help: what was tried and does not.
        needs: the ``kubectl drain`` command it takes, where it goes through.
        kubectl: what that command does here, where it does not go through, or loses something.
        takes_least: seconds until the last pod is gone, as far as specs tell, at least; where it goes through.
        takes_most: the same at most: each pod uses its grace period.
        clock: that in words; empty where specs say nothing of it.
        found: of ``--find``: node by node.
        turns: of ``--rolling``: what becomes of the pods of each node, in order.
        fullness: of ``--rolling``: nodes that were drained or took pods, the fullest at the end first.
    """

    nodes: tuple[str, ...]
    origin: Origin = msgspec.field(name="from")
    because: Cause | None = None
    attempt: str = msgspec.field(name="try", default="")
    doubts: tuple[Doubt, ...] = ()
    notes: tuple[str, ...] = ()
    what_if: tuple[WhatIfStep, ...] = ()
    pods: tuple[DrainedPod, ...] = ()
    cascade: tuple[Move, ...] = ()
    after: tuple[BudgetAfter, ...] = ()
    left: str = ""
    group: Group | None = None
    groups: int = 0
    more_groups: tuple[Group, ...] = ()
    fixes: tuple[DrainFix, ...] = ()
    no_help: tuple[str, ...] = ()
    needs: str = ""
    kubectl: str = ""
    takes_least: int = 0
    takes_most: int = 0
    clock: str = ""
    found: tuple[NodeVerdict, ...] = ()
    turns: tuple[DrainTurn, ...] = ()
    fullness: tuple[NodeFullness, ...] = ()
    other_version: OtherVersion | None = None
    timings: dict[str, float] | None = None
