"""Scopes of a quota: which pods it counts."""

from kplan.objects.models import Pod, PodAffinity, ResourceQuota
from kplan.objects.models.policy import ScopedResourceSelectorRequirement
from kplan.objects.quantity import nanos
from kplan.objects.request_sums import RequestRules, all_containers
from kplan.objects.resource_names import CPU, MEMORY


def scopes(quota: ResourceQuota) -> list[ScopedResourceSelectorRequirement]:
    """List the scopes of a quota, plain and selected.

    Source: getScopeSelectorsFromQuota.
    """
    plain = [ScopedResourceSelectorRequirement(scope_name=name, operator="Exists") for name in quota.spec.scopes or ()]
    selected = quota.spec.scope_selector.match_expressions if quota.spec.scope_selector else None
    return plain + list(selected or ())


def in_scope(scope: ScopedResourceSelectorRequirement, pod: Pod, *, terminating: bool, rules: RequestRules) -> bool:
    """Tell whether a pod is in a scope.

    Source: podMatchesScopeFunc.
    """
    match scope.scope_name:
        case "Terminating":
            return terminating
        case "NotTerminating":
            return not terminating
        case "BestEffort":
            return is_best_effort(pod, rules)
        case "NotBestEffort":
            return not is_best_effort(pod, rules)
        case "PriorityClass":
            return _of_class(scope, pod.spec.priority_class_name or "")
        case "CrossNamespacePodAffinity":
            return _crosses_namespaces(pod)
    return False


def _of_class(scope: ScopedResourceSelectorRequirement, name: str) -> bool:
    match scope.operator:
        case "Exists":
            return bool(name)
        case "DoesNotExist":
            return not name
        case "In":
            return bool(name) and name in (scope.values or ())
        case "NotIn":
            return name not in (scope.values or ())
    return False


def is_best_effort(pod: Pod, rules: RequestRules) -> bool:
    """Tell whether a pod names no cpu and no memory at all.

    Source: ComputePodQOS in pkg/apis/core/helper/qos/qos.go.
    """
    level = pod.spec.resources
    parts = [container.resources for container in all_containers(pod)]
    if rules.pod_level_resources and level is not None and (level.requests or level.limits):
        parts = [level]
    return not any(
        nanos(raw)
        for part in parts
        if part is not None
        for listed in (part.requests, part.limits)
        for name, raw in (listed or {}).items()
        if name in (CPU, MEMORY)
    )


def _crosses_namespaces(pod: Pod) -> bool:
    affinity = pod.spec.affinity
    kinds: tuple[PodAffinity | None, ...] = (affinity.pod_affinity, affinity.pod_anti_affinity) if affinity else ()
    terms = [term for kind in kinds if kind for term in kind.required or ()]
    terms += [
        weighted.pod_affinity_term
        for kind in kinds
        if kind
        for weighted in kind.preferred or ()
        if weighted.pod_affinity_term
    ]
    return any(term.namespaces or term.namespace_selector is not None for term in terms)
