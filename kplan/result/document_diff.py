"""What is shown of two plans side by side."""

from __future__ import annotations

import msgspec

from kplan.framework.doubt import Doubt
from kplan.result.document_base import ApiVersion, Cause, Document, Origin, Part
from kplan.result.document_device_list import DeviceClassTotal
from kplan.result.document_landing import DiffLanding


class PackedResource(Part, frozen=True, kw_only=True, omit_defaults=False):
    """One resource over open nodes; see ``kplan nodes``.

    Attributes:
        free: what is free on nodes that take pods.
        largest: the most on one of them.
        fragmented: share of ``free`` that the pods of both sides could not use where it lies [percent].
        fullness: mean of requested by allocatable [percent].
        spread: standard deviation of it between nodes [percentage points].
    """

    free: int
    largest: int
    fragmented: float | None = None
    fullness: float | None = None
    spread: float | None = None


class Packing(Part, frozen=True, kw_only=True):
    """How pods are packed in the end.

    Attributes:
        resources: by name.
        within: mean distance of cpu and memory fullness within a node [percentage points].
        used_nodes: nodes with a pod that is neither a DaemonSet's nor static.
        waiting: pods that wait in the end.
        devices: of each class that has some.
    """

    resources: dict[str, PackedResource]
    within: float | None = None
    used_nodes: int = 0
    waiting: int = 0
    devices: dict[str, DeviceClassTotal] = msgspec.field(default_factory=dict)


class DiffSide(Part, frozen=True, kw_only=True):
    """One of the two that are compared.

    Attributes:
        label: how it is called in the text.
        origin: where its state is from and by which rules.
        config: configuration file; empty for that of the source.
        manifests: what lands there.
        tried: pods that were tried.
        placed: those that were placed.
        packing: how pods are packed in the end.
    """

    label: str
    origin: Origin = msgspec.field(name="from")
    packing: Packing
    config: str = ""
    manifests: tuple[str, ...] = ()
    tried: int = 0
    placed: int = 0


class DiffMove(Part, frozen=True, kw_only=True):
    """A pod that is elsewhere on side B.

    Attributes:
        pod: ``namespace/name`` on side A, or on side B where A has none.
        pod_b: its name on side B where its owner gave it another.
        owner: its controller.
        result: ``moves``, ``placed`` (in B alone), ``pending`` (no place in B), ``new`` or ``gone``.
        a: node on side A; empty for none.
        b: node on side B; empty for none.
        cause: what kind of thing flipped: ``score``, ``filter``, ``tie``, ``room``, ``node``, ``evicted``,
            ``state``; empty if that is not known.
        plugin: the plugin that flipped; empty where none did.
        text: why, in words, with the numbers.
        gap_a: score of node A less that of node B on side A; None where one of them was not scored.
        gap_b: the same on side B.
        itself: whether the rules of B alone move it, on the state of A; false if it follows other pods; None if that
            was not asked.
    """

    pod: str
    owner: str
    result: str
    a: str = ""
    b: str = ""
    pod_b: str = ""
    cause: str = ""
    plugin: str = ""
    text: str = ""
    gap_a: int | None = None
    gap_b: int | None = None
    itself: bool | None = None


class DiffFold(Part, frozen=True, kw_only=True):
    """Moves of one owner with the same result and plugin.

    Attributes:
        count: pods.
        owner: their controller; in words for pods that have none.
        result: as of DiffMove.
        a: nodes on side A, by number of pods.
        b: nodes on side B.
        plugin: the plugin that flipped.
        text: why, of the first of them.
    """

    count: int
    owner: str
    result: str
    a: dict[str, int]
    b: dict[str, int]
    plugin: str = ""
    text: str = ""


class ClusterDiff(Document, frozen=True, kw_only=True):
    """Document of ``kplan diff``.

    Attributes:
        verdict: SAME or DIFFERS.
        compared: what differs between the sides: ``snapshots``, ``configurations``, ``versions``, ``manifests``,
            ``gates``.
        sentence: what was compared and what came of it.
        because: what moves most of the pods.
        pods: which pods were placed: ``waiting`` or ``all``.
        unchanged: pods that are on the same node on both sides.
        rules: what differs in the rules, a line each.
        objects: what differs in nodes and objects, a line each.
        moves: every pod that is elsewhere.
        folds: the same by owner.
        landings: pods that land elsewhere in some cases, as another number of nodes is looked at.
    """

    api_version: ApiVersion
    verdict: str
    compared: tuple[str, ...]
    sentence: str
    a: DiffSide
    b: DiffSide
    pods: str = "waiting"
    unchanged: int = 0
    because: Cause | None = None
    doubts: tuple[Doubt, ...] = ()
    rules: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    moves: tuple[DiffMove, ...] = ()
    folds: tuple[DiffFold, ...] = ()
    landings: tuple[DiffLanding, ...] = ()
    notes: tuple[str, ...] = ()
    timings: dict[str, float] | None = None
