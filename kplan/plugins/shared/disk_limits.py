"""How many disks of one kind of in-tree volume a node takes: what four predicates of the first releases share.

The volumes that pods name, directly or through a claim, are counted once each, on the node and with the new pod's.
A node where the CSI driver has taken over this kind (by its CSINode) is left to NodeVolumeLimits.
Source: kubernetes v1.20.15 pkg/scheduler/framework/plugins/nodevolumelimits/non_csi.go, utils.go isCSIMigrationOn;
pkg/volume/util/attach_limit.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from msgspec import Struct

from kplan.cluster.work import SEARCHED
from kplan.framework.codes import Cost, Reads
from kplan.framework.findings import Findings, RowError, failed_everywhere, passed, refused
from kplan.framework.plugin import ColumnPlugin
from kplan.framework.reason_codes import ReasonCode
from kplan.framework.worlds import Worlds
from kplan.objects.models import Node, PersistentVolumeClaim, PersistentVolumeSpec, Pod, Volume
from kplan.objects.quantity import value
from kplan.plugins.shared.csi_translation import InTreePlugin, says_migrated

if TYPE_CHECKING:
    from kplan.cluster import Cluster, PodInfo

REASON = "node(s) exceed max volume count"
NO_CLAIM_NAME = "PersistentVolumeClaim had no name"
VolumeSource = Volume | PersistentVolumeSpec
"""What names a disk: an entry of a pod's volumes, or the spec of a PersistentVolume."""


class DiskKind(Struct, frozen=True):
    """One kind of in-tree volume.

    Attributes:
        plugin: the in-tree plugin, whose name is the provisioner of its storage classes.
        resource: the allocatable amount that is a node's limit.
        disk_of: the id of a volume's disk; None for another kind.
        limit: of a node that tells none.
    """

    plugin: InTreePlugin
    resource: str
    disk_of: Callable[[VolumeSource], str | None]
    limit: Callable[[Node], int]


class DiskLimits(ColumnPlugin[None]):
    """Refuses nodes that hold as many disks of one kind as they take: the plugin of each kind, but for its name."""

    kind: ClassVar[DiskKind]
    cost: ClassVar[Cost] = Cost.SEARCH
    needs: ClassVar[Reads] = Reads.NODE | Reads.PODS | Reads.STORAGE

    def filter(self, pod: PodInfo, state: None, cluster: Cluster, worlds: Worlds) -> Findings[None]:
        """Refuse nodes where the disks would be too many."""
        return judge(self.kind, pod, cluster, worlds)


class NoClaimNameError(Exception):
    """A volume names no claim; never leaves this module."""


def judge(kind: DiskKind, pod: PodInfo, cluster: Cluster, worlds: Worlds) -> Findings[None]:
    """Refuse nodes that would hold more disks of a kind than they take."""
    try:
        new = disks(kind, pod.pod, cluster)
    except NoClaimNameError:
        return failed_everywhere(NO_CLAIM_NAME, len(worlds))
    if not new:
        return passed(len(worlds))
    cluster.work.charge(SEARCHED * len(worlds))
    too_many = np.zeros(len(worlds), dtype=np.bool_)
    errors: list[RowError] = []
    for i, row in enumerate(worlds.rows.tolist()):
        if _is_migrated(kind, cluster, row):
            continue
        try:
            there = {disk for other in _pods(cluster, worlds, i, row) for disk in disks(kind, other.pod, cluster)}
        except NoClaimNameError:
            errors.append(RowError(i, NO_CLAIM_NAME))
            continue
        too_many[i] = len(there | new) > _limit(kind, cluster.nodes[row])
    findings = refused(ReasonCode.VOLUME_LIMIT, REASON, too_many, unresolvable=False)
    return Findings(findings.refusals, findings.unresolvable, tuple(errors))


def disks(kind: DiskKind, pod: Pod, cluster: Cluster) -> frozenset[str]:
    """Ids of the disks of a kind that a pod names; a claim without a volume stands for one of its own.

    Raises:
        NoClaimNameError: a volume names no claim.
    """
    return frozenset(_disks(kind, pod, cluster))


def _disks(kind: DiskKind, pod: Pod, cluster: Cluster) -> Iterator[str]:
    for volume in pod.spec.volumes or ():
        disk = kind.disk_of(volume)
        if disk is not None:
            yield disk
        elif volume.persistent_volume_claim is not None:
            if not volume.persistent_volume_claim.claim_name:
                raise NoClaimNameError
            key = f"{pod.namespace}/{volume.persistent_volume_claim.claim_name}"
            claim = cluster.objects.persistent_volume_claims.get(key)
            if claim is not None:
                yield from _of_claim(kind, key, claim, cluster)


def _of_claim(kind: DiskKind, key: str, claim: PersistentVolumeClaim, cluster: Cluster) -> Iterator[str]:
    volume = cluster.objects.persistent_volumes.get(claim.spec.volume_name or "")
    if volume is not None:
        disk = kind.disk_of(volume.spec)
        if disk is not None:
            yield disk
        return
    storage_class = cluster.objects.storage_classes.get(claim.spec.storage_class_name or "")
    if storage_class is not None and storage_class.provisioner == kind.plugin.name:
        yield f"claim {key}"  # no id of a disk has a space


def _pods(cluster: Cluster, worlds: Worlds, i: int, row: int) -> Iterator[PodInfo]:
    moves = dict(worlds.moves(i)) if worlds.moved else {}
    for pod in cluster.pods_on(row):
        if moves.get(pod, 0) >= 0:
            yield cluster.pods[pod]
    yield from (cluster.pods[pod] for pod, sign in moves.items() if sign > 0)


def _limit(kind: DiskKind, node: Node) -> int:
    told = (node.status.allocatable or {}).get(kind.resource)
    return kind.limit(node) if told is None else value(told)


def _is_migrated(kind: DiskKind, cluster: Cluster, row: int) -> bool:
    return says_migrated(cluster.objects.csi_nodes.get(cluster.node_name(row)), kind.plugin)
