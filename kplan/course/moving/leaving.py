"""Sets of pods of one node that are enough: once they are gone, another pod fits there; none of a set too many."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, combinations, islice
from math import comb

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from kplan.cluster import Cluster, PodInfo
from kplan.course.moving.related import related
from kplan.framework.worlds import Worlds
from kplan.objects.models.pod import Volume
from kplan.pipeline.cycle import Cycle
from kplan.result import Outcome

Rows = NDArray[np.intp]

WORLDS = 200_000
"""Sets of one size that are looked at; more make the search incomplete."""
CHUNK = 50_000
"""Sets that are looked at together."""
_HELD = tuple(sorted(set(Volume.__struct_fields__) - {"name", "empty_dir", "host_path", "image"}))


class Enough(Struct, frozen=True):
    """Pods whose leaving makes another fit.

    Attributes:
        node: row of the node.
        pods: rows of the pods, all of that node.
    """

    node: int
    pods: tuple[int, ...]


class LeavingSets(Struct):
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
            homes, sets = self._sets(cycle.cluster, useful, size)
            if sets_by_node:
                new = _without_known(homes, sets, sets_by_node)
                homes, sets = homes[new], sets[new]
            for start in range(0, len(sets), CHUNK):
                chunk = slice(start, start + CHUNK)
                for enough in _fitting(cycle, homes[chunk], sets[chunk]):
                    sets_by_node.setdefault(enough.node, []).append(frozenset(enough.pods))
                    yield enough

    def _sets(self, cluster: Cluster, useful: _Useful, size: int) -> tuple[Rows, Rows]:
        """Sets of a size that give back what is short, by node: intp[C], rows of nodes, intp[C, size], of pods."""
        counts = useful.counts
        ways = np.array([comb(count, size) for count in counts.tolist()], dtype=object)
        sets_until = np.cumsum(ways)
        whole = sets_until <= WORLDS
        at = [np.zeros(0, dtype=np.intp)]
        sets = [np.zeros((0, size), dtype=np.intp)]
        for count in np.unique(counts[whole.astype(np.bool_)]).tolist():  # nodes with as many pods together
            if count >= size:
                alike = np.flatnonzero(whole & (counts == count))
                at.append(np.repeat(alike, comb(count, size)))
                sets.append(useful.of(alike, _choices(count, size, WORLDS)))
        if not whole.all():
            self.cut = True
            part = int(np.argmin(whole))
            left = WORLDS - int(sets_until[part] - ways[part])
            at.append(np.full(left, part))
            sets.append(useful.of(np.array([part]), _choices(int(counts[part]), size, left)))
        node, rows = np.concatenate(at), np.concatenate(sets)
        order = np.argsort(node, kind="stable")
        homes, rows = useful.nodes[node[order]], rows[order]
        gives = useful.short.given(cluster, homes, rows)
        return homes[gives], rows[gives]

    def _useful(self, cycle: Cycle, nodes: Rows) -> _Useful:
        """Pods by node that may be in the way: they hold what is short, or something else that only one may have."""
        cluster, pod = cycle.cluster, cycle.pod
        count = len(self.movable)
        on = cluster.pod_node[:count]
        wanted = np.zeros(len(cluster.nodes) + 1, dtype=np.bool_)
        wanted[nodes] = True
        rows = np.flatnonzero(self.movable & (on >= 0) & wanted[on])
        home = on[rows]
        short = _Short.of(cluster, pod)
        holds = (related(cycle)[:count] | self._holding(cluster, pod, count))[rows] | (short.pods[home] > 0)
        for resource, lacks in short.amounts.items():
            holds |= (lacks[home] > 0) & (cluster.pod_request[resource, rows] > 0)
        # nodes stand in the order of their first pods that may leave
        there, first = np.unique(home, return_index=True)
        there = there[np.argsort(first)]
        place = np.zeros(len(cluster.nodes), dtype=np.intp)
        place[there] = np.arange(len(there))
        rows = rows[holds]
        places = place[home[holds]]
        counts = np.bincount(places, minlength=len(there))
        kept = np.flatnonzero(counts)
        rows, counts = rows[np.argsort(places, kind="stable")], counts[kept]
        return _Useful(there[kept].astype(np.intp), counts, np.cumsum(counts) - counts, rows, short)

    def _holding(self, cluster: Cluster, pod: PodInfo, count: int) -> NDArray[np.bool_]:
        """bool[count], pods that may hold something that is no amount: host ports, volumes, devices."""
        spec = pod.pod.spec
        volumes = any(map(_may_be_held, spec.volumes or ()))
        wanted = bool(pod.pod_class.host_ports), volumes, bool(spec.resource_claims)
        held = self._held.get(wanted)
        if held is None:
            held = self._held[wanted] = _having(cluster, count, *wanted)
        return held


class _Short(Struct, frozen=True):
    """What nodes lack for a pod.

    Attributes:
        amounts: int64[N] by row of the resource: how much is short; 0 and less where there is enough.
        pods: int64[N], how many pods are too many.
    """

    amounts: dict[int, NDArray[np.int64]]
    pods: NDArray[np.int64]

    @classmethod
    def of(cls, cluster: Cluster, pod: PodInfo) -> _Short:
        """Work out what each node lacks."""
        amounts = {}
        for name, amount in pod.requests.items():
            resource = cluster.resource(name)
            if resource is not None and amount:
                amounts[resource] = amount + cluster.requested[resource] - cluster.allocatable[resource]
        return cls(amounts, cluster.pod_count + 1 - cluster.allowed_pods)

    def given(self, cluster: Cluster, homes: Rows, sets: Rows) -> NDArray[np.bool_]:
        """bool[C], whether pods that leave together give back what is short; whether that is all, the filters say.

        Args:
            cluster: where they are.
            homes: intp[C], the node of each set.
            sets: intp[C, size], rows of pods.
        """
        gives: NDArray[np.bool_] = self.pods[homes] <= sets.shape[1]
        for resource, lacks in self.amounts.items():
            short = lacks[homes]
            if (short > 0).any():
                gives &= cluster.pod_request[resource][sets].sum(axis=1) >= short
        return gives


class _Useful(Struct, frozen=True):
    """Pods that may be in the way, by node.

    Attributes:
        nodes: intp[M], rows of the nodes that have some.
        counts: intp[M], how many of each.
        starts: intp[M], where those of each begin in ``pods``.
        pods: intp[K], rows of the pods.
        short: what is short on each node.
    """

    nodes: Rows
    counts: Rows
    starts: Rows
    pods: Rows
    short: _Short

    def of(self, nodes: Rows, chosen: Rows) -> Rows:
        """intp[M * C, size], some choices of the pods of each of some nodes: all of one node, then of the next."""
        rows: Rows = self.pods[self.starts[nodes, np.newaxis, np.newaxis] + chosen]
        return rows.reshape(-1, chosen.shape[1])


def _without_known(homes: Rows, sets: Rows, known: dict[int, list[frozenset[int]]]) -> NDArray[np.bool_]:
    """bool[C], sets of which no part is known to be enough."""
    new = ~np.isin(homes, np.array(list(known), dtype=np.intp))
    for at in np.flatnonzero(~new).tolist():
        rows = set(sets[at].tolist())
        new[at] = not any(part <= rows for part in known[int(homes[at])])
    return new


def _may_be_held(volume: Volume) -> bool:
    """Whether other pods may be in a volume's way: not in that of a folder of the node, or of what the API holds."""
    return any(getattr(volume, source) is not None for source in _HELD)


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


@lru_cache(maxsize=4)
def _choices(count: int, size: int, most: int) -> Rows:
    """intp[C, size], the ways to choose some of so many, in order; no more than ``most``."""
    ways = min(comb(count, size), most)
    chosen = chain.from_iterable(islice(combinations(range(count), size), ways))
    return np.fromiter(chosen, np.intp, ways * size).reshape(ways, size)


def _fitting(cycle: Cycle, nodes: Rows, sets: Rows) -> Iterator[Enough]:
    """Those of some sets without whose pods the pod of a cycle fits."""
    assert cycle.filters is not None
    pods = sets.reshape(-1)
    world = np.repeat(np.arange(len(sets), dtype=np.intp), sets.shape[1])
    worlds = Worlds(nodes, pods, world, np.full(len(pods), -1, dtype=np.int64))
    fits = np.flatnonzero(cycle.filters.verdicts(worlds).feasible)
    for node, rows in zip(nodes[fits].tolist(), sets[fits].tolist(), strict=True):
        yield Enough(node, tuple(rows))
