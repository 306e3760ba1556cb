"""What happens in a cluster, as the scheduling queue hears of it: which plugin asks to hear of what.

Source: kube-scheduler v0.37.2 framework/types.go ActionType, EventResource; v1.37.2 pkg/scheduler/framework/types.go
MatchClusterEvents, framework/events.go.
"""

from __future__ import annotations

from enum import Flag, StrEnum, auto

from msgspec import Struct

from kplan.objects.models import Object


class Resource(StrEnum):
    """What something happens to."""

    NODE = "Node"
    ASSIGNED_POD = "AssignedPod"
    TARGET_POD = "TargetPod"
    """The waiting pod itself."""
    UNSCHEDULED_POD = "UnscheduledPod"
    PERSISTENT_VOLUME = "PersistentVolume"
    PERSISTENT_VOLUME_CLAIM = "PersistentVolumeClaim"
    STORAGE_CLASS = "StorageClass"
    CSI_NODE = "CSINode"
    CSI_DRIVER = "CSIDriver"
    CSI_STORAGE_CAPACITY = "CSIStorageCapacity"
    VOLUME_ATTACHMENT = "VolumeAttachment"
    RESOURCE_CLAIM = "ResourceClaim"
    RESOURCE_SLICE = "ResourceSlice"
    DEVICE_CLASS = "DeviceClass"
    POD_GROUP = "PodGroup"


class Action(Flag):
    """What happens to it; an update of which nothing is known in particular is ``UPDATE``."""

    ADD = auto()
    DELETE = auto()
    NODE_ALLOCATABLE = auto()
    NODE_LABEL = auto()
    NODE_TAINT = auto()
    """Taints, and ``spec.unschedulable`` taken away."""
    NODE_CONDITION = auto()
    NODE_ANNOTATION = auto()
    NODE_FEATURE = auto()
    POD_LABEL = auto()
    POD_SCALE_DOWN = auto()
    POD_SCALE_UP = auto()
    POD_TOLERATION = auto()
    POD_GATES_GONE = auto()
    POD_CLAIM = auto()
    OTHER = auto()
    UPDATE = (
        NODE_ALLOCATABLE
        | NODE_LABEL
        | NODE_TAINT
        | NODE_CONDITION
        | NODE_ANNOTATION
        | NODE_FEATURE
        | POD_LABEL
        | POD_SCALE_DOWN
        | POD_SCALE_UP
        | POD_TOLERATION
        | POD_GATES_GONE
        | POD_CLAIM
        | OTHER
    )


class Interest(Struct, frozen=True):
    """What a plugin that refused a pod asks to hear of.

    Attributes:
        resource: of what.
        actions: which of them.
    """

    resource: Resource
    actions: Action

    def covers(self, happened: Happened) -> bool:
        """Tell whether something is among these."""
        return self.resource is happened.resource and happened.action in self.actions


class Happened(Struct, frozen=True):
    """One thing that happened.

    Attributes:
        resource: to what.
        action: what.
        old: the object before; None for one that is new.
        new: the object after; None for one that is gone.
    """

    resource: Resource
    action: Action
    old: Object | None = None
    new: Object | None = None


CLAIM_ADDED = Interest(Resource.PERSISTENT_VOLUME_CLAIM, Action.ADD)
NODE_ADDED = Interest(Resource.NODE, Action.ADD)
POD_DELETED = Interest(Resource.ASSIGNED_POD, Action.DELETE)
