"""Adoption: pods without a controller that a workload's selector matches become its own, and count as replicas.

Not modelled: a Deployment that adopts ReplicaSets (its plan has a doubt); that a StatefulSet replaces adopted pods of
another revision once all are ready.
"""

import re
from collections.abc import Iterable, Iterator

from kplan.admission.controllers.changes import WorkloadChange
from kplan.admission.raw import dig, dig_text
from kplan.objects.models import (
    Deployment,
    Job,
    LabelSelector,
    Object,
    Pod,
    ReplicaSet,
    ReplicationController,
    Workload,
)
from kplan.objects.selectors import compile_selector
from kplan.objects.state import ClusterState
from kplan.sources import ManifestObject
from kplan.words import listed

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


def orphaned_sets(item: Object, namespace: str, state: ClusterState) -> Iterator[ReplicaSet]:
    """Find the ReplicaSets that a Deployment adopts."""
    if not isinstance(item, Deployment) or item.spec.selector is None:
        return
    matches = compile_selector(item.spec.selector).matches
    for replica_set in state.replica_sets:
        if replica_set.namespace == namespace and replica_set.controller is None and matches(replica_set.labels):
            yield replica_set


def new_workload(
    manifest: ManifestObject, workload: str, namespace: str, pods: int, state: ClusterState
) -> WorkloadChange:
    """Tell of a workload that is new; one that would adopt ReplicaSets is not known well.

    Args:
        manifest: the workload.
        workload: ``deploy/shop/web``.
        namespace: it is in.
        pods: that it makes.
        state: what runs.
    """
    sets = [replica_set.name for replica_set in orphaned_sets(manifest.item, namespace, state)] if manifest.item else []
    unsure = f"it adopts ReplicaSets, which is not modelled: {listed(sorted(sets))}" if sets else ""
    return WorkloadChange(workload, manifest.place, "new", 0, pods, unsure=unsure)


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
    if isinstance(item, Workload) and manifest.kind in ("ReplicaSet", "StatefulSet"):
        selector = item.spec.selector
        return selector if selector is not None and (selector.match_labels or selector.match_expressions) else None
    return None


def _is_member(pod: Pod, manifest: ManifestObject) -> bool:
    match = _MEMBER.fullmatch(pod.name)
    return match is not None and match["parent"] == dig_text(manifest.raw, "metadata.name")
