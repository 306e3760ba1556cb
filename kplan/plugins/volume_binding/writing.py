"""What binding volumes writes: a volume is given to its claim, or a claim to the node that its volume is made for.

What was written is not taken back on the server when the pod is held back later: neither does the scheduler, as a
provisioner may be at work already.
Source: kubernetes v1.37.2 pkg/scheduler/framework/plugins/volumebinding/binder.go BindPodVolumes, bindAPIUpdate.
"""

from __future__ import annotations

from kplan.framework.writes import ClaimBound, Field, Write, WriteCode
from kplan.objects.models import PersistentVolume, PersistentVolumeClaim
from kplan.plugins.shared.claims import BOUND_BY_CONTROLLER, SELECTED_NODE
from kplan.plugins.volume_binding.matching import reserved_for

CLAIM, VOLUME = "PersistentVolumeClaim", "PersistentVolume"


def give_volume(volume: PersistentVolume, claim: PersistentVolumeClaim) -> Write:
    """Give a volume to a claim; one that its owner reserved for it is not for the controller to free.

    Source: component-helpers v0.37.2 storage/volume/pv_helpers.go GetBindVolumeToClaim.
    """
    reference = {
        "apiVersion": "v1",
        "kind": CLAIM,
        "namespace": claim.namespace,
        "name": claim.name,
        "uid": claim.metadata.uid or "",
        "resourceVersion": claim.metadata.resource_version or "",
    }
    fields = [Field(("spec", "claimRef"), reference, same=("namespace", "name", "uid"))]
    if not reserved_for(volume, claim) or BOUND_BY_CONTROLLER in volume.annotations:
        fields.append(Field(("metadata", "annotations", BOUND_BY_CONTROLLER), "yes"))
    return Write(WriteCode.CLAIM_VOLUME, VOLUME, volume.name, tuple(fields), ClaimBound(claim.key, volume.name))


def select_node(claim: PersistentVolumeClaim, node: str) -> Write:
    """Ask the provisioner of a claim for a volume on a node."""
    fields = (Field(("metadata", "annotations", SELECTED_NODE), node),)
    return Write(WriteCode.SELECT_NODE, CLAIM, claim.key, fields, ClaimBound(claim.key))
