"""What lets in pods that admission refuses: another PriorityClass, amounts that a quota or a LimitRange asks for.

Nothing is read from what the server says: a template is held against the classes, quotas and LimitRanges of the state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches

from kplan.admission.policies.limit_ranger import set_limit_range_defaults
from kplan.admission.policies.priority import BUILT_IN
from kplan.admission.policies.quota_scopes import in_scope, scopes
from kplan.admission.policies.quota_usage import missing_amounts, pod_resources
from kplan.admission.raw import copied
from kplan.cluster import Cluster
from kplan.objects.lean import replace
from kplan.objects.models import Container, LimitRange, Pod, PodSpec, Quantity, ResourceQuota, ResourceRequirements
from kplan.objects.quantity import NANO_PER_UNIT, canonical, format_bytes, format_cpu, nanos
from kplan.objects.request_sums import all_containers
from kplan.objects.resource_names import CPU, MEMORY
from kplan.remedies import about
from kplan.remedies.candidate import Candidate, Edit, RemedyCost
from kplan.remedies.specs import with_containers

_LIMITS, _REQUESTS = "limits", "requests"
_MEBI = 1 << 20
_NEAR = 0.6
"""How like a name has to be that may be meant."""
Amounts = dict[tuple[str, str, str], str]
"""Amounts by container, ``limits`` or ``requests``, and resource."""


def ways_in(cluster: Cluster, template: Pod, namespace: str, pods: int) -> Iterator[Candidate]:
    """Propose edits of a template whose pods are refused, what gives up least first.

    Args:
        cluster: the cluster.
        template: as a pod.
        namespace: that its pods are in.
        pods: how many of them are refused.
    """
    yield from _other_class(cluster, template.spec)
    ranges = [item for item in cluster.state.limit_ranges if item.namespace == namespace]
    whole = copied(template)
    set_limit_range_defaults(whole, sorted(ranges, key=lambda item: item.name))
    quotas = [item for item in cluster.state.resource_quotas if item.namespace == namespace]
    for code, amounts in (
        ("amounts-given", _missing(cluster, whole, quotas, pods)),
        ("amounts-lowered", _within(whole, ranges)),
        ("amounts-raised", _enough(whole, ranges)),
    ):
        if amounts:
            yield Candidate(code, RemedyCost.REQUEST, _told(whole, amounts), edits=(_given(amounts),))


def _other_class(cluster: Cluster, spec: PodSpec) -> Iterator[Candidate]:
    """Name a class that is there in place of one that is not: the one of the nearest name, or none."""
    name = spec.priority_class_name or ""
    known = [*(item.name for item in cluster.state.priority_classes), *BUILT_IN]
    if not name or name in known:
        return
    for other in [*get_close_matches(name, known, n=1, cutoff=_NEAR), ""]:
        what = about.Named("" if other else "none", old=name, new=other)
        yield Candidate("other-priority-class", RemedyCost.LOOSEN, what, edits=(_of_class(other),))


def _of_class(name: str) -> Edit:
    def edit(spec: PodSpec) -> PodSpec:
        return replace(spec, priority_class_name=name or None)

    return edit


def _missing(cluster: Cluster, pod: Pod, quotas: Sequence[ResourceQuota], pods: int) -> Amounts:
    """What containers have to name for quotas: a limit as high as the request, else a share of what is left."""
    amounts: Amounts = {}
    for quota in quotas:
        if not all(in_scope(scope, pod, terminating=False, rules=cluster.rules) for scope in scopes(quota)):
            continue
        hard, used = quota.status.hard or quota.spec.hard or {}, quota.status.used or {}
        for name, containers in missing_amounts(pod, pod_resources(hard), cluster.rules).items():
            kind, dot, resource = name.partition(".")
            kind, resource = (kind, resource) if dot else (_REQUESTS, name)
            left = nanos(hard[name]) - nanos(used.get(name, 0))
            share = _text(resource, left // (max(1, pods) * len(containers)))
            for container in all_containers(pod):
                asked = _of(container, _REQUESTS).get(resource)
                amount = canonical(asked) if asked is not None and nanos(asked) else share
                if container.name in containers and amount:
                    amounts[container.name, kind, resource] = amount
    return amounts


def _within(pod: Pod, ranges: Sequence[LimitRange]) -> Amounts:
    """Amounts that are above what LimitRanges allow, lowered to that; of a whole pod each by its share."""
    amounts: Amounts = {}

    def now(container: Container, kind: str, resource: str) -> int | None:
        raw = amounts.get((container.name, kind, resource)) or _of(container, kind).get(resource)
        return nanos(raw) if raw is not None else None

    def lower(container: Container, resource: str, most: Callable[[int], str]) -> None:
        for kind in (_LIMITS, _REQUESTS):
            amount = now(container, kind, resource)
            text = most(amount) if amount is not None else ""
            if amount is not None and text and nanos(text) < amount:
                amounts[container.name, kind, resource] = text

    items = [item for limits in ranges for item in limits.spec.limits or ()]
    for item in (item for item in items if item.type == "Container"):
        for resource, bound in (item.max or {}).items():
            for container in all_containers(pod):
                lower(container, resource, _at_most(bound))
    for item in (item for item in items if item.type == "Pod"):
        for resource, bound in (item.max or {}).items():
            beside = [container for container in all_containers(pod) if _stays(pod, container)]
            total = max(sum(now(one, kind, resource) or 0 for one in beside) for kind in (_LIMITS, _REQUESTS))
            for container in beside if total > nanos(bound) else ():
                lower(container, resource, _share(resource, nanos(bound), total))
    return amounts


def _enough(pod: Pod, ranges: Sequence[LimitRange]) -> Amounts:
    """Amounts of containers below what LimitRanges ask for, or too far below their limits, raised to that."""
    amounts: Amounts = {}
    items = [item for limits in ranges for item in limits.spec.limits or () if item.type == "Container"]
    for item in items:
        for resource, bound in (item.min or {}).items():
            for container in all_containers(pod):
                for kind in (_LIMITS, _REQUESTS):
                    raw = _of(container, kind).get(resource)
                    if raw is not None and nanos(raw) < nanos(bound):
                        amounts[container.name, kind, resource] = canonical(bound)
        for resource, ratio in (item.max_limit_request_ratio or {}).items():
            for container in all_containers(pod):
                limit, request = (_of(container, kind).get(resource) for kind in (_LIMITS, _REQUESTS))
                if limit is None or not nanos(ratio):
                    continue
                least = -(-nanos(limit) * NANO_PER_UNIT // nanos(ratio))
                if request is None or nanos(request) < least:
                    amounts.setdefault((container.name, _REQUESTS, resource), _text(resource, least, up=True))
    return amounts


def _at_most(bound: Quantity) -> Callable[[int], str]:
    def most(_amount: int) -> str:
        return canonical(bound)

    return most


def _share(resource: str, most: int, total: int) -> Callable[[int], str]:
    def share(amount: int) -> str:
        return _text(resource, amount * most // total)

    return share


def _stays(pod: Pod, container: Container) -> bool:
    """Whether a container runs beside the others: an init container only if it is restarted."""
    return container in (pod.spec.containers or ()) or container.restart_policy == "Always"


def _of(container: Container, kind: str) -> Mapping[str, str | int | float]:
    resources = container.resources or ResourceRequirements()
    return (resources.limits if kind == _LIMITS else resources.requests) or {}


def _text(resource: str, amount: int, *, up: bool = False) -> str:
    """Write an amount [10^-9] as one would, never more than it is, or never less; empty for nothing."""

    def parts(whole: int, of: int) -> int:
        return -(-whole // of) if up else whole // of

    if resource == CPU:
        milli = parts(amount * 1000, NANO_PER_UNIT)
        return format_cpu(milli) if milli > 0 else ""
    whole = parts(amount, NANO_PER_UNIT)
    if resource == MEMORY and whole > _MEBI:
        return format_bytes(parts(whole, _MEBI) * _MEBI)
    return str(whole) if whole > 0 else ""


def _given(amounts: Amounts) -> Edit:
    def changed(container: Container) -> Container:
        mine = {key: text for key, text in amounts.items() if key[0] == container.name}
        if not mine:
            return container
        of = {
            kind: {**_of(container, kind), **{key[2]: text for key, text in mine.items() if key[1] == kind}} or None
            for kind in (_LIMITS, _REQUESTS)
        }
        resources = replace(container.resources or ResourceRequirements(), **of)
        return replace(container, resources=resources)

    def edit(spec: PodSpec) -> PodSpec:
        return with_containers(spec, changed)

    return edit


def _told(pod: Pod, amounts: Amounts) -> about.GivenAmounts:
    by_name = {container.name: container for container in all_containers(pod)}
    alone = len(by_name) == 1
    told = []
    for (name, kind, resource), new in amounts.items():
        raw = _of(by_name[name], kind).get(resource)
        old = "" if raw is None else canonical(raw)
        told.append(about.GivenAmount(kind.removesuffix("s"), resource, new, old, "" if alone else name))
    return about.GivenAmounts(tuple(told))
