"""What trying a group comes to, and the planner that it is tried on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from msgspec import Struct, field

from kplan.cluster import PodInfo
from kplan.framework.codes import Code
from kplan.framework.fit_error import NO_NODES
from kplan.framework.preemption import NodeStatus
from kplan.framework.worlds import Rows
from kplan.pipeline.cycle import Cycle
from kplan.pipeline.entity import Steps
from kplan.result import Outcome

UNSCHEDULABLE = "pod group is unschedulable"
_SUCCESS = NodeStatus(Code.SUCCESS)


class Tries(Steps, Protocol):
    """A planner that can be tried on.

    Attributes:
        together: names what else is to be placed whole or not at all: a set of pods, by one of them; None for nothing.
    """

    together: Callable[[PodInfo], str] | None

    def trial(self) -> AbstractContextManager[Any]:
        """A planner over the same cluster that takes back what goes through it."""

    def group_cycle(self, pod: PodInfo, within: Rows | None, *, everything: bool) -> Cycle:
        """Start a cycle of one pod of a group."""


class TriedMember(Struct, frozen=True):
    """One pod that was tried.

    Attributes:
        pod: the pod.
        outcome: what its cycle came to.
        status: why it got no node; None if it got one.
        cycle: its cycle; None of one that was not tried.
        goes_to: row of the node that it got, or gets once its victims are gone; -1 for none.
        permit: what Permit held it back with there; None for nothing.
        victims: rows of the pods that it evicts by itself (1.36).
        codes: what the first plugin to refuse a node refused it for, of a pod with claims.
    """

    pod: PodInfo
    outcome: Outcome
    status: NodeStatus | None
    cycle: Cycle | None = None
    goes_to: int = -1
    permit: NodeStatus | None = None
    victims: tuple[int, ...] = ()
    codes: frozenset[str] = frozenset()


class TriedGroup(Struct, frozen=True):
    """What trying a group came to.

    Attributes:
        status: of the group.
        pods: those that were tried, in order; the others were not, once nothing could help any more.
        nodes: name of the set of nodes; empty for all.
        waits: whether it fits once those are gone that its pods evict by themselves (1.36).
        of: what became of each group of a group of groups, by key, as far as they were come to.
        placed: rows of the pods of a group of groups that get a node if it comes to something; None for all that fit.
    """

    status: NodeStatus = _SUCCESS
    pods: tuple[TriedMember, ...] = ()
    nodes: str = ""
    waits: bool = False
    of: Mapping[str, TriedGroup] = field(default_factory=dict)
    placed: frozenset[int] | None = None

    def goes(self, pod: TriedMember) -> bool:
        """Whether a pod that fits gets a node if the group comes to something."""
        return self.placed is None or pod.pod.row in self.placed

    @property
    def assignments(self) -> dict[int, int]:
        """Node row by pod row, in order, of those that got one, or get one."""
        return {pod.pod.row: pod.goes_to for pod in self.pods if pod.goes_to >= 0}

    @property
    def victims(self) -> tuple[int, ...]:
        """Rows of the pods that its pods evict by themselves, each once."""
        return tuple(dict.fromkeys(row for pod in self.pods for row in pod.victims))


def stopped(pods: Sequence[TriedMember], nodes: str) -> TriedGroup | None:
    """What a group comes to whose last pod failed, so that no other is tried; None where it goes on.

    Args:
        pods: those that were tried.
        nodes: name of the set of nodes.
    """
    status = pods[-1].status
    if status is None or status.code is not Code.ERROR:
        return None
    text = f"failed to schedule other pod from a pod group: {', '.join(status.reasons)}"
    return TriedGroup(NodeStatus(Code.ERROR, message=text), tuple(pods), nodes)


def refusal_codes(cycle: Cycle, outcome: Outcome) -> frozenset[str]:
    """What the first plugin to refuse a node refused it for; of pods without claims nobody asks."""
    if not cycle.pod.pod.spec.resource_claims or outcome.diagnosis is None:
        return frozenset()
    return frozenset(why.code for status in outcome.diagnosis.status.values() for why in status.whys)


def failed_pod(cycle: Cycle, outcome: Outcome) -> TriedMember:
    """A pod that gets no node: refused by all, or failed."""
    if outcome.error and outcome.error != NO_NODES:
        return TriedMember(cycle.pod, outcome, NodeStatus(Code.ERROR, message=outcome.error), cycle)
    text = outcome.error or outcome.fit_error
    codes = refusal_codes(cycle, outcome)
    return TriedMember(cycle.pod, outcome, NodeStatus(Code.UNSCHEDULABLE, message=text), cycle, codes=codes)
