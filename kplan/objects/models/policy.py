"""Budgets, priorities, quotas, limits and runtime classes."""

import msgspec

from kplan.objects.models.meta import Condition, Int32, Int64, LabelSelector, Model, Object, Quantity, ResourceList
from kplan.objects.models.pod import Toleration


class PodDisruptionBudgetSpec(Model):
    """``spec`` of a budget."""

    min_available: str | Int32 | None = None
    max_unavailable: str | Int32 | None = None
    selector: LabelSelector | None = None
    unhealthy_pod_eviction_policy: str | None = None


class PodDisruptionBudgetStatus(Model):
    """``status`` of a budget."""

    disruptions_allowed: Int32 | None = None
    current_healthy: Int32 | None = None
    desired_healthy: Int32 | None = None
    expected_pods: Int32 | None = None
    disrupted_pods: dict[str, str | None] | None = None
    observed_generation: Int64 | None = None
    conditions: list[Condition] | None = None


class PodDisruptionBudget(Object):
    """A PodDisruptionBudget."""

    spec: PodDisruptionBudgetSpec = msgspec.field(default_factory=PodDisruptionBudgetSpec)
    status: PodDisruptionBudgetStatus = msgspec.field(default_factory=PodDisruptionBudgetStatus)


class PriorityClass(Object):
    """A PriorityClass."""

    value: Int32 = 0
    global_default: bool | None = None
    preemption_policy: str | None = None


class LimitRangeItem(Model):
    """``spec.limits[]``."""

    type: str = ""
    max: ResourceList | None = None
    min: ResourceList | None = None
    default: ResourceList | None = None
    default_request: ResourceList | None = None
    max_limit_request_ratio: dict[str, Quantity] | None = None


class LimitRangeSpec(Model):
    """``spec`` of a LimitRange."""

    limits: list[LimitRangeItem] | None = None


class LimitRange(Object):
    """A LimitRange."""

    spec: LimitRangeSpec = msgspec.field(default_factory=LimitRangeSpec)


class ScopedResourceSelectorRequirement(Model):
    """One requirement of a quota's scope selector."""

    scope_name: str = ""
    operator: str = ""
    values: list[str] | None = None


class ScopeSelector(Model):
    """``spec.scopeSelector``."""

    match_expressions: list[ScopedResourceSelectorRequirement] | None = None


class ResourceQuotaSpec(Model):
    """``spec`` of a quota."""

    hard: ResourceList | None = None
    scopes: list[str] | None = None
    scope_selector: ScopeSelector | None = None


class ResourceQuotaStatus(Model):
    """``status`` of a quota."""

    hard: ResourceList | None = None
    used: ResourceList | None = None


class ResourceQuota(Object):
    """A ResourceQuota."""

    spec: ResourceQuotaSpec = msgspec.field(default_factory=ResourceQuotaSpec)
    status: ResourceQuotaStatus = msgspec.field(default_factory=ResourceQuotaStatus)


class Overhead(Model):
    """``overhead`` of a RuntimeClass."""

    pod_fixed: ResourceList | None = None


class RuntimeClassScheduling(Model):
    """``scheduling`` of a RuntimeClass."""

    node_selector: dict[str, str] | None = None
    tolerations: list[Toleration] | None = None


class RuntimeClass(Object):
    """A RuntimeClass."""

    handler: str | None = None
    overhead: Overhead | None = None
    scheduling: RuntimeClassScheduling | None = None
