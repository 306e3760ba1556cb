"""Controllers that own pods, and Services that select them."""

import msgspec

from kplan.objects.models.meta import LabelSelector, Model, Object, ObjectMeta
from kplan.objects.models.pod import PersistentVolumeClaimTemplate, PodTemplateSpec


class ServiceSpec(Model):
    """``spec`` of a Service."""

    selector: dict[str, str] | None = None


class Service(Object):
    """A Service: its selector is one of the default spread selectors."""

    spec: ServiceSpec = msgspec.field(default_factory=ServiceSpec)


class RollingUpdate(Model):
    """``rollingUpdate`` of a strategy."""

    max_surge: int | str | None = None
    max_unavailable: int | str | None = None
    partition: int | None = None


class UpdateStrategy(Model):
    """``strategy`` or ``updateStrategy``."""

    type: str | None = None
    rolling_update: RollingUpdate | None = None


class ReplicationControllerSpec(Model):
    """``spec`` of a ReplicationController."""

    replicas: int | None = None
    selector: dict[str, str] | None = None
    template: PodTemplateSpec | None = None


class ReplicationController(Object):
    """A ReplicationController."""

    spec: ReplicationControllerSpec = msgspec.field(default_factory=ReplicationControllerSpec)


class WorkloadSpec(Model):
    """``spec`` of a ReplicaSet, Deployment, StatefulSet or DaemonSet."""

    replicas: int | None = None
    selector: LabelSelector | None = None
    template: PodTemplateSpec | None = None
    strategy: UpdateStrategy | None = None
    update_strategy: UpdateStrategy | None = None
    min_ready_seconds: int | None = None
    paused: bool | None = None
    service_name: str | None = None
    pod_management_policy: str | None = None
    volume_claim_templates: list[PersistentVolumeClaimTemplate] | None = None


class WorkloadStatus(Model):
    """``status`` of a workload."""

    replicas: int | None = None
    ready_replicas: int | None = None
    current_revision: str | None = None
    update_revision: str | None = None
    observed_generation: int | None = None


class Workload(Object):
    """Common shape of the apps/v1 kinds."""

    spec: WorkloadSpec = msgspec.field(default_factory=WorkloadSpec)
    status: WorkloadStatus = msgspec.field(default_factory=WorkloadStatus)


class ReplicaSet(Workload):
    """A ReplicaSet."""


class Deployment(Workload):
    """A Deployment."""


class StatefulSet(Workload):
    """A StatefulSet."""


class DaemonSet(Workload):
    """A DaemonSet."""


class RevisionSpec(Model):
    """What a revision puts in place of a workload's own ``spec``: its template."""

    template: PodTemplateSpec | None = None


class RevisionData(Model):
    """``data`` of a ControllerRevision: a patch."""

    spec: RevisionSpec = msgspec.field(default_factory=RevisionSpec)


class ControllerRevision(Object):
    """A template that a StatefulSet or DaemonSet has or had."""

    data: RevisionData = msgspec.field(default_factory=RevisionData)
    revision: int = 0


class JobSpec(Model):
    """``spec`` of a Job."""

    parallelism: int | None = None
    completions: int | None = None
    completion_mode: str | None = None
    suspend: bool | None = None
    template: PodTemplateSpec | None = None


class Job(Object):
    """A Job."""

    spec: JobSpec = msgspec.field(default_factory=JobSpec)


class JobTemplate(Model):
    """``spec.jobTemplate``."""

    metadata: ObjectMeta | None = None
    spec: JobSpec | None = None


class CronJobSpec(Model):
    """``spec`` of a CronJob."""

    schedule: str | None = None
    suspend: bool | None = None
    job_template: JobTemplate | None = None


class CronJob(Object):
    """A CronJob."""

    spec: CronJobSpec = msgspec.field(default_factory=CronJobSpec)
