"""What a controller makes before the pods of a workload: a Deployment's ReplicaSet, a CronJob's Job."""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from kplan.admission.controllers.changes import current_replica_set
from kplan.admission.controllers.workloads import Draft, ExpandedWorkload
from kplan.objects.models import Deployment, ReplicaSet
from kplan.objects.state import ClusterState
from kplan.sources import ManifestObject


class Maker(Struct, frozen=True):
    """What a controller makes first, that makes the pods.

    Attributes:
        kind: ``ReplicaSet`` or ``Job``.
        plural: its resource.
        group: its API group.
        namespace: it is in.
        name: of the object.
    """

    kind: str
    plural: str
    group: str
    namespace: str
    name: str


def maker_of(
    manifest: ManifestObject, made: ExpandedWorkload, drafts: Sequence[Draft], state: ClusterState | None
) -> Maker | None:
    """Find what the controller of a workload makes before its pods; None where it makes nothing new.

    Args:
        manifest: the workload.
        made: what it comes to.
        drafts: its new pods.
        state: what runs, where the workload does; None for a new one.
    """
    if manifest.kind == "CronJob" and drafts:
        pod = drafts[0].pod
        job = pod.controller
        return Maker("Job", "jobs", "batch", pod.namespace, job.name or "") if job is not None else None
    for item in made.objects:
        if isinstance(item, ReplicaSet) and not _is_there(manifest, item, state):
            return Maker("ReplicaSet", "replicasets", "apps", item.namespace, item.name)
    return None


def _is_there(manifest: ManifestObject, made: ReplicaSet, state: ClusterState | None) -> bool:
    """Tell whether a Deployment that runs has a ReplicaSet of this template already: it is rolled back."""
    if state is None or not isinstance(manifest.item, Deployment):
        return False
    running = [
        deployment
        for deployment in state.deployments
        if (deployment.namespace, deployment.name) == (made.namespace, manifest.item.name)
    ]
    metadata = running[0].metadata if running else manifest.item.metadata
    return current_replica_set(msgspec.structs.replace(manifest.item, metadata=metadata), state) is not None
