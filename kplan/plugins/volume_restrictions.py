"""VolumeRestrictions: two pods do not share a disk or a claim that only one may use.

What it checks:  in-tree disks on the node: the same GCE disk, iSCSI name or RBD image (a monitor in common, same pool
                 and image) unless both mount it read-only, the same AWS volume always; and, in the whole cluster,
                 claims with access mode ReadWriteOncePod that a placed pod names.
Rejects with:    "node(s) had no available disk",
                 "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by
                 another pod" (Unschedulable); for every node:
                 "persistentvolumeclaim "x" not found" (UnschedulableAndUnresolvable)
Not modelled:    deferred resizes (gate InPlacePodVerticalScalingSchedulerPreemption).
Source:          kubernetes v1.37.2 pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go
                 (equal since v1.34)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from msgspec import Struct

from kplan.cluster import Cluster, PodInfo
from kplan.framework.codes import Point, Reads
from kplan.framework.events import CLAIM_ADDED, NODE_ADDED, POD_DELETED, Happened, Interest
from kplan.framework.findings import About, Facts, Failed, Findings, Ready, Refusal, Refused, Skip
from kplan.framework.plugin import ColumnPlugin
from kplan.framework.reason_codes import AboutKind, ReasonCode
from kplan.framework.worlds import Int, Worlds
from kplan.objects.models import PersistentVolumeClaim, Pod, Volume
from kplan.plugins.shared.claims import claim_missing, claim_uses, is_disk, volume_users

DISK_IN_USE = "node(s) had no available disk"
CLAIM_IN_USE = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
)
READ_WRITE_ONCE_POD = "ReadWriteOncePod"


class VolumeRestrictionsState(Struct, frozen=True):
    """What other pods hold.

    Attributes:
        disk_conflicts: int64[P], 1 for each pod with a disk that this one may not share.
        disks_on_node: int64[N], number of such pods on each node.
        claim_uses: int64[P], how often each pod names a ReadWriteOncePod claim of this one.
        claims_in_use: number of those claims that placed pods name.
        claims: names of those claims.
    """

    disk_conflicts: Int
    disks_on_node: Int
    claim_uses: Int
    claims_in_use: int
    claims: tuple[str, ...]


class DiskConflict(Facts, frozen=True):
    """A disk of the pod that others on a node hold.

    Attributes:
        node: name of the node.
        volume: name of the volume in this pod.
        pods: the others, ``namespace/name``.
    """

    node: str
    volume: str
    pods: tuple[str, ...]


class ClaimHeld(Facts, frozen=True):
    """A ReadWriteOncePod claim and who uses it.

    Attributes:
        claim: its name.
        pods: placed pods that name it, ``namespace/name@node``.
    """

    claim: str
    pods: tuple[str, ...]


class VolumeRestrictionsFacts(Facts, frozen=True):
    """Who holds what the pod needs."""

    disks: tuple[DiskConflict, ...]
    claims: tuple[ClaimHeld, ...]


class VolumeRestrictions(ColumnPlugin[None]):
    """See the module."""

    name: ClassVar[str] = "VolumeRestrictions"

    def reads(self, point: Point, pod: PodInfo) -> Reads:
        """Claims and the volumes of other pods; nothing where the pod has neither claim nor disk."""
        if any(claim_uses(pod.pod)) or any(map(is_disk, pod.pod.spec.volumes or ())):
            return Reads.PODS | Reads.STORAGE
        return Reads.NODE

    def pre_filter(self, pod: PodInfo, cluster: Cluster) -> Skip | Refused | Failed | Ready[VolumeRestrictionsState]:
        """Look for ReadWriteOncePod claims and for pods with the same disks.

        Source: VolumeRestrictions.PreFilter, readWriteOncePodPVCsForPod, calPreFilterState.
        """
        claims: dict[str, str] = {}
        for use in claim_uses(pod.pod):
            if use.ephemeral:
                continue
            claim = cluster.objects.persistent_volume_claims.get(use.key)
            if claim is None:
                return Refused((claim_missing(use.name),))
            if READ_WRITE_ONCE_POD in (claim.spec.access_modes or ()):
                claims[use.name] = use.key
        disks = [volume for volume in pod.pod.spec.volumes or () if is_disk(volume)]
        users = volume_users(cluster) if claims or disks else None
        # A claim counts once however many pods use it, though each of them takes away one when it moves.
        in_use = (
            sum(any(cluster.pod_node[row] >= 0 for row in users.by_claim.get(key, ())) for key in claims.values())
            if users
            else 0
        )
        if users is None or (not disks and not in_use):
            return Skip()
        uses = np.zeros(len(cluster.pods), dtype=np.int64)
        for name in claims:
            # The scheduler compares names alone: a pod of another namespace counts when it moves, too.
            np.add.at(uses, users.by_claim_name.get(name, []), 1)
        conflicts = np.zeros(len(cluster.pods), dtype=np.int64)
        if disks:
            conflicts[[row for row in users.with_disks if _shares_disk(disks, cluster.pods[row].pod)]] = 1
        on_node = np.zeros(len(cluster.nodes), dtype=np.int64)
        holders = np.flatnonzero((conflicts > 0) & (cluster.pod_node >= 0))
        np.add.at(on_node, cluster.pod_node[holders], 1)
        return Ready(VolumeRestrictionsState(conflicts, on_node, uses, in_use, tuple(claims)))

    def filter(self, pod: PodInfo, state: VolumeRestrictionsState, cluster: Cluster, worlds: Worlds) -> Findings[Any]:
        """Refuse for a disk first, then for a claim.

        Source: VolumeRestrictions.Filter; AddPod and RemovePod for moved pods.
        """
        disk = state.disks_on_node[worlds.rows] + worlds.total(state.disk_conflicts) > 0
        claim = ~disk & (state.claims_in_use + worlds.total(state.claim_uses) > 0)
        disks = (About(AboutKind.VOLUME, volume.name) for volume in pod.pod.spec.volumes or () if is_disk(volume))
        claims = (About(AboutKind.CLAIM, name) for name in state.claims)
        refusals = (
            Refusal(ReasonCode.DISK_IN_USE, tuple(disks), DISK_IN_USE, disk),
            Refusal(ReasonCode.CLAIM_IN_USE, tuple(claims), CLAIM_IN_USE, claim),
        )
        return Findings(refusals, np.zeros(len(worlds), dtype=np.bool_))

    def interests(self) -> tuple[Interest, ...]:
        """Pods that are gone, nodes and claims that are new."""
        return POD_DELETED, NODE_ADDED, CLAIM_ADDED

    def wakes(self, pod: PodInfo, cluster: Cluster, happened: Happened) -> bool:
        """Any new node, a claim of the pod, a pod of the namespace that used one of its disks or claims."""
        mine = {use.name for use in claim_uses(pod.pod) if not use.ephemeral}
        old, new = happened.old, happened.new
        if isinstance(new, PersistentVolumeClaim):
            return new.namespace == pod.namespace and new.name in mine
        if not isinstance(old, Pod):
            return True
        if old.namespace != pod.namespace:
            return False
        disks = [volume for volume in pod.pod.spec.volumes or () if is_disk(volume)]
        return _shares_disk(disks, old) or any(use.name in mine for use in claim_uses(old) if not use.ephemeral)

    def explain(
        self,
        pod: PodInfo,
        state: VolumeRestrictionsState,
        cluster: Cluster,
        worlds: Worlds,
        findings: Findings[Any],
        rows: Sequence[int],
    ) -> VolumeRestrictionsFacts:
        """Name the pods that hold a disk on these nodes, and those that hold the claims."""
        disks: list[DiskConflict] = []
        mine = [volume for volume in pod.pod.spec.volumes or () if is_disk(volume)]
        for node in dict.fromkeys(int(worlds.rows[row]) for row in rows):
            others = [row for row in cluster.pods_on(node) if state.disk_conflicts[row]]
            for volume in mine:
                holders = tuple(
                    cluster.pods[row].key for row in others if _shares_disk([volume], cluster.pods[row].pod)
                )
                if holders:
                    disks.append(DiskConflict(cluster.node_name(node), volume.name, holders))
        users = volume_users(cluster)
        held = []
        for name in state.claims:
            placed = [row for row in users.by_claim.get(f"{pod.namespace}/{name}", ()) if cluster.pod_node[row] >= 0]
            names = (f"{cluster.pods[row].key}@{cluster.node_name(int(cluster.pod_node[row]))}" for row in placed)
            held.append(ClaimHeld(name, tuple(dict.fromkeys(names))))
        return VolumeRestrictionsFacts(tuple(disks), tuple(held))


def _shares_disk(disks: Sequence[Volume], other: Pod) -> bool:
    """Tell whether another pod has one of these disks in a way that excludes this pod.

    Source: satisfyVolumeConflicts, isVolumeConflict.
    """
    return any(_conflict(mine, theirs) for mine in disks for theirs in other.spec.volumes or ())


def _conflict(mine: Volume, theirs: Volume) -> bool:
    if mine.gce_persistent_disk is not None and theirs.gce_persistent_disk is not None:
        disk, held = mine.gce_persistent_disk, theirs.gce_persistent_disk
        if (disk.pd_name or "") == (held.pd_name or "") and not (disk.read_only and held.read_only):
            return True
    ebs, held_ebs = mine.aws_elastic_block_store, theirs.aws_elastic_block_store
    if ebs is not None and held_ebs is not None and (ebs.volume_id or "") == (held_ebs.volume_id or ""):
        return True
    if mine.iscsi is not None and theirs.iscsi is not None:
        same = (mine.iscsi.iqn or "") == (theirs.iscsi.iqn or "")
        if same and not (mine.iscsi.read_only and theirs.iscsi.read_only):
            return True
    return _same_image(mine, theirs)


def _same_image(mine: Volume, theirs: Volume) -> bool:
    image, held = mine.rbd, theirs.rbd
    if image is None or held is None or (image.read_only and held.read_only):
        return False
    # Pools default to rbd where the API server reads a pod; a manifest may leave them out.
    same = (image.pool or "rbd") == (held.pool or "rbd") and (image.image or "") == (held.image or "")
    return same and not set(image.monitors or ()).isdisjoint(held.monitors or ())
