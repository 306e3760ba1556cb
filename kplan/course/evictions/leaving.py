"""Who would leave for another pod, counted against budgets: kube-scheduler breaks one where nothing else helps.

A budget allows what its status says: preemption asks no Eviction API.
Source: v1.37.2 preemption/util.go FilterVictimsWithPDBViolation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec import Struct

from kplan.cluster import Cluster, PodInfo
from kplan.objects.models import PodDisruptionBudget
from kplan.plugins.shared.budgets import budgets_of

DEFAULT_GRACE = 30
"""How long a pod may take to end if it does not say so [s]."""


class Broken(NamedTuple):
    """A budget that evictions by the scheduler break.

    Attributes:
        budget: ``namespace/name``.
        allows: how many of its pods may leave by its status.
        pods: ``namespace/name`` of those that leave though it allows no more.
    """

    budget: str
    allows: int
    pods: tuple[str, ...]


class WouldLeave(Struct, frozen=True):
    """A pod that would be evicted.

    Attributes:
        pod: the pod.
        budget: the budget that counts for it; None where none covers it.
        used: how many of that budget's pods would have left with it.
        allowed: how many may.
    """

    pod: PodInfo
    budget: PodDisruptionBudget | None = None
    used: int = 0
    allowed: int = 0

    @property
    def breaks(self) -> bool:
        """Whether its eviction breaks the budget."""
        return self.budget is not None and self.used > self.allowed

    @property
    def grace_seconds(self) -> int:
        """How long it may take to end [s]."""
        grace = self.pod.pod.spec.termination_grace_period_seconds
        return DEFAULT_GRACE if grace is None else grace


def leaving(cluster: Cluster, pods: Sequence[int]) -> list[WouldLeave]:
    """Count the victims on one node against their budgets, in the order they would be evicted."""
    used: Counter[str] = Counter()
    return [_leaving(cluster, cluster.pods[row], used) for row in pods]


def broken(leave: Iterable[WouldLeave]) -> tuple[Broken, ...]:
    """Budgets that some pods break as they leave, each once."""
    told: dict[str, Broken] = {}
    for pod in leave:
        if pod.budget is not None and pod.breaks:
            before = told.get(pod.budget.key)
            pods = before.pods if before is not None else ()
            told[pod.budget.key] = Broken(pod.budget.key, pod.allowed, (*pods, pod.pod.key))
    return tuple(told.values())


def _leaving(cluster: Cluster, pod: PodInfo, used: Counter[str]) -> WouldLeave:
    """Count one victim; of several budgets the first that breaks is told, else the last."""
    told = WouldLeave(pod)
    for budget in budgets_of(cluster, pod):
        used[budget.key] += 1
        told = WouldLeave(pod, budget, used[budget.key], budget.status.disruptions_allowed or 0)
        if told.breaks:
            break
    return told
