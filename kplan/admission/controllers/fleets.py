"""Fleets: workloads whose controllers make or remove pods step by step, with all that those controllers go by."""

import dataclasses
from collections.abc import Callable

import msgspec
from msgspec import Struct

from kplan.admission.controllers.changes import WorkloadChange, same_template, strategy_of
from kplan.admission.controllers.differences import rule_differences, template_differences
from kplan.admission.controllers.fenceposts import QUARTER, fenceposts
from kplan.admission.controllers.generations import Generations, RunningSet
from kplan.admission.controllers.revisions import template_of_current
from kplan.admission.controllers.stand_ins import bare
from kplan.admission.controllers.workloads import Draft, ExpandedWorkload
from kplan.admission.raw import dig, dig_int, dig_text, read_template
from kplan.objects.int_or_percent import scaled
from kplan.objects.models import Object, Pod, StatefulSet
from kplan.objects.models.pod import PodTemplateSpec
from kplan.objects.requests import RequestRules
from kplan.objects.state import ClusterState
from kplan.sources import ManifestObject

PASSED = "ProgressDeadlineExceeded"
"""Reason of the condition Progressing once a deadline has passed."""
_NEVER = 2**31 - 1


class Fleet(Struct, frozen=True):
    """A workload whose controller makes or removes pods step by step.

    Attributes:
        workload: ``deploy/shop/web``.
        place: ``file:line`` of the manifest.
        kind: of the object.
        replaces: whether the pods that run are replaced by those of a new template.
        strategy: ``RollingUpdate``, ``Recreate`` or ``OnDelete``.
        replicas: pods wanted; for a DaemonSet the nodes that its rules allow.
        max_surge: pods allowed above ``replicas``.
        max_unavailable: pods that may be missing of ``replicas``.
        partition: lowest ordinal that is replaced, counted from ``first``.
        ordered: whether each pod is made only once the one before is ready.
        first: lowest ordinal of a StatefulSet.
        pods: new pods, in the order its controller makes them.
        running: pods that run, those that wait among them.
        before: pods the running object wants.
        differences: what of the template changes, a phrase each.
        leaving: ``ns/name`` of the pods that leave at once, where more than their number is known beforehand.
        kept: ``ns/name`` of pods that run and have the wanted template.
        sets: ReplicaSets of a Deployment that runs, the oldest first.
        nodes: of a DaemonSet, those that its rules allow.
        paused: whether a Deployment is only scaled.
        min_ready_seconds: how long a pod has to be ready to count as available.
        deadline: seconds without progress after which a Deployment says so; None for never.
        late: whether the rollout that runs, and goes on as it is, has passed its deadline already.
    """

    workload: str
    place: str
    kind: str
    replaces: bool
    strategy: str
    replicas: int
    max_surge: int = 0
    max_unavailable: int = 0
    partition: int = 0
    ordered: bool = False
    first: int = 0
    pods: tuple[Pod, ...] = ()
    running: tuple[Pod, ...] = ()
    before: int = 0
    differences: tuple[str, ...] = ()
    leaving: tuple[str, ...] = ()
    kept: frozenset[str] = frozenset()
    sets: tuple[RunningSet, ...] = ()
    nodes: frozenset[str] = frozenset()
    paused: bool = False
    min_ready_seconds: int = 0
    deadline: int | None = None
    late: bool = False


def leaving_fleet(change: WorkloadChange, kind: str, pods: tuple[Pod, ...]) -> Fleet | None:
    """Tell which pods leave of a Job, or of an operator's workload; None where none does.

    New pods of it are made at once, by no step of the fleet.

    Args:
        change: what the manifest does to it.
        kind: of the object.
        pods: those that run.
    """
    if not change.leaving:
        return None
    return Fleet(
        change.workload,
        change.place,
        kind,
        replaces=False,
        strategy="",
        replicas=change.after,
        running=pods,
        before=change.before,
        leaving=change.leaving,
    )


def fleet_of(
    manifest: ManifestObject,
    change: WorkloadChange,
    running: Object | None,
    pods: tuple[Pod, ...],
    new: tuple[Pod, ...],
    generations: Generations,
    nodes: frozenset[str],
    rules: RequestRules,
    *,
    from_pods: bool = False,
) -> Fleet | None:
    """Tell what the controller of a workload goes by; None where it makes all its pods at once and removes none.

    Args:
        manifest: the object.
        change: what the manifest does to it.
        running: the one that runs.
        pods: its pods.
        new: pods that the manifest brings.
        generations: which of its pods are of the wanted template.
        nodes: of a DaemonSet, those that its rules allow.
        rules: of the version.
        from_pods: whether what runs is known from its pods alone.
    """
    raw, kind = manifest.raw, manifest.kind
    if kind in ("Job", "CronJob"):
        return leaving_fleet(change, kind, pods)
    ordered = kind == "StatefulSet" and dig_text(raw, "spec.podManagementPolicy", "OrderedReady") == "OrderedReady"
    replaces = change.verdict in ("changed", "continues")
    scales = change.verdict == "scaled" and generations.mixed
    too_many = len(pods) > change.after or (running is None and bool(change.leaving))
    if not (replaces or scales or too_many or (ordered and len(new) > 1)):
        return None
    replicas = len(nodes) if kind == "DaemonSet" else dig_int(raw, "spec.replicas", 1)
    strategy, surge, unavailable = _strategy(kind, raw.get("spec"), replicas)
    if kind == "StatefulSet" and not rules.sets_unavailable:
        unavailable = 1  # the API server has dropped what is written
    old = getattr(getattr(running, "spec", None), "template", None)
    differences: tuple[str, ...] = ()
    if replaces and isinstance(old, PodTemplateSpec) and running is not None:
        template = read_template(dig(raw, "spec.template"), "spec.template")
        if not same_template(manifest, running):
            differences = template_differences(old, bare(new[-1], template) if from_pods and new else template)
        elif not from_pods:
            differences = rule_differences(kind, raw.get("spec"), running)
    return Fleet(
        change.workload,
        change.place,
        kind,
        replaces,
        strategy,
        replicas,
        surge,
        unavailable,
        dig_int(raw, "spec.updateStrategy.rollingUpdate.partition", 0),
        ordered,
        dig_int(raw, "spec.ordinals.start", 0),
        new,
        pods,
        change.before,
        differences,
        kept=generations.kept,
        sets=generations.sets,
        nodes=nodes,
        paused=kind == "Deployment" and dig(raw, "spec.paused") is True,
        min_ready_seconds=max(0, dig_int(raw, "spec.minReadySeconds", 0)),
        deadline=_deadline(manifest),
        late=change.verdict == "continues" and running is not None and _is_late(running),
    )


def _deadline(manifest: ManifestObject) -> int | None:
    """Seconds without progress after which a Deployment says so.

    Source: HasProgressDeadline in pkg/controller/deployment/util/deployment_util.go, SetDefaults_Deployment; one that
    is paused is not looked at (syncDeployment).
    """
    if manifest.kind != "Deployment" or dig(manifest.raw, "spec.paused") is True:
        return None
    seconds = dig_int(manifest.raw, "spec.progressDeadlineSeconds", 600)
    return None if seconds >= _NEVER else seconds


def _is_late(running: Object) -> bool:
    conditions = getattr(getattr(running, "status", None), "conditions", None) or ()
    return any(condition.type == "Progressing" and condition.reason == PASSED for condition in conditions)


def drafts_of(
    manifest: ManifestObject,
    made: ExpandedWorkload,
    running: Object | None,
    change: WorkloadChange | None,
    state: ClusterState,
    make: Callable[[ManifestObject], ExpandedWorkload],
) -> tuple[Draft, ...]:
    """Pods of a workload; those of a StatefulSet below its partition are made of the template of its last full rollout.

    Where that is not known, the one that runs is taken for it, if it is another than the manifest's.

    Args:
        manifest: the object.
        made: what its controller makes of it.
        running: the one that runs.
        change: what the manifest does to it.
        state: what runs.
        make: what its controller makes of another.

    Source: newVersionedStatefulSetPod in pkg/controller/statefulset/stateful_set_utils.go.
    """
    spec, partition = manifest.raw.get("spec"), dig_int(manifest.raw, "spec.updateStrategy.rollingUpdate.partition", 0)
    if change is None or not (partition > 0 and isinstance(running, StatefulSet) and isinstance(spec, dict)):
        return made.drafts
    template = template_of_current(running, state)
    if template is None and change.strategy == "RollingUpdate":
        template = running.spec.template
    if template is None or strategy_of(manifest.kind, spec) != "RollingUpdate":
        return made.drafts
    raw = {**manifest.raw, "spec": {**spec, "template": msgspec.to_builtins(template)}}
    return (*make(dataclasses.replace(manifest, raw=raw)).drafts[:partition], *made.drafts[partition:])


def _strategy(kind: str, spec: object, replicas: int) -> tuple[str, int, int]:
    """Work out the strategy of a kind, and how many pods may be too many and too few.

    Source: ResolveFenceposts in pkg/controller/deployment/util/deployment_util.go; getStatefulSetMaxUnavailable in
    pkg/controller/statefulset/stateful_set_utils.go (rounds down); updatedDesiredNodeCounts in
    pkg/controller/daemon/update.go (both round up).
    """
    strategy = strategy_of(kind, spec)
    if kind == "Deployment":
        if strategy == "Recreate":
            return strategy, 0, replicas
        given = _map(dig(spec, "strategy.rollingUpdate"))
        surge, unavailable = fenceposts(given.get("maxSurge", QUARTER), given.get("maxUnavailable", QUARTER), replicas)
        return "RollingUpdate", surge, min(unavailable, replicas)
    if kind not in ("StatefulSet", "DaemonSet"):
        return "", 0, 0
    given = _map(dig(spec, "updateStrategy.rollingUpdate"))
    if kind == "StatefulSet":
        return strategy, 0, max(1, scaled(given.get("maxUnavailable", 1), replicas, up=False))
    surge = scaled(given.get("maxSurge", 0), replicas, up=True)
    unavailable = scaled(given.get("maxUnavailable", 1), replicas, up=True)
    return strategy, surge, unavailable or (0 if surge else 1)


def _map(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}
