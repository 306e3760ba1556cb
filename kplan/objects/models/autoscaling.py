"""What sets replicas and requests of workloads: horizontal and vertical autoscalers, and those of KEDA."""

import msgspec

from kplan.objects.models.meta import Condition, Int32, Model, Object, ResourceList


class ScaleTarget(Model):
    """``spec.scaleTargetRef`` or ``spec.targetRef``; KEDA takes a missing kind for Deployment."""

    kind: str = ""
    name: str = ""


class Metric(Model):
    """``spec.metrics[]``, or ``spec.triggers[]`` of KEDA: of what kind it is."""

    type: str = ""


class HorizontalPodAutoscalerSpec(Model):
    """``spec`` of a HorizontalPodAutoscaler, which is the same in autoscaling/v1 and v2 as far as this goes."""

    scale_target_ref: ScaleTarget = msgspec.field(default_factory=ScaleTarget)
    min_replicas: Int32 | None = None
    max_replicas: Int32 | None = None
    metrics: list[Metric] | None = None


class HorizontalPodAutoscalerStatus(Model):
    """``status`` of a HorizontalPodAutoscaler."""

    conditions: list[Condition] | None = None


class HorizontalPodAutoscaler(Object):
    """A HorizontalPodAutoscaler."""

    status: HorizontalPodAutoscalerStatus | None = None

    spec: HorizontalPodAutoscalerSpec = msgspec.field(default_factory=HorizontalPodAutoscalerSpec)


class ScaledObjectSpec(Model):
    """``spec`` of a ScaledObject."""

    scale_target_ref: ScaleTarget = msgspec.field(default_factory=ScaleTarget)
    min_replica_count: Int32 | None = None
    max_replica_count: Int32 | None = None
    idle_replica_count: Int32 | None = None
    triggers: list[Metric] | None = None


class ScaledObject(Object):
    """A ScaledObject of KEDA, whose operator makes a HorizontalPodAutoscaler of it."""

    spec: ScaledObjectSpec = msgspec.field(default_factory=ScaledObjectSpec)


class PodUpdatePolicy(Model):
    """``spec.updatePolicy``."""

    update_mode: str | None = None
    min_replicas: Int32 | None = None


class ContainerResourcePolicy(Model):
    """``spec.resourcePolicy.containerPolicies[]``; the name ``*`` is for all containers that have none."""

    container_name: str = ""
    mode: str | None = None
    controlled_values: str | None = None
    min_allowed: ResourceList | None = None
    max_allowed: ResourceList | None = None


class PodResourcePolicy(Model):
    """``spec.resourcePolicy``."""

    container_policies: list[ContainerResourcePolicy] | None = None


class VerticalPodAutoscalerSpec(Model):
    """``spec`` of a VerticalPodAutoscaler."""

    target_ref: ScaleTarget = msgspec.field(default_factory=ScaleTarget)
    update_policy: PodUpdatePolicy | None = None
    resource_policy: PodResourcePolicy | None = None


class ContainerRecommendation(Model):
    """``status.recommendation.containerRecommendations[]``, capped by the policy already."""

    container_name: str = ""
    target: ResourceList | None = None
    upper_bound: ResourceList | None = None


class PodRecommendation(Model):
    """``status.recommendation``."""

    container_recommendations: list[ContainerRecommendation] | None = None


class VerticalPodAutoscalerStatus(Model):
    """``status`` of a VerticalPodAutoscaler."""

    recommendation: PodRecommendation | None = None


class VerticalPodAutoscaler(Object):
    """A VerticalPodAutoscaler."""

    spec: VerticalPodAutoscalerSpec = msgspec.field(default_factory=VerticalPodAutoscalerSpec)
    status: VerticalPodAutoscalerStatus = msgspec.field(default_factory=VerticalPodAutoscalerStatus)
