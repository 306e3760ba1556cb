"""What a quota counts for a pod and for a claim, and what it wants every container to say."""

from collections.abc import Mapping

from kplan.admission.policies.claims import storage_request
from kplan.objects.models import Container, PersistentVolumeClaim, Pod, ResourceRequirements
from kplan.objects.quantity import NANO_PER_UNIT, nanos, value_of
from kplan.objects.request_sums import Amounts, RequestRules, add_to, all_containers, amounts_of, container_limits
from kplan.objects.requests import request_amounts
from kplan.objects.resource_names import (
    CPU,
    EPHEMERAL_STORAGE,
    MEMORY,
    is_dra_extended_resource,
    is_hugepages_resource,
    is_pod_level_resource,
)

_COMPUTE = (CPU, MEMORY, EPHEMERAL_STORAGE)
_REQUIRED = frozenset({"cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"})
"""Names for which a quota refuses containers that say nothing."""

_POD_NAMES = frozenset(
    {"count/pods", "pods", *_COMPUTE, *(f"{word}.{name}" for word in ("requests", "limits") for name in _COMPUTE)}
)
_CLASS = ".storageclass.storage.k8s.io/"
_CLAIM_NAMES = ("persistentvolumeclaims", "requests.storage")
_OLD_CLASS = "volume.beta.kubernetes.io/storage-class"


def pod_usage(pod: Pod, rules: RequestRules) -> Amounts:
    """Return what a quota counts for a pod, by the quota's resource names [10^-9].

    Source: PodUsageFunc, podComputeUsageHelper in pkg/quota/v1/evaluator/core/pods.go.
    """
    limits = container_limits(pod)
    level = pod.spec.resources
    if rules.pod_level_resources and level is not None:
        limits.update(
            {name: amount for name, amount in amounts_of(level.limits).items() if is_pod_level_resource(name)}
        )
    if pod.spec.overhead:
        overhead = amounts_of(pod.spec.overhead)
        add_to(limits, {name: amount for name, amount in overhead.items() if limits.get(name)})
    usage = _usage(request_amounts(pod, rules), limits)
    return {**usage, "count/pods": NANO_PER_UNIT}


def _usage(requests: Amounts, limits: Amounts) -> Amounts:
    usage: Amounts = {"pods": NANO_PER_UNIT}
    for name, amount in requests.items():
        if name in _COMPUTE or is_hugepages_resource(name):
            usage[name] = usage[f"requests.{name}"] = amount
        elif is_dra_extended_resource(name):
            usage[f"requests.{name}"] = amount
    usage.update({f"limits.{name}": limits[name] for name in _COMPUTE if name in limits})
    return usage


def claim_usage(claim: PersistentVolumeClaim) -> Amounts:
    """Return what a quota counts for a claim, by the quota's resource names [10^-9].

    Source: pvcEvaluator.Usage: storage in whole bytes, rounded up; once in all and once by class.
    """
    counted = {"persistentvolumeclaims": NANO_PER_UNIT}
    storage = storage_request(claim).get("storage")
    if storage is not None:
        counted["requests.storage"] = value_of(nanos(storage)) * NANO_PER_UNIT
    name = claim.annotations.get(_OLD_CLASS) or claim.spec.storage_class_name
    by_class = {f"{name}{_CLASS}{resource}": amount for resource, amount in counted.items()} if name else {}
    return {**counted, **by_class, "count/persistentvolumeclaims": NANO_PER_UNIT}


def pod_resources(hard: Mapping[str, object]) -> frozenset[str]:
    """Names in a quota that count pods.

    Source: podEvaluator.MatchingResources.
    """
    return frozenset(
        name
        for name in hard
        if name in _POD_NAMES
        or name.startswith(("hugepages-", "requests.hugepages-"))
        or (name.startswith("requests.") and is_dra_extended_resource(name.removeprefix("requests.")))
    )


def claim_resources(hard: Mapping[str, object]) -> frozenset[str]:
    """Names in a quota that count claims."""
    return frozenset(
        name
        for name in hard
        if name == "count/persistentvolumeclaims"
        or name in _CLAIM_NAMES
        or any(name.endswith(_CLASS + resource) for resource in _CLAIM_NAMES)
    )


def missing_amounts(pod: Pod, names: frozenset[str], rules: RequestRules) -> Mapping[str, tuple[str, ...]]:
    """Find the requests and limits that a quota wants and containers do not name: the containers by resource.

    Source: podEvaluator.Constraints.
    """
    required = names & _REQUIRED
    if not required:
        return {}
    level = pod.spec.resources
    level_names = (*(level.requests or ()), *(level.limits or ())) if level is not None else ()
    if rules.pod_level_resources and any(map(is_pod_level_resource, level_names)):
        return {}
    missing: dict[str, set[str]] = {}
    for container in all_containers(pod):
        usage = _usage(*_amounts(container))
        for name in required - usage.keys():
            missing.setdefault(name, set()).add(container.name)
    return {name: tuple(sorted(containers)) for name, containers in sorted(missing.items())}


def _amounts(container: Container) -> tuple[Amounts, Amounts]:
    resources = container.resources or ResourceRequirements()
    return amounts_of(resources.requests), amounts_of(resources.limits)
