"""Sums over a pod's containers, by the rules of a version: spec and status, init containers and sidecars.

All amounts are exact [10^-9].
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from kplan.objects import models
from kplan.objects.models.pod import ContainerStatus
from kplan.objects.quantity import nanos

Amounts = dict[str, int]
"""Exact amounts by resource name [10^-9]."""

NOTHING: Mapping[str, int] = {}

Pick = Callable[[models.Container], Mapping[str, models.Quantity] | None]
"""Which resource list of a container counts."""


class RequestRules(Struct, frozen=True):
    """How a version counts requests; the defaults are those of 1.37.

    Args:
        minor: the version, ``37`` for 1.37: what else the API server of it goes by.
        pod_level_resources: ``spec.resources`` replaces the containers' sum (gate PodLevelResources; on in 1.34-1.37).
        container_status: placed pods count what their containers' status says too (gate InPlacePodVerticalScaling; on).
        status_per_pod: spec and status are compared as totals of the pod (1.37); else container by container.
        pod_level_status: placed pods count ``status.resources`` of the pod too (gate
            InPlacePodLevelResourcesVerticalScaling; on from 1.36).
        pod_level_defaults: decoding a pod fills in its pod-level requests (1.34-1.36); in 1.37 the registry does, after
            admission (gate PodLevelResourcesFixDefaulting).
        claimed_node_resources: placed pods count what of a node's own resources their devices stand for (gate
            DRANodeAllocatableResources; off).
        sets_unavailable: ``maxUnavailable`` of a StatefulSet is kept (gate MaxUnavailableStatefulSet; on from 1.37).
        sets_recreate: a StatefulSet may be recreated (gate StatefulSetRecreateStrategy; off).
    """

    minor: int = 37
    pod_level_resources: bool = True
    container_status: bool = True
    status_per_pod: bool = True
    pod_level_status: bool = True
    pod_level_defaults: bool = False
    claimed_node_resources: bool = False
    sets_unavailable: bool = True
    sets_recreate: bool = False


def container_requests(pod: models.Pod, missing: Mapping[str, int] = NOTHING) -> Amounts:
    """Return the total of requests over a pod's containers by their spec [10^-9].

    Args:
        pod: the pod.
        missing: amounts [10^-9] for containers that do not name the resource.

    Raises:
        QuantityError: a quantity cannot be read.

    Source: AggregateContainerRequests in component-helpers resource/helpers.go.
    """
    return _aggregate(pod, _requests, missing)


def container_limits(pod: models.Pod) -> Amounts:
    """Return the total of limits over a pod's containers by their spec [10^-9].

    Raises:
        QuantityError: a quantity cannot be read.

    Source: AggregateContainerLimits in component-helpers resource/helpers.go.
    """
    return _aggregate(pod, _limits, NOTHING)


def containers_name_all(pod: models.Pod, names: Iterable[str]) -> bool:
    """Return whether the spec of every container and init container requests all the resources, be it zero."""
    return all(name in (_requests(container) or NOTHING) for container in all_containers(pod) for name in names)


def is_resize_infeasible(pod: models.Pod) -> bool:
    """Return whether the kubelet found the pod's resize impossible on its node.

    Source: IsPodResizeInfeasible in component-helpers resource/helpers.go.
    """
    return _pending_resize(pod) == "Infeasible"


def is_resize_deferred(pod: models.Pod) -> bool:
    """Return whether a resize of a placed pod waits for room.

    Source: IsPodResizeDeferred in component-helpers resource/helpers.go.
    """
    return _pending_resize(pod) == "Deferred"


def _pending_resize(pod: models.Pod) -> str | None:
    """Why a resize waits, by the condition that says so; None if none does."""
    conditions = pod.status.conditions or ()
    return next((condition.reason for condition in conditions if condition.type == "PodResizePending"), None)


def claimed_amounts(pod: models.Pod, minor: int = 37) -> Amounts:
    """Return what of a node's own resources the devices of a pod's claims stand for, by its status [10^-9].

    Args:
        pod: the pod.
        minor: the version; 1.36 reads other fields of the status.

    Raises:
        QuantityError: a quantity cannot be read.

    Source: addDRANodeAllocatableClaimResources (1.37), AggregateContainerRequests (1.36) in component-helpers
    resource/helpers.go.
    """
    total: Amounts = {}
    for claim in pod.status.node_allocatable_resource_claim_statuses or ():
        if minor < 37:
            add_to(total, amounts_of(claim.resources))
            continue
        for mapped in claim.mapping or ():
            if mapped.quantity is not None:
                add_to(total, {mapped.name: nanos(mapped.quantity)})
        for overhead in claim.overhead or ():
            amount = nanos(overhead.per_pod) if overhead.per_pod is not None else 0
            if overhead.per_container is not None:
                amount += nanos(overhead.per_container) * len(claim.containers or ())
            add_to(total, {overhead.name: amount})
    return total


def resized_amounts(pod: models.Pod, rules: RequestRules, missing: Mapping[str, int], claimed: Amounts) -> Amounts:
    """Return the containers' total [10^-9] of a pod whose status differs from its spec.

    Args:
        pod: the pod.
        rules: how the version counts.
        missing: amounts [10^-9] for containers that do not name the resource.
        claimed: what its devices stand for [10^-9]; the kubelet has it in some of what it reports.

    Source: AggregateContainerRequests with UseStatusResources in component-helpers resource/helpers.go.
    """
    infeasible = is_resize_infeasible(pod)
    if not rules.status_per_pod:
        total = _aggregate(pod, _largest_of_container(pod, infeasible=infeasible), missing)
        add_to(total, claimed)
        return total
    status = pod.status
    if _has_pod_level_status(pod, rules) and status.resources is not None:
        allocated = amounts_of(status.allocated_resources)
        actuated = amounts_of(status.resources.requests)
    else:
        allocated = _aggregate(pod, _allocated_of_container(pod, infeasible=infeasible), missing)
        add_to(allocated, claimed)
        actuated = _aggregate(pod, _actuated_of_container(pod, infeasible=infeasible), missing)
    if infeasible:
        return largest_of(actuated, allocated)
    spec = container_requests(pod, missing)
    add_to(spec, claimed)
    return largest_of(spec, actuated, allocated)


def _aggregate(pod: models.Pod, pick: Pick, missing: Mapping[str, int]) -> Amounts:
    """Return the total [10^-9] over containers: their sum with all sidecars, or what an init container needs if more.

    An init container runs beside the sidecars before it; a sidecar is an init container that restarts always.
    """
    total: Amounts = {}
    for container in pod.spec.containers or ():
        add_to(total, _with_missing(amounts_of(pick(container)), missing))
    if not pod.spec.init_containers:
        return total
    sidecars: Amounts = {}
    starting: Amounts = {}
    for container in pod.spec.init_containers:
        amounts = _with_missing(amounts_of(pick(container)), missing)
        if _is_sidecar(container):
            add_to(total, amounts)
            add_to(sidecars, amounts)
            amounts = sidecars
        else:
            add_to(amounts, sidecars)
        starting = largest_of(starting, amounts)
    return largest_of(total, starting)


def _largest_of_container(pod: models.Pod, *, infeasible: bool) -> Pick:
    """Up to 1.36: the largest of spec, actual and allocated, for containers and sidecars whose status has resources.

    Source: determineEffectiveRequests in component-helpers v0.36.3 resource/helpers.go.
    """
    statuses = {status.name: status for status in all_statuses(pod)}
    starting = {id(container) for container in pod.spec.init_containers or () if not _is_sidecar(container)}

    def pick(container: models.Container) -> Mapping[str, models.Quantity] | None:
        spec = _requests(container)
        status = statuses.get(container.name)
        if status is None or status.resources is None or id(container) in starting:
            return spec
        lists = [] if infeasible else [spec]
        lists += [status.resources.requests, status.allocated_resources]
        largest: dict[str, models.Quantity] = {}
        for listed in lists:
            for name, raw in (listed or {}).items():
                if name not in largest or nanos(raw) > nanos(largest[name]):
                    largest[name] = raw
        return largest

    return pick


def _allocated_of_container(pod: models.Pod, *, infeasible: bool) -> Pick:
    """From 1.37: what is allocated, else the spec.

    Source: containerAllocatedRequests.
    """
    statuses = _first_statuses(pod)

    def pick(container: models.Container) -> Mapping[str, models.Quantity] | None:
        status = statuses.get(container.name)
        if status is not None and status.allocated_resources is not None:
            return status.allocated_resources
        return None if infeasible else _requests(container)

    return pick


def _actuated_of_container(pod: models.Pod, *, infeasible: bool) -> Pick:
    """From 1.37: what the container actually has, else what is allocated, else the spec.

    Source: containerActuatedRequests.
    """
    statuses = _first_statuses(pod)
    allocated = _allocated_of_container(pod, infeasible=infeasible)

    def pick(container: models.Container) -> Mapping[str, models.Quantity] | None:
        status = statuses.get(container.name)
        if status is not None and status.resources is not None and status.resources.requests is not None:
            return status.resources.requests
        return allocated(container)

    return pick


def is_resized(pod: models.Pod, rules: RequestRules) -> bool:
    """Return whether a placed pod's status may give other requests than its spec; equal texts settle most pods."""
    if not rules.container_status:
        return False
    if is_resize_infeasible(pod) or (rules.pod_level_status and pod.status.resources is not None):
        return True
    if not (pod.status.container_statuses or pod.status.init_container_statuses):
        return False
    statuses = _first_statuses(pod)
    return any(_differs(container, statuses.get(container.name)) for container in all_containers(pod))


def _differs(container: models.Container, status: ContainerStatus | None) -> bool:
    """Return whether a container's status says something else than its spec."""
    if status is None:
        return False
    spec = _requests(container) or NOTHING
    allocated = status.allocated_resources
    actual = status.resources.requests if status.resources is not None else None
    return (actual is not None and actual != spec) or (allocated is not None and allocated != spec)


def _has_pod_level_status(pod: models.Pod, rules: RequestRules) -> bool:
    """Return whether totals of the pod's status take the place of its containers' (1.37)."""
    status = pod.status
    return (
        rules.pod_level_status
        and status.allocated_resources is not None
        and status.resources is not None
        and status.resources.requests is not None
    )


def all_statuses(pod: models.Pod) -> Sequence[ContainerStatus]:
    """List the statuses of containers, then of init containers."""
    first, more = pod.status.container_statuses or [], pod.status.init_container_statuses
    return [*first, *more] if more else first


def _first_statuses(pod: models.Pod) -> dict[str, ContainerStatus]:
    """Return container statuses by name; the first of a name counts."""
    statuses: dict[str, ContainerStatus] = {}
    for status in all_statuses(pod):
        statuses.setdefault(status.name, status)
    return statuses


def all_containers(pod: models.Pod) -> Sequence[models.Container]:
    """List the containers, then the init containers, without ephemeral ones."""
    first, more = pod.spec.containers or [], pod.spec.init_containers
    return [*first, *more] if more else first


def _requests(container: models.Container) -> models.ResourceList | None:
    return container.resources.requests if container.resources is not None else None


def _limits(container: models.Container) -> models.ResourceList | None:
    return container.resources.limits if container.resources is not None else None


def _is_sidecar(container: models.Container) -> bool:
    return container.restart_policy == "Always"


def amounts_of(listed: Mapping[str, models.Quantity] | None) -> Amounts:
    """Read a resource list as a new dict of exact amounts [10^-9]."""
    return {name: nanos(raw) for name, raw in listed.items()} if listed else {}


def _with_missing(amounts: Amounts, missing: Mapping[str, int]) -> Amounts:
    return {**missing, **amounts} if missing else amounts


def add_to(total: Amounts, amounts: Mapping[str, int]) -> None:
    """Add amounts to a total, in place."""
    for name, amount in amounts.items():
        total[name] = total.get(name, 0) + amount


def largest_of(first: Amounts, *others: Amounts) -> Amounts:
    """Return the largest amount of each name as a new dict."""
    largest = dict(first)
    for other in others:
        for name, amount in other.items():
            if name not in largest or amount > largest[name]:
                largest[name] = amount
    return largest
