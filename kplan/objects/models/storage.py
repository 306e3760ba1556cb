"""Volumes, claims, classes, drivers and attachments."""

import msgspec

from kplan.objects.models.meta import (
    Int32,
    LabelSelector,
    Model,
    NodeSelector,
    Object,
    ObjectReference,
    Quantity,
    ResourceList,
    TypedLocalObjectReference,
)


class VolumeResourceRequirements(Model):
    """``spec.resources`` of a claim."""

    requests: ResourceList | None = None
    limits: ResourceList | None = None


class PersistentVolumeClaimSpec(Model):
    """``spec`` of a claim."""

    access_modes: list[str] | None = None
    selector: LabelSelector | None = None
    resources: VolumeResourceRequirements | None = None
    volume_name: str | None = None
    storage_class_name: str | None = None
    volume_mode: str | None = None
    data_source: TypedLocalObjectReference | None = None
    volume_attributes_class_name: str | None = None


class PersistentVolumeClaimStatus(Model):
    """``status`` of a claim."""

    phase: str | None = None
    capacity: ResourceList | None = None
    access_modes: list[str] | None = None


class PersistentVolumeClaim(Object):
    """A PersistentVolumeClaim."""

    spec: PersistentVolumeClaimSpec = msgspec.field(default_factory=PersistentVolumeClaimSpec)
    status: PersistentVolumeClaimStatus = msgspec.field(default_factory=PersistentVolumeClaimStatus)


class CsiPersistentVolumeSource(Model):
    """``spec.csi`` of a volume."""

    driver: str = ""
    volume_handle: str = ""


class GcePersistentDiskSource(Model):
    """``spec.gcePersistentDisk``."""

    pd_name: str | None = None
    read_only: bool | None = None


class AwsElasticBlockStoreSource(Model):
    """``spec.awsElasticBlockStore``."""

    volume_id: str | None = msgspec.field(default=None, name="volumeID")


class AzureDiskSource(Model):
    """``spec.azureDisk``."""

    disk_name: str | None = None
    disk_uri: str | None = msgspec.field(default=None, name="diskURI")
    kind: str | None = None


class AzureFile(Model):
    """``spec.azureFile``."""

    secret_name: str | None = None
    share_name: str | None = None
    secret_namespace: str | None = None


class CinderSource(Model):
    """``spec.cinder``."""

    volume_id: str | None = msgspec.field(default=None, name="volumeID")


class PortworxVolume(Model):
    """``spec.portworxVolume``."""

    volume_id: str | None = msgspec.field(default=None, name="volumeID")


class VsphereVolume(Model):
    """``spec.vsphereVolume``."""

    volume_path: str | None = None


class LocalVolumeSource(Model):
    """``spec.local``."""

    path: str | None = None


class VolumeNodeAffinity(Model):
    """``spec.nodeAffinity`` of a volume."""

    required: NodeSelector | None = None


class PersistentVolumeSpec(Model):
    """``spec`` of a volume."""

    capacity: ResourceList | None = None
    access_modes: list[str] | None = None
    claim_ref: ObjectReference | None = None
    storage_class_name: str | None = None
    volume_mode: str | None = None
    node_affinity: VolumeNodeAffinity | None = None
    volume_attributes_class_name: str | None = None
    persistent_volume_reclaim_policy: str | None = None
    csi: CsiPersistentVolumeSource | None = None
    gce_persistent_disk: GcePersistentDiskSource | None = None
    aws_elastic_block_store: AwsElasticBlockStoreSource | None = None
    azure_disk: AzureDiskSource | None = None
    azure_file: AzureFile | None = None
    cinder: CinderSource | None = None
    portworx_volume: PortworxVolume | None = None
    vsphere_volume: VsphereVolume | None = None
    local: LocalVolumeSource | None = None


class PersistentVolumeStatus(Model):
    """``status`` of a volume."""

    phase: str | None = None


class PersistentVolume(Object):
    """A PersistentVolume."""

    spec: PersistentVolumeSpec = msgspec.field(default_factory=PersistentVolumeSpec)
    status: PersistentVolumeStatus = msgspec.field(default_factory=PersistentVolumeStatus)


class TopologySelectorLabelRequirement(Model):
    """One requirement of ``allowedTopologies``."""

    key: str = ""
    values: list[str] | None = None


class TopologySelectorTerm(Model):
    """One term of ``allowedTopologies``."""

    match_label_expressions: list[TopologySelectorLabelRequirement] | None = None


class StorageClass(Object):
    """A StorageClass."""

    provisioner: str | None = None
    parameters: dict[str, str] | None = None
    reclaim_policy: str | None = None
    allow_volume_expansion: bool | None = None
    volume_binding_mode: str | None = None
    allowed_topologies: list[TopologySelectorTerm] | None = None


class VolumeNodeResources(Model):
    """``allocatable`` of a driver on a node."""

    count: Int32 | None = None


class CsiNodeDriver(Model):
    """``spec.drivers[]`` of a CSINode."""

    name: str = ""
    node_id: str | None = msgspec.field(default=None, name="nodeID")
    topology_keys: list[str] | None = None
    allocatable: VolumeNodeResources | None = None


class CsiNodeSpec(Model):
    """``spec`` of a CSINode."""

    drivers: list[CsiNodeDriver] | None = None


class CSINode(Object):
    """A CSINode: the drivers of a node and their volume limits."""

    spec: CsiNodeSpec = msgspec.field(default_factory=CsiNodeSpec)


class CsiDriverSpec(Model):
    """``spec`` of a CSIDriver."""

    storage_capacity: bool | None = None
    attach_required: bool | None = None
    prevent_pod_scheduling_if_missing: bool | None = None


class CSIDriver(Object):
    """A CSIDriver."""

    spec: CsiDriverSpec = msgspec.field(default_factory=CsiDriverSpec)


class CSIStorageCapacity(Object):
    """A CSIStorageCapacity: how much a driver can still provide where."""

    node_topology: LabelSelector | None = None
    storage_class_name: str | None = None
    capacity: Quantity | None = None
    maximum_volume_size: Quantity | None = None


class VolumeAttachmentSource(Model):
    """``spec.source`` of an attachment."""

    persistent_volume_name: str | None = None
    inline_volume_spec: PersistentVolumeSpec | None = None


class VolumeAttachmentSpec(Model):
    """``spec`` of an attachment."""

    attacher: str | None = None
    node_name: str | None = None
    source: VolumeAttachmentSource | None = None


class VolumeAttachmentStatus(Model):
    """``status`` of an attachment."""

    attached: bool | None = None


class VolumeAttachment(Object):
    """A VolumeAttachment."""

    spec: VolumeAttachmentSpec = msgspec.field(default_factory=VolumeAttachmentSpec)
    status: VolumeAttachmentStatus = msgspec.field(default_factory=VolumeAttachmentStatus)
