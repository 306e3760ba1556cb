"""Candidates: changes that may help, before they are tried, and what came of those that were."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from functools import reduce
from typing import Literal, TypeVar

import numpy as np
from msgspec import Struct, structs
from msgspec.structs import replace

from kplan.cluster import AddPods, Change, Cluster, PodInfo, PutNode
from kplan.framework.findings import Facts
from kplan.objects.models import Object, PodSpec
from kplan.pipeline import Planner
from kplan.reasons.groups import NodeGroup
from kplan.reasons.run_cycle import RunCycle
from kplan.remedies.about import About, LowerRequest, Purpose
from kplan.result import Outcome
from kplan.scenario import Step, Verb
from kplan.scenario.add_node import AddNode

F = TypeVar("F", bound=Facts)

Edit = Callable[[PodSpec], PodSpec]
"""Makes a changed spec; the one it is given stays as it is."""


class RemedyCost(IntEnum):
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


Harm = Literal["", "breaks-budget", "gone", "gone-some", "loses-data"]
"""What is lost by a remedy: a budget is broken, a pod (or some of several) that nothing recreates, data."""


class Further(Struct, frozen=True):
    """How a change of a number goes on: one more, two more, until it does.

    Attributes:
        of: gives the change of a number, from 2.
        most: the largest one that is tried.
    """

    of: Callable[[int], Candidate]
    most: int


class Candidate(Struct, frozen=True, eq=False):
    """One change, or a pair of them; without words, which ``wording.remedies`` makes.

    Attributes:
        code: stable kebab-case identifier of the kind of change.
        cost: where it ranks.
        about: what it is about.
        edits: make the changed spec of the pod, one after the other; none where the pod stays as it is.
        steps: change the cluster, each on what the former left.
        fields: fields of the workload's manifest outside its pod template: path and value.
        brought: objects as they would be before manifests land.
        deleted: objects that go before manifests land, with what they own.
        named: whether one would try it by hand: then it is named where it does not help.
        meant: for which pods the nodes are that fit then, where it is others.
        harm: what is lost by it.
        budget: name of the budget that it breaks.
        parts: the changes of a pair.
        evicts: whether it may be one that lets the pod evict others.
        larger: an amount below the one it comes to that may let more nodes fit, and the edit.
        loss: how much is given up, from 0 to 1; ranks before the number of nodes that fit.
        unless: codes of remedies that make this one pointless.
        further: how it goes on where it is one of a number, and one is not enough.
    """

    code: str
    cost: RemedyCost
    about: About | None
    edits: tuple[Edit, ...] = ()
    steps: tuple[Step, ...] = ()
    fields: tuple[tuple[tuple[str, ...], object], ...] = ()
    brought: tuple[Object, ...] = ()
    deleted: tuple[Object, ...] = ()
    named: bool = False
    meant: tuple[Purpose, ...] = ()
    harm: Harm = ""
    budget: str = ""
    parts: tuple[Candidate, ...] = ()
    evicts: bool = False
    larger: tuple[tuple[LowerRequest, Edit], ...] = ()
    loss: float = 0.0
    unless: tuple[str, ...] = ()
    further: Further | None = None

    @property
    def empty(self) -> bool:
        """Whether there is nothing to try: it is named as something that does not help."""
        return not (self.edits or self.steps or self.fields or self.brought or self.deleted)

    @property
    def adds_nodes(self) -> bool:
        """Whether nodes are added."""
        return any(isinstance(step, AddNode) for step in self.steps)

    @property
    def flags(self) -> tuple[str, ...]:
        """Its what-if verbs as flags."""
        return tuple(step.flag for step in self.steps if isinstance(step, Verb))

    def edited(self, spec: PodSpec) -> PodSpec:
        """The pod's spec with all edits."""
        return reduce(lambda changed, edit: edit(changed), self.edits, spec)

    def changes(self, cluster: Cluster) -> Iterator[tuple[Change, ...]]:
        """Yield what each step changes; the former ones have to be applied before the next is asked for.

        Raises:
            UsageError: a step names what is not there.
        """
        for step in self.steps:
            yield changes_of(step, cluster)


def both(one: Candidate, two: Candidate) -> Candidate:
    """Both changes at once, the first one first."""
    return Candidate(
        code=f"{one.code}+{two.code}",
        cost=max(one.cost, two.cost),
        about=None,
        edits=(*one.edits, *two.edits),
        steps=(*one.steps, *two.steps),
        fields=(*one.fields, *two.fields),
        brought=(*one.brought, *two.brought),
        deleted=(*one.deleted, *two.deleted),
        parts=(*(one.parts or (one,)), *(two.parts or (two,))),
        evicts=one.evicts or two.evicts,
        unless=(*(f"{code}+{two.code}" for code in one.unless), *(f"{one.code}+{code}" for code in two.unless)),
        further=_further(one, two),
    )


def _further(candidate: Candidate, two: Candidate) -> Further | None:
    """How a pair goes on: both step together, one that cannot stays as it is."""
    if candidate.further is None and two.further is None:
        return None
    most = max(part.further.most for part in (candidate, two) if part.further is not None)

    def of(number: int) -> Candidate:
        return both(_at(candidate, number), _at(two, number))

    return Further(of, most)


def _at(candidate: Candidate, number: int) -> Candidate:
    """A change of a number at that number, or the largest below it that it goes to."""
    if candidate.further is None:
        return candidate
    return replace(candidate.further.of(min(number, candidate.further.most)), further=None)


def changes_of(step: Step, cluster: Cluster) -> tuple[Change, ...]:
    """What a step changes on a cluster; pods of DaemonSets run on a new node from the start.

    Raises:
        UsageError: it names what is not there.
    """
    return tuple(_bound(step.effect(cluster).changes))


def _bound(changes: tuple[Change, ...]) -> Iterator[Change]:
    """Put the pods of DaemonSets on the new node they are for."""
    node = ""
    for change in changes:
        if isinstance(change, PutNode):
            node = change.name
        if isinstance(change, AddPods) and node:
            pods = [structs.replace(pod, spec=structs.replace(pod.spec, node_name=node)) for pod in change.pods]
            yield AddPods(tuple(pods))
        else:
            yield change


class RemedyEffect(Struct, frozen=True):
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
        new: name of the first node that was added; empty for none.
    """

    outcome: Outcome
    nodes: tuple[str, ...] = ()
    goes: str = ""
    evicted: tuple[str, ...] = ()
    picks: int = 0
    next: int = -1
    asked: int = 0
    first: tuple[tuple[str, str], ...] = ()
    new: str = ""


class Remedy(Struct, frozen=True):
    """A candidate that helps: tried on the changed state.

    Attributes:
        candidate: the change.
        effect: what it comes to.
        more: a lower amount, and how many nodes fit at it.
        again: whether others of its kind come before it.
    """

    candidate: Candidate
    effect: RemedyEffect
    more: tuple[LowerRequest, int] | None = None
    again: bool = False


class Remedies(Struct, frozen=True):
    """What helps a pod, cheapest first.

    Attributes:
        found: what helps.
        failed: what one would try first and does not help.
        nearest: the nodes nearest to fitting, where no change and no pair of them helps.
        alone: changes of the pod that do not help it alone: those like it are as they were.
        claims: whether the pod has claims of devices: they are not modelled, and never tried.
        tried: how many changed states were looked at.
        exhausted: whether more could have been tried.
    """

    found: tuple[Remedy, ...] = ()
    failed: tuple[Candidate, ...] = ()
    nearest: NodeGroup | None = None
    alone: tuple[Candidate, ...] = ()
    claims: bool = False
    tried: int = 0
    exhausted: bool = False


class Case(Struct, frozen=True):
    """A pod that fits nowhere: what the families of remedies look at.

    Attributes:
        planner: planner over the cluster.
        asked: its cycle, run.
        groups: the nodes that refuse it, nearest first; those nobody looked at are left out.
    """

    planner: Planner
    asked: RunCycle
    groups: tuple[NodeGroup, ...]

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

    def facts_of(self, kind: type[F], rows: Sequence[int]) -> F | None:
        """Facts of one kind about some node rows; None where no plugin has such."""
        facts = self.asked.facts(np.array(rows, dtype=np.intp)).values()
        return next((fact for fact in facts if isinstance(fact, kind)), None)

    def codes(self) -> frozenset[str]:
        """Codes of all reasons."""
        return frozenset(atom.code for group in self.groups for atom in group.atoms)

    def with_code(self, *codes: str) -> list[NodeGroup]:
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
