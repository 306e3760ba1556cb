"""What the API server refuses in requests and limits, of a container and of a pod."""

from collections.abc import Iterator

from kplan.admission.refusal import Key, Problem
from kplan.admission.validation.problems import (
    NEGATIVE,
    duplicate,
    forbidden,
    invalid,
    not_found,
    required,
    unsupported,
)
from kplan.errors import QuantityError
from kplan.objects.formats import label_key
from kplan.objects.models import Pod, Quantity, ResourceRequirements
from kplan.objects.models.pod import PodSpec, ResourceClaimReference
from kplan.objects.quantity import NANO_PER_UNIT, canonical, format_sum, nanos
from kplan.objects.request_sums import container_limits, container_requests
from kplan.objects.resource_names import is_extended_resource, is_hugepages_resource, is_pod_level_resource
from kplan.sources.fit import Path

_NATIVE = ("cpu", "ephemeral-storage", "memory")
_STANDARD = ("storage", "pods", "services", "secrets", "configmaps", "persistentvolumeclaims", "resourcequotas")
"""Names that are known, though not in a container."""


def resource_problems(
    path: Path, resources: ResourceRequirements, claims: set[str], *, of_pod: bool = False
) -> Iterator[Problem]:
    """Check requests and limits of a container or a pod.

    Source: validateResourceRequirements, ValidateContainerResourceName, ValidateResourceQuantityValue.
    """
    limits, requests = resources.limits or {}, resources.requests or {}
    for key, listed in (("limits", limits), ("requests", requests)):
        for name, raw in listed.items():
            yield from _amount((*path, key, Key(name)), name, raw, of_pod=of_pod)
    for name, raw in requests.items():
        firm = is_extended_resource(name) or is_hugepages_resource(name)
        if name not in limits:
            if firm:
                yield required((*path, "limits"), "Limit must be set for non overcommitable resources")
        elif firm and nanos(raw) != nanos(limits[name]):
            bound = f"must be equal to {name} limit of {canonical(limits[name])}"
            yield invalid((*path, "requests"), canonical(raw), bound)
        elif nanos(raw) > nanos(limits[name]):
            bound = f"must be less than or equal to {name} limit of {canonical(limits[name])}"
            yield invalid((*path, "requests"), canonical(raw), bound)
    named = {*limits, *requests}
    if any(map(is_hugepages_resource, named)) and not named & {"cpu", "memory"}:
        yield forbidden(path, "HugePages require cpu or memory")
    names: set[str] = set()
    for number, claim in enumerate(resources.claims or ()):
        yield from _twice((*path, "claims", number), claim, names)
        if claim.name not in claims:
            known = f": {', '.join(sorted(claims))}" if claims else " which is empty"
            words = f"must be one of the names in pod.spec.resourceClaims{known}"
            yield not_found((*path, "claims", number), claim.name, words)


def _twice(path: Path, claim: ResourceClaimReference, names: set[str]) -> Iterator[Problem]:
    """Check that no request of a claim is named twice, by itself or with all others of the claim.

    Source: validateResourceClaimNames.
    """
    key = f"{claim.name}/{claim.request}" if claim.request else claim.name
    if claim.name in names:
        yield duplicate(path, claim.name)
    elif key in names or (not claim.request and any(name.startswith(f"{claim.name}/") for name in names)):
        yield duplicate(path, key)
    names.add(key)


def _amount(path: Path, name: str, raw: Quantity, *, of_pod: bool) -> Iterator[Problem]:
    """Check the name and the size of one request or limit.

    Source: ValidateContainerResourceName, ValidateResourceQuantityValue.
    """
    complaints = label_key(name)
    if complaints:
        yield from (invalid(path, name, words) for words in complaints)
    elif of_pod and not is_pod_level_resource(name):
        yield unsupported(path, name, ("cpu", "hugepages-", "memory"))
    elif not of_pod and "/" not in name and name not in _NATIVE and not is_hugepages_resource(name):
        if name not in _STANDARD:
            yield invalid(path, name, "must be a standard resource type or fully qualified")
        yield invalid(path, name, "must be a standard resource for containers")
    if nanos(raw) < 0:
        yield invalid(path, canonical(raw), NEGATIVE)
    elif is_extended_resource(name) and nanos(raw) % NANO_PER_UNIT:
        yield invalid(path, canonical(raw), "must be an integer")
    elif is_hugepages_resource(name) and not _whole_pages(name, raw):
        yield invalid(path, canonical(raw), f"{canonical(raw)} is not positive integer multiple of {name}")


def _whole_pages(name: str, raw: Quantity) -> bool:
    """Tell whether huge pages are counted whole.

    Source: validateResourceQuantityHugePageValue; IsHugePageResourceValueDivisible in pkg/apis/core/helper/helpers.go.
    """
    try:
        page = nanos(name.partition("-")[2])
    except QuantityError:
        return False
    return page > 0 and page % NANO_PER_UNIT == 0 and nanos(raw) % page == 0


def pod_level_problems(spec: PodSpec, level: ResourceRequirements) -> Iterator[Problem]:
    """Check the resources of a pod itself, alone and against those of its containers.

    Source: validatePodResources, validatePodResourceConsistency.
    """
    path: Path = ("resources",)
    if level.claims:
        yield forbidden((*path, "claims"), "claims may not be set for Resources at pod-level")
    yield from resource_problems(path, level, set(), of_pod=True)
    requests, limits = level.requests or {}, level.limits or {}
    pod = Pod(spec=spec)
    for name, total in container_requests(pod).items():
        if name in requests and total > nanos(requests[name]):
            words = f"must be greater than or equal to aggregate container requests of {format_sum(name, total)}"
            yield invalid((*path, "requests", Key(name)), canonical(requests[name]), words)
    for name, total in container_limits(pod).items():
        if is_hugepages_resource(name) and name in limits and total > nanos(limits[name]):
            words = f"must be greater than or equal to aggregate container limits of {format_sum(name, total)}"
            yield invalid((*path, "limits", Key(name)), canonical(limits[name]), words)
    for number, container in enumerate(spec.containers or ()):
        for name, raw in ((container.resources.limits if container.resources else None) or {}).items():
            if name in limits and nanos(raw) > nanos(limits[name]):
                words = f"must be less than or equal to pod limits of {canonical(limits[name])}"
                yield invalid((*path, "containers", number, Key(name), "limits"), canonical(raw), words)
