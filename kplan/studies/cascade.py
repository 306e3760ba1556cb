"""The cascade: pods that leave a node come back with their owners, and may evict others in turn.

A preemptor evicts only pods of lower priority, so a chain of preemptions ends by itself; one that evictions feed
again and again is cut after a pod has come back ``RETURNS_OF_ONE`` times, and that is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kplan.cluster import AddPods, PodInfo
from kplan.cluster.owners import returns
from kplan.pipeline import Planner
from kplan.result import Event, EventKind
from kplan.studies.failing import Failure, failure
from kplan.studies.owners import owner_text
from kplan.studies.returning import copy_of

RETURNS_OF_ONE = 3
"""How often a pod may be evicted and come back before the cascade is cut short."""


@dataclass(frozen=True, slots=True)
class Landing:
    """What became of one pod that was tried.

    Attributes:
        row: its row.
        pod: ``namespace/name``.
        instead_of: the pod it stands for; empty for one that is new.
        owner: its controller, in words.
        was: node that the other ran on; empty for none.
        node: where it was placed; empty for nowhere.
        result: ``placed``, ``pending``, ``gated`` or ``failed``.
        evicts: rows of pods that left for it.
        failure: why it was not placed.
    """

    row: int
    pod: str
    instead_of: str
    owner: str
    was: str
    node: str
    result: str
    evicts: tuple[int, ...] = ()
    failure: Failure | None = None


@dataclass
class Cascade:
    """Pods that come back, and where they land.

    Attributes:
        planner: the planner; its cluster is changed.
        returned: how often each pod came back, by the name it began with.
        first_name: the name it began with, by row.
        was: node it left, by row of the pod that came back.
        cut: names of pods that did not come back once more.
    """

    planner: Planner
    returned: dict[str, int] = field(default_factory=dict)
    first_name: dict[int, str] = field(default_factory=dict)
    was: dict[int, str] = field(default_factory=dict)
    cut: list[str] = field(default_factory=list)

    def come_back(self, left: Mapping[int, str]) -> list[PodInfo]:
        """Let controllers make pods again.

        Args:
            left: by row of a pod that was removed, the node it was on.
        """
        cluster = self.planner.cluster
        again: list[PodInfo] = []
        for row, node in left.items():
            victim = cluster.pods[row]
            if not returns(victim):
                continue
            first = self.first_name.get(row, victim.key)
            times = self.returned[first] = self.returned.get(first, 0) + 1
            if times > RETURNS_OF_ONE:
                self.cut.append(first)
                continue
            self.planner.apply([AddPods((copy_of(victim, f"{first.partition('/')[2]}-r{times}"),))])
            copy = cluster.pods[-1]
            self.first_name[copy.row] = first
            self.was[copy.row] = node
            again.append(copy)
        return again

    def place(self, pods: Iterable[PodInfo]) -> list[Landing]:
        """Try pods in the order of the queue, and then those that come back because of them, to the end."""
        landings: list[Landing] = []
        queue = self.planner.queue.sort(pods)
        while queue:
            left: dict[int, str] = {}
            for pod in queue:
                landing = self._try(pod)
                landings.append(landing)
                left |= dict.fromkeys(landing.evicts, landing.node)
            queue = self.planner.queue.sort(self.come_back(left))
        return landings

    def _try(self, pod: PodInfo) -> Landing:
        planner = self.planner
        if not planner.queue.responsible(pod):
            return self._landing(pod, "", "pending")
        event = planner.step(pod)
        last = event.outcome.preempted.then if event.outcome.preempted is not None else event.outcome
        placed = event.kind in (EventKind.PLACED, EventKind.PREEMPTED) and last.placement is not None
        victims = event.outcome.preempted.victims if event.outcome.preempted is not None else ()
        if placed and last.placement is not None:
            node = planner.cluster.node_name(last.placement.node)
            return self._landing(pod, node, "placed", victims)
        return self._landing(pod, "", _RESULTS.get(event.kind, "pending"), victims, event)

    def _landing(
        self, pod: PodInfo, node: str, result: str, evicts: tuple[int, ...] = (), event: Event | None = None
    ) -> Landing:
        cluster = self.planner.cluster
        return Landing(
            row=pod.row,
            pod=pod.key,
            instead_of=self.first_name.get(pod.row, ""),
            owner=owner_text(pod, cluster),
            was=self.was.get(pod.row, ""),
            node=node,
            result=result,
            evicts=evicts,
            failure=failure(self.planner, pod, event) if event is not None else None,
        )


_RESULTS = {EventKind.GATED: "gated", EventKind.FAILED: "failed"}
