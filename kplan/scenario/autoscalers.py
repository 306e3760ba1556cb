"""Autoscalers: what owns the replicas of workloads, and what is recommended for their requests.

Source: kubernetes v1.37.2 pkg/controller/podautoscaler/horizontal.go: reconcileAutoscaler (minReplicas is 1 by
default), shouldComputeMetricsForZeroReplicas (a target of 0 replicas is left alone, unless the autoscaler itself
brought it there; the same in 1.36), validateAndParseSelector (of several on the same pods none scales); v1.35.4 there
(a target of 0 replicas is left alone unless minReplicas is 0). By their documentation alone: keda v2
scaledobject_types.go (0 and 100 by default, paused-replicas), vertical-pod-autoscaler pkg/admission-controller/resource
(controlledValues).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from kplan.objects.kind_words import kind_word
from kplan.objects.models import HorizontalPodAutoscaler, Object, ScaledObject, VerticalPodAutoscaler
from kplan.objects.models.autoscaling import ContainerResourcePolicy
from kplan.objects.quantity import format_nanos, nanos, parse
from kplan.objects.whole_numbers import parse_int
from kplan.sources import ManifestObject

PAUSED = "autoscaling.keda.sh/paused-replicas"
_KEDA_MOST = 100
_TOLD_WHO_SCALED = 36
"""Minor since which an autoscaler notes that it has scaled to 0 (gate HPAScaleToZero, on since 1.37)."""


@dataclass(frozen=True, slots=True)
class OfWorkload:
    """What an autoscaler has to do with one workload.

    Attributes:
        name: ``HorizontalPodAutoscaler web``.
        namespace: of both.
        kind: of the workload.
        workload: its name.
    """

    name: str
    namespace: str
    kind: str
    workload: str

    @property
    def keda(self) -> bool:
        """Whether it is an object of KEDA's."""
        return self.name.startswith("ScaledObject ")

    @property
    def target(self) -> tuple[str, str, str]:
        """Kind, namespace and name of the workload."""
        return self.kind, self.namespace, self.workload

    @property
    def text(self) -> str:
        """``deploy/shop/web``."""
        return f"{kind_word(self.kind)}/{self.namespace}/{self.workload}"


@dataclass(frozen=True, slots=True)
class Autoscaler(OfWorkload):
    """What owns the replicas of a workload.

    Attributes:
        least: fewest replicas.
        most: most of them; None where that is not said.
        wakes: whether it also scales a workload that has 0 replicas.
        rivals: names of others that scale the same workload: none of them does.
    """

    least: int
    most: int | None
    wakes: bool = False
    rivals: tuple[str, ...] = ()

    def at(self, limit: str, now: int) -> int:
        """Replicas at a limit of HPA, of a workload that has so many now."""
        if limit == "now" or self.rivals or (now == 0 and not self.wakes):
            return now
        if limit == "min":
            return self.least
        return self.most if self.most is not None else max(now, self.least)


def autoscalers(objects: Iterable[Object], minor: int) -> list[Autoscaler]:
    """Find what owns replicas, one for each workload; a ScaledObject before what its operator made of it.

    Args:
        objects: autoscalers among them.
        minor: version of Kubernetes.
    """
    by_target: dict[tuple[str, str, str], Autoscaler] = {}
    items = sorted(objects, key=lambda item: not isinstance(item, ScaledObject))
    for item in items:
        autoscaler = _autoscaler(item, minor)
        if autoscaler is None:
            continue
        first = by_target.setdefault(autoscaler.target, autoscaler)
        if first is not autoscaler and not first.keda:
            by_target[autoscaler.target] = replace(first, rivals=(*first.rivals, autoscaler.name))
    return list(by_target.values())


def _autoscaler(item: Object, minor: int) -> Autoscaler | None:
    space = item.metadata.namespace or ""
    if isinstance(item, HorizontalPodAutoscaler):
        spec = item.spec
        least = 1 if spec.min_replicas is None else spec.min_replicas
        of = spec.scale_target_ref
        name = f"HorizontalPodAutoscaler {item.name}"
        wakes = _wakes(item, least) if minor >= _TOLD_WHO_SCALED else least == 0
        return Autoscaler(name, space, of.kind or "Deployment", of.name, least, spec.max_replicas, wakes)
    if not isinstance(item, ScaledObject):
        return None
    keda = item.spec
    least = keda.min_replica_count or 0
    if keda.idle_replica_count is not None:
        least = min(least, keda.idle_replica_count)
    most = _KEDA_MOST if keda.max_replica_count is None else keda.max_replica_count
    paused = parse_int((item.metadata.annotations or {}).get(PAUSED, ""), 32)
    if paused is not None:
        least = most = paused
    of = keda.scale_target_ref
    return Autoscaler(f"ScaledObject {item.name}", space, of.kind or "Deployment", of.name, least, most, wakes=True)


def _wakes(item: HorizontalPodAutoscaler, least: int) -> bool:
    """Whether an autoscaler scales a workload that has 0 replicas: it brought it there, and may measure what for.

    Source: getScaledToZeroConditionStatus, hasObjectOrExternalMetrics in horizontal.go.
    """
    conditions = (item.status.conditions if item.status is not None else None) or ()
    mine = any(condition.type == "ScaledToZero" and condition.status == "True" for condition in conditions)
    return mine and (least > 0 or any(metric.type in ("Object", "External") for metric in item.spec.metrics or ()))


def replicas_of(manifest: ManifestObject) -> int:
    """Replicas of a workload as written; 1 where none are."""
    spec = manifest.raw.get("spec")
    written = spec.get("replicas") if isinstance(spec, dict) else None
    return written if isinstance(written, int) and not isinstance(written, bool) else 1


def with_replicas(manifest: ManifestObject, replicas: int) -> ManifestObject:
    """Give a workload another number of replicas."""
    spec = manifest.raw.get("spec")
    return manifest.with_raw(
        {**manifest.raw, "spec": {**(spec if isinstance(spec, dict) else {}), "replicas": replicas}}
    )


@dataclass(frozen=True, slots=True)
class Advice(OfWorkload):
    """What a VerticalPodAutoscaler recommends for a workload.

    Attributes:
        amounts: requests by container and resource, as written.
        bare: containers whose limits stay.
        silent: why it changes nothing, in words; empty if it does.
    """

    amounts: dict[str, dict[str, Any]]
    bare: frozenset[str] = frozenset()
    silent: str = ""


def advices(objects: Iterable[Object], bound: str) -> Iterator[Advice]:
    """Read what VerticalPodAutoscalers recommend, at a bound of VPA."""
    for item in objects:
        if not isinstance(item, VerticalPodAutoscaler):
            continue
        policies = {
            container_resource_policy.container_name: container_resource_policy
            for container_resource_policy in (
                item.spec.resource_policy and item.spec.resource_policy.container_policies
            )
            or ()
        }
        any_other = policies.get("*", ContainerResourcePolicy())
        recommended = item.status.recommendation and item.status.recommendation.container_recommendations
        amounts: dict[str, dict[str, Any]] = {}
        bare = set()
        for recommendation in recommended or ():
            policy = policies.get(recommendation.container_name, any_other)
            if policy.mode == "Off":
                continue
            amounts[recommendation.container_name] = dict(
                (recommendation.target if bound == "target" else recommendation.upper_bound) or {}
            )
            if policy.controlled_values == "RequestsOnly":
                bare.add(recommendation.container_name)
        mode = item.spec.update_policy and item.spec.update_policy.update_mode
        silent = "updateMode Off" if mode == "Off" else "" if amounts else "it has no recommendation"
        target = item.spec.target_ref
        name = f"VerticalPodAutoscaler {item.name}"
        yield Advice(name, item.metadata.namespace or "", target.kind, target.name, amounts, frozenset(bare), silent)


def with_requests(manifest: ManifestObject, advice: Advice) -> tuple[ManifestObject, list[str]]:
    """Give the containers of a workload the requests that are recommended; tell what changes."""
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
    for container in here.get("containers") or ():
        amounts = advice.amounts.get(container.get("name", ""), {})
        resources = _sized(container.get("resources") or {}, amounts, limits=container.get("name") not in advice.bare)
        before = (container.get("resources") or {}).get("requests") or {}
        told += [
            f"{name} {before.get(name, 'none')} -> {value}"
            for name, value in amounts.items()
            if name not in before or nanos(before[name]) != nanos(value)
        ]
        containers.append({**container, "resources": resources} if amounts else container)
    here["containers"] = containers
    return (manifest.with_raw(raw), told) if told else (manifest, [])


def _sized(resources: dict[str, Any], amounts: dict[str, Any], *, limits: bool) -> dict[str, Any]:
    """Requests as recommended; a limit keeps its proportion to the request that it had."""
    before, most = resources.get("requests") or {}, dict(resources.get("limits") or {})
    for name, value in amounts.items():
        if not limits or name not in most:
            continue
        was = nanos(before.get(name, most[name]))
        grown = nanos(most[name]) * nanos(value) // was if was else nanos(value)
        most[name] = format_nanos(grown, parse(most[name]).form)
    sized = {**resources, "requests": {**before, **amounts}}
    return {**sized, "limits": most} if most else sized
