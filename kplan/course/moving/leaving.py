"""Sets of pods of one node that are enough: once they are gone, another pod fits there; none of a set too many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, combinations, islice
from math import comb

import numpy as np
from numpy.typing import NDArray

from kplan.cluster import Cluster, PodInfo
from kplan.course.moving.related import related
from kplan.framework.worlds import Worlds
from kplan.pipeline.cycle import Cycle
from kplan.result import Outcome

Rows = NDArray[np.intp]

WORLDS = 200_000
"""Sets of one size that are looked at; more make the search incomplete."""
CHUNK = 50_000
"""Sets that are looked at together."""


@dataclass(frozen=True, slots=True)
class Enough:
    """Pods whose leaving makes another fit.

    Attributes:
        node: row of the node.
        pods: rows of the pods, all of that node.
    """

    node: int
    pods: tuple[int, ...]


@dataclass
class LeavingSets:
    """Finds sets of pods that are enough.

    Attributes:
        movable: bool[P], pods that may leave; rows of pods that appeared later are none of them.
        cut: whether sets were left out because there are too many.
    """

    movable: NDArray[np.bool_]
    cut: bool = False
    _held: dict[tuple[bool, bool, bool], NDArray[np.bool_]] = field(default_factory=dict)
    """By whether ports, volumes and devices matter: pods that have some; their rows are the same pods throughout."""

    def enough(self, cycle: Cycle, outcome: Outcome, most: int) -> Iterator[Enough]:
        """Yield each set that is enough and of which no part is, the smallest first.

        Args:
            cycle: of the pod that is to fit, which was run.
            outcome: what it came to.
            most: how many pods a set may have.
        """
        diagnosis, filters = outcome.diagnosis, cycle.filters
        if diagnosis is None or filters is None or not most:
            return
        nodes = diagnosis.rows[diagnosis.unschedulable & ~diagnosis.feasible]
        useful = self._useful(cycle, nodes)
        sets_by_node: dict[int, list[frozenset[int]]] = {}
        for size in range(1, most + 1):
            sets = self._sets(cycle, useful, size, sets_by_node)
            while chunk := list(islice(sets, CHUNK)):
                for enough in _fitting(cycle, chunk):
                    sets_by_node.setdefault(enough.node, []).append(frozenset(enough.pods))
                    yield enough

    def _sets(
        self, cycle: Cycle, useful: dict[int, Rows], size: int, of_node: dict[int, list[frozenset[int]]]
    ) -> Iterator[Enough]:
        """Sets of a size that give back what is short, and of which no part is enough."""
        left = WORLDS
        for node, pods in useful.items():
            if len(pods) < size:
                continue
            sets = pods[_choices(len(pods), size, left)]
            known = of_node.get(node, ())
            for rows in sets[_gives(cycle.cluster, _short(cycle.cluster, cycle.pod, node), sets)].tolist():
                if not (known and any(part <= set(rows) for part in known)):
                    yield Enough(node, tuple(rows))
            left -= len(sets)
            if comb(len(pods), size) > len(sets):
                self.cut = True
                return

    def _useful(self, cycle: Cycle, nodes: Rows) -> dict[int, Rows]:
        """Pods by node that may be in the way: they hold what is short, or something else that only one may have."""
        cluster, pod = cycle.cluster, cycle.pod
        count = len(self.movable)
        may = self.movable & (cluster.pod_node[:count] >= 0)
        other = related(cycle)[:count] | self._holding(cluster, pod, count)
        useful: dict[int, Rows] = {}
        on = cluster.pod_node[:count]
        wanted = np.zeros(len(cluster.nodes) + 1, dtype=np.bool_)
        wanted[nodes] = True
        rows = np.flatnonzero(may & wanted[on])
        by_node: dict[int, list[int]] = {}
        for row, node in zip(rows.tolist(), on[rows].tolist(), strict=True):
            by_node.setdefault(node, []).append(row)
        for node, here in by_node.items():
            short = _short(cluster, pod, node)
            at = np.array(here, dtype=np.intp)
            holds = other[at]
            for resource in short:
                holds = holds | ((cluster.pod_request[resource, at] > 0) if resource >= 0 else True)
            if holds.any():
                useful[node] = at[holds]
        return useful

    def _holding(self, cluster: Cluster, pod: PodInfo, count: int) -> NDArray[np.bool_]:
        """bool[count], pods that may hold something that is no amount: host ports, volumes, devices."""
        spec = pod.pod.spec
        volumes = any(volume.persistent_volume_claim or volume.ephemeral for volume in spec.volumes or ()) or any(
            volume.empty_dir is None and volume.host_path is None for volume in spec.volumes or ()
        )
        wanted = bool(pod.pod_class.host_ports), volumes, bool(spec.resource_claims)
        held = self._held.get(wanted)
        if held is None:
            held = self._held[wanted] = _having(cluster, count, *wanted)
        return held


def _having(cluster: Cluster, count: int, ports: bool, volumes: bool, devices: bool) -> NDArray[np.bool_]:
    """bool[count], pods that have any of the things asked for."""
    having = np.zeros(count, dtype=np.bool_)
    others = cluster.pods[:count]
    if ports:
        of_class = np.array([bool(pod_class.host_ports) for pod_class in cluster.pod_classes], dtype=np.bool_)
        having |= of_class[cluster.pod_class[:count]]
    if volumes:
        having |= np.array([bool(other.pod.spec.volumes) for other in others], dtype=np.bool_)
    if devices:
        having |= np.array([bool(other.pod.spec.resource_claims) for other in others], dtype=np.bool_)
    return having


def _short(cluster: Cluster, pod: PodInfo, node: int) -> dict[int, int]:
    """What a node lacks for a pod, by resource; -1 stands for the number of pods."""
    missing = {}
    for name, amount in pod.requests.items():
        resource = cluster.resource(name)
        if resource is None or not amount:
            continue
        lacks = amount + int(cluster.requested[resource, node]) - int(cluster.allocatable[resource, node])
        if lacks > 0:
            missing[resource] = lacks
    lacks = int(cluster.pod_count[node]) + 1 - int(cluster.allowed_pods[node])
    if lacks > 0:
        missing[-1] = lacks
    return missing


@lru_cache(maxsize=4)
def _choices(count: int, size: int, most: int) -> Rows:
    """intp[C, size], the ways to choose some of so many, in order; no more than ``most``."""
    ways = min(comb(count, size), most)
    chosen = chain.from_iterable(islice(combinations(range(count), size), ways))
    return np.fromiter(chosen, np.intp, ways * size).reshape(ways, size)


def _gives(cluster: Cluster, short: dict[int, int], sets: Rows) -> NDArray[np.bool_]:
    """bool[C], whether pods that leave together give back what is short; whether that is all, the filters say.

    Args:
        cluster: where they are.
        short: what is short, by resource.
        sets: intp[C, size], rows of pods.
    """
    gives = np.full(len(sets), sets.shape[1] >= short.get(-1, 0))
    for resource, lacks in short.items():
        if resource >= 0:
            gives &= cluster.pod_request[resource][sets].sum(axis=1) >= lacks
    return gives


def _fitting(cycle: Cycle, sets: Sequence[Enough]) -> Iterator[Enough]:
    """Those of some sets without whose pods the pod of a cycle fits."""
    assert cycle.filters is not None
    sizes = [len(enough.pods) for enough in sets]
    nodes = np.array([enough.node for enough in sets], dtype=np.intp)
    pods = np.array([row for enough in sets for row in enough.pods], dtype=np.intp)
    world = np.repeat(np.arange(len(sets), dtype=np.intp), sizes)
    worlds = Worlds(nodes, pods, world, np.full(len(pods), -1, dtype=np.int64))
    feasible = cycle.filters.verdicts(worlds).feasible
    yield from (enough for enough, fits in zip(sets, feasible.tolist(), strict=True) if fits)
