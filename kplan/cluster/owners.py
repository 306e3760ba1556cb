"""Who owns a pod: its controller, and the Deployment or CronJob behind that."""

from __future__ import annotations

from kplan.cluster.cluster import Cluster
from kplan.cluster.pods import PodInfo
from kplan.objects.job_tries import fails_with_its_pod, index_fails_with_its_pod, replaces_failed_alone
from kplan.objects.models import Job

_BEHIND = {"ReplicaSet": ("replica_sets", "Deployment"), "Job": ("jobs", "CronJob")}
_OF_ITS_NODE = ("Node", "DaemonSet")
_AFTER_THE_END = ("StatefulSet", "DaemonSet")
_AT_ONCE = ("ReplicaSet", "ReplicationController", "Job")
WITH_TEMPLATE = {
    "ReplicaSet": "replica_sets",
    "Deployment": "deployments",
    "StatefulSet": "stateful_sets",
    "Job": "jobs",
    "ReplicationController": "replication_controllers",
}
"""Tables of the kinds whose template may name a node."""


def controller(pod: PodInfo) -> tuple[str, str]:
    """Kind and name of the controller that owns a pod; empty texts for none."""
    return pod.controlled_by


def owner_without_control(pod: PodInfo) -> str:
    """``CatalogSource/certified``: the first owner of a pod that no controller owns; empty where nothing does."""
    references = pod.pod.metadata.owner_references or ()
    if controller(pod)[0] or not references:
        return ""
    return f"{references[0].kind}/{references[0].name}"


def top_owner(pod: PodInfo, cluster: Cluster) -> tuple[str, str]:
    """Kind and name of the outermost controller that can be told; empty texts for none.

    A ReplicaSet that the state does not hold is taken for a Deployment's where the pod has the label that one sets.
    """
    kind, name = controller(pod)
    table, outer = _BEHIND.get(kind, ("", ""))
    if not table:
        return kind, name
    item = cluster.objects.table(table).get(f"{pod.namespace}/{name}")
    if item is not None:
        owner = item.controller
        return (outer, owner.name or "") if owner is not None and owner.kind == outer else (kind, name)
    stamp = pod.labels.get("pod-template-hash")
    if kind == "ReplicaSet" and stamp and name.endswith(f"-{stamp}"):
        return "Deployment", name.removesuffix(f"-{stamp}")
    return kind, name


def named_node(pod: PodInfo, cluster: Cluster) -> str:
    """The node that the template of a pod's controller names (spec.nodeName); empty for none, or where none is known.

    What is made of it is for that node: no scheduler is asked.
    """
    kind, name = controller(pod)
    for owner, its_name in ((kind, name), top_owner(pod, cluster)):
        item = (
            cluster.objects.table(WITH_TEMPLATE[owner]).get(f"{pod.namespace}/{its_name}")
            if owner in WITH_TEMPLATE
            else None
        )
        if item is not None:
            template = item.spec.template
            return (template.spec.node_name or "") if template is not None else ""
    return ""


def of_its_node(pod: PodInfo) -> bool:
    """Whether a pod belongs to its node, as a DaemonSet's and a static one do: no scheduler chose that for it."""
    return controller(pod)[0] in _OF_ITS_NODE


def returns(pod: PodInfo) -> bool:
    """Whether a controller makes the pod again for any node."""
    return bool(controller(pod)[0]) and not of_its_node(pod)


def fails_its_job(pod: PodInfo, cluster: Cluster) -> bool:
    """Whether a pod's Job, or its index, fails once the pod is evicted or deleted, so that nothing makes another."""
    job = _job_of(pod, cluster)
    return job is not None and (fails_with_its_pod(job) or index_fails_with_its_pod(job, pod.pod))


def fails_its_index(pod: PodInfo, cluster: Cluster) -> bool:
    """Whether only a pod's index fails once the pod is evicted or deleted: its Job goes on with the others."""
    job = _job_of(pod, cluster)
    return job is not None and not fails_with_its_pod(job) and index_fails_with_its_pod(job, pod.pod)


def _job_of(pod: PodInfo, cluster: Cluster) -> Job | None:
    kind, name = controller(pod)
    return cluster.objects.table("jobs").get(f"{pod.namespace}/{name}") if kind == "Job" else None


def waits_for_the_end(pod: PodInfo, cluster: Cluster) -> bool:
    """Whether the controller of a pod makes another only once that is gone, and not as soon as it is being deleted.

    Source: v1.37.2 statefulset (the name is taken), daemon_controller podsShouldBeOnNode (the node has one), job
    (podReplacementPolicy Failed); replica_set FilterActivePods leaves out what is being deleted.
    """
    kind, name = controller(pod)
    job = cluster.objects.table("jobs").get(f"{pod.namespace}/{name}") if kind == "Job" else None
    return kind in _AFTER_THE_END or (job is not None and replaces_failed_alone(job))


def replaced(pod: PodInfo, cluster: Cluster) -> bool:
    """Whether a pod is being deleted and its controller has made another already, so that it makes none any more."""
    return pod.terminating and controller(pod)[0] in _AT_ONCE and not waits_for_the_end(pod, cluster)


def returns_where_it_was(pod: PodInfo) -> bool:
    """Whether a controller makes the pod again after an eviction: a DaemonSet does, for the same node."""
    return returns(pod) or controller(pod)[0] == "DaemonSet"
