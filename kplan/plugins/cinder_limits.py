"""CinderLimits: a node takes only so many Cinder volumes.

What it checks:  the Cinder volumes of the pods on the node and of the new one, named directly or through claims, are no
                 more than the node's allocatable attachable-volumes-cinder, or else 256.
Rejects with:    "node(s) exceed max volume count" (Unschedulable)
Not modelled:    KUBE_MAX_PD_VOLS in the environment of the scheduler.
Source:          kubernetes v1.20.15 pkg/scheduler/framework/plugins/nodevolumelimits/non_csi.go;
                 pkg/volume/util/attach_limit.go
"""

from typing import ClassVar

from kplan.plugins.shared.csi_translation import CINDER
from kplan.plugins.shared.disk_limits import DiskKind, DiskLimits, VolumeSource

LIMIT = 256


def _disk(source: VolumeSource) -> str | None:
    disk = source.cinder
    return None if disk is None else disk.volume_id or ""


class CinderLimits(DiskLimits):
    """Refuses nodes that hold as many as they take."""

    name: ClassVar[str] = "CinderLimits"
    kind: ClassVar[DiskKind] = DiskKind(
        plugin=CINDER,
        resource="attachable-volumes-cinder",
        disk_of=_disk,
        limit=lambda node: LIMIT,
    )
