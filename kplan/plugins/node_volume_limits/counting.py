"""Counts of attached volumes per driver and node, and how they change when pods move.

Source: kubernetes v1.37.2 pkg/scheduler/framework/plugins/nodevolumelimits/csi.go Filter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kplan.cluster import Cluster
from kplan.framework.features import Features
from kplan.framework.worlds import Int, Mask
from kplan.plugins.node_volume_limits.attachments import (
    AttachedVolume,
    AttachmentProblem,
    UsedVolume,
    Uses,
    attached_volumes,
    volume_uses,
)
from kplan.plugins.shared.csi_translation import IN_TREE, PORTWORX, is_switched_on, says_migrated

Moves = Sequence[tuple[int, int]]

NO_LIMIT = -1


class DriverCount(Struct, frozen=True):
    """One driver on one node.

    Attributes:
        attached: volumes that pods use or that are attached.
        unused: names of the attached ones that no pod uses.
        new: labels of the pod's volumes that would be added.
        present: labels of those that pods on the node use already.
    """

    attached: int
    unused: tuple[str, ...]
    new: tuple[str, ...]
    present: tuple[str, ...]


@dataclass(frozen=True)
class Limits:
    """Limits and counts for the drivers of one pod, for the cluster as it is in one cycle.

    Attributes:
        cluster: the cluster.
        mine: volumes of the pod, each unique name once.
        counted: bool[N] for each plugin number: where volumes of that plugin count (ALWAYS: everywhere).
        limit: int64[N] for each driver of the pod: NO_LIMIT where the node has none.
        installed: bool[N] for each driver: whether the CSINode lists it.
        limited: bool[N], nodes with a limit for any driver on which a volume of the pod counts.
        uses: volumes of all pods.
        attached: VolumeAttachments by driver.
    """

    cluster: Cluster
    mine: tuple[UsedVolume, ...]
    counted: tuple[Mask, ...]
    limit: dict[str, Int]
    installed: dict[str, Mask]
    limited: Mask
    uses: Uses
    attached: dict[str, list[AttachedVolume]]
    _on_node: dict[int, Counter[int]] = field(default_factory=dict)

    @property
    def drivers(self) -> tuple[str, ...]:
        """Drivers of the pod's volumes, in the order of the volumes."""
        return tuple(self.limit)

    def drivers_on_nodes(self) -> Iterator[tuple[str, Mask]]:
        """Yield each driver of the pod with bool[N], where any of its volumes counts."""
        for driver in self.drivers:
            yield driver, self._any_counted(volume for volume in self.mine if volume.driver == driver)

    def _any_counted(self, volumes: Iterable[UsedVolume]) -> Mask:
        mask = np.zeros(len(self.cluster.nodes), dtype=np.bool_)
        for volume in volumes:
            mask |= self.counted[volume.plugin]
        return mask

    @cached_property
    def broken_pods(self) -> frozenset[int]:
        """Rows of pods with a volume that the scheduler fails on where it counts; hardly ever any."""
        problems = self.uses.problems.items()
        return frozenset(row for row, of_pod in problems if any(problem.missing is None for problem in of_pod))

    def problem(self, node: int, moves: Moves) -> AttachmentProblem | None:
        """Return what the scheduler fails with on a node because of a pod there, or None."""
        there = {row for row in self.broken_pods if int(self.cluster.pod_node[row]) == node}
        for row, sign in moves:
            if row in self.broken_pods:
                (there.add if sign > 0 else there.discard)(row)
        for row in sorted(there, key=lambda row: self.cluster.pods[row].key):
            for problem in self.uses.problems[row]:
                if problem.missing is None and self.counted[problem.plugin][node]:
                    return problem
        return None

    @cached_property
    def exceeded(self) -> Mask:
        """bool[N], nodes that would have too many volumes of a driver, with the pods as they are."""
        exceeded = np.zeros(len(self.cluster.nodes), dtype=np.bool_)
        for driver, limit in self.limit.items():
            if (limit != NO_LIMIT).any():
                attached, new = self._counts(driver)
                exceeded |= (limit != NO_LIMIT) & (new > 0) & (attached + new > limit)
        return exceeded

    def _counts(self, driver: str) -> tuple[Int, Int]:
        """int64[N] volumes of a driver that are attached, and those the pod would add.

        A volume of the pod that is attached without a pod using it counts as both, as in the scheduler.
        """
        uses, nodes = self.uses, len(self.cluster.nodes)
        attachments = [item for item in self.attached.get(driver, ()) if item.node in self.cluster.node_index]
        width = len(uses.volumes) + len(attachments) + 1
        here = self._counting & (uses.driver == uses.drivers.get(driver, -1))
        used = np.unique(self.cluster.pod_node[uses.pod[here]].astype(np.int64) * width + uses.volume[here])
        # Volumes that no pod uses anywhere get numbers of their own.
        numbers = dict(uses.volumes)
        also = [
            self.cluster.node_index[item.node] * width + numbers.setdefault(item.unique, len(numbers))
            for item in attachments
        ]
        pairs = np.union1d(used, np.array(also, dtype=np.int64))
        attached = np.bincount(pairs // width, minlength=nodes).astype(np.int64)
        new = np.zeros(nodes, dtype=np.int64)
        for volume in self.mine:
            if volume.driver == driver:
                present = np.zeros(nodes, dtype=np.bool_)
                present[used[used % width == uses.volumes.get(volume.unique, -1)] // width] = True
                new += self.counted[volume.plugin] & ~present
        return attached, new

    @cached_property
    def _counting(self) -> Mask:
        """bool[U], uses by placed pods that count on their node."""
        node = self.cluster.pod_node[self.uses.pod]
        counting = node >= 0
        for plugin in np.unique(self.uses.plugin).tolist():
            counting &= (self.uses.plugin != plugin) | self.counted[plugin][node]
        return counting

    def exceeds(self, node: int, moves: Moves) -> bool:
        """Tell whether a node would have too many volumes of a driver once some pods have moved."""
        there = self._there(node, moves)
        name = self.cluster.node_name(node)
        for driver, limits in self.limit.items():
            limit = int(limits[node])
            if limit == NO_LIMIT:
                continue
            mine = (v for v in self.mine if v.driver == driver and self.counted[v.plugin][node])
            new = sum(volume.unique not in there for volume in mine)
            if not new:
                continue
            number = self.uses.drivers.get(driver, -1)
            used = sum(self._driver_of[volume] == number for volume in there.values())
            unused = {i.unique for i in self._attached_on.get((driver, name), ()) if i.unique not in there}
            if used + len(unused) + new > limit:
                return True
        return False

    def count(self, node: int, driver: str, moves: Moves) -> DriverCount:
        """Count one driver on one node once some pods have moved: (pod row, +1 or -1)."""
        there = self._there(node, moves)
        number = self.uses.drivers.get(driver, -1)
        attached = self._attached_on.get((driver, self.cluster.node_name(node)), ())
        unused = {item.unique: item.volume for item in attached if item.unique not in there}
        mine = [v for v in self.mine if v.driver == driver and self.counted[v.plugin][node]]
        return DriverCount(
            attached=sum(self._driver_of[volume] == number for volume in there.values()) + len(unused),
            unused=tuple(sorted(unused.values())),
            new=tuple(volume.label for volume in mine if volume.unique not in there),
            present=tuple(volume.label for volume in mine if volume.unique in there),
        )

    def _there(self, node: int, moves: Moves) -> dict[str, int]:
        """Volumes that pods on a node use once some pods have moved: number by unique name."""
        times = self._used_on(node)
        changed = times.copy() if moves else times
        for row, sign in moves:
            # A pod that leaves another node frees nothing here.
            if sign > 0 or int(self.cluster.pod_node[row]) == node:
                for volume, plugin in self._of_pod.get(row, ()):
                    if self.counted[plugin][node]:
                        changed[volume] += sign
        return {self._names[volume]: volume for volume, number in changed.items() if number > 0}

    @cached_property
    def _of_pod(self) -> dict[int, list[tuple[int, int]]]:
        """(number, plugin) of the volumes of the pod's drivers, by pod row."""
        uses = self.uses
        wanted = np.isin(uses.driver, [uses.drivers.get(driver, -1) for driver in self.drivers])
        of_pod: dict[int, list[tuple[int, int]]] = {}
        columns = (uses.pod[wanted].tolist(), uses.volume[wanted].tolist(), uses.plugin[wanted].tolist())
        for pod, volume, plugin in zip(*columns, strict=True):
            of_pod.setdefault(pod, []).append((volume, plugin))
        return of_pod

    def _used_on(self, node: int) -> Counter[int]:
        """How many pods on a node use each volume, by its number; looked up once a node."""
        known = self._on_node.get(node)
        if known is None:
            entries, bounds = self._by_node
            mine = entries[bounds[node] : bounds[node + 1]]
            known = self._on_node[node] = Counter(self.uses.volume[mine].tolist())
        return known

    @cached_property
    def _by_node(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Uses that count, sorted by node, and where each node starts: intp[N + 1]."""
        counting = np.flatnonzero(self._counting)
        node = self.cluster.pod_node[self.uses.pod[counting]]
        order = np.argsort(node, kind="stable")
        return counting[order], np.searchsorted(node[order], np.arange(len(self.cluster.nodes) + 1))

    @cached_property
    def _attached_on(self) -> dict[tuple[str, str], list[AttachedVolume]]:
        by_node: dict[tuple[str, str], list[AttachedVolume]] = {}
        for driver in self.drivers:
            for item in self.attached.get(driver, ()):
                by_node.setdefault((driver, item.node), []).append(item)
        return by_node

    @cached_property
    def _names(self) -> list[str]:
        return list(self.uses.volumes)

    @cached_property
    def _driver_of(self) -> list[int]:
        """Number of the driver of each volume number."""
        drivers = np.full(len(self.uses.volumes), -1, dtype=np.intp)
        drivers[self.uses.volume] = self.uses.driver
        numbers: list[int] = drivers.tolist()
        return numbers


def limits_for(volumes: Sequence[UsedVolume], cluster: Cluster, features: Features) -> Limits:
    """Collect the limits that the volumes of a pod may run into."""
    mine = tuple({volume.unique: volume for volume in volumes}.values())
    limit = {volume.driver: np.full(len(cluster.nodes), NO_LIMIT, dtype=np.int64) for volume in mine}
    installed = {driver: np.zeros(len(cluster.nodes), dtype=np.bool_) for driver in limit}
    with_csi_node = np.zeros(len(cluster.nodes), dtype=np.bool_)
    with_limit = np.zeros(len(cluster.nodes), dtype=np.bool_)
    says_portworx = np.zeros(len(cluster.nodes), dtype=np.bool_)
    for name, csi_node in cluster.objects.csi_nodes.items():
        row = cluster.node_index.get(name)
        if row is None:
            continue
        with_csi_node[row] = True
        for driver in csi_node.spec.drivers or ():
            count = driver.allocatable.count if driver.allocatable is not None else None
            with_limit[row] |= count is not None
            if driver.name in limit:
                installed[driver.name][row] = True
                if count is not None:
                    limit[driver.name][row] = count
        says_portworx[row] = says_migrated(csi_node, PORTWORX)
    counted = [np.ones(len(cluster.nodes), dtype=np.bool_)]
    for plugin in IN_TREE:
        where = with_csi_node & is_switched_on(plugin, features)
        if plugin is PORTWORX and not features.since(36):
            where &= says_portworx
        counted.append(where)
    brings = np.zeros(len(cluster.nodes), dtype=np.bool_)
    for volume in mine:
        brings |= counted[volume.plugin]
    return Limits(
        cluster,
        mine,
        tuple(counted),
        limit,
        installed,
        with_limit & brings,
        volume_uses(cluster),
        attached_volumes(cluster),
    )
