"""What a pod requests: of its containers, init containers, sidecars, overhead, pod-level resources and resizes.

Sums are made in exact amounts [10^-9] and turned into the scheduler's units at the very end: cpu in millicores, all
else in whole units (bytes, devices), rounded up.
"""

from collections.abc import Iterable, Mapping

from kplan.objects import models
from kplan.objects.quantity import (
    NANO_PER_MILLI,
    NANO_PER_UNIT,
    format_sum,
    milli_of,
    milli_value,
    round_up_to_milli,
    value,
    value_of,
)
from kplan.objects.request_sums import (
    NOTHING,
    Amounts,
    add_to,
    all_statuses,
    amounts_of,
    claimed_amounts,
    container_limits,
    container_requests,
    containers_name_all,
    is_resize_infeasible,
    is_resized,
    largest_of,
    resized_amounts,
)
from kplan.objects.request_sums import RequestRules as RequestRules
from kplan.objects.resource_names import (
    CPU,
    EPHEMERAL_STORAGE,
    MEMORY,
    PODS,
    is_hugepages_resource,
    is_pod_level_resource,
    is_scalar_resource,
)

DEFAULT_CPU_MILLI = 100
"""What a container without a cpu request counts for in scores [millicores]."""

DEFAULT_MEMORY_BYTES = 200 * 1024 * 1024
"""What a container without a memory request counts for in scores [bytes]."""

_DEFAULTS: Mapping[str, int] = {
    CPU: DEFAULT_CPU_MILLI * NANO_PER_MILLI,
    MEMORY: DEFAULT_MEMORY_BYTES * NANO_PER_UNIT,
}
_NATIVE = (CPU, MEMORY, EPHEMERAL_STORAGE)


def pod_requests(pod: models.Pod, rules: RequestRules, *, use_status: bool) -> dict[str, int]:
    """Return what a pod requests, by resource name, in the scheduler's units; only resources the scheduler counts.

    Args:
        pod: the pod, with API defaults applied.
        rules: how the version counts.
        use_status: True for a placed pod (resizes count), False for the pod to be scheduled.

    Raises:
        QuantityError: a quantity cannot be read.

    Source: Resource.Add in pkg/scheduler/framework/types.go, computePodResourceRequest in noderesources/fit.go.
    """
    resized = use_status and is_resized(pod, rules)
    return _in_units(
        _amounts(pod, rules, NOTHING, resized=resized, claimed=_claimed(pod, rules, use_status=use_status))
    )


def requests_with_claimed(pod: models.Pod, rules: RequestRules) -> dict[str, int]:
    """Return what a pod to be scheduled requests, and what its devices stand for, in the scheduler's units.

    Raises:
        QuantityError: a quantity cannot be read.

    Source: getPodNodeAllocatableResourceFootprint in dynamicresources/nodeallocatabledynamicresources.go.
    """
    return _in_units(_amounts(pod, rules, NOTHING, resized=False, claimed=claimed_amounts(pod, rules.minor)))


def _claimed(pod: models.Pod, rules: RequestRules, *, use_status: bool) -> Amounts:
    return claimed_amounts(pod, rules.minor) if use_status and rules.claimed_node_resources else {}


def non_zero_requests(pod: models.Pod, rules: RequestRules, *, use_status: bool) -> tuple[int, int]:
    """Return cpu [millicores] and memory [bytes] with the defaults for what a container names no request of.

    A pod with pod-level requests gets defaults only for what neither it nor any of its containers requests.

    Raises:
        QuantityError: a quantity cannot be read.

    Source: PodInfo.CalculateResource, getNonMissingContainerRequests in pkg/scheduler/framework/types.go.
    """
    resized = use_status and is_resized(pod, rules)
    claimed = _claimed(pod, rules, use_status=use_status)
    amounts = _amounts(pod, rules, NOTHING, resized=resized, claimed=claimed)
    return _non_zero(pod, rules, amounts, resized=resized, claimed=claimed)


def fit_score_requests(pod: models.Pod) -> dict[str, int]:
    """Return what NodeResourcesFit's score counts for the pod to be scheduled, in scheduler units, every name included.

    Containers that name no cpu or memory request get the defaults. Pod-level resources and the status do not count:
    the scorer of this plugin is made without the gates, in all versions.

    Raises:
        QuantityError: a quantity cannot be read.

    Source: calculatePodResourceRequest in noderesources/resource_allocation.go, nodeResourceStrategyTypeMap in fit.go.
    """
    amounts = container_requests(pod, _DEFAULTS)
    add_to(amounts, amounts_of(pod.spec.overhead))
    return {name: _units(name, amount) for name, amount in amounts.items()}


def balanced_score_requests(pod: models.Pod, rules: RequestRules) -> dict[str, int]:
    """Return what NodeResourcesBalancedAllocation's score counts, in scheduler units, every name included.

    No defaults; pod-level resources and the status of the pod to be scheduled count.

    Raises:
        QuantityError: a quantity cannot be read.

    Source: calculatePodResourceRequest in noderesources/resource_allocation.go, NewBalancedAllocation.
    """
    amounts = request_amounts(pod, rules)
    return {name: _units(name, amount) for name, amount in amounts.items()}


def scheduler_units(resources: models.ResourceList | None) -> dict[str, int]:
    """Convert a resource list, such as a node's allocatable, to the scheduler's units; ``pods`` and counted names only.

    Raises:
        QuantityError: a quantity cannot be read.

    Source: Resource.Add in pkg/scheduler/framework/types.go.
    """
    return {
        name: milli_value(raw) if name == CPU else value(raw)
        for name, raw in (resources or {}).items()
        if name == PODS or _is_counted(name)
    }


def request_amounts(pod: models.Pod, rules: RequestRules) -> Amounts:
    """Return what a pod requests as exact amounts [10^-9], every name included; by its status while it is resized.

    Args:
        pod: the pod, with API defaults applied.
        rules: how the version counts.

    Raises:
        QuantityError: a quantity cannot be read.

    Source: PodRequests in component-helpers resource/helpers.go.
    """
    return _amounts(pod, rules, NOTHING, resized=is_resized(pod, rules), claimed={})


def has_pod_level_requests(pod: models.Pod) -> bool:
    """Return whether a pod requests cpu, memory or huge pages at its own level.

    Source: IsPodLevelRequestsSet in component-helpers resource/helpers.go.
    """
    level = pod.spec.resources
    return level is not None and any(map(is_pod_level_resource, level.requests or ()))


def set_resource_defaults(pod: models.Pod, rules: RequestRules) -> None:
    """Fill in resources of a pod as decoding it does: requests from limits, pod-level requests, rounding up to milli.

    Changes the pod. Pod-level requests of 1.37 are not set here (``pod_level_defaults``).

    Raises:
        QuantityError: a quantity cannot be read.

    Source: SetObjectDefaults_Pod, SetDefaults_Pod, SetDefaults_ResourceList in kubernetes pkg/apis/core/v1.
    """
    for resources in _of_containers(pod):
        if resources.limits is not None:
            resources.requests = {**resources.limits, **(resources.requests or {})}
    if rules.pod_level_resources and rules.pod_level_defaults:
        _default_hugepage_limits(pod)
        _default_pod_level_requests(pod)
    for listed in _resource_lists(pod):
        if not _whole.issuperset(listed.values()):
            for name, raw in listed.items():
                listed[name] = _rounded(raw)


_whole: set[models.Quantity] = set()
"""Quantities that rounding leaves as they are: a glance at it spares most lists their rounding."""
_MOST_WHOLE = 65_536


def _rounded(raw: models.Quantity) -> models.Quantity:
    rounded = round_up_to_milli(raw)
    if rounded is raw:
        if len(_whole) >= _MOST_WHOLE:
            _whole.clear()
        _whole.add(raw)
    return rounded


def _units(name: str, amount: int) -> int:
    """Convert an amount [10^-9] to the scheduler's unit of its resource."""
    return milli_of(amount) if name == CPU else value_of(amount)


def _is_counted(name: str) -> bool:
    """Return whether the scheduler counts requests of a resource."""
    return name in _NATIVE or is_scalar_resource(name)


def _in_units(amounts: Amounts) -> dict[str, int]:
    """Convert amounts [10^-9] to the scheduler's units and drop the resources that it does not count."""
    return {name: _units(name, amount) for name, amount in amounts.items() if _is_counted(name)}


def _amounts(
    pod: models.Pod, rules: RequestRules, missing: Mapping[str, int], *, resized: bool, claimed: Amounts
) -> Amounts:
    """Return what a pod requests [10^-9], by its spec or, if resized, by spec and status; and what its devices take."""
    if resized:
        total = resized_amounts(pod, rules, missing, claimed)
    else:
        total = container_requests(pod, missing)
        add_to(total, claimed)
    if rules.pod_level_resources and has_pod_level_requests(pod):
        _apply_pod_level(total, pod, rules, resized=resized)
    if pod.spec.overhead:
        # Differs from kube-scheduler: where a pod-level request is no decimal int64 (1.5Ki as written in a manifest),
        # it adds the overhead to the pod's own spec too, so the request grows each time it is asked for.
        add_to(total, amounts_of(pod.spec.overhead))
    return total


def _non_zero(
    pod: models.Pod, rules: RequestRules, amounts: Amounts, *, resized: bool, claimed: Amounts
) -> tuple[int, int]:
    """Return non-zero cpu and memory of a pod whose plain amounts [10^-9] are known."""
    missing = _DEFAULTS
    if rules.pod_level_resources and has_pod_level_requests(pod):
        missing = {name: amount for name, amount in _DEFAULTS.items() if name not in amounts}
    if missing and (resized or not containers_name_all(pod, missing)):
        amounts = _amounts(pod, rules, missing, resized=resized, claimed=claimed)
    return milli_of(amounts.get(CPU, 0)), value_of(amounts.get(MEMORY, 0))


def _apply_pod_level(total: Amounts, pod: models.Pod, rules: RequestRules, *, resized: bool) -> None:
    """Put a pod's own requests [10^-9] in place of its containers' total.

    Source: PodRequests, applyPodLevelResources in component-helpers resource/helpers.go.
    """
    level = pod.spec.resources
    spec = amounts_of(level.requests if level is not None else None)
    effective = spec
    status = pod.status
    if resized and rules.pod_level_status and status.resources is not None:
        reported = (amounts_of(status.resources.requests), amounts_of(status.allocated_resources))
        effective = largest_of(*reported) if is_resize_infeasible(pod) else largest_of(spec, *reported)
        if not rules.status_per_pod:
            # up to 1.36 only names of the spec count, with zero where no status has them
            effective = {name: effective.get(name, 0) for name in spec}
    for name, amount in effective.items():
        if is_pod_level_resource(name):
            total[name] = amount


def _default_hugepage_limits(pod: models.Pod) -> None:
    """Give a pod with resources of its own the containers' huge page limits that it neither limits nor requests.

    Source: defaultHugePagePodLimits.
    """
    level = pod.spec.resources
    if level is None or not (level.limits or level.requests):
        return
    limits = dict(level.limits or {})
    for name, amount in container_limits(pod).items():
        if is_hugepages_resource(name) and name not in limits and name not in (level.requests or {}):
            limits[name] = format_sum(name, amount)
    if limits:
        level.limits = limits


def _default_pod_level_requests(pod: models.Pod) -> None:
    """Give a pod with limits of its own requests: the containers' total of cpu and memory, else its limits.

    Source: defaultPodRequests.
    """
    level = pod.spec.resources
    if level is None or not level.limits:
        return
    requests = dict(level.requests or {})
    for name, amount in container_requests(pod).items():
        if name in (CPU, MEMORY):
            requests.setdefault(name, format_sum(name, amount))
    for name, raw in level.limits.items():
        if is_pod_level_resource(name):
            requests.setdefault(name, raw)
    if requests:
        level.requests = requests


def _of_containers(pod: models.Pod) -> list[models.ResourceRequirements]:
    """List the requests and limits of the containers, then of the init containers, that have any."""
    listed = [c.resources for c in pod.spec.containers or () if c.resources is not None]
    if pod.spec.init_containers:
        listed += [c.resources for c in pod.spec.init_containers if c.resources is not None]
    return listed


def _resource_lists(pod: models.Pod) -> Iterable[models.ResourceList]:
    """List the resource lists of a pod that decoding rounds."""
    holders: list[models.ResourceRequirements | None] = [*_of_containers(pod), pod.spec.resources, pod.status.resources]
    listed = [pod.spec.overhead, pod.status.allocated_resources]
    for status in all_statuses(pod):
        if status.resources is not None:
            holders.append(status.resources)
        listed.append(status.allocated_resources)
    for resources in holders:
        if resources is not None:
            listed += (resources.requests, resources.limits)
    return [amounts for amounts in listed if amounts]
