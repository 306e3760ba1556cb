"""What no order of moves gets round: where pods may be at the end, and how many of some in one domain.

Pods of nodes that are to be empty leave one after the other, and no other pod moves. So whatever is on the other nodes
stays, and what lands there stays, too: two pods that keep apart are never both in one domain, whoever came first; and
the spread of pods is limited by how many the emptiest domain can ever have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kplan.plugins.inter_pod_affinity.filtering import FilterState, TermConflict
from kplan.plugins.pod_topology_spread.filtering import HardSpread, HardState
from kplan.plugins.shared.services import live_pods

if TYPE_CHECKING:
    from kplan.cluster import Cluster
    from kplan.pipeline.cycle import Cycle

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


class AtMost(Struct, frozen=True):
    """At most so many pods of some kinds land in each domain.

    Attributes:
        key: the label that makes the domains; empty where each node is one by itself.
        domains: int64[N], the domain of each node; -1 where the rule does not count.
        kinds: the kinds.
        most: int64[V], by domain.
        stay: int64[V], pods that count, too, and stay, by domain.
        tiers: a height and how many may land above it in all domains together: those that do so have to come early,
            while the nodes that are to be empty still have pods that count.
    """

    key: str
    domains: Ints
    kinds: frozenset[int]
    most: Ints
    stay: Ints
    tiers: tuple[tuple[int, int], ...] = ()


class Apart(Struct, frozen=True):
    """Pods of two kinds that never are in one domain.

    Attributes:
        key: the label that makes the domains; empty where each node is one by itself.
        domains: int64[N], the domain of each node; -1 where the rule does not count.
        kinds: the two.
    """

    key: str
    domains: Ints
    kinds: tuple[int, int]


class RoomRules(Struct, frozen=True):
    """What holds for pods that leave, by their kinds.

    Attributes:
        allowed: bool[K, N], the nodes on which each kind may ever land.
        limits: how many of some.
        apart: which never meet.
    """

    allowed: Mask
    limits: tuple[AtMost, ...]
    apart: tuple[Apart, ...]


class LeavingPods(Struct, frozen=True):
    """Pods that leave.

    Attributes:
        rows: their rows.
        kinds: the kind of each row.
        closed: bool[N], the nodes that they leave, on which nothing lands.
    """

    rows: Sequence[int]
    kinds: Mapping[int, int]
    closed: Mask


def room_rules(leaving: LeavingPods, cycles: Sequence[Cycle], allowed: Mask) -> RoomRules:
    """Read the rules from cycles of the pods, one of each kind, that were run while its nodes were cordoned.

    Args:
        leaving: the pods that leave.
        cycles: by kind.
        allowed: bool[K, N], the nodes on which each kind may be by what the nodes are; it is narrowed.
    """
    allowed = allowed & ~leaving.closed
    limits: list[AtMost] = []
    apart: list[Apart] = []
    spreads: dict[tuple[object, ...], tuple[HardSpread, set[int]]] = {}
    for kind, cycle in enumerate(cycles):
        affinity = cycle.states.get("InterPodAffinity")
        if isinstance(affinity, FilterState):
            for conflict in (*affinity.anti_affinity, *affinity.existing):
                _keep_apart(conflict, cycle.cluster, leaving, kind, allowed, limits, apart)
        spread = cycle.states.get("PodTopologySpread")
        for hard_spread in spread.spreads if isinstance(spread, HardState) else ():
            if hard_spread.self_match:
                key = (hard_spread.constraint, cycle.pod.namespace, hard_spread.included.tobytes())
                spreads.setdefault(key, (hard_spread, set()))[1].add(kind)
            allowed[kind] &= hard_spread.codes >= 0
    for hard_spread, kinds in spreads.values():
        limits.append(_spread(hard_spread, cycles[min(kinds)], leaving, frozenset(kinds)))
    return RoomRules(allowed, tuple(limits), tuple(apart))


def _keep_apart(
    conflict: TermConflict,
    cluster: Cluster,
    leaving: LeavingPods,
    kind: int,
    allowed: Mask,
    limits: list[AtMost],
    apart: list[Apart],
) -> None:
    """Note where pods in conflict stay, and which of those that leave are in conflict."""
    domains = _domains(conflict, cluster)
    pods, key = conflict.counter.pods, "" if conflict.local else conflict.term.topology_key
    stay = _by_domain(domains, _without(conflict.counter.nodes, pods, cluster, leaving.rows))
    allowed[kind] &= ~((stay > 0)[domains] & (domains >= 0))
    for other in sorted({leaving.kinds[row] for row in leaving.rows if pods[row] > 0}):
        if other == kind:
            limits.append(AtMost(key, domains, frozenset((kind,)), np.ones(len(stay), dtype=np.int64), stay))
        else:
            apart.append(Apart(key, domains, (kind, other)))


def _domains(conflict: TermConflict, cluster: Cluster) -> Ints:
    """int64[N], the domain of each node by the key of a term; -1 without the label."""
    if conflict.local:
        return np.where(conflict.labelled, np.arange(len(cluster.nodes)), -1).astype(np.int64)
    return cluster.labels.column(conflict.term.topology_key).codes.astype(np.int64)


def _spread(spread: HardSpread, cycle: Cycle, leaving: LeavingPods, kinds: frozenset[int]) -> AtMost:
    """How many may land in each domain: the last of them is no more above the emptiest domain than is allowed."""
    cluster, constraint = cycle.cluster, spread.constraint
    domains = np.where(spread.included, spread.codes, -1).astype(np.int64)
    counted = np.array(
        [
            pod.namespace == cycle.pod.namespace and constraint.selector.matches(pod.labels)
            for pod in (cluster.pods[row] for row in leaving.rows)
        ],
        dtype=np.int64,
    )
    weights = np.zeros(len(cluster.pods), dtype=np.int64)
    weights[list(leaving.rows)] = counted
    live = live_pods(cluster, cycle.pod.namespace, constraint.selector)
    stay = _by_domain(domains, _without(live, weights, cluster, leaving.rows))
    known = spread.known[: len(stay)]
    emptied = np.array([leaving.closed[domains == domain].all() for domain in range(len(stay))], dtype=np.bool_) & known
    at_first = _by_domain(domains, live)[emptied]
    number = int(counted.sum())
    everywhere = _highest_minimum(stay[known], number - 1)

    def fewest(later: int) -> int:
        """The most that the emptiest domain can have while a pod lands after which so many more leave."""
        if spread.too_few:
            return 0
        there = min(_highest_minimum(stay[emptied], later), int(at_first.min())) if emptied.any() else everywhere
        return min(there, everywhere)

    heights = [constraint.max_skew + fewest(later) for later in range(number)]
    tiers = tuple((height, sum(other > height for other in heights)) for height in sorted(set(heights[:-1])))
    most = np.maximum(max(heights) - stay, 0)
    return AtMost(constraint.topology_key, domains, kinds, most, stay, tiers)


def _highest_minimum(stay: Ints, more: int) -> int:
    """The most that the emptiest domain can have, where so many are added to what stays."""
    if not len(stay):
        return more
    level, room = int(stay.min()), more
    while (needed := int((stay <= level).sum())) <= room:
        room -= needed
        level += 1
    return level


def _without(there: Ints, weights: Ints, cluster: Cluster, rows: Sequence[int]) -> Ints:
    """int64[N], what is on each node once some pods have left."""
    left = there.copy()
    for row in rows:
        node = int(cluster.pod_node[row])
        if node >= 0:
            left[node] -= weights[row]
    return left


def _by_domain(domains: Ints, there: Ints) -> Ints:
    """int64[V + 1], sums by domain; the last is of no domain."""
    sums = np.zeros(int(domains.max(initial=-1)) + 2, dtype=np.int64)
    np.add.at(sums, domains[domains >= 0], there[domains >= 0])
    return sums
