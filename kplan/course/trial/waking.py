"""Which of the pods that wait a change wakes: those that were refused before it and are told of what happened."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from itertools import islice

from msgspec import Struct

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.work import ASLEEP
from kplan.course.trial.alike import likeness
from kplan.framework.events import Happened
from kplan.pipeline import Planner
from kplan.pipeline.waking import Waking, rejectors

KINDS = 100
"""Kinds of pods that are asked about; pods alike are one."""


class Asleep(Struct, frozen=True):
    """Pods that wait and that the scheduler refuses.

    Attributes:
        kinds: what each kind waits for, and the keys of its pods.
        waiting: how many pods wait, those included that fit.
        partly: whether there are more kinds than were asked about.
    """

    kinds: tuple[tuple[Waking, tuple[str, ...]], ...]
    waiting: int
    partly: bool = False

    def woken(self, cluster: Cluster, happened: Iterable[Happened]) -> tuple[str, ...]:
        """Keys of those that something wakes, in order.

        Args:
            cluster: as it is after it.
            happened: what did.
        """
        events = tuple(happened)
        return tuple(sorted(key for waking, keys in self.kinds if waking.by(cluster, events) for key in keys))


def asleep(planner: Planner) -> Asleep:
    """Find the pods that wait in a cluster and are refused as it is; nothing changes.

    Where no work is left, none is looked for.
    """
    if planner.cluster.work.refuses():
        return Asleep((), 0)
    alike: dict[Hashable, list[PodInfo]] = {}
    waiting = planner.waiting()
    planner.cluster.work.charge(ASLEEP * len(waiting))
    for pod in waiting:
        alike.setdefault(likeness(pod), []).append(pod)
    kinds = []
    with planner.trial(everything=False, scored=False) as trial:
        for pods in islice(alike.values(), KINDS):
            outcome = trial.cycle(pods[0]).explain(preempt=False)
            if not len(outcome.feasible) or outcome.kept_out:
                waking = Waking(planner.pipelines[pods[0].scheduler_name], pods[0], rejectors(outcome))
                kinds.append((waking, tuple(pod.key for pod in pods)))
    return Asleep(tuple(kinds), len(waiting), len(alike) > KINDS)
