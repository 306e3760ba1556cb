"""AzureDiskLimits: a node takes only so many Azure disks.

What it checks:  the Azure disks of the pods on the node and of the new one, named directly or through claims, are no
                 more than the node's allocatable attachable-volumes-azure-disk, or else 16.
Rejects with:    "node(s) exceed max volume count" (Unschedulable)
Not modelled:    KUBE_MAX_PD_VOLS in the environment of the scheduler.
Source:          kubernetes v1.20.15 pkg/scheduler/framework/plugins/nodevolumelimits/non_csi.go;
                 pkg/volume/util/attach_limit.go
"""

from typing import ClassVar

from kplan.plugins.shared.csi_translation import AZURE_DISK
from kplan.plugins.shared.disk_limits import DiskKind, DiskLimits, VolumeSource

LIMIT = 16


def _disk(source: VolumeSource) -> str | None:
    disk = source.azure_disk
    return None if disk is None else disk.disk_name or ""


class AzureDiskLimits(DiskLimits):
    """Refuses nodes that hold as many as they take."""

    name: ClassVar[str] = "AzureDiskLimits"
    kind: ClassVar[DiskKind] = DiskKind(
        plugin=AZURE_DISK,
        resource="attachable-volumes-azure-disk",
        disk_of=_disk,
        limit=lambda node: LIMIT,
    )
