"""Adoption: what no controller owns and a workload's selector matches becomes its own, and counts as its replicas.

A Deployment adopts ReplicaSets, all others pods. So ``kubectl delete --cascade=orphan`` and a manifest that makes the
object again replace only what is of another template.
"""

import dataclasses
import re
from collections.abc import Iterable, Sequence

from kplan.admission.controllers.changes import WorkloadChange, keys_of, scaled_away, standing_of, strategy_of
from kplan.admission.controllers.daemons import node_of
from kplan.admission.controllers.generations import DESIRED, ROLLING, Generations
from kplan.admission.controllers.leaving import job_leaving_order
from kplan.admission.controllers.stand_ins import StandIn
from kplan.admission.controllers.workloads import Draft
from kplan.admission.raw import copied, dig, dig_text
from kplan.objects.models import (
    Deployment,
    Job,
    LabelSelector,
    Pod,
    ReplicaSet,
    ReplicationController,
    Workload,
)
from kplan.objects.models.meta import OwnerReference
from kplan.objects.selectors import compile_selector
from kplan.objects.state import ClusterState
from kplan.objects.well_known import HASH_LABEL
from kplan.objects.whole_numbers import natural
from kplan.sources import ManifestObject

_REVISION = "deployment.kubernetes.io/revision"
_MEMBER = re.compile(r"(?P<parent>.*)-[0-9]+", re.DOTALL)


def adopted_pods(manifest: ManifestObject, namespace: str, pods: Iterable[Pod]) -> tuple[Pod, ...]:
    """Find the pods that the workload of a manifest adopts.

    Args:
        manifest: the workload, with its selector.
        namespace: it is in.
        pods: that are there.

    Source: ClaimObject in pkg/controller/controller_ref_manager.go; getPodsForStatefulSet, isMemberOf in
    pkg/controller/statefulset: of a StatefulSet the name must be that of a member, too.
    """
    selector = _selector(manifest)
    if selector is None:
        return ()
    matches = compile_selector(selector).matches
    return tuple(
        pod
        for pod in pods
        if pod.namespace == namespace
        and pod.controller is None
        and not pod.metadata.deletion_timestamp
        and not pod.ended
        and matches(pod.labels)
        and (manifest.kind != "StatefulSet" or _is_member(pod, manifest))
    )


def adopted_sets(manifest: ManifestObject, namespace: str, state: ClusterState) -> tuple[ReplicaSet, ...]:
    """Find the ReplicaSets that a new Deployment adopts, the oldest first.

    Args:
        manifest: of any kind.
        namespace: it is in.
        state: what runs.

    Source: getReplicaSetsForDeployment in pkg/controller/deployment/deployment_controller.go.
    """
    item = manifest.item
    if not isinstance(item, Deployment) or item.spec.selector is None:
        return ()
    matches = compile_selector(item.spec.selector).matches
    found = [
        one
        for one in state.replica_sets
        if one.namespace == namespace
        and one.controller is None
        and not one.metadata.deletion_timestamp
        and matches(one.labels)
    ]
    return tuple(sorted(found, key=lambda one: (one.metadata.creation_timestamp or "", one.name)))


def with_adopted(manifest: ManifestObject, sets: Sequence[ReplicaSet], state: ClusterState) -> StandIn:
    """Give a state in which a new Deployment runs with the ReplicaSets that it adopts, and the last one's template.

    Args:
        manifest: the Deployment.
        sets: that it adopts, one at least, the oldest first.
        state: what runs.
    """
    wanted, last = manifest.item, max(sets, key=_revision)
    assert isinstance(wanted, Deployment)
    running = copied(wanted)
    running.metadata.namespace, running.metadata.uid = last.namespace, f"adopts {last.key}"
    template = copied(last.spec.template) if last.spec.template is not None else None
    if template is not None and template.metadata.labels:
        template.metadata.labels.pop(HASH_LABEL, None)
    running.spec.template = template
    told = natural(last.annotations.get(DESIRED, ""))
    running.spec.replicas = sum(one.spec.replicas or 0 for one in sets) if told is None else told
    owner = OwnerReference(
        api_version="apps/v1", kind="Deployment", name=running.name, uid=running.metadata.uid, controller=True
    )
    mine = {one.key for one in sets}
    theirs = tuple(_owned(one, owner) if one.key in mine else one for one in state.replica_sets)
    there = dataclasses.replace(state, deployments=(*state.deployments, running), replica_sets=theirs)
    return StandIn(there, (running,))


def _owned(item: ReplicaSet, owner: OwnerReference) -> ReplicaSet:
    item = copied(item)
    item.metadata.owner_references = [owner]
    return item


def _revision(item: ReplicaSet) -> tuple[int, str, str]:
    number = natural(item.annotations.get(_REVISION, ""))
    return number or 0, item.metadata.creation_timestamp or "", item.name


def adopting(
    manifest: ManifestObject,
    workload: str,
    place: str,
    pods: tuple[Pod, ...],
    drafts: Sequence[Draft],
    generations: Generations,
    now: str,
) -> WorkloadChange:
    """Tell what a new workload does that adopts pods; some kinds replace those that are not of its template.

    Args:
        manifest: the workload.
        workload: in words.
        place: of the manifest.
        pods: that it adopts.
        drafts: pods that it would make if it adopted none.
        generations: which of the pods have its template, where its kind replaces the others.
        now: RFC 3339; empty where it is unknown.
    """
    if manifest.kind in ROLLING:
        stays = _places(manifest.kind, (draft.pod for draft in drafts))
        leaving = keys_of(pod for pod in pods if not _places(manifest.kind, [pod]) <= stays)
        old = keys_of(pod for pod in pods if pod.key not in generations.kept)
        strategy = strategy_of(manifest.kind, manifest.raw.get("spec"))
        if set(old) - set(leaving) and strategy != "OnDelete":
            going = tuple(sorted({*leaving, *old}))
            return WorkloadChange(workload, place, "changed", len(pods), len(drafts), going, strategy)
    elif manifest.kind == "Job":
        order = job_leaving_order([standing_of(pod) for pod in pods])
        leaving = keys_of(standing.pod for standing in order[: max(0, len(pods) - len(drafts))])
    else:
        leaving = scaled_away(manifest, manifest.item, pods, len(pods) - len(drafts), now)
    return WorkloadChange(workload, place, "new", len(pods), len(drafts), leaving)


def _places(kind: str, pods: Iterable[Pod]) -> set[str]:
    """What of a kind there is one pod for each: nodes of a DaemonSet, names of a StatefulSet."""
    return {node_of(pod) if kind == "DaemonSet" else pod.name for pod in pods}


def _selector(manifest: ManifestObject) -> LabelSelector | None:
    """The selector of a kind that adopts pods; that of a Job only where it was not made for it alone."""
    item = manifest.item
    if isinstance(item, ReplicationController):
        template = item.spec.template.metadata.labels if item.spec.template is not None else None
        labels = item.spec.selector or template
        return LabelSelector(match_labels=dict(labels)) if labels else None
    if isinstance(item, Job) and dig(manifest.raw, "spec.manualSelector") is True:
        written = dig(manifest.raw, "spec.selector.matchLabels")
        return LabelSelector(match_labels=written) if isinstance(written, dict) and written else None
    if isinstance(item, Workload) and manifest.kind in ("ReplicaSet", "StatefulSet", "DaemonSet"):
        selector = item.spec.selector
        return selector if selector is not None and (selector.match_labels or selector.match_expressions) else None
    return None


def _is_member(pod: Pod, manifest: ManifestObject) -> bool:
    match = _MEMBER.fullmatch(pod.name)
    return match is not None and match["parent"] == dig_text(manifest.raw, "metadata.name")
