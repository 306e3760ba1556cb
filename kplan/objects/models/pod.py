"""The Pod: the parts of spec and status that decide where it may run, and what reports name.

Long because a pod has many parts.
"""

from typing import Annotated

import msgspec

from kplan.objects import limits
from kplan.objects.models.meta import (
    Condition,
    Int32,
    Int64,
    LabelSelector,
    Lean,
    Model,
    NodeSelector,
    NodeSelectorTerm,
    Object,
    ObjectMeta,
    Quantity,
    ResourceList,
)
from kplan.objects.models.storage import (
    AwsElasticBlockStoreSource,
    AzureDiskSource,
    AzureFile,
    CinderSource,
    PersistentVolumeClaimSpec,
    PortworxVolume,
    VsphereVolume,
)


class ResourceClaimReference(Model):
    """``resources.claims[]`` of a container."""

    name: str = ""
    request: str | None = None


class ResourceRequirements(Model):
    """Requests, limits and device claims of a container or a pod."""

    requests: ResourceList | None = None
    limits: ResourceList | None = None
    claims: list[ResourceClaimReference] | None = None


class ContainerPort(Model):
    """``ports[]`` of a container."""

    name: str | None = None
    container_port: Int32 | None = None
    host_port: Int32 | None = None
    host_ip: str | None = msgspec.field(default=None, name="hostIP")
    protocol: str | None = None


class RestartPolicyRule(Model):
    """``restartPolicyRules[]`` of a container (1.34 and later)."""

    action: str | None = None


class VolumeMount(Model):
    """``volumeMounts[]``, without what scheduling never reads."""

    name: str | None = None
    mount_path: str | None = None
    bind_mount_options: list[str] | None = None


class Probe(Model):
    """``readinessProbe`` or ``startupProbe``: when it begins, and how often it has to succeed."""

    initial_delay_seconds: Int32 | None = None
    period_seconds: Int32 | None = None
    success_threshold: Int32 | None = None


class LeanContainer(Lean):
    """A container that says nothing but what it runs and takes."""

    name: str = ""
    image: str | None = None
    resources: ResourceRequirements | None = None


class Container(LeanContainer):
    """A container or init container."""

    ports: Annotated[list[ContainerPort], msgspec.Meta(max_length=limits.PORTS)] | None = None
    restart_policy: str | None = None
    restart_policy_rules: list[RestartPolicyRule] | None = None
    volume_mounts: list[VolumeMount] | None = None
    readiness_probe: Probe | None = None
    startup_probe: Probe | None = None

    __eq__, __ne__ = Model.__eq__, Model.__ne__


_Containers = Annotated[list[Container], msgspec.Meta(max_length=limits.CONTAINERS)]


class Toleration(Model):
    """``tolerations[]``."""

    key: str | None = None
    operator: str | None = None
    value: str | None = None
    effect: str | None = None
    toleration_seconds: Int64 | None = None


class PreferredSchedulingTerm(Model):
    """A weighted node selector term."""

    weight: Int32 = 0
    preference: NodeSelectorTerm | None = None


class NodeAffinity(Model):
    """``affinity.nodeAffinity``."""

    required: NodeSelector | None = msgspec.field(default=None, name="requiredDuringSchedulingIgnoredDuringExecution")
    preferred: list[PreferredSchedulingTerm] | None = msgspec.field(
        default=None, name="preferredDuringSchedulingIgnoredDuringExecution"
    )


class PodAffinityTerm(Model):
    """Pods by label and namespace, and the topology they are looked for in."""

    label_selector: LabelSelector | None = None
    namespaces: list[str] | None = None
    topology_key: str = ""
    namespace_selector: LabelSelector | None = None
    match_label_keys: list[str] | None = None
    mismatch_label_keys: list[str] | None = None


class WeightedPodAffinityTerm(Model):
    """A pod affinity term with a weight."""

    weight: Int32 = 0
    pod_affinity_term: PodAffinityTerm | None = None


class PodAffinity(Model):
    """``affinity.podAffinity`` and ``affinity.podAntiAffinity``."""

    required: list[PodAffinityTerm] | None = msgspec.field(
        default=None, name="requiredDuringSchedulingIgnoredDuringExecution"
    )
    preferred: list[WeightedPodAffinityTerm] | None = msgspec.field(
        default=None, name="preferredDuringSchedulingIgnoredDuringExecution"
    )


class Affinity(Model):
    """``spec.affinity``."""

    node_affinity: NodeAffinity | None = None
    pod_affinity: PodAffinity | None = None
    pod_anti_affinity: PodAffinity | None = None


class TopologySpreadConstraint(Model):
    """``topologySpreadConstraints[]``."""

    max_skew: Int32 = 0
    topology_key: str = ""
    when_unsatisfiable: str = ""
    label_selector: LabelSelector | None = None
    min_domains: Int32 | None = None
    node_affinity_policy: str | None = None
    node_taints_policy: str | None = None
    match_label_keys: list[str] | None = None


class GcePersistentDisk(Model):
    """In-tree GCE volume."""

    pd_name: str | None = None
    partition: Int32 | None = None
    read_only: bool | None = None


class AwsElasticBlockStore(AwsElasticBlockStoreSource):
    """In-tree AWS volume."""

    partition: Int32 | None = None
    read_only: bool | None = None


class AzureDisk(AzureDiskSource):
    """In-tree Azure volume."""

    read_only: bool | None = None


class Cinder(CinderSource):
    """In-tree OpenStack volume."""

    read_only: bool | None = None


class Iscsi(Model):
    """In-tree iSCSI volume."""

    target_portal: str | None = None
    iqn: str | None = None
    lun: Int32 | None = None
    read_only: bool | None = None


class Rbd(Model):
    """In-tree Ceph volume."""

    monitors: list[str] | None = None
    image: str | None = None
    pool: str | None = None
    read_only: bool | None = None


class PersistentVolumeClaimVolume(Model):
    """``volumes[].persistentVolumeClaim``."""

    claim_name: str = ""
    read_only: bool | None = None


class PersistentVolumeClaimTemplate(Model):
    """The claim an ephemeral volume or a StatefulSet makes."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: PersistentVolumeClaimSpec | None = None


class EphemeralVolume(Model):
    """``volumes[].ephemeral``: a claim made for the pod."""

    volume_claim_template: PersistentVolumeClaimTemplate | None = None


class CsiEphemeralVolume(Model):
    """``volumes[].csi``: an inline volume."""

    driver: str | None = None


class ImageVolume(Model):
    """``volumes[].image``."""

    reference: str | None = None


class Volume(Model):
    """``volumes[]``: sources that scheduling or a drain looks at; others have only a name."""

    name: str = ""
    persistent_volume_claim: PersistentVolumeClaimVolume | None = None
    ephemeral: EphemeralVolume | None = None
    csi: CsiEphemeralVolume | None = None
    image: ImageVolume | None = None
    gce_persistent_disk: GcePersistentDisk | None = None
    aws_elastic_block_store: AwsElasticBlockStore | None = None
    azure_disk: AzureDisk | None = None
    azure_file: AzureFile | None = None
    cinder: Cinder | None = None
    portworx_volume: PortworxVolume | None = None
    vsphere_volume: VsphereVolume | None = None
    iscsi: Iscsi | None = None
    rbd: Rbd | None = None
    empty_dir: dict[str, object] | None = None
    host_path: dict[str, object] | None = None


class SchedulingGate(Model):
    """``schedulingGates[]``."""

    name: str = ""


class PodResourceClaim(Model):
    """``resourceClaims[]`` of a pod."""

    name: str = ""
    resource_claim_name: str | None = None
    resource_claim_template_name: str | None = None


class WorkloadReference(Model):
    """``spec.workloadRef`` (1.35)."""

    name: str | None = None
    pod_group: str | None = None
    pod_group_replica_key: str | None = None


class SchedulingGroup(Model):
    """``spec.schedulingGroup`` (1.36 and later)."""

    pod_group_name: str | None = None


class PodOS(Model):
    """``spec.os``."""

    name: str = ""


class LeanPodSpec(Lean):
    """``spec`` of a pod of containers alone."""

    node_name: str | None = None
    scheduler_name: str | None = None
    priority: Int32 | None = None
    priority_class_name: str | None = None
    preemption_policy: str | None = None
    containers: _Containers | None = None


class PodSpec(LeanPodSpec):
    """``spec`` of a pod or of a pod template."""

    init_containers: _Containers | None = None
    ephemeral_containers: list[Container] | None = None
    resources: ResourceRequirements | None = None
    overhead: ResourceList | None = None
    node_selector: dict[str, str] | None = None
    affinity: Affinity | None = None
    tolerations: Annotated[list[Toleration], msgspec.Meta(max_length=limits.TOLERATIONS)] | None = None
    topology_spread_constraints: (
        Annotated[list[TopologySpreadConstraint], msgspec.Meta(max_length=limits.SPREAD_CONSTRAINTS)] | None
    ) = None
    volumes: Annotated[list[Volume], msgspec.Meta(max_length=limits.VOLUMES)] | None = None
    scheduling_gates: list[SchedulingGate] | None = None
    resource_claims: Annotated[list[PodResourceClaim], msgspec.Meta(max_length=limits.CLAIMS)] | None = None
    runtime_class_name: str | None = None
    host_network: bool | None = None
    host_users: bool | None = None
    os: PodOS | None = None
    restart_policy: str | None = None
    termination_grace_period_seconds: Int64 | None = None
    service_account_name: str | None = None
    workload_ref: WorkloadReference | None = None
    scheduling_group: SchedulingGroup | None = None

    __eq__, __ne__ = Model.__eq__, Model.__ne__


class ContainerStatus(Model):
    """``containerStatuses[]``: resources while a resize is under way."""

    name: str = ""
    resources: ResourceRequirements | None = None
    allocated_resources: dict[str, Quantity] | None = None
    restart_count: Int32 | None = None


class PodResourceClaimStatus(Model):
    """``status.resourceClaimStatuses[]``: the claim made from a template."""

    name: str = ""
    resource_claim_name: str | None = None


class ContainerExtendedResourceRequest(Model):
    """Which request of the extended-resource claim serves which container's resource."""

    container_name: str = ""
    resource_name: str = ""
    request_name: str = ""


class PodExtendedResourceClaimStatus(Model):
    """``status.extendedResourceClaimStatus``."""

    resource_claim_name: str | None = None
    request_mappings: list[ContainerExtendedResourceRequest] | None = None


class NodeAllocatableMappedResources(Model):
    """What the devices of a claim stand for of a resource of the node (1.37)."""

    name: str = ""
    quantity: Quantity | None = None


class NodeAllocatableOverheadResources(Model):
    """What the devices of a claim take of a resource of the node besides (1.37)."""

    name: str = ""
    per_pod: Quantity | None = None
    per_container: Quantity | None = None


class NodeAllocatableResourceClaimStatus(Model):
    """``status.nodeAllocatableResourceClaimStatuses[]``: resources of the node that a claim takes (1.36)."""

    resource_claim_name: str = ""
    containers: list[str] | None = None
    resources: dict[str, Quantity] | None = None
    mapping: list[NodeAllocatableMappedResources] | None = None
    overhead: list[NodeAllocatableOverheadResources] | None = None


class PodStatus(Model):
    """``status`` of a pod."""

    phase: str | None = None
    conditions: list[Condition] | None = None
    nominated_node_name: str | None = None
    start_time: str | None = None
    container_statuses: list[ContainerStatus] | None = None
    init_container_statuses: list[ContainerStatus] | None = None
    resources: ResourceRequirements | None = None
    allocated_resources: dict[str, Quantity] | None = None
    resource_claim_statuses: list[PodResourceClaimStatus] | None = None
    extended_resource_claim_status: PodExtendedResourceClaimStatus | None = None
    node_allocatable_resource_claim_statuses: list[NodeAllocatableResourceClaimStatus] | None = None


class Pod(Object):
    """A Pod."""

    spec: PodSpec = msgspec.field(default_factory=PodSpec)
    status: PodStatus = msgspec.field(default_factory=PodStatus)

    @property
    def ended(self) -> bool:
        """Whether it has ended: then it counts nowhere."""
        return self.status.phase in ("Succeeded", "Failed")


class PodTemplateSpec(Model):
    """``template`` of a workload."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: PodSpec = msgspec.field(default_factory=PodSpec)
