"""Outcome: one pod's pass through the pipeline, columns over the nodes that were looked at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from kplan.framework.codes import Code
from kplan.framework.findings import Findings
from kplan.framework.preemption import NodeStatus, Preemption
from kplan.result.group import GroupOutcome

_GATES = "SchedulingGates"


class PluginFindings(Struct, frozen=True):
    """What one Filter plugin said of the nodes as they are (nominated pods not counted).

    Attributes:
        plugin: its name.
        positions: intp[K], positions in ``Diagnosis.rows`` it was asked about.
        findings: its answer about those K worlds.
    """

    plugin: str
    positions: NDArray[np.intp]
    findings: Findings[Any]


class Diagnosis(Struct, frozen=True):
    """Why nodes were refused.

    Attributes:
        pre_filter: status of a PreFilter that refused the pod on every node, or None.
        pre_filter_plugins: plugins that limited the nodes by name.
        pre_filter_nodes: the names they all allow, whether or not such nodes exist.
        rows: intp[M], node rows that Filter plugins were asked about.
        left_out: nodes that PreFilter left out by name; they count with ``left_out_reason``.
        left_out_reason: the scheduler's text for them.
        nominated_outside: status of the pod's nominated node if it is one of those left out: it is asked all the
            same, before all others, and counts with its own reasons.
        feasible: bool[M].
        unschedulable: bool[M], refused with code Unschedulable: an eviction may help.
        failing: every plugin that refused at least one node, in filter order.
        status: status per position, filled for positions that were refused.
    """

    pre_filter: NodeStatus | None
    pre_filter_plugins: tuple[str, ...]
    pre_filter_nodes: tuple[str, ...]
    rows: NDArray[np.intp]
    left_out: int
    left_out_reason: str
    feasible: NDArray[np.bool_]
    unschedulable: NDArray[np.bool_]
    failing: tuple[PluginFindings, ...]
    status: Mapping[int, NodeStatus]
    nominated_outside: NodeStatus | None = None


class NodeScores(Struct, frozen=True):
    """Scores of the feasible nodes.

    Attributes:
        rows: intp[F], the feasible nodes.
        raw: int64[F] by plugin that was asked.
        weighted: int64[F] by plugin, normalised times weight.
        total: int64[F].
        skipped: plugins whose PreScore skipped the pod.
        best: node rows with the highest total, by name.
        problem: what scoring would have failed with, had more than one node fitted: the only one is taken without it.
    """

    rows: NDArray[np.intp]
    raw: Mapping[str, NDArray[np.int64]]
    weighted: Mapping[str, NDArray[np.int64]]
    total: NDArray[np.int64]
    skipped: tuple[str, ...]
    best: tuple[int, ...]
    problem: str = ""


class Placement(Struct, frozen=True):
    """Where a plan put the pod.

    Attributes:
        node: node row.
        volumes: claim name to the volume bound to it, empty where one is provisioned.
        claims: names of the ResourceClaims that devices were allocated to.
    """

    node: int
    volumes: Mapping[str, str] = field(default_factory=dict)
    claims: tuple[str, ...] = ()


class Outcome(Struct, frozen=True):
    """One pod's result.

    Attributes:
        pod: ``namespace/name``.
        row: its pod row.
        pre_enqueue: why it is kept out of the queue, or None.
        diagnosis: what the filters said; None when the cycle ended before.
        scores: scores of the feasible nodes, or None.
        nominated_first: row of the nominated node if the pod goes there whatever the scores, else -1.
        preemption: what preemption found, or None if it was not tried.
        post_filter: status of a PostFilter plugin before preemption that said something, or None.
        fit_error: the event text; empty if a node is feasible.
        error: text of a failed cycle, or empty.
        placement: where a plan put it, or None.
        permit: why a Permit plugin would hold it, or None.
        preempted: the next attempt after a preemption was carried out, with the preemption.
        group: the cycle of its group, if it is one of a group.
        held: why it is not placed though a node may fit: its group is not.
        nominated_to: row of the node it is nominated to by the preemption of its group, -1 for none.
        not_tried: whether there was no work left for its cycle (``cluster.work``), or not for all of it.
    """

    pod: str
    row: int
    pre_enqueue: NodeStatus | None = None
    diagnosis: Diagnosis | None = None
    scores: NodeScores | None = None
    nominated_first: int = -1
    preemption: Preemption | None = None
    post_filter: NodeStatus | None = None
    fit_error: str = ""
    error: str = ""
    placement: Placement | None = None
    permit: NodeStatus | None = None
    preempted: Preempted | None = None
    group: GroupOutcome | None = None
    held: NodeStatus | None = None
    nominated_to: int = -1
    not_tried: bool = False

    def __repr__(self) -> str:
        evicts = self.preempted is not None or (self.preemption is not None and bool(self.preemption.picks))
        kind = "gated" if self.gated else "fits" if self.choice >= 0 else "preempts" if evicts else "pending"
        return f"Outcome({self.pod!r}, {kind})"

    @property
    def event_texts(self) -> tuple[str, ...]:
        """Texts of which the scheduler says one: several where nodes tie for a preemption, the first by name first."""
        text = self.fit_error or self.error
        if self.preemption is None or self.preemption.message or not self.preemption.said:
            return (text,) if text else ()
        return tuple(f"{text} {said}" for said in self.preemption.said.values())

    @property
    def last(self) -> Outcome:
        """The pod's last attempt: the one after a preemption that was carried out."""
        return self.preempted.then.last if self.preempted is not None else self

    @property
    def victims(self) -> tuple[int, ...]:
        """Rows of the pods that left for it."""
        return (*self.preempted.victims, *self.preempted.then.victims) if self.preempted is not None else ()

    @property
    def kept_out(self) -> bool:
        """Whether the pod is kept out of the queue."""
        return self.pre_enqueue is not None and self.pre_enqueue.code is not Code.SUCCESS

    @property
    def gated(self) -> bool:
        """Whether scheduling gates keep it out: it waits for somebody, not for what the cluster lacks."""
        return self.kept_out and self.pre_enqueue is not None and self.pre_enqueue.plugin == _GATES

    @property
    def feasible(self) -> NDArray[np.intp]:
        """intp[F], rows of the feasible nodes."""
        if self.diagnosis is None:
            return np.zeros(0, dtype=np.intp)
        return self.diagnosis.rows[self.diagnosis.feasible]

    @property
    def choice(self) -> int:
        """Row of the node the pod goes to (the first of a tie), -1 if none."""
        if self.held is not None:
            return -1
        if self.nominated_first >= 0:
            return self.nominated_first
        return self.scores.best[0] if self.scores is not None and self.scores.best else -1


class Preempted(Struct, frozen=True):
    """A preemption that was carried out.

    Attributes:
        node: node row the pod is nominated to.
        victims: rows of the pods that left.
        cleared: rows of waiting pods whose nomination was cleared.
        then: the pod's next attempt.
    """

    node: int
    victims: tuple[int, ...]
    cleared: tuple[int, ...]
    then: Outcome
