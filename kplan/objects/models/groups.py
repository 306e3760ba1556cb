"""Groups of pods that are scheduled together."""

from typing import Any

import msgspec

from kplan.objects.models.meta import Condition, Int32, Model, Object, TypedLocalObjectReference
from kplan.objects.models.pod import PodResourceClaim, PodResourceClaimStatus


class BasicSchedulingPolicy(Model):
    """``basic``: pods are scheduled one by one."""


class GangSchedulingPolicy(Model):
    """``gang``: so many pods at least, or none."""

    min_count: Int32 = 0


class PodGroupSchedulingPolicy(Model):
    """How the pods of a group are scheduled: one of these."""

    basic: BasicSchedulingPolicy | None = None
    gang: GangSchedulingPolicy | None = None


class TopologyConstraint(Model):
    """All pods of a group within one domain."""

    key: str = ""


class PodGroupSchedulingConstraints(Model):
    """Where the pods of a group may be."""

    topology: list[TopologyConstraint] | None = None


class DisruptionEach(Model):
    """Pods of a group may be evicted one by one, or only together: nothing more is said about it."""


class DisruptionMode(Model):
    """Whether one pod of a group may be evicted, or only all."""

    single: DisruptionEach | None = None
    all: DisruptionEach | None = None


class PodGroupTemplate(Model):
    """``spec.podGroupTemplates[]`` of a Workload."""

    name: str = ""
    scheduling_policy: PodGroupSchedulingPolicy = msgspec.field(default_factory=PodGroupSchedulingPolicy)
    scheduling_constraints: PodGroupSchedulingConstraints | None = None
    resource_claims: list[PodResourceClaim] | None = None
    disruption_mode: DisruptionMode | None = None
    priority_class_name: str | None = None
    priority: Int32 | None = None
    preemption_policy: str | None = None


class SchedulingWorkloadSpec(Model):
    """``spec`` of a Workload; groups of groups (alpha) are kept as they are."""

    controller_ref: TypedLocalObjectReference | None = None
    pod_group_templates: list[PodGroupTemplate] | None = None
    composite_pod_group_templates: list[Any] | None = None


class SchedulingWorkload(Object):
    """A Workload of scheduling.k8s.io."""

    spec: SchedulingWorkloadSpec = msgspec.field(default_factory=SchedulingWorkloadSpec)


class PodGroupWorkloadReference(Model):
    """The template that a group was made from."""

    workload_name: str = ""
    template_name: str = ""


class PodGroupSpec(Model):
    """``spec`` of a group."""

    parent_composite_pod_group_name: str | None = None
    workload_ref: PodGroupWorkloadReference | None = None
    scheduling_policy: PodGroupSchedulingPolicy = msgspec.field(default_factory=PodGroupSchedulingPolicy)
    scheduling_constraints: PodGroupSchedulingConstraints | None = None
    resource_claims: list[PodResourceClaim] | None = None
    disruption_mode: DisruptionMode | None = None
    priority_class_name: str | None = None
    priority: Int32 | None = None
    preemption_policy: str | None = None


class CompositeGangSchedulingPolicy(Model):
    """``gang`` of a group of groups: so many of its groups at least, or none."""

    min_group_count: Int32 = 0


class CompositePodGroupSchedulingPolicy(Model):
    """How the groups of a group are scheduled: one of these."""

    basic: BasicSchedulingPolicy | None = None
    gang: CompositeGangSchedulingPolicy | None = None


class CompositePodGroupSpec(Model):
    """``spec`` of a group of groups."""

    parent_composite_pod_group_name: str | None = None
    workload_ref: PodGroupWorkloadReference | None = None
    scheduling_policy: CompositePodGroupSchedulingPolicy = msgspec.field(
        default_factory=CompositePodGroupSchedulingPolicy
    )
    scheduling_constraints: PodGroupSchedulingConstraints | None = None
    disruption_mode: DisruptionMode | None = None
    priority_class_name: str | None = None
    priority: Int32 | None = None
    preemption_policy: str | None = None


class CompositePodGroup(Object):
    """A CompositePodGroup of scheduling.k8s.io: groups, or groups of groups, that name it as their parent."""

    spec: CompositePodGroupSpec = msgspec.field(default_factory=CompositePodGroupSpec)


class PodGroupStatus(Model):
    """``status`` of a group."""

    conditions: list[Condition] | None = None
    resource_claim_statuses: list[PodResourceClaimStatus] | None = None


class PodGroup(Object):
    """A PodGroup of scheduling.k8s.io."""

    spec: PodGroupSpec = msgspec.field(default_factory=PodGroupSpec)
    status: PodGroupStatus = msgspec.field(default_factory=PodGroupStatus)
