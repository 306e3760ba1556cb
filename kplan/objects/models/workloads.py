"""Controllers that own pods, and Services that select them."""

import msgspec

from kplan.objects.models.meta import Condition, Int32, Int64, LabelSelector, Model, Object, ObjectMeta
from kplan.objects.models.pod import PersistentVolumeClaimTemplate, PodTemplateSpec


class ServiceSpec(Model):
    """``spec`` of a Service."""

    selector: dict[str, str] | None = None


class Service(Object):
    """A Service: its selector is one of the default spread selectors."""

    spec: ServiceSpec = msgspec.field(default_factory=ServiceSpec)


class RollingUpdate(Model):
    """``rollingUpdate`` of a strategy."""

    max_surge: Int32 | str | None = None
    max_unavailable: Int32 | str | None = None
    partition: Int32 | None = None


class UpdateStrategy(Model):
    """``strategy`` or ``updateStrategy``."""

    type: str | None = None
    rolling_update: RollingUpdate | None = None


class ReplicationControllerSpec(Model):
    """``spec`` of a ReplicationController."""

    replicas: Int32 | None = None
    selector: dict[str, str] | None = None
    template: PodTemplateSpec | None = None


class ReplicationController(Object):
    """A ReplicationController."""

    spec: ReplicationControllerSpec = msgspec.field(default_factory=ReplicationControllerSpec)


class Ordinals(Model):
    """``spec.ordinals`` of a StatefulSet."""

    start: Int32 | None = None


class WorkloadSpec(Model):
    """``spec`` of a ReplicaSet, Deployment, StatefulSet or DaemonSet."""

    replicas: Int32 | None = None
    selector: LabelSelector | None = None
    template: PodTemplateSpec | None = None
    strategy: UpdateStrategy | None = None
    update_strategy: UpdateStrategy | None = None
    min_ready_seconds: Int32 | None = None
    progress_deadline_seconds: Int32 | None = None
    paused: bool | None = None
    service_name: str | None = None
    pod_management_policy: str | None = None
    volume_claim_templates: list[PersistentVolumeClaimTemplate] | None = None
    ordinals: Ordinals | None = None
    persistent_volume_claim_retention_policy: dict[str, str] | None = None


class WorkloadStatus(Model):
    """``status`` of a workload."""

    replicas: Int32 | None = None
    ready_replicas: Int32 | None = None
    current_revision: str | None = None
    update_revision: str | None = None
    observed_generation: Int64 | None = None
    conditions: list[Condition] | None = None


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
    revision: Int64 = 0


class PodConditionPattern(Model):
    """``onPodConditions[]`` of a rule about failed pods."""

    type: str = ""
    status: str | None = None


class PodFailureRule(Model):
    """``rules[]`` of ``spec.podFailurePolicy``."""

    action: str = ""
    on_pod_conditions: list[PodConditionPattern] | None = None


class PodFailurePolicy(Model):
    """``spec.podFailurePolicy``."""

    rules: list[PodFailureRule] | None = None


class JobSpec(Model):
    """``spec`` of a Job."""

    parallelism: Int32 | None = None
    completions: Int32 | None = None
    completion_mode: str | None = None
    suspend: bool | None = None
    active_deadline_seconds: Int64 | None = None
    backoff_limit: Int32 | None = None
    backoff_limit_per_index: Int32 | None = None
    pod_replacement_policy: str | None = None
    pod_failure_policy: PodFailurePolicy | None = None
    template: PodTemplateSpec | None = None


class JobStatus(Model):
    """``status`` of a Job."""

    conditions: list[Condition] | None = None
    succeeded: Int32 | None = None
    failed: Int32 | None = None
    start_time: str | None = None
    completed_indexes: str | None = None


class Job(Object):
    """A Job."""

    spec: JobSpec = msgspec.field(default_factory=JobSpec)
    status: JobStatus = msgspec.field(default_factory=JobStatus)


class JobTemplate(Model):
    """``spec.jobTemplate``."""

    metadata: ObjectMeta | None = None
    spec: JobSpec | None = None


class CronJobSpec(Model):
    """``spec`` of a CronJob."""

    schedule: str | None = None
    time_zone: str | None = None
    suspend: bool | None = None
    concurrency_policy: str | None = None
    starting_deadline_seconds: Int64 | None = None
    job_template: JobTemplate | None = None


class CronJobStatus(Model):
    """``status`` of a CronJob."""

    last_schedule_time: str | None = None


class CronJob(Object):
    """A CronJob."""

    spec: CronJobSpec = msgspec.field(default_factory=CronJobSpec)
    status: CronJobStatus = msgspec.field(default_factory=CronJobStatus)
