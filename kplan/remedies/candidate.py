"""Candidates: changes that may help, before they are tried, and what came of those that were."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from kplan.cluster import Change, Cluster, PodInfo
from kplan.framework.facts import Facts
from kplan.objects.models import PodSpec
from kplan.pipeline import Planner
from kplan.reasons.groups import Asked, Found
from kplan.result import Outcome

Edit = Callable[[PodSpec], PodSpec]
"""Makes a changed spec; the one it is given stays as it is."""


class Cost(IntEnum):
    """What a remedy costs those who run the cluster, cheapest first (docs/decisions/0007)."""

    WAIT = 0
    STALE = 1
    LOOSEN = 2
    REQUEST = 3
    UNCORDON = 4
    ADD_NODE = 5
    NODE = 6
    LEAVE_OUT = 7
    EVICT = 8
    LOSS = 9
    NOT_MEANT = 10
    """It fits, but on a node that is meant for others, or on one that may not run it."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """One change, or a pair of them.

    Attributes:
        code: stable kebab-case identifier of the kind of change.
        cost: where it ranks.
        text: the change, in words.
        edit: makes the changed spec of the pod; None where the pod stays as it is.
        changes: changes of the cluster; rows of pods in them are those of the cluster as it is.
        commands: what would carry it out, beside the patch that ``edit`` comes to.
        failed: how it is named under ``no help``; empty for one nobody would try by hand.
        harm: in capitals, what is lost by it.
        new_node: name of the node it adds; empty for none.
        note: what else comes of it, told after the nodes that fit.
        short: ``text`` for the line Try, where that reads better.
        parts: the changes of a pair.
        evicts: whether it may be one that lets the pod evict others.
        larger: amounts below the one in ``text`` that let more nodes fit: (text, edit).
        loss: how much is given up, from 0 to 1; ranks before the number of nodes that fit.
        unless: code of a remedy that makes this one pointless.
    """

    code: str
    cost: Cost
    text: str
    edit: Edit | None = None
    changes: tuple[Change, ...] = ()
    commands: tuple[str, ...] = ()
    failed: str = ""
    harm: str = ""
    new_node: str = ""
    note: str = ""
    short: str = ""
    parts: tuple[Candidate, ...] = ()
    evicts: bool = False
    larger: tuple[tuple[str, Edit], ...] = ()
    loss: float = 0.0
    unless: str = ""


@dataclass(frozen=True)
class Effect:
    """What the scheduler does once a candidate is carried out.

    Attributes:
        outcome: of the pod, on the changed state.
        nodes: names of the nodes that fit then.
        goes: node it goes to, the first of a tie; empty for none.
        evicted: pods it evicts on that node, by ``namespace/name``.
        picks: number of nodes that tie for that.
        next: how many more pods like it fit then; -1 where that was not asked.
        asked: how many more were tried.
        first: pods that were placed before it, and where.
    """

    outcome: Outcome
    nodes: tuple[str, ...] = ()
    goes: str = ""
    evicted: tuple[str, ...] = ()
    picks: int = 0
    next: int = -1
    asked: int = 0
    first: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Remedy:
    """A candidate that helps: tried on the changed state.

    Attributes:
        candidate: the change.
        effect: what it comes to.
        more: a lower amount and how many nodes fit at it, in words.
        again: whether others of its kind come before it.
    """

    candidate: Candidate
    effect: Effect
    more: str = ""
    again: bool = False


@dataclass(frozen=True)
class Remedies:
    """What helps a pod, cheapest first.

    Attributes:
        found: what helps.
        failed: what one would try first and does not help, in words.
        nothing: what it would take, where no change and no pair of them helps.
        alone: changes of the pod that do not help it alone: those like it are as they were.
        untried: what of the pod is not tried.
        tried: how many changed states were looked at.
        exhausted: whether more could have been tried.
    """

    found: tuple[Remedy, ...] = ()
    failed: tuple[str, ...] = ()
    nothing: str = ""
    alone: tuple[Candidate, ...] = ()
    untried: tuple[str, ...] = ()
    tried: int = 0
    exhausted: bool = False


@dataclass(frozen=True)
class Case:
    """A pod that fits nowhere: what the families of remedies look at.

    Attributes:
        planner: planner over the cluster.
        asked: its cycle, run.
        groups: the nodes that refuse it, nearest first; those nobody looked at are left out.
    """

    planner: Planner
    asked: Asked
    groups: tuple[Found, ...]

    @property
    def cluster(self) -> Cluster:
        """The cluster as it is."""
        return self.asked.cluster

    @property
    def pod(self) -> PodInfo:
        """The pod."""
        return self.asked.pod

    @property
    def spec(self) -> PodSpec:
        """Its spec."""
        return self.asked.pod.pod.spec

    @property
    def nowhere(self) -> bool:
        """Whether the pod is refused as a whole, before any node is looked at."""
        diagnosis = self.asked.outcome.diagnosis
        return diagnosis is not None and diagnosis.pre_filter is not None

    def facts(self, rows: Sequence[int]) -> dict[str, Facts]:
        """Facts about some node rows, by plugin."""
        return self.asked.facts(np.array(rows, dtype=np.intp))

    def codes(self) -> frozenset[str]:
        """Codes of all reasons."""
        return frozenset(atom.code for group in self.groups for atom in group.atoms)

    def with_code(self, *codes: str) -> list[Found]:
        """Groups that have one of these reasons, nearest first."""
        return [group for group in self.groups if any(atom.code in codes for atom in group.atoms)]

    def nearest(self, most: int, *codes: str) -> list[int]:
        """Rows of the nearest nodes with one of these reasons, groups in turn.

        Args:
            most: how many.
            codes: the reasons.
        """
        groups = self.with_code(*codes)
        rows: list[int] = []
        for place in range(most):
            rows += [int(group.rows[place]) for group in groups if place < len(group.rows)]
        return list(dict.fromkeys(rows[:most]))
