"""What rollouts end with: pods where their own rules would not put them, since others left after they were placed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from kplan.cluster import PodInfo
from kplan.course.rollout import Rollout
from kplan.course.trial.as_new import as_new
from kplan.pipeline import Planner

T = TypeVar("T")
MOST = 20
"""Nodes of a workload that are looked at."""


def ask_each(planner: Planner, rollout: Rollout, ask: Callable[[PodInfo, int], T | None]) -> Iterator[T]:
    """Ask about the new pods of a rollout as if they were to be placed again, one on each node.

    Args:
        planner: planner over the cluster as the plan left it.
        rollout: of which nothing more is to come.
        ask: told a pod that waits, and the row of the node that it came from; gives None where nothing is wrong.
    """
    seen: set[int] = set()
    for replica in rollout.new():
        pod, at = replica.pod, int(planner.cluster.pod_node[replica.pod.row])
        if at < 0 or at in seen or len(seen) >= MOST or not _spreads(pod):
            continue
        seen.add(at)
        with as_new(planner, pod) as waiting:
            problem = ask(waiting, at)
        if problem is not None:
            yield problem


def _spreads(pod: PodInfo) -> bool:
    constraints = pod.pod.spec.topology_spread_constraints or ()
    return any(constraint.when_unsatisfiable == "DoNotSchedule" for constraint in constraints)
