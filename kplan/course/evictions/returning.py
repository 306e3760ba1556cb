"""What becomes of evicted pods: their controllers make them again, and the scheduler looks for a place."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct, field

from kplan.admission.controllers.daemons import node_of, tied_to
from kplan.admission.controllers.device_claims import status_of_copy
from kplan.cluster import Assume, Cluster, Nominate, PodInfo, arrive, leave
from kplan.cluster.owners import controller, named_node, returns_where_it_was
from kplan.course.evictions.revised import revised
from kplan.objects.lean import replace
from kplan.objects.models import Pod
from kplan.pipeline import Planner
from kplan.result import Outcome

_AGAIN = re.compile(r"-r([0-9]+)$")
SHOWN = 3
"""Victims of one preemption whose way is followed."""
RETURNS_OF_ONE = 3
"""How often a pod may be evicted and come back before its chain is cut short."""


class Returns(Struct):
    """Controllers that make pods again for those that left.

    A preemptor evicts only pods of lower priority, so a chain of preemptions ends by itself; one that evictions feed
    again and again is cut after a pod has come back ``RETURNS_OF_ONE`` times.

    Attributes:
        planner: the planner; its cluster is changed.
        first_name: ``namespace/name`` that a pod which came back began with, by row.
        cut: the same, of pods that did not come back once more.
    """

    planner: Planner
    first_name: dict[int, str] = field(default_factory=dict)
    cut: list[str] = field(default_factory=list)
    _times: dict[str, int] = field(default_factory=dict)
    _began_made: dict[str, bool] = field(default_factory=dict)

    def make_all(self, victims: Sequence[PodInfo]) -> list[PodInfo | None]:
        """Make pods in place of several, all at once: columns grow once for all of them."""
        firsts = [self._again(victim) for victim in victims]
        cluster = self.planner.cluster
        before = len(cluster.pods)
        named = zip(victims, firsts, strict=True)
        copies = [made_again(victim, name, cluster, named_node(victim, cluster)) for victim, (_, name) in named if name]
        if copies:
            made_of = victims[0].row if len(victims) == 1 else -1
            self.planner.apply(arrive(cluster, copies, made_of))
        made = iter(cluster.pods[before:])
        again = [next(made) if name else None for _, name in firsts]
        self.first_name |= {pod.row: first for pod, (first, _) in zip(again, firsts, strict=True) if pod is not None}
        return again

    def _again(self, victim: PodInfo) -> tuple[str, str]:
        """What a pod began as, and the name of the next one; an empty name where none is made."""
        if not returns_where_it_was(victim):
            return "", ""
        first = self.first_name.get(victim.row, victim.key)
        times = self._times[first] = self._times.get(first, 0) + 1
        if times > RETURNS_OF_ONE:
            self.cut.append(first)
            return first, ""
        made = self._began_made.setdefault(first, was_made(victim))  # asked of the first, as all after it were made
        return first, next_name(first.partition("/")[2], times, made=made)


def was_made(pod: PodInfo) -> bool:
    """Whether a pod was made in place of an evicted one: its name says so, and the API server does not know it."""
    return pod.pod.metadata.uid is None and _AGAIN.search(pod.name) is not None


def next_name(name: str, times: int = 1, *, made: bool) -> str:
    """Name of the pod that is made in place of an evicted one: ``web-1`` is followed by ``web-1-r1`` and ``web-1-r2``.

    Args:
        name: that it began with.
        times: how often it has come back with this.
        made: whether that name was made so itself; then its number goes on.
    """
    number = _AGAIN.search(name) if made else None
    if number is None:
        return f"{name}-r{times}"
    return f"{name[: number.start()]}-r{int(number[1]) + times}"


def copy_of(victim: PodInfo, name: str, node: str = "") -> Pod:
    """A fresh pod in place of an evicted one: no status, and no node unless its template names one.

    One of a StatefulSet keeps its name; one of a DaemonSet is tied to the node that the other was on.
    """
    pod = victim.pod
    if controller(victim)[0] == "StatefulSet":
        name = victim.name
    metadata = replace(pod.metadata, name=name, uid=None, deletion_timestamp=None)
    spec = replace(pod.spec, node_name=node or None)
    if controller(victim)[0] == "DaemonSet" and node_of(pod):
        spec = tied_to(spec, node_of(pod))
    return replace(pod, metadata=metadata, spec=spec, status=status_of_copy(pod))


def made_again(victim: PodInfo, name: str, cluster: Cluster, node: str = "") -> Pod:
    """A fresh pod in place of an evicted one likewise, of the template that its controller has now."""
    return copy_of(revised(victim, cluster), name, node)


class Return(Struct, frozen=True):
    """What becomes of a victim that its controller makes again.

    Attributes:
        victim: the victim.
        then: the attempt to place what comes back; None where another scheduler does.
    """

    victim: PodInfo
    then: Outcome | None


class AfterEviction(Struct, frozen=True):
    """What becomes of the victims of a preemption.

    Attributes:
        told: of those that come back, the first ones.
        total: how many come back.
    """

    told: tuple[Return, ...] = ()
    total: int = 0


def after_eviction(planner: Planner, outcome: Outcome) -> AfterEviction:
    """Tell where the victims of the chosen node would go once the preemptor is placed; nothing changes.

    Args:
        planner: planner over the cluster.
        outcome: of a waiting pod that preempts.
    """
    preemption = outcome.preemption
    if preemption is None or not preemption.picks:
        return AfterEviction()
    cluster, node = planner.cluster, preemption.picks[0]
    victims = [cluster.pods[row] for row in preemption.candidates[node].pods]
    again = [victim for victim in victims if returns_where_it_was(victim)]
    told: list[Return] = []
    with planner.trial() as trial:
        trial.apply(leave(cluster, (victim.row for victim in victims)))
        trial.apply([Nominate(outcome.row, -1), Assume(outcome.row, node)])
        for victim in again[:SHOWN]:
            trial.apply(arrive(cluster, (made_again(victim, next_name(victim.name, made=was_made(victim)), cluster),)))
            copy = cluster.pods[-1]
            if not trial.queue.responsible(copy):
                told.append(Return(victim, None))
                continue
            cycle = trial.cycle(copy)
            then = cycle.explain()
            told.append(Return(victim, then))
            if then.choice >= 0:
                trial.place(cycle, then.choice)
    return AfterEviction(tuple(told), len(again))
