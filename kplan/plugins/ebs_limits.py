"""EBSLimits: a node takes only so many EBS volumes.

What it checks:  the EBS volumes of the pods on the node and of the new one, named directly or through claims, are no
                 more than the node's allocatable attachable-volumes-aws-ebs, or else 25 for instances of the kinds
                 m5, c5, r5, t3 and z1d and 39 for others.
Rejects with:    "node(s) exceed max volume count" (Unschedulable)
Not modelled:    KUBE_MAX_PD_VOLS in the environment of the scheduler.
Source:          kubernetes v1.20.15 pkg/scheduler/framework/plugins/nodevolumelimits/non_csi.go;
                 pkg/volume/util/attach_limit.go
"""

import re
from dataclasses import dataclass
from typing import ClassVar

from kplan.objects.models import Node, PersistentVolume, Volume
from kplan.plugins.shared.disk_limits import DiskKind, DiskLimits

LIMIT, NITRO_LIMIT = 39, 25
_INSTANCE_TYPES = ("beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type")
_NITRO = re.compile(r"^[cmr]5.*|t3|z1d")


def _of_volume(volume: Volume) -> str | None:
    disk = volume.aws_elastic_block_store
    return None if disk is None else disk.volume_id or ""


def _of_persistent_volume(volume: PersistentVolume) -> str | None:
    disk = volume.spec.aws_elastic_block_store
    return None if disk is None else disk.volume_id or ""


def _limit(node: Node) -> int:
    kind = next((node.labels[key] for key in _INSTANCE_TYPES if key in node.labels), "")
    return NITRO_LIMIT if _NITRO.search(kind) else LIMIT


@dataclass(frozen=True, slots=True)
class EBSLimits(DiskLimits):
    """Refuses nodes that hold as many as they take."""

    name: ClassVar[str] = "EBSLimits"
    kind: ClassVar[DiskKind] = DiskKind(
        plugin="kubernetes.io/aws-ebs",
        resource="attachable-volumes-aws-ebs",
        of_volume=_of_volume,
        of_persistent_volume=_of_persistent_volume,
        limit=_limit,
    )
