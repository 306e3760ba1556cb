"""A manifest of something that runs: what it would change.

Not modelled: fields that kplan does not read (environment, probes) differ unseen, unless ``kubectl apply`` recorded the
manifest that runs; what others own in the running object (an autoscaler's replicas) is taken as the manifest says.
"""

import dataclasses
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from kplan.admission.controllers.daemons import node_of
from kplan.admission.controllers.differences import rule_differences
from kplan.admission.controllers.generations import ROLLING, Generations, set_with
from kplan.admission.controllers.jobs import NEXT_RUN, cron_job_changes, job_size, next_run, runs_of
from kplan.admission.controllers.leaving import (
    Standing,
    claims_that_go,
    job_leaving_order,
    leaving_order,
    ordinal,
    undecided,
)
from kplan.admission.controllers.templates import normal_template, template_of
from kplan.admission.controllers.workloads import Draft
from kplan.admission.raw import copied, dig, dig_int, dig_text
from kplan.objects.kinds import BY_MODEL
from kplan.objects.models import CronJob, Job, Object, Pod, ReplicaSet, ReplicationController, Workload
from kplan.objects.models.pod import PodTemplateSpec
from kplan.objects.readiness import is_ready
from kplan.objects.state import ClusterState
from kplan.sources import ManifestObject
from kplan.words import listed

_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_RUNNING = (
    "Deployment",
    "ReplicaSet",
    "StatefulSet",
    "DaemonSet",
    "ReplicationController",
    "Job",
    "CronJob",
    "Pod",
)
"""Kinds whose objects make pods, or are one."""


class WorkloadChange(Struct, frozen=True):
    """What a manifest does to one workload.

    Attributes:
        workload: ``deploy/shop/web``.
        place: ``file:line`` of the manifest.
        verdict: ``new``, ``changed`` (its pods are replaced), ``scaled``, ``continues`` (nothing of it changes, and its
            rollout is not over), ``next run`` (of a CronJob) or ``unchanged``.
        before: pods it has now; 0 for a new one.
        after: pods it will have.
        leaving: ``ns/name`` of running pods that go in the end, sorted.
        strategy: how its pods are replaced: ``RollingUpdate``, ``Recreate`` or ``OnDelete``; empty if they are not.
        unsure: what of it is not known, so that the plan has a doubt; empty for nothing.
        notes: what else to say, a phrase each.
    """

    workload: str
    place: str
    verdict: str
    before: int
    after: int
    leaving: tuple[str, ...] = ()
    strategy: str = ""
    unsure: str = ""
    notes: tuple[str, ...] = ()


def find_running(manifest: ManifestObject, namespace: str, name: str, state: ClusterState) -> Object | None:
    """Find the object of a manifest's kind and name in the state."""
    if manifest.item is None or manifest.kind not in _RUNNING:
        return None
    return state.named(BY_MODEL[type(manifest.item)].attribute, namespace, name)


def keeping_replicas(manifest: ManifestObject, running: Object) -> ManifestObject:
    """Give a manifest that leaves out how many replicas there are those that run: an autoscaler has set them.

    Where the manifest that was applied before had them, applying this one takes them away, and there is 1.
    """
    item = manifest.item
    if manifest.kind == "DaemonSet" or dig(manifest.raw, "spec.replicas") is not None:
        return manifest
    if not isinstance(item, Workload | ReplicationController) or dig(_applied(running), "spec.replicas") is not None:
        return manifest
    replicas, spec = _replicas(running), manifest.raw.get("spec")
    raw = {**manifest.raw, "spec": {**(spec if isinstance(spec, dict) else {}), "replicas": replicas}}
    whole = copied(item)
    whole.spec.replicas = replicas
    return dataclasses.replace(manifest, raw=raw, item=whole)


def _applied(running: Object) -> object:
    """What ``kubectl apply`` recorded of the manifest that runs; None for nothing."""
    try:
        return msgspec.json.decode(running.annotations.get(_APPLIED) or "null")
    except (msgspec.DecodeError, RecursionError):
        return None


def owned_pods(owner: Object, state: ClusterState) -> tuple[Pod, ...]:
    """Find the pods of a running workload that have not ended, also those of its ReplicaSets or Jobs."""
    uids = {owner.metadata.uid} - {None}
    uids |= {replica_set.metadata.uid for replica_set in state.replica_sets_by_owner.get(owner.metadata.uid or "", ())}
    uids |= {job.metadata.uid for job in runs_of(owner, state)} if isinstance(owner, CronJob) else set()
    mine = {pod.key: pod for uid in uids for pod in state.pods_by_owner.get(uid, ())}
    there = (pod for pod in mine.values() if pod.namespace == owner.namespace and not pod.ended)
    return tuple(sorted(there, key=lambda pod: pod.name.encode()))


def current_replica_set(deployment: Object, state: ClusterState) -> ReplicaSet | None:
    """Find the ReplicaSet of a running Deployment that has its template; of several the oldest."""
    if not isinstance(deployment, Workload) or deployment.spec.template is None:
        return None
    return set_with(normal_template(deployment.spec.template), deployment, state)


def compare(
    manifest: ManifestObject,
    running: Object,
    workload: str,
    place: str,
    state: ClusterState,
    adopted: tuple[Pod, ...] = (),
) -> WorkloadChange:
    """Compare a manifest with the object that runs.

    Args:
        manifest: the object as it is written.
        running: the one that runs.
        workload: in words.
        place: of the manifest.
        state: what runs.
        adopted: pods that it adopts.

    Raises:
        Misfit: the manifest's template does not fit.
    """
    pods = (*owned_pods(running, state), *adopted)
    if isinstance(running, Pod):
        return WorkloadChange(workload, place, "unchanged", 1, 1)
    if isinstance(running, Job):
        return _compare_job(manifest, running, workload, place, pods, state)
    if isinstance(running, CronJob):
        return _compare_cron_job(manifest, running, workload, place, pods, state.taken)
    daemon = manifest.kind == "DaemonSet"
    before = len(pods) if daemon else _replicas(running)
    after = before if daemon else dig_int(manifest.raw, "spec.replicas", 1)
    spec = manifest.raw.get("spec")
    paused = manifest.kind == "Deployment" and dig(spec, "paused") is True
    replaced = not paused and manifest.kind in ROLLING and not same_template(manifest, running)
    if replaced:
        strategy = strategy_of(manifest.kind, spec)
        leaving = keys_of(pods) if strategy != "OnDelete" else ()
        notes = claims_that_go(manifest, before - after)
        return WorkloadChange(workload, place, "changed", before, after, leaving, strategy, notes=notes)
    waits = ("paused: its new template is not rolled out",) if paused and not same_template(manifest, running) else ()
    if before == after:
        return WorkloadChange(workload, place, "unchanged", before, after, notes=waits)
    leaving = scaled_away(manifest, running, pods, before - after, state.taken)
    notes = (*waits, *_uncertain(manifest, running, pods, before - after, state.taken))
    notes += claims_that_go(manifest, before - after)
    return WorkloadChange(workload, place, "scaled", before, after, leaving, notes=notes)


def _compare_job(
    manifest: ManifestObject, running: Job, workload: str, place: str, pods: tuple[Pod, ...], state: ClusterState
) -> WorkloadChange:
    """Compare a Job: its template cannot be changed, and more or fewer of its pods run at once.

    Source: manageJob in pkg/controller/job/job_controller.go.
    """
    active = [pod for pod in pods if not pod.metadata.deletion_timestamp]
    wanted, notes = job_size(manifest, running, len(active), len(pods) - len(active), state)
    indexed = (running.spec.completion_mode or "") == "Indexed"
    completions = dig_int(manifest.raw, "spec.completions", running.spec.completions or 0) if indexed else 0
    order = job_leaving_order([standing_of(pod) for pod in active], indexes=completions)
    leaving = keys_of(standing.pod for standing in order[: max(0, len(active) - wanted)])
    verdict = "scaled" if wanted != len(active) else "unchanged"
    return WorkloadChange(workload, place, verdict, len(active), wanted, leaving, notes=notes)


def _compare_cron_job(
    manifest: ManifestObject, running: CronJob, workload: str, place: str, pods: tuple[Pod, ...], taken: str
) -> WorkloadChange:
    """Compare a CronJob: the run that comes next is of the new template, beside those under way or after them."""
    if not cron_job_changes(manifest, running, _applied(running)):
        return WorkloadChange(workload, place, "unchanged", len(pods), len(pods))
    goes, notes = next_run(manifest, running, pods, taken)
    leaving = keys_of(pods) if goes else ()
    return WorkloadChange(workload, place, NEXT_RUN, len(pods), len(pods) - len(leaving), leaving, notes=notes)


def same_template(manifest: ManifestObject, running: Object) -> bool:
    """Tell whether a manifest has the template that runs.

    Raises:
        Misfit: the manifest's template does not fit.
    """
    written = dig(manifest.raw, "spec.template")
    applied = _applied(running)
    if applied is not None:
        return bool(dig(applied, "spec.template") == written)
    template = getattr(getattr(running, "spec", None), "template", None)
    if not isinstance(template, PodTemplateSpec):
        return False
    wanted = template_of(manifest)
    current = normal_template(template)
    # annotations that others added (kubectl rollout restart) stay when a manifest is applied
    for side in (wanted, current):
        metadata = side.get("metadata")
        if isinstance(metadata, dict):
            side["metadata"] = {"labels": metadata.get("labels")}
    return wanted == current


def _replicas(running: Object) -> int:
    if isinstance(running, Workload | ReplicationController):
        return 1 if running.spec.replicas is None else running.spec.replicas
    return 1


def keys_of(pods: Iterable[Pod]) -> tuple[str, ...]:
    """Name pods, ``ns/name``, sorted."""
    return tuple(sorted(pod.key for pod in pods))


def scaled_away(
    manifest: ManifestObject, running: Object | None, pods: tuple[Pod, ...], count: int, now: str
) -> tuple[str, ...]:
    """Choose the pods that go when a workload shrinks: highest ordinals, else as a ReplicaSet's controller ranks them.

    Source: updateStatefulSet in pkg/controller/statefulset/stateful_set_control.go; getPodsToDelete,
    getIndirectlyRelatedPods in pkg/controller/replicaset/replica_set.go: a set that no controller owns has no related
    pods, so it does not matter to it which nodes are crowded.
    """
    if count <= 0:
        return ()
    if manifest.kind == "StatefulSet":
        leaving, _ = _from_the_top(manifest, pods, count)
        return keys_of(leaving)
    standing, related = _ranked(manifest, running, pods)
    return keys_of(leaver.pod for leaver in leaving_order(standing, related, now)[:count])


def _from_the_top(manifest: ManifestObject, pods: Iterable[Pod], count: int) -> tuple[list[Pod], list[Pod]]:
    """The pods of a StatefulSet that leave, and those that the others wait for.

    An ordered set waits for each pod that stays to be ready, and for those that leave from the lowest that is not.

    Source: updateStatefulSet, processReplica and processCondemned in stateful_set_control.go.
    """
    order = sorted(pods, key=lambda pod: -ordinal(pod.name))
    leaving, staying = order[:count], order[count:]
    if dig_text(manifest.raw, "spec.podManagementPolicy", "OrderedReady") == "Parallel":
        return leaving, []
    idle = [pod for pod in reversed(staying) if not standing_of(pod).ready]
    if idle:
        return [], idle[:1]
    broken = [pod for pod in leaving if not standing_of(pod).ready]
    if len(broken) < 2:
        return leaving, []
    return leaving[: leaving.index(broken[0])], broken[-1:]


def _ranked(
    manifest: ManifestObject, running: Object | None, pods: Iterable[Pod]
) -> tuple[list[Standing], list[Standing]]:
    """Pods as they are ranked, and those that tell how crowded nodes are."""
    standing = [standing_of(pod) for pod in sorted(pods, key=lambda pod: pod.name)]
    references = (running.metadata.owner_references if running is not None else None) or ()
    owned = manifest.kind == "Deployment" or any(o.controller for o in references)
    return standing, standing if owned else []


def _uncertain(manifest: ManifestObject, running: Object, pods: Iterable[Pod], count: int, now: str) -> tuple[str, ...]:
    """Say of which pods it is not certain that they leave, and which one the others wait for."""
    if count > 0 and manifest.kind == "StatefulSet":
        _, waits = _from_the_top(manifest, pods, count)
        return tuple(f"{pod.name} is not ready: the others leave only once it is (OrderedReady)" for pod in waits)
    if count <= 0 or manifest.kind not in ("Deployment", "ReplicaSet", "ReplicationController"):
        return ()
    names = [standing.pod.name for standing in undecided(*_ranked(manifest, running, pods), count, now)]
    return (f"which of {listed(sorted(names))} leave is not certain: at most their ages tell",) if names else ()


def strategy_of(kind: str, spec: object) -> str:
    """How a workload of a kind replaces pods: ``RollingUpdate`` where its spec does not say."""
    return dig_text(spec, "strategy.type" if kind == "Deployment" else "updateStrategy.type", "RollingUpdate")


def standing_of(pod: Pod) -> Standing:
    """Tell what a controller ranks a pod of a state by."""
    return Standing(pod, pod.spec.node_name or "", bool(pod.spec.node_name) and is_ready(pod), pod.metadata.uid or "")


def under_way(
    change: WorkloadChange, manifest: ManifestObject, running: Object, pods: Sequence[Pod], generations: Generations
) -> WorkloadChange:
    """Tell what a manifest does to a workload of which not all pods are of the template that is wanted.

    Args:
        change: what it does to a workload of which all are.
        manifest: the workload.
        running: the one that runs.
        pods: its pods.
        generations: which of them are of the wanted template.
    """
    old = [pod for pod in pods if pod.key not in generations.kept]
    if change.verdict == "changed":
        return replace(change, leaving=keys_of(old) if change.strategy != "OnDelete" else ())
    if change.verdict not in ("unchanged", "scaled") or not (generations.mixed if generations.sets else old):
        return change
    spec = manifest.raw.get("spec")
    if manifest.kind not in ROLLING or dig(spec, "paused") is True:
        return change
    touched = change.verdict == "scaled" or bool(rule_differences(manifest.kind, spec, running))
    return replace(
        change,
        verdict="changed" if touched else "continues",
        leaving=keys_of(old),
        strategy=strategy_of(manifest.kind, spec),
    )


def new_drafts(
    drafts: list[Draft], change: WorkloadChange, pods: tuple[Pod, ...], kind: str, kept: Collection[str] = ()
) -> list[Draft]:
    """Choose the pods that a controller makes for a workload that runs already.

    Args:
        drafts: all of its template.
        change: what the manifest does.
        pods: that run.
        kind: of the workload.
        kept: ``ns/name`` of those that have the template.
    """
    if change.verdict in ("changed", "continues"):
        if change.strategy == "OnDelete":
            return _missing(drafts, pods, kind)
        if kind == "Deployment":
            return drafts[: max(0, change.after - len(kept))]
        if kind == "DaemonSet":
            alone = Counter(map(node_of, pods))  # of several on a node any may leave
            taken = {node_of(pod) for pod in pods if pod.key in kept and alone[node_of(pod)] == 1}
            return [draft for draft in drafts if node_of(draft.pod) not in taken]
        return [draft for draft in drafts if draft.pod.key not in kept]
    if kind in ("Job", "CronJob"):
        return drafts if kind == "CronJob" else drafts[: max(0, change.after - change.before)]
    if kind in ("StatefulSet", "DaemonSet"):
        return _missing(drafts, pods, kind)
    return drafts[len(drafts) - max(0, change.after - change.before) :]


def _missing(drafts: list[Draft], pods: tuple[Pod, ...], kind: str) -> list[Draft]:
    """Those for whose name, or node of a DaemonSet, there is no pod."""
    if kind == "DaemonSet":
        served = {node_of(pod) for pod in pods}
        return [draft for draft in drafts if node_of(draft.pod) not in served]
    have = {pod.key for pod in pods}
    return [draft for draft in drafts if draft.pod.key not in have]
