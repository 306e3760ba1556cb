"""Autoscalers: what owns the replicas of workloads, and what is recommended for their requests.

Source: kubernetes v1.37.2 pkg/controller/podautoscaler/horizontal.go: reconcileAutoscaler (minReplicas is 1 by
default), shouldComputeMetricsForZeroReplicas (a target of 0 replicas is left alone, unless the autoscaler itself
brought it there; the same in 1.36), validateAndParseSelector (of several on the same pods none scales); v1.35.4 there
(a target of 0 replicas is left alone unless minReplicas is 0).

Source: kedacore/keda v2.20.2 apis/keda/v1alpha1/scaledobject_types.go (0 and 100 by default, annotations),
controllers/keda/scaledobject_controller.go (handlePause), controllers/keda/hpa.go (paused-scale-in, paused-scale-out),
pkg/scaling/executor/scale_scaledobjects.go (RequestScale), pkg/scaling/scale_handler.go (cpu and memory alone never
scale to 0).

Source: kubernetes/autoscaler vertical-pod-autoscaler v1.7.1 pkg/apis/autoscaling.k8s.io/v1/types.go,
pkg/admission-controller/resource/vpa/matcher.go, pkg/utils/vpa/api.go (who sizes a pod; Recreate by default),
pkg/updater/logic/updater.go (modes), pkg/updater/restriction/pods_restriction_factory.go (minReplicas, 2 by default),
pkg/recommender/logic/recommender.go (a status recommends what is in controlledResources alone).

Not modelled: an idleReplicaCount above 0, which the HorizontalPodAutoscaler raises to minReplicaCount again; a
ScaledObject that KEDA's webhook refuses; startupBoost (off by default).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from kplan.objects.kind_words import kind_word
from kplan.objects.models import HorizontalPodAutoscaler, Object, ScaledObject, VerticalPodAutoscaler
from kplan.objects.models.autoscaling import ContainerResourcePolicy
from kplan.objects.well_known import KEDA_ACTIVE, KEDA_NO, KEDA_NOT_IN, KEDA_NOT_OUT, KEDA_PAUSED, KEDA_PAUSED_AT
from kplan.objects.whole_numbers import parse_int
from kplan.sources import ManifestObject

_KEDA_MOST = 100
_ALWAYS_ACTIVE = frozenset({"cpu", "memory"})
"""Triggers that alone never let a workload go to 0, or to its idle replicas."""
_UPDATED_FROM = 2
"""Live pods of a workload from which on they are updated (``--min-replicas`` of the updater, by default)."""
_TOLD_WHO_SCALED = 36
"""Minor since which an autoscaler notes that it has scaled to 0 (gate HPAScaleToZero, on since 1.37)."""


class OfWorkload(Struct, frozen=True):
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


class Autoscaler(OfWorkload, frozen=True):
    """What owns the replicas of a workload.

    Attributes:
        least: fewest replicas.
        most: most of them; None where that is not said.
        wakes: whether it also scales a workload that has 0 replicas.
        rivals: names of others that scale the same workload: none of them does.
        paused: whether it leaves the workload as it is, whoever scales that.
        grows: whether it adds replicas beyond the fewest.
        shrinks: whether it takes replicas away, but those beyond the most.
    """

    least: int
    most: int | None
    wakes: bool = False
    rivals: tuple[str, ...] = ()
    paused: bool = False
    grows: bool = True
    shrinks: bool = True

    def at(self, limit: str, now: int) -> int:
        """Replicas at a limit of HPA, of a workload that has so many now."""
        if limit == "now" or self.rivals or self.paused or (now == 0 and not self.wakes):
            return now
        most = self.most if self.most is not None else max(now, self.least)
        if limit == "min":
            return self.least if self.shrinks else max(self.least, min(now, most))
        return most if self.grows else min(most, max(self.least, now))


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
    return _of_keda(item, space)


def _of_keda(item: ScaledObject, space: str) -> Autoscaler:
    """Read what KEDA does; paused at a number that is none, it does nothing."""
    keda, of, marks = item.spec, item.spec.scale_target_ref, item.annotations
    least = keda.min_replica_count or 0
    types = {trigger.type for trigger in keda.triggers or ()}
    if (types and types <= _ALWAYS_ACTIVE) or _is_on(marks, KEDA_ACTIVE):
        least = max(least, 1)
    elif keda.idle_replica_count is not None:
        least = min(least, keda.idle_replica_count)
    most = _KEDA_MOST if keda.max_replica_count is None else keda.max_replica_count
    at = parse_int(marks.get(KEDA_PAUSED_AT, ""), 32)
    if at is not None and at >= 0:
        least = most = at
    return Autoscaler(
        f"ScaledObject {item.name}",
        space,
        of.kind or "Deployment",
        of.name,
        least,
        most,
        wakes=True,
        paused=(at is None or at < 0) if KEDA_PAUSED_AT in marks else _is_on(marks, KEDA_PAUSED),
        grows=KEDA_PAUSED_AT in marks or not _is_on(marks, KEDA_NOT_OUT),
        shrinks=KEDA_PAUSED_AT in marks or not _is_on(marks, KEDA_NOT_IN),
    )


def _is_on(marks: Mapping[str, str], name: str) -> bool:
    return name in marks and marks[name] not in KEDA_NO


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


class Advice(OfWorkload, frozen=True):
    """What a VerticalPodAutoscaler recommends for a workload.

    Attributes:
        amounts: requests by container and resource, as written.
        policies: what its policy says of each of those containers.
        silent: why it changes nothing, in words; empty if it does.
        late: what its mode makes of pods that run, in words; empty where they are evicted.
        updates_from: how many replicas a workload has whose pods that run are updated; 0 where none ever are.
    """

    amounts: dict[str, dict[str, Any]]
    policies: dict[str, ContainerResourcePolicy]
    silent: str = ""
    late: str = ""
    updates_from: int = _UPDATED_FROM


_LATE = {
    "Initial": "updateMode Initial, pods that run keep their requests until they are made anew",
    "InPlaceOrRecreate": "updateMode InPlaceOrRecreate, pods that fit where they run are resized there",
    "InPlace": "updateMode InPlace, pods that run are resized there or keep their requests",
}


def advices(objects: Iterable[Object], bound: str) -> Iterator[Advice]:
    """Read what VerticalPodAutoscalers recommend, at a bound of VPA; of several on a workload the oldest sizes it."""
    items = [item for item in objects if isinstance(item, VerticalPodAutoscaler)]
    first: dict[tuple[str, str, str], str] = {}
    for item in sorted(items, key=lambda item: (item.metadata.creation_timestamp or "new", item.name)):
        if _mode(item) != "Off":
            first.setdefault(_target(item), item.name)
    for item in items:
        (kind, space, name), mode = _target(item), _mode(item)
        amounts, policies = _recommended(item, bound)
        text = f"{kind_word(kind)}/{space}/{name}"
        if mode == "Off":
            silent = f"updateMode Off, {text} keeps its requests"
        elif first[kind, space, name] != item.name:
            silent = f"it is VerticalPodAutoscaler {first[kind, space, name]} that sizes {text}"
        else:
            silent = "" if amounts else f"it has no recommendation, {text} keeps its requests"
        policy = item.spec.update_policy
        few = _UPDATED_FROM if policy is None or policy.min_replicas is None else policy.min_replicas
        yield Advice(
            f"VerticalPodAutoscaler {item.name}",
            space,
            kind,
            name,
            amounts,
            policies,
            silent,
            _LATE.get(mode, ""),
            0 if mode == "Initial" else few,
        )


def _target(item: VerticalPodAutoscaler) -> tuple[str, str, str]:
    return item.spec.target_ref.kind, item.metadata.namespace or "", item.spec.target_ref.name


def _mode(item: VerticalPodAutoscaler) -> str:
    return (item.spec.update_policy and item.spec.update_policy.update_mode) or "Recreate"


def _recommended(
    item: VerticalPodAutoscaler, bound: str
) -> tuple[dict[str, dict[str, Any]], dict[str, ContainerResourcePolicy]]:
    """Read requests by container, and the policy of each."""
    written = (item.spec.resource_policy and item.spec.resource_policy.container_policies) or ()
    policies = {policy.container_name: policy for policy in written}
    any_other = policies.get("*", ContainerResourcePolicy())
    recommended = item.status.recommendation and item.status.recommendation.container_recommendations
    amounts: dict[str, dict[str, Any]] = {}
    found: dict[str, ContainerResourcePolicy] = {}
    for recommendation in recommended or ():
        name = recommendation.container_name
        policy = policies.get(name, any_other)
        if policy.mode != "Off":
            amounts[name] = dict((recommendation.target if bound == "target" else recommendation.upper_bound) or {})
            found[name] = policy
    return amounts, found
