"""Requests that a VerticalPodAutoscaler gives the pods of a workload, and the limits that grow with them.

Source: kubernetes/autoscaler vertical-pod-autoscaler v1.7.1 pkg/utils/vpa/capping.go (the bounds of LimitRanges, then
those of the policy, then the limits), limit_and_request_scaling.go (proportions),
pkg/admission-controller/resource/pod/recommendation (controlledValues), pkg/utils/limitrange. A status holds the bounds
of its policy already (pkg/recommender/routines); they are applied once more, as admission does.

Not modelled: LimitRanges of type Pod.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from kplan.admission.policies.limit_ranger import item_defaults
from kplan.objects.models import LimitRange
from kplan.objects.models.autoscaling import ContainerResourcePolicy
from kplan.objects.quantity import (
    MAX_INT64,
    NANO_PER_MILLI,
    NANO_PER_UNIT,
    format_nanos,
    milli_value,
    nanos,
    parse,
    value,
)
from kplan.objects.resource_names import CPU, MEMORY
from kplan.scenario.autoscalers import Advice
from kplan.sources import ManifestObject


def with_requests(
    manifest: ManifestObject, advice: Advice, ranges: Iterable[LimitRange]
) -> tuple[ManifestObject, list[str]]:
    """Give the containers of a workload the requests that are recommended; tell what changes.

    Args:
        manifest: the workload.
        advice: what is recommended for it.
        ranges: LimitRanges; those of its namespace give its pods defaults before they are sized.
    """
    raw = dict(manifest.raw)
    here: dict[str, Any] = raw
    for key in ("spec", "template", "spec"):
        inner = here.get(key)
        if not isinstance(inner, dict):
            return manifest, []
        here[key] = dict(inner)
        here = here[key]
    told: list[str] = []
    containers = []
    around = _Ranges.of(limit_range for limit_range in ranges if limit_range.namespace == advice.namespace)
    for container in here.get("containers") or ():
        name = container.get("name", "")
        amounts = advice.amounts.get(name)
        if not amounts:
            containers.append(container)
            continue
        before = (container.get("resources") or {}).get("requests") or {}
        sized = _sized(container.get("resources") or {}, amounts, advice.policies[name], around)
        told += [
            f"{resource} {before.get(resource, 'none')} -> {sized['requests'][resource]}"
            for resource in amounts
            if resource not in before or nanos(before[resource]) != nanos(sized["requests"][resource])
        ]
        containers.append({**container, "resources": sized})
    here["containers"] = containers
    return (manifest.with_raw(raw), told) if told else (manifest, [])


class _Ranges(Struct, frozen=True):
    """What the LimitRanges of a namespace say of containers: defaults as the API server completes them, and bounds."""

    requests: dict[str, Any]
    limits: dict[str, Any]
    least: dict[str, Any]
    most: dict[str, Any]

    @classmethod
    def of(cls, ranges: Iterable[LimitRange]) -> _Ranges:
        """Of several bounds the narrowest holds; of several defaults the first by name."""
        all_of = cls({}, {}, {}, {})
        for limit_range in sorted(ranges, key=lambda limit_range: limit_range.name):
            for item in limit_range.spec.limits or ():
                requests, limits = item_defaults(item)
                all_of.requests.update({**requests, **all_of.requests})
                all_of.limits.update({**limits, **all_of.limits})
                if item.type == "Container":
                    all_of.least.update(_larger(all_of.least, item.min or {}))
                    all_of.most.update(_within(item.max or {}, {}, all_of.most))
        return all_of


def _sized(
    resources: Mapping[str, Any], amounts: Mapping[str, Any], policy: ContainerResourcePolicy, around: _Ranges
) -> dict[str, Any]:
    """Requests as recommended, within every bound; a limit keeps its proportion to the request that it had."""
    written = resources.get("limits") or {}
    limits = {**around.limits, **written}
    before = {**around.requests, **written, **(resources.get("requests") or {})}
    least = _larger(_reached(around.least, limits, before), around.least)
    given = _within(amounts, least, _reached(around.most, limits, before))
    given = _within(given, policy.min_allowed or {}, policy.max_allowed or {})
    after = dict(written)
    if policy.controlled_values == "RequestsOnly":
        given = _within(given, {}, limits)
    else:
        after |= {
            name: _in_proportion(name, limits[name], before.get(name), given[name])
            for name in (CPU, MEMORY)
            if name in given and name in limits and nanos(given[name]) and nanos(limits[name])
        }
    sized = {**resources, "requests": {**(resources.get("requests") or {}), **given}}
    return {**sized, "limits": after} if after else sized


def _within(amounts: Mapping[str, Any], least: Mapping[str, Any], most: Mapping[str, Any]) -> dict[str, Any]:
    """Amounts within bounds; a bound of 0 is none."""
    bounded = dict(amounts)
    for name in amounts:
        if name in least and nanos(least[name]) and nanos(bounded[name]) < nanos(least[name]):
            bounded[name] = least[name]
        if name in most and nanos(most[name]) and nanos(bounded[name]) > nanos(most[name]):
            bounded[name] = most[name]
    return bounded


def _larger(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    return {**one, **_within(other, one, {})}


def _reached(bounds: Mapping[str, Any], limits: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """Requests of cpu and memory with which limits in proportion to them reach bounds; none without a limit."""
    return {
        name: _scaled(name, before[name], limits[name], bounds[name]) if nanos(before.get(name, 0)) else bounds[name]
        for name in (CPU, MEMORY)
        if name in bounds and name in limits and nanos(limits[name])
    }


def _in_proportion(name: str, limit: Any, request: Any, wanted: Any) -> Any:
    """A limit in the proportion to a wanted request that it had to the former one; equal to it where it was."""
    if request is None or not nanos(request) or milli_value(request) == milli_value(limit):
        return wanted
    return _scaled(name, limit, request, wanted)


def _scaled(name: str, amount: Any, was: Any, now: Any) -> str:
    """An amount that grows as another does, in whole thousandths of a cpu or whole bytes, rounded down."""
    read, unit = (milli_value, NANO_PER_MILLI) if name == CPU else (value, NANO_PER_UNIT)
    return format_nanos(min(read(amount) * read(now) // read(was), MAX_INT64) * unit, parse(amount).form)
