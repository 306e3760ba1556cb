"""Sleepers: pods that wait and were refused before anything changed, and take what becomes free, in their turn."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence

from msgspec import Struct

from kplan.cluster import PodInfo
from kplan.course.trial.alike import likeness
from kplan.course.trial.attempts import Attempts, TriedPod, W
from kplan.course.trial.waking import Asleep, asleep
from kplan.pipeline import Planner


class Sleepers(Struct, frozen=True):
    """Pods that wait and were refused.

    Attributes:
        planner: the planner; its cluster is changed.
        rows: of the pods.
    """

    planner: Planner
    rows: frozenset[int] = frozenset()

    @classmethod
    def of(cls, planner: Planner, without: Collection[int] = (), sleeping: Asleep | None = None) -> Sleepers:
        """Find them in a cluster as it is now.

        Args:
            planner: the planner.
            without: rows of pods that are left out.
            sleeping: the pods that wait and are refused now, where that is known.
        """
        sleeping = sleeping if sleeping is not None else asleep(planner)
        keys = [key for _, pods in sleeping.kinds for key in pods]
        return cls(planner, frozenset(planner.cluster.pod_index[key] for key in keys) - set(without))

    def place(self, attempts: Attempts[W], pods: Sequence[PodInfo], *, alike: bool = False) -> list[TriedPod[W]]:
        """Try pods, and among them those that slept in their turn: of these, alike, no more once one has failed.

        Those that slept take room that is free, and evict nobody: whom they may evict they may evict without a change.

        Args:
            attempts: tries them.
            pods: pods that are tried.
            alike: whether of these, too, those alike are tried no more once one has failed.
        """
        rivals = [pod for pod in map(self.planner.cluster.pods.__getitem__, self.rows) if pod.waiting]
        if not rivals and not alike:
            return attempts.place(self.planner.queue.sort(pods))
        landings: list[TriedPod[W]] = []
        failed: set[Hashable] = set()
        for pod in self.planner.queue.sort([*pods, *rivals]):
            slept = pod.row in self.rows
            kind = likeness(pod) if slept or alike else None
            if not pod.waiting or (kind is not None and kind in failed):
                continue
            if slept and not self._fits(pod):
                failed.add(kind)
                continue
            landings += attempts.place([pod])
            if kind is not None and not pod.bound:
                failed.add(kind)
        return landings

    def took(self, landings: Iterable[TriedPod[W]]) -> list[TriedPod[W]]:
        """Those of some pods that slept and were placed."""
        return [landing for landing in landings if landing.pod.row in self.rows and landing.node]

    def _fits(self, pod: PodInfo) -> bool:
        outcome = self.planner.cycle(pod).explain(preempt=False)
        return bool(len(outcome.feasible)) and not outcome.kept_out
