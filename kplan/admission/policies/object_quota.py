"""Quotas on how many objects there are, as ``count/deployments.apps``, and on Services by their type.

What controllers make counts, too: a Deployment's ReplicaSet, a CronJob's Job.

Not modelled: an update that makes a Service of another type; revisions of StatefulSets and DaemonSets. Of kinds that
kplan does not read it cannot tell what is there already: objects of them count as new, unless a workload of the same
manifests runs in their namespace.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from kplan.admission.controllers.changes import current_replica_set
from kplan.admission.controllers.operators import group_of
from kplan.admission.controllers.workloads import Draft, ExpandedWorkload
from kplan.admission.policies.quota import Quotas
from kplan.admission.raw import dig, dig_text
from kplan.admission.refusal import AdmissionRefusal
from kplan.objects.kinds import find
from kplan.objects.models import Deployment, ReplicaSet
from kplan.objects.quantity import NANO_PER_UNIT
from kplan.objects.request_sums import Amounts
from kplan.objects.state import ClusterState
from kplan.sources import ManifestObject


def quota_refusal(
    manifest: ManifestObject, namespace: str, name: str, state: ClusterState, quotas: Quotas, *, new: bool
) -> str:
    """Count a new object that is no pod, or give what the API server says; empty where it is let in.

    What runs already is not counted again, nor what may run: a kind that the source does not hold.

    Args:
        manifest: the object.
        namespace: it lands in.
        name: of the object.
        state: what is there.
        quotas: that it is held against.
        new: whether an object of a kind that kplan does not read counts as new.
    """
    kind = find(manifest.api_version, manifest.kind)
    if kind is None:
        return _charged(quotas, (_plural(manifest.kind), group_of(manifest)), namespace, name) if new else ""
    if not kind.namespaced or kind.name == "Pod" or not state.completeness.has(kind.name):
        return ""
    if any(there.name == name and there.namespace == namespace for there in getattr(state, kind.attribute)):
        return ""
    more = _of_service(manifest.raw.get("spec")) if kind.name == "Service" else {}
    return _charged(quotas, (kind.plural, kind.group), namespace, name, more)


@dataclass(frozen=True, slots=True)
class Maker:
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


def maker_refusal(maker: Maker, quotas: Quotas) -> str:
    """Count what a controller makes, or give what the API server says; empty where it is let in."""
    return _charged(quotas, (maker.plural, maker.group), maker.namespace, maker.name)


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


def _charged(quotas: Quotas, resource: tuple[str, str], namespace: str, name: str, more: Amounts | None = None) -> str:
    try:
        quotas.let_in_object(*resource, namespace, name, more or {})
    except AdmissionRefusal as refusal:
        return f'{".".join(filter(None, resource))} "{name}" is forbidden: {refusal.message}'
    return ""


def _of_service(spec: object) -> Amounts:
    """Count what a Service asks for by its type.

    Source: serviceEvaluator.Usage in pkg/quota/v1/evaluator/core/services.go.
    """
    written = dig(spec, "ports")
    ports = written if isinstance(written, list) else []
    kind = dig_text(spec, "type")
    if kind not in ("NodePort", "LoadBalancer"):
        return {}
    if kind == "LoadBalancer" and dig(spec, "allocateLoadBalancerNodePorts") is False:
        ports = [port for port in ports if dig(port, "nodePort")]
    counts = {"services.nodeports": len(ports) * NANO_PER_UNIT}
    return {**counts, "services.loadbalancers": NANO_PER_UNIT} if kind == "LoadBalancer" else counts


def _plural(kind: str) -> str:
    """Guess the resource of a kind as apimachinery does.

    Source: UnsafeGuessKindToResource in apimachinery v0.37.2 pkg/api/meta/restmapper.go.
    """
    word = kind.lower()
    if word.endswith("s"):
        return f"{word}es"
    return f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
