"""LimitRanger: default requests and limits of a namespace, and the bounds that refuse a pod or a claim.

Not modelled: where several LimitRanges of a namespace default the same resource, the API server takes them in no fixed
order, so equal pods may get either; here the first by name wins.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec.structs import replace

from kplan.admission.refusal import AdmissionRefusal, Problem
from kplan.objects.limit_defaults import LIMIT_RANGER, GivenByLimitRange, written_by_limit_range
from kplan.objects.models import Container, LimitRange, PersistentVolumeClaim, Pod, Quantity, ResourceRequirements
from kplan.objects.models.policy import LimitRangeItem
from kplan.objects.quantity import canonical, format_sum, milli_value, value
from kplan.objects.request_sums import amounts_of, container_limits, container_requests
from kplan.objects.resource_names import CPU, MEMORY
from kplan.words import aggregate

_MAX_MILLI_VALUE = (2**63 - 1) // 1000
"""Largest whole amount whose thousandths fit 64 bits; larger ones are compared in whole units."""

_DEPTH = 5
"""Steps of ``spec.containers[0].resources.requests``."""

Resources = Mapping[str, Quantity]
Bound = Callable[[str, str, Quantity, Resources, Resources], str]
"""Says what is wrong with one resource, or an empty text: type of limit, resource, bound, requests, limits."""


def item_defaults(item: LimitRangeItem) -> tuple[dict[str, Quantity], dict[str, Quantity]]:
    """Work out default requests and default limits of one item, as the API server completes them.

    Source: SetDefaults_LimitRangeItem in pkg/apis/core/v1/defaults.go.
    """
    if item.type != "Container":
        return {}, {}
    limits = {**(item.max or {}), **(item.default or {})}
    requests = {**(item.min or {}), **limits, **(item.default_request or {})}
    return requests, limits


def set_limit_range_defaults(pod: Pod, ranges: Iterable[LimitRange]) -> list[str]:
    """Give containers the requests and limits they lack, in place, and note it on the pod; return what was added.

    Each is a phrase.

    Args:
        pod: the pod.
        ranges: of its namespace.

    Source: mergeContainerResources, PodMutateLimitFunc in plugin/pkg/admission/limitranger/admission.go.
    """
    added: list[str] = []
    for limit_range in ranges:
        requests: dict[str, Quantity] = {}
        limits: dict[str, Quantity] = {}
        for item in limit_range.spec.limits or ():
            more_requests, more_limits = item_defaults(item)
            requests.update(more_requests)
            limits.update(more_limits)
        given: list[GivenByLimitRange] = []
        for kind, containers in (("container", pod.spec.containers), ("init container", pod.spec.init_containers)):
            for container in containers or ():
                phrases, more = _complete(container, requests, limits, f"LimitRange {limit_range.name}")
                added += phrases
                given += (
                    GivenByLimitRange(tuple(names), word, kind, container.name) for word, names in more.items() if names
                )
        if given:
            pod.metadata.annotations = {**pod.annotations, LIMIT_RANGER: written_by_limit_range(given)}
    return added


def _complete(
    container: Container, requests: Resources, limits: Resources, origin: str
) -> tuple[list[str], dict[str, list[str]]]:
    """Complete a container; give a phrase for each amount, and their names by what they are."""
    resources = container.resources or ResourceRequirements()
    given_requests, given_limits = dict(resources.requests or {}), dict(resources.limits or {})
    added, names = [], dict[str, list[str]]()
    for word, given, wanted in (("request", given_requests, requests), ("limit", given_limits, limits)):
        for name, raw in sorted(wanted.items()):
            if name not in given:
                given[name] = canonical(raw)
                names.setdefault(word, []).append(name)
                added.append(f"{name} {word} {given[name]} of {container.name} from {origin}")
    if added:
        resources.requests, resources.limits = given_requests or None, given_limits or None
        container.resources = resources
    return added, names


def with_origin(refusal: AdmissionRefusal, pod: Pod, added: Iterable[str]) -> AdmissionRefusal:
    """Say of each limit that a request is above where it is a default of a LimitRange.

    Args:
        refusal: of the pod.
        pod: the pod, with defaults.
        added: what LimitRanges added, see ``set_limit_range_defaults``.
    """
    told = list(added)
    problems = tuple(_with_origin(problem, pod, told) for problem in refusal.problems)
    return AdmissionRefusal(refusal.message, problems, by_quota=refusal.by_quota)


def _with_origin(problem: Problem, pod: Pod, added: Sequence[str]) -> Problem:
    if problem.hint or len(problem.path) != _DEPTH or problem.path[3:] != ("resources", "requests"):
        return problem
    key, number = problem.path[1:3]
    containers = {"containers": pod.spec.containers, "initContainers": pod.spec.init_containers}.get(str(key))
    if not containers or not isinstance(number, int):
        return problem
    container = containers[number]
    limits = (container.resources.limits if container.resources else None) or {}
    for name, amount in limits.items():
        start = f"{name} limit {amount} of {container.name} from "
        origin = next((phrase.removeprefix(start) for phrase in added if phrase.startswith(start)), "")
        if origin and problem.body.endswith(f" {name} limit of {amount}"):
            return replace(problem, hint=f"that limit is the default of {origin}")
    return problem


def check_pod_limits(pod: Pod, ranges: Iterable[LimitRange], *, pod_level_resources: bool = True) -> None:
    """Hold a pod against the bounds of its namespace.

    Args:
        pod: with defaults.
        ranges: of its namespace.
        pod_level_resources: gate PodLevelResources.

    Raises:
        Refusal: with the messages of the first LimitRange that refuses it.

    Source: PodValidateLimitFunc in plugin/pkg/admission/limitranger/admission.go.
    """
    for limit_range in ranges:
        problems: list[str] = []
        for item in limit_range.spec.limits or ():
            if item.type == "Container":
                for container in (*(pod.spec.containers or ()), *(pod.spec.init_containers or ())):
                    resources = container.resources or ResourceRequirements()
                    problems += _bounds(item, resources.requests or {}, resources.limits or {})
            elif item.type == "Pod":
                problems += _bounds(item, *_pod_totals(pod, pod_level_resources=pod_level_resources))
        _refuse(problems)


def check_claim_limits(claim: PersistentVolumeClaim, ranges: Iterable[LimitRange]) -> None:
    """Hold a claim against the bounds of its namespace.

    Raises:
        Refusal: with the messages of the first LimitRange that refuses it.

    Source: PersistentVolumeClaimValidateLimitFunc in plugin/pkg/admission/limitranger/admission.go.
    """
    requests = (claim.spec.resources.requests if claim.spec.resources else None) or {}
    for limit_range in ranges:
        problems: list[str] = []
        for item in limit_range.spec.limits or ():
            if item.type == "PersistentVolumeClaim":
                problems += [_below(item.type, name, raw, requests, {}) for name, raw in (item.min or {}).items()]
                problems += [_above_request(item.type, name, raw, requests) for name, raw in (item.max or {}).items()]
        _refuse(problems)


def _refuse(problems: list[str]) -> None:
    """Refuse if there is a problem."""
    told = list(filter(None, problems))
    if told:
        raise AdmissionRefusal(aggregate(told))


def _bounds(item: LimitRangeItem, requests: Resources, limits: Resources) -> list[str]:
    rules: tuple[tuple[Bound, Resources | None], ...] = (
        (_below, item.min),
        (_above, item.max),
        (_ratio, item.max_limit_request_ratio),
    )
    return [bound(item.type, name, raw, requests, limits) for bound, of in rules for name, raw in (of or {}).items()]


def _pod_totals(pod: Pod, *, pod_level_resources: bool) -> tuple[dict[str, Quantity], dict[str, Quantity]]:
    """Total requests and limits of a pod, with its own cpu and memory in their place.

    Source: podRequests, podLimits in plugin/pkg/admission/limitranger/admission.go.
    """
    requests, limits = container_requests(pod), container_limits(pod)
    level = pod.spec.resources
    if pod_level_resources and level is not None:
        for total, own in ((requests, level.requests), (limits, level.limits)):
            total.update({name: amount for name, amount in amounts_of(own).items() if name in (CPU, MEMORY)})
    return _quantities(requests), _quantities(limits)


def _quantities(amounts: Mapping[str, int]) -> dict[str, Quantity]:
    return {name: format_sum(name, amount) for name, amount in amounts.items()}


def _compared(*raws: Quantity | None) -> tuple[int, ...]:
    """Amounts in thousandths, or in whole units if one of them is too large; 0 for one that is absent.

    Source: requestLimitEnforcedValues.
    """
    some = [0 if raw is None else raw for raw in raws]
    whole = [value(raw) for raw in some]
    if all(amount <= _MAX_MILLI_VALUE for amount in whole):
        return tuple(milli_value(raw) for raw in some)
    return tuple(whole)


def _below(kind: str, name: str, bound: Quantity, requests: Resources, limits: Resources) -> str:
    request, limit, least = _compared(requests.get(name), limits.get(name), bound)
    head = f"minimum {name} usage per {kind} is {canonical(bound)}"
    if name not in requests:
        return f"{head}.  No request is specified"
    if request < least:
        return f"{head}, but request is {canonical(requests[name])}"
    if name in limits and limit < least:
        return f"{head}, but limit is {canonical(limits[name])}"
    return ""


def _above(kind: str, name: str, bound: Quantity, requests: Resources, limits: Resources) -> str:
    request, limit, most = _compared(requests.get(name), limits.get(name), bound)
    head = f"maximum {name} usage per {kind} is {canonical(bound)}"
    if name not in limits:
        return f"{head}.  No limit is specified"
    if limit > most:
        return f"{head}, but limit is {canonical(limits[name])}"
    if name in requests and request > most:
        return f"{head}, but request is {canonical(requests[name])}"
    return ""


def _above_request(kind: str, name: str, bound: Quantity, requests: Resources) -> str:
    request, most = _compared(requests.get(name), bound)
    head = f"maximum {name} usage per {kind} is {canonical(bound)}"
    if name not in requests:
        return f"{head}.  No request is specified"
    return f"{head}, but request is {canonical(requests[name])}" if request > most else ""


def _ratio(kind: str, name: str, bound: Quantity, requests: Resources, limits: Resources) -> str:
    request, limit, _ = _compared(requests.get(name), limits.get(name), bound)
    head = f"{name} max limit to request ratio per {kind} is {canonical(bound)}"
    if name not in requests or request == 0:
        return f"{head}, but no request is specified or request is 0"
    if name not in limits or limit == 0:
        return f"{head}, but no limit is specified or limit is 0"
    ratio, most = limit / request, value(bound)
    exceeded = ratio * 1000 > float(milli_value(bound)) if most <= _MAX_MILLI_VALUE else ratio > float(most)
    return f"{head}, but provided ratio is {ratio:.6f}" if exceeded else ""
