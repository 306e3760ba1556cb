"""How long a drain takes, as far as specs say: grace periods of what leaves, and probes of what budgets wait for.

Not modelled: what ``kubectl drain`` and controllers need in between, --grace-period and --timeout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush
from typing import Any

from msgspec import Struct, field

from kplan.course.drains.drain import DrainRun, Gone
from kplan.course.readiness.durations import AT_ONCE, Span, grace_of, until_ready
from kplan.course.volumes.held import exclusive

RETRY = 5
"""Seconds after which an eviction that a budget refused is asked for again.

Source: evictPods in staging/src/k8s.io/kubectl/pkg/drain/drain.go.
"""


class DrainClock(Struct, frozen=True):
    """How long a drain takes.

    Attributes:
        span: seconds until the last pod is gone.
        budget: the one that makes it longest; empty for none.
        waves: how often that lets pods go.
        ready: seconds that what comes in their place takes to be ready, at least.
        grace: longest grace period.
        written: whether any pod says itself how long it may take to end.
        attached: pods whose volumes are attached to one node alone: those that come in their place wait until they are
            detached here and attached there, how long is not known.
    """

    span: Span = AT_ONCE
    budget: str = ""
    waves: int = 0
    ready: int = 0
    grace: int = 0
    written: bool = False
    attached: tuple[str, ...] = ()


def drain_clock(run: DrainRun[Any]) -> DrainClock:
    """Tell how long a drain takes that goes through: its nodes one after the other, as kubectl drains them."""
    left: dict[str, list[Gone[Any]]] = {gone.node: [] for gone in run.pods}
    for gone in run.pods:
        if gone.number:
            left[gone.node].append(gone)
    evicted = [gone for of_node in left.values() for gone in of_node]
    fast, slow = _DrainWalk(slow=False), _DrainWalk(slow=True)
    span = Span(fast.through(left), slow.through(left))
    budget, waves = max(slow.waves.items(), key=lambda item: item[1], default=("", 0))
    cluster = run.budgets.cluster
    moved = (gone.pod for gone in run.pods if gone.number and gone.landing is not None)
    return DrainClock(
        span,
        budget,
        waves,
        min((until_ready(gone.pod.pod) for gone in evicted if _budget(gone) == budget), default=0),
        max((grace_of(gone.pod.pod) for gone in evicted), default=0),
        any(gone.pod.pod.spec.termination_grace_period_seconds is not None for gone in evicted),
        tuple(pod.key for pod in moved if next(exclusive(cluster, pod), None) is not None),
    )


def _budget(gone: Gone[Any]) -> str:
    return gone.permission.budget if gone.permission is not None else ""


class _DrainWalk(Struct):
    """A drain as time goes by. A budget has as many leaves as it allows; one is free again once a pod is ready.

    Attributes:
        slow: each pod uses its grace period, and an eviction is asked for again only after a while.
        waves: by budget, how often it lets pods go.
    """

    slow: bool
    waves: dict[str, int] = field(default_factory=dict)
    _leaves: dict[str, list[tuple[int, int]]] = field(default_factory=dict)

    def through(self, nodes: Mapping[str, Sequence[Gone[Any]]]) -> int:
        """Drain nodes one after the other, and give the seconds until the last pod is gone."""
        now = 0
        waiting: dict[str, list[tuple[Gone[Any], int]]] = {}
        for node, pods in nodes.items():
            at: dict[str, int] = {}
            end = now
            for gone in pods:
                name = _budget(gone)
                asked, wave = self._asked(gone, at.get(name, now)) if name else (now, 1)
                at[name] = asked
                ended = asked + (grace_of(gone.pod.pod) if self.slow else 0)
                end = max(end, ended)
                if gone.awaits or gone.late:
                    waiting.setdefault(gone.awaits or node, []).append((gone, wave))
                elif name:
                    self._ready(gone, ended, wave)
            now = end
            for gone, wave in waiting.pop(node, ()):
                if _budget(gone):
                    self._ready(gone, now, wave)
        return now

    def _asked(self, gone: Gone[Any], now: int) -> tuple[int, int]:
        """When the eviction of a pod is allowed that is asked for now, and for the how manieth time that is."""
        name, permission = _budget(gone), gone.permission
        allows = max(1, permission.at_first) if permission is not None else 1
        leaves = self._leaves.setdefault(name, [(0, 0)] * allows)
        free, wave = heappop(leaves) if leaves else (now, self.waves.get(name, 0))
        self.waves[name] = max(self.waves.get(name, 0), wave + 1)
        return (free + (RETRY if self.slow else 0) if free > now else now), wave + 1

    def _ready(self, gone: Gone[Any], since: int, wave: int) -> None:
        """What comes in the place of a pod is ready some time after it could begin."""
        heappush(self._leaves[_budget(gone)], (since + until_ready(gone.pod.pod), wave))
