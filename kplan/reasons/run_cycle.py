"""A cycle that has been run: a pod, what became of it, and the amounts behind that; the cluster is as it was then."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kplan.cluster import Cluster, PodInfo
from kplan.framework.findings import Facts
from kplan.pipeline import Cycle, Planner
from kplan.pipeline.landing import evicting_asked_about_some, eviction_landing, pod_landing
from kplan.result import Outcome
from kplan.result.landing import LandingShares

Rows = NDArray[np.intp]


@dataclass
class RunCycle:
    """One pod's cycle that has been run, while the cluster has not changed."""

    cluster: Cluster
    pod: PodInfo
    cycle: Cycle
    outcome: Outcome

    @classmethod
    def of(cls, planner: Planner, pod: PodInfo) -> RunCycle:
        """Ask every plugin about every node; preemption is left out."""
        cycle = planner.cycle(pod, everything=True)
        return cls(planner.cluster, pod, cycle, cycle.explain(preempt=False))

    @classmethod
    def as_set(cls, planner: Planner, pod: PodInfo, *, preempt: bool = True) -> RunCycle:
        """Ask as many plugins about as many nodes as the planner is set to."""
        cycle = planner.cycle(pod)
        return cls(planner.cluster, pod, cycle, cycle.explain(preempt=preempt))

    @property
    def looked(self) -> bool:
        """Whether any node was looked at: no plugin refused the pod as a whole."""
        return self.outcome.diagnosis is not None and self.outcome.diagnosis.pre_filter is None

    @cached_property
    def landing(self) -> LandingShares | None:
        """How often the pod goes to each node that fits; None where it fits nowhere, or that is not known."""
        return pod_landing(self.cycle, self.outcome)

    @cached_property
    def evicting(self) -> LandingShares | None:
        """How often each node is chosen to evict on; None where none is, or that is not known."""
        return eviction_landing(self.cycle, self.outcome)

    @property
    def evicting_asked_about_some(self) -> bool:
        """Whether extenders say other things of evictions in a live scheduler, which asks about some nodes alone."""
        return evicting_asked_about_some(self.cycle, self.outcome)

    def facts(self, rows: Rows) -> dict[str, Facts]:
        """Facts about some node rows, by plugin."""
        return self.cycle.facts(self.outcome, rows.tolist())

    def facts_of(self, plugin: str, rows: Rows) -> Facts | None:
        """Facts of one plugin about some node rows; None where it has none."""
        return self.cycle.facts(self.outcome, rows.tolist(), plugin).get(plugin)

    def amounts(self, resource: str, *, kept: bool = False) -> tuple[int, NDArray[np.int64], NDArray[np.int64]]:
        """What the pod needs of a resource, and int64[N] what is free and what there is.

        Args:
            resource: name, or ``pods``.
            kept: whether what is kept for nominated pods is taken off what is free.
        """
        cluster = self.cluster
        if resource == "pods":
            needs, capacity, used = 1, cluster.allowed_pods, cluster.pod_count
        else:
            row = cluster.resources.get(resource)
            needs = self.pod.requests.get(resource, 0)
            if row is None:
                nothing = np.zeros(len(cluster.nodes), dtype=np.int64)
                return needs, nothing, nothing
            capacity, used = cluster.allocatable[row], cluster.requested[row]
        free = capacity - used
        if kept:
            free = free.copy()
            for node, amount in self.kept(resource).items():
                free[node] -= amount
        return needs, free, capacity

    def kept(self, resource: str) -> dict[int, int]:
        """What is kept of a resource for nominated pods, by node row."""
        row = self.cluster.resources.get(resource)
        by_node: dict[int, int] = {}
        nominated = self.cycle.filters.nominated if self.cycle.filters is not None else {}
        for node, pods in nominated.items():
            if resource == "pods":
                by_node[node] = len(pods)
            elif row is not None:
                by_node[node] = sum(int(self.cluster.pod_request[row, pod]) for pod in pods)
        return by_node
