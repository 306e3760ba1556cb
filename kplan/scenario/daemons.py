"""DaemonSet pods of a new node: one of each set whose rules allow the node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kplan.admission.admit import Admission
from kplan.admission.controllers.daemons import add_tolerations, runs_on, tied_to
from kplan.admission.policies.lookup import Policies
from kplan.admission.raw import copied
from kplan.admission.refusal import AdmissionRefusal
from kplan.cluster import Cluster, PodInfo
from kplan.cluster.owners import controller
from kplan.cluster.ranks import PickedPods
from kplan.objects.lean import replace
from kplan.objects.models import DaemonSet, Node, Pod, PodStatus
from kplan.objects.models.meta import ObjectMeta, OwnerReference


def daemon_pods(cluster: Cluster, node: Node, like: str, samples: Mapping[str, PodInfo]) -> tuple[Pod, ...]:
    """Make the pods that DaemonSets put on a new node; they wait to be placed there.

    A set whose object the state holds is asked by its own rules; of the others, those with a pod on the node that the
    new one is like.

    Args:
        cluster: the cluster.
        node: the new node.
        like: name of the node it is like; empty for none.
        samples: see ``samples_of``.
    """
    made = []
    sets = cluster.objects.table("daemon_sets")
    for key, item in sets.items():
        pod = _of_set(cluster, item, node, samples.get(key))
        if pod is not None:
            made.append(pod)
    home = cluster.node_index.get(like, -1)
    for key, sample in samples.items():
        if key not in sets and home >= 0 and int(cluster.pod_node[sample.row]) == home:
            made.append(_copy(sample, node))
    return tuple(made)


def samples_of(cluster: Cluster, like: str) -> dict[str, PodInfo]:
    """One pod of each DaemonSet that has any, by ``namespace/name`` of the set; the one on ``like`` if there is."""
    home = cluster.node_index.get(like, -1)
    by_owner: dict[str, PodInfo] = {}
    for pod in pods_of_daemons(cluster):
        name = controller(pod)[1]
        if pod.gone or pod.terminating:
            continue
        key = f"{pod.namespace}/{name}"
        if key not in by_owner or int(cluster.pod_node[pod.row]) == home >= 0:
            by_owner[key] = pod
    return by_owner


def pods_of_daemons(cluster: Cluster) -> Iterator[PodInfo]:
    """Pods of DaemonSets, those that are gone among them, by row."""
    picked: PickedPods = cluster.objects.derived("pods of DaemonSets", (), lambda: PickedPods(_of_daemon_set))
    return map(cluster.pods.__getitem__, picked.of(cluster.pods, cluster.pod_generation))


def _of_daemon_set(pod: PodInfo) -> bool:
    return controller(pod)[0] == "DaemonSet"


def _of_set(cluster: Cluster, item: DaemonSet, node: Node, sample: PodInfo | None) -> Pod | None:
    template = item.spec.template
    if template is None:
        return None
    spec = copied(template.spec)
    add_tolerations(spec)
    if not runs_on(spec, node):
        return None
    if sample is not None:
        return _copy(sample, node)
    owner = OwnerReference(
        api_version="apps/v1", kind="DaemonSet", name=item.name, uid=item.metadata.uid or item.key, controller=True
    )
    labels = template.metadata.labels if template.metadata else None
    metadata = ObjectMeta(
        name=f"{item.name}-{node.name}", namespace=item.namespace, labels=labels, owner_references=[owner]
    )
    pod = Pod(metadata=metadata, spec=tied_to(spec, node.name), status=PodStatus(phase="Pending"))
    try:
        Admission(Policies.of(cluster.state, ()), cluster.rules).admit(pod)
    except AdmissionRefusal:
        return None
    return pod


def _copy(sample: PodInfo, node: Node) -> Pod:
    name = f"{controller(sample)[1]}-{node.name}"
    metadata = replace(sample.pod.metadata, name=name, uid=None, creation_timestamp=None)
    spec = replace(tied_to(sample.pod.spec, node.name), node_name=None)
    return Pod(metadata=metadata, spec=spec, status=PodStatus(phase="Pending"))
