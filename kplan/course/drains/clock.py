"""How long a drain takes, as far as specs say: grace periods of what leaves, and probes of what budgets wait for.

Not modelled: what ``kubectl drain`` and controllers need in between, --grace-period and --timeout.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from kplan.course.drains.drain import DrainRun, Gone
from kplan.course.readiness.durations import AT_ONCE, Span, grace_of, until_ready
from kplan.course.volumes.held import exclusive

RETRY = 5
"""Seconds after which an eviction that a budget refused is asked for again.

Source: evictPods in staging/src/k8s.io/kubectl/pkg/drain/drain.go.
"""


@dataclass(frozen=True, slots=True)
class DrainClock:
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
    clock = DrainClock()
    left: dict[str, list[Gone[Any]]] = {gone.node: [] for gone in run.pods}
    for gone in run.pods:
        if gone.number:
            left[gone.node].append(gone)
    for of_node in left.values():
        clock = _after(clock, _node(of_node))
    cluster = run.budgets.cluster
    moved = (gone.pod for gone in run.pods if gone.number and gone.landing is not None)
    attached = tuple(pod.key for pod in moved if next(exclusive(cluster, pod), None) is not None)
    return replace(clock, attached=attached)


def _after(first: DrainClock, then: DrainClock) -> DrainClock:
    longest = max(first, then, key=lambda clock: (clock.waves, clock.span.most))
    return DrainClock(
        Span(first.span.least + then.span.least, first.span.most + then.span.most),
        longest.budget,
        longest.waves,
        longest.ready,
        max(first.grace, then.grace),
        first.written or then.written,
    )


def _node(evicted: list[Gone[Any]]) -> DrainClock:
    if not evicted:
        return DrainClock()
    by_budget: dict[str, list[Gone[Any]]] = {}
    for gone in evicted:
        by_budget.setdefault(gone.permission.budget if gone.permission is not None else "", []).append(gone)
    clocks = [_of_budget(name, some) for name, some in by_budget.items()]
    longest = max(clocks, key=lambda clock: clock.span.most)
    written = any(gone.pod.pod.spec.termination_grace_period_seconds is not None for gone in evicted)
    span = Span(max(clock.span.least for clock in clocks), longest.span.most)
    return DrainClock(span, longest.budget, longest.waves, longest.ready, _grace(evicted), written)


def _of_budget(name: str, some: list[Gone[Any]]) -> DrainClock:
    """Pods under one budget go as many at a time as it allows, the next once what replaces them is ready."""
    permission = some[0].permission
    allows = max(1, permission.at_first) if name and permission is not None else len(some)
    waves = -(-len(some) // allows)
    ready, grace = min(until_ready(gone.pod.pod) for gone in some), _grace(some)
    least = (waves - 1) * ready
    return DrainClock(Span(least, (waves - 1) * (grace + ready + RETRY) + grace), name, waves, ready, grace)


def _grace(some: Iterable[Gone[Any]]) -> int:
    return max((grace_of(gone.pod.pod) for gone in some), default=0)
