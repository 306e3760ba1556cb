"""Whether what happened may let a pod have its volumes.

Source: v1.37.2 volumebinding/volume_binding.go isSchedulableAfterStorageClassChange,
isSchedulableAfterPersistentVolumeClaimChange, isSchedulableAfterCSINodeChange, isSchedulableAfterCSIDriverChange,
isSchedulableAfterCSIStorageCapacityChange.
"""

from __future__ import annotations

from kplan.cluster import PodInfo
from kplan.framework.events import Happened
from kplan.objects.models import CSIDriver, CSINode, CSIStorageCapacity, PersistentVolumeClaim, StorageClass
from kplan.objects.quantity import value
from kplan.plugins.shared.claims import claim_uses
from kplan.plugins.shared.csi_translation import MIGRATED_PLUGINS


def wakes(pod: PodInfo, happened: Happened) -> bool:
    """Tell whether it may; it is one of what VolumeBinding asks to hear of."""
    old, new = happened.old, happened.new
    match old, new:
        case _, PersistentVolumeClaim():
            return new.namespace == pod.namespace and any(use.name == new.name for use in claim_uses(pod.pod))
        case StorageClass(), StorageClass():
            return old.allowed_topologies != new.allowed_topologies
        case CSINode(), CSINode():
            return old.annotations.get(MIGRATED_PLUGINS, "") != new.annotations.get(MIGRATED_PLUGINS, "")
        case CSIDriver(), CSIDriver():
            inline = any(volume.csi and volume.csi.driver == new.name for volume in pod.pod.spec.volumes or ())
            return inline and bool(old.spec.storage_capacity) and not new.spec.storage_capacity
        case CSIStorageCapacity(), CSIStorageCapacity():
            before, after = _largest(old), _largest(new)
            return after is not None and (before is None or after > before)
    return True


def _largest(capacity: CSIStorageCapacity) -> int | None:
    """The largest volume that can be made [bytes]; None where nothing is said."""
    size = capacity.capacity if capacity.maximum_volume_size is None else capacity.maximum_volume_size
    return None if size is None else value(size)
