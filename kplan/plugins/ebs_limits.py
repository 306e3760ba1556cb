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
from typing import ClassVar

from kplan.objects.models import Node
from kplan.plugins.shared.csi_translation import AWS_EBS
from kplan.plugins.shared.disk_limits import DiskKind, DiskLimits, VolumeSource

LIMIT, NITRO_LIMIT = 39, 25
_INSTANCE_TYPES = ("beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type")
_NITRO = re.compile(r"^[cmr]5.*|t3|z1d")


def _disk(source: VolumeSource) -> str | None:
    disk = source.aws_elastic_block_store
    return None if disk is None else disk.volume_id or ""


def _limit(node: Node) -> int:
    kind = next((node.labels[key] for key in _INSTANCE_TYPES if key in node.labels), "")
    return NITRO_LIMIT if _NITRO.search(kind) else LIMIT


class EBSLimits(DiskLimits):
    """Refuses nodes that hold as many as they take."""

    name: ClassVar[str] = "EBSLimits"
    kind: ClassVar[DiskKind] = DiskKind(
        plugin=AWS_EBS,
        resource="attachable-volumes-aws-ebs",
        disk_of=_disk,
        limit=_limit,
    )
