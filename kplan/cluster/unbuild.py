"""From columns back to objects: the cluster as changes have left it."""

from __future__ import annotations

from msgspec import structs

from kplan.cluster.cluster import Cluster
from kplan.cluster.pods import PodInfo
from kplan.objects.kinds import WITHOUT_COLUMNS
from kplan.objects.models import Object, Pod
from kplan.objects.state import ClusterState


def to_state(cluster: Cluster) -> ClusterState:
    """Return the objects of a cluster as they are now: a fresh build of them has the same columns.

    Pods that ended are kept as they were read. What the state says of its source and its scheduler stays that of the
    state the cluster was built from.
    """
    former = cluster.state
    objects: list[Object] = [*cluster.nodes]
    objects += [pod for pod in former.pods if pod.ended]
    objects += [pod_object(cluster, pod) for pod in cluster.pods if not pod.gone]
    for attribute in WITHOUT_COLUMNS:
        objects += cluster.objects.table(attribute).values()
    return former.having(objects)


def pod_object(cluster: Cluster, info: PodInfo) -> Pod:
    """Return a pod as it is now: on the node it was given, with the nomination it has.

    One that a plan placed runs by then: budgets count it as they do where it was placed.
    """
    pod = info.pod
    at = int(cluster.pod_node[info.row])
    node = cluster.node_name(at) if at >= 0 else (pod.spec.node_name if info.bound else None)
    if (pod.spec.node_name or None) != (node or None):
        pod = structs.replace(pod, spec=structs.replace(pod.spec, node_name=node))
        if node is not None:
            pod = structs.replace(pod, status=structs.replace(pod.status, phase="Running"))
    nominated = int(cluster.pod_nominated[info.row])
    name = cluster.node_name(nominated) if nominated >= 0 else None
    if not info.bound and (pod.status.nominated_node_name or None) != name:
        pod = structs.replace(pod, status=structs.replace(pod.status, nominated_node_name=name))
    return pod
