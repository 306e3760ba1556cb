"""The cascade: pods that leave a node come back with their owners, and may evict others in turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kplan.cluster import PodInfo
from kplan.course.returning import Returns
from kplan.pipeline import Planner
from kplan.result import Event, EventKind
from kplan.wording.failing import Failure, failure
from kplan.wording.owners import owner_text


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


class Cascade:
    """Pods that come back, and where they land.

    Attributes:
        planner: the planner; its cluster is changed.
        returns: what makes pods again.
        was: node it left, by row of the pod that came back.
    """

    def __init__(self, planner: Planner) -> None:
        self.planner = planner
        self.returns = Returns(planner)
        self.was: dict[int, str] = {}

    def come_back(self, left: Mapping[int, str]) -> list[PodInfo]:
        """Let controllers make pods again.

        Args:
            left: by row of a pod that was removed, the node it was on.
        """
        copies = self.returns.make_all([self.planner.cluster.pods[row] for row in left])
        self.was |= {copy.row: node for copy, node in zip(copies, left.values(), strict=True) if copy is not None}
        return [copy for copy in copies if copy is not None]

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

    def why(self, pod: PodInfo, event: Event) -> Failure | None:
        """Tell why a pod was not placed, as the cluster is now; None if nobody asks."""
        return failure(self.planner, pod, event)

    def _try(self, pod: PodInfo) -> Landing:
        node, result = "", "pending"
        evicts: tuple[int, ...] = ()
        why: Failure | None = None
        if self.planner.queue.responsible(pod):
            event = self.planner.step(pod)
            placement, evicts = event.outcome.last.placement, event.outcome.victims
            if placement is not None:
                node, result = self.planner.cluster.node_name(placement.node), "placed"
            else:
                result, why = _RESULTS.get(event.kind, "pending"), self.why(pod, event)
        return Landing(
            row=pod.row,
            pod=pod.key,
            instead_of=self.returns.first_name.get(pod.row, ""),
            owner=owner_text(pod, self.planner.cluster),
            was=self.was.get(pod.row, ""),
            node=node,
            result=result,
            evicts=evicts,
            failure=why,
        )


_RESULTS = {EventKind.GATED: "gated", EventKind.FAILED: "failed"}
