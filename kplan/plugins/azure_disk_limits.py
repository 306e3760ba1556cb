"""AzureDiskLimits: a node takes only so many Azure disks.

What it checks:  the Azure disks of the pods on the node and of the new one, named directly or through claims, are no
                 more than the node's allocatable attachable-volumes-azure-disk, or else 16.
Rejects with:    "node(s) exceed max volume count" (Unschedulable)
Not modelled:    KUBE_MAX_PD_VOLS in the environment of the scheduler.
Source:          kubernetes v1.20.15 pkg/scheduler/framework/plugins/nodevolumelimits/non_csi.go;
                 pkg/volume/util/attach_limit.go
"""

from dataclasses import dataclass
from typing import ClassVar

from kplan.cluster import Cluster, PodInfo
from kplan.framework.codes import Cost, Point, Reads
from kplan.framework.features import Features
from kplan.framework.findings import Findings
from kplan.framework.worlds import Worlds
from kplan.objects.models import PersistentVolume, Volume
from kplan.plugins.shared.disk_limits import DiskKind, judge

LIMIT = 16


def _of_volume(volume: Volume) -> str | None:
    disk = volume.azure_disk
    return None if disk is None else disk.disk_name or ""


def _of_persistent_volume(volume: PersistentVolume) -> str | None:
    disk = volume.spec.azure_disk
    return None if disk is None else disk.disk_name or ""


KIND = DiskKind(
    plugin="kubernetes.io/azure-disk",
    resource="attachable-volumes-azure-disk",
    of_volume=_of_volume,
    of_persistent_volume=_of_persistent_volume,
    limit=lambda node: LIMIT,
)


@dataclass(frozen=True, slots=True)
class AzureDiskLimits:
    """Refuses nodes that hold as many as they take."""

    name: ClassVar[str] = "AzureDiskLimits"
    cost: ClassVar[Cost] = Cost.SEARCH

    args: None
    features: Features

    def reads(self, point: Point, pod: PodInfo) -> Reads:
        """Read volumes of pods, and the limits of nodes."""
        return Reads.NODE | Reads.PODS | Reads.STORAGE

    def filter(self, pod: PodInfo, state: None, cluster: Cluster, worlds: Worlds) -> Findings[None]:
        """Refuse nodes where the disks would be too many."""
        return judge(KIND, pod, cluster, worlds)
