"""What is shown of nodes: their use, the story of one, and how what is free lies in pieces."""

from __future__ import annotations

import msgspec

from kplan.framework.doubt import Doubt
from kplan.result.document_base import ApiVersion, Cause, Document, Origin, Part, VerdictDocument
from kplan.result.document_device_list import DeviceList
from kplan.result.document_whatif import WhatIfStep


class ResourceUse(Part, frozen=True, kw_only=True, omit_defaults=False):
    """One resource of one node.

    Attributes:
        requested: what the pods there count, as the scheduler adds it up.
        allocatable: what the node offers to pods.
        free: the difference; negative where a node is over-committed.
        terminating: what of ``requested`` is of pods that are being deleted.
    """

    requested: int
    allocatable: int
    free: int
    terminating: int = 0


class PieceOfNode(Part, frozen=True, kw_only=True):
    """What is free on one node, all resources together."""

    node: str
    amounts: dict[str, int]


class ResourceTotal(Part, frozen=True, kw_only=True, omit_defaults=False):
    """One resource over the nodes shown.

    Attributes:
        requested: over all of them.
        allocatable: over all of them.
        free: what is free on open nodes, over-committed ones counted as 0.
        closed: what is free on nodes that take no pod: cordoned, not ready, or at their pod limit.
        largest: the most that is free on one open node.
        largest_node: that node; the first by name; empty where none has any.
        fragmented: share of ``free`` that pods of this cluster could not use where it lies [percent].
        fullness: mean of requested by allocatable over open nodes that have the resource [percent].
        spread: standard deviation of the same [percentage points]: 0 where all are alike.
    """

    requested: int
    allocatable: int
    free: int
    closed: int
    largest: int
    largest_node: str = ""
    fragmented: float | None = None
    fullness: float | None = None
    spread: float | None = None


class NodeRow(Part, frozen=True, kw_only=True):
    """One node.

    Attributes:
        node: its name.
        pool: the label value by which it was put into a pool.
        pods: pods that count on it.
        allowed_pods: pods it takes.
        resources: by name.
        non_zero_requested: cpu and memory with 100m and 200Mi for containers that request none, as scores use it.
        closed: why it takes no pod: ``cordoned``, ``not ready``, ``pod limit``; empty for an open node.
        taints: taints with an effect that keeps pods away, as they would be typed.
        terminating: pods that are being deleted.
        kept: pods that are nominated to it.
        fullest: the resource with the greatest part requested.
        full: that part [percent].
    """

    node: str
    pods: int
    allowed_pods: int
    resources: dict[str, ResourceUse]
    non_zero_requested: dict[str, int]
    pool: str = ""
    closed: tuple[str, ...] = ()
    taints: tuple[str, ...] = ()
    terminating: int = 0
    kept: int = 0
    fullest: str = ""
    full: float = 0


class Pool(Part, frozen=True, kw_only=True):
    """Nodes with the same value of a label.

    Attributes:
        name: the value.
        nodes: how many.
        open: how many of them take pods.
        full: requested by allocatable over all of them [percent], by resource.
        largest: the most that is free on one open node, by resource.
    """

    name: str
    nodes: int
    open: int
    full: dict[str, float]
    largest: dict[str, int]


class NodeList(Document, frozen=True, kw_only=True):
    """Document of ``kplan nodes``.

    Attributes:
        sentence: how many nodes, how many take pods.
        because: the resource that is scarcest, with its numbers.
        order: how ``nodes`` are sorted, in words.
        totals: by resource; ``pods`` for the number of pods.
        slot: the node with the most room for one pod, cpu and memory together; None where none is open.
        pool_label: the label ``pools`` are made by; empty where the nodes have none.
        by: that label, if it was asked for (``--by``): then the picture is of pools; empty where kplan chose it.
        counted: what is special in these numbers, a line each.
        doubts: why the numbers may be wrong.
        balance: mean distance of cpu and memory fullness within a node [percentage points].
        devices: of drivers, where they were asked for (``--devices``).
    """

    api_version: ApiVersion
    sentence: str
    order: str
    totals: dict[str, ResourceTotal]
    nodes: tuple[NodeRow, ...]
    origin: Origin = msgspec.field(name="from")
    because: Cause | None = None
    slot: PieceOfNode | None = None
    pool_label: str = ""
    by: str = ""
    pools: tuple[Pool, ...] = ()
    counted: tuple[str, ...] = ()
    balance: float | None = None
    devices: DeviceList | None = None
    doubts: tuple[Doubt, ...] = ()
    what_if: tuple[WhatIfStep, ...] = ()
    timings: dict[str, float] | None = None


class NodePod(Part, frozen=True, kw_only=True):
    """A pod that runs on a node.

    Attributes:
        pod: ``namespace/name``.
        owner: its controller.
        priority: its priority.
        amounts: what it counts there.
        note: where that comes from if it is no plain sum; being deleted.
    """

    pod: str
    owner: str
    priority: int
    amounts: dict[str, int]
    note: str = ""


class NodeRefusal(Part, frozen=True, kw_only=True):
    """Pods that the node refuses for the same reasons.

    Attributes:
        count: pods.
        codes: stable codes of the reasons.
        text: the reasons in one phrase, with the numbers.
        reasons: each reason in words, of the first of the pods.
        messages: the scheduler's exact texts.
        owners: pods by owner, most first.
        pods: all of them.
        nearest: the pod nearest to fitting and what it lacks; empty where no amount is short.
        evictable: whether an eviction may lift it.
        elsewhere: how many of them fit another node.
    """

    count: int
    codes: tuple[str, ...]
    text: str
    reasons: tuple[str, ...]
    messages: tuple[str, ...]
    owners: dict[str, int]
    pods: tuple[str, ...]
    nearest: str = ""
    evictable: bool = False
    elsewhere: int = 0


class NodeRace(Part, frozen=True, kw_only=True):
    """The scores of a pod on this node and on the one it goes to.

    Attributes:
        pod: ``namespace/name``.
        winner: where it goes.
        total: score of this node.
        winner_total: score of the winner.
        rank: place of this node among the feasible ones, 1 for the best; nodes with the same total share one.
        feasible: number of feasible nodes.
        gaps: by plugin that tells the two apart, the weighted score here less that of the winner.
        text: the same in words.
    """

    pod: str
    winner: str
    total: int
    winner_total: int
    rank: int
    feasible: int
    gaps: dict[str, int]
    text: str


class NodeLoss(Part, frozen=True, kw_only=True):
    """Pods that fit the node: they go to it, or another one wins by the same plugin.

    Attributes:
        count: pods.
        result: ``lands``, ``ties`` (the scheduler draws), ``loses``, or ``nominated`` elsewhere.
        decisive: the plugin that takes most from this node; empty where it does not lose.
        text: what decides it, in words.
        owners: pods by owner, most first.
        pods: all of them.
        winners: where they go, most first.
        least: by how much the winner leads where it leads least.
        most: where it leads most.
        closest: the one whose lead is least, with numbers.
    """

    count: int
    result: str
    text: str
    owners: dict[str, int]
    pods: tuple[str, ...]
    decisive: str = ""
    winners: dict[str, int] = msgspec.field(default_factory=dict)
    least: int = 0
    most: int = 0
    closest: NodeRace | None = None


class NodeExplanation(VerdictDocument, frozen=True, kw_only=True):
    """Document of ``kplan explain node``.

    Attributes:
        verdict: TAKES (a waiting pod goes there), LOSES (some fit, others win), REFUSES (none fits), IDLE (none waits).
        sentence: what follows the verdict word.
        because: the one cause.
        node: its use.
        labels: of the node.
        about: versions and shape in a few words.
        conditions: what its kubelet reports that is not as it should be.
        refused: waiting pods it refuses, most first.
        lost: waiting pods that fit, those that go elsewhere first.
        gated: waiting pods that are not in the queue.
        failed: waiting pods whose scheduling cycle fails.
        not_tried: waiting pods for which no work was left.
        evicting: waiting pods that fit nowhere and would be placed here after evictions.
        runs: pods on it, the largest first.
    """

    node: NodeRow
    origin: Origin = msgspec.field(name="from")
    because: Cause | None = None
    doubts: tuple[Doubt, ...] = ()
    labels: dict[str, str] = msgspec.field(default_factory=dict)
    about: str = ""
    conditions: tuple[str, ...] = ()
    refused: tuple[NodeRefusal, ...] = ()
    lost: tuple[NodeLoss, ...] = ()
    gated: int = 0
    failed: int = 0
    not_tried: int = 0
    evicting: tuple[str, ...] = ()
    runs: tuple[NodePod, ...] = ()
    notes: tuple[str, ...] = ()
    what_if: tuple[WhatIfStep, ...] = ()
    timings: dict[str, float] | None = None
