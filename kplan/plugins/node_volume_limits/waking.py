"""Whether what happened may make room for volumes of a pod.

Source: v1.37.2 nodevolumelimits/csi.go isSchedulableAfterCSINodeUpdated, isSchedulableAfterAssignedPodDeleted,
isSchedulableAfterPVCAdded, isSchedulableAfterVolumeAttachmentDeleted.
"""

from __future__ import annotations

from kplan.cluster import PodInfo
from kplan.framework.events import Happened
from kplan.objects.models import CSINode, PersistentVolumeClaim, Pod, VolumeAttachment
from kplan.plugins.shared.claims import claim_uses
from kplan.plugins.shared.csi_translation import plugin_of_inline


def wakes(pod: PodInfo, happened: Happened) -> bool:
    """Tell whether it may; it is one of what NodeVolumeLimits asks to hear of."""
    old, new = happened.old, happened.new
    if isinstance(old, CSINode) and isinstance(new, CSINode):
        before = _limits(old)
        return any(limit > before.get(driver, 0) for driver, limit in _limits(new).items())
    if isinstance(new, PersistentVolumeClaim):
        return new.namespace == pod.namespace and any(use.name == new.name for use in claim_uses(pod.pod))
    if isinstance(old, Pod):
        inline = any(plugin_of_inline(volume) for volume in old.spec.volumes or ())
        return inline or any(True for _ in claim_uses(old))
    if isinstance(old, VolumeAttachment):
        return _may_need(pod.pod, old.spec.attacher or "")
    return True


def _limits(node: CSINode) -> dict[str, int]:
    """How many volumes each driver takes; 0 where it says nothing."""
    drivers = node.spec.drivers or ()
    return {driver.name: (driver.allocatable.count if driver.allocatable else None) or 0 for driver in drivers}


def _may_need(pod: Pod, driver: str) -> bool:
    """Tell whether a pod has a claim, or an in-tree volume of a driver."""
    for volume in pod.spec.volumes or ():
        plugin = plugin_of_inline(volume)
        if volume.persistent_volume_claim is not None or (plugin is not None and plugin.driver == driver):
            return True
    return False
