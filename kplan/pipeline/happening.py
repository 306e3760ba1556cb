"""What a change of objects looks like to the scheduling queue.

Source: v1.37.2 pkg/scheduler/framework/events.go NodeSchedulingPropertiesChange, PodSchedulingPropertiesChange;
eventhandlers.go updatePodInSchedulingQueue, deletePodFromSchedulingQueue.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from msgspec import Struct, structs

from kplan.cluster import Cluster
from kplan.framework.events import Action, Happened, Resource
from kplan.objects.models import Node, Object, Pod
from kplan.objects.requests import RequestRules, pod_requests
from kplan.objects.state import ClusterState

T = TypeVar("T", bound=Object)

_TABLES = {
    "persistent_volumes": Resource.PERSISTENT_VOLUME,
    "persistent_volume_claims": Resource.PERSISTENT_VOLUME_CLAIM,
    "storage_classes": Resource.STORAGE_CLASS,
    "csi_nodes": Resource.CSI_NODE,
    "csi_drivers": Resource.CSI_DRIVER,
    "csi_storage_capacities": Resource.CSI_STORAGE_CAPACITY,
    "volume_attachments": Resource.VOLUME_ATTACHMENT,
    "resource_claims": Resource.RESOURCE_CLAIM,
    "resource_slices": Resource.RESOURCE_SLICE,
    "device_classes": Resource.DEVICE_CLASS,
}


def between(before: ClusterState, after: ClusterState, rules: RequestRules) -> Iterator[Happened]:
    """Yield what happened between two states, in the order of kinds and names."""
    for old, new in _changed(before.nodes, after.nodes):
        yield from node_events(old, new)
    for pod, changed in _changed(before.pods, after.pods):
        yield from pod_events(pod, changed, rules)
    for name, resource in _TABLES.items():
        for one, other in _changed(getattr(before, name), getattr(after, name)):
            yield from object_events(resource, one, other)


def object_events(resource: Resource, old: Object | None, new: Object | None) -> Iterator[Happened]:
    """Yield what happened to any object but nodes and pods."""
    action = Action.UPDATE if old is not None and new is not None else Action.ADD if new is not None else Action.DELETE
    yield Happened(resource, action, old, new)


def node_events(old: Node | None, new: Node | None) -> Iterator[Happened]:
    """Yield what happened to a node: each kind of change apart."""
    if old is None or new is None:
        yield from object_events(Resource.NODE, old, new)
        return
    if old.spec.unschedulable and not new.spec.unschedulable:
        yield Happened(Resource.NODE, Action.NODE_TAINT, old, new)
    if (old.status.allocatable or {}) != (new.status.allocatable or {}):
        yield Happened(Resource.NODE, Action.NODE_ALLOCATABLE, old, new)
    if old.labels != new.labels:
        yield Happened(Resource.NODE, Action.NODE_LABEL, old, new)
    if (old.spec.taints or []) != (new.spec.taints or []):
        yield Happened(Resource.NODE, Action.NODE_TAINT, old, new)
    if _conditions(old) != _conditions(new):
        yield Happened(Resource.NODE, Action.NODE_CONDITION, old, new)
    if old.annotations != new.annotations:
        yield Happened(Resource.NODE, Action.NODE_ANNOTATION, old, new)
    if (old.status.declared_features or []) != (new.status.declared_features or []):
        yield Happened(Resource.NODE, Action.NODE_FEATURE, old, new)


def _conditions(node: Node) -> dict[str, str]:
    return {condition.type: condition.status for condition in node.status.conditions or ()}


def pod_events(old: Pod | None, new: Pod | None, rules: RequestRules, *, target: bool = False) -> Iterator[Happened]:
    """Yield what happened to a pod: each kind of change apart.

    Args:
        old: before; None for a new one.
        new: after; None for one that is gone.
        rules: how requests are counted.
        target: whether it is the waiting pod itself.
    """
    if old is not None and new is not None and not old.spec.node_name and new.spec.node_name:
        old = None  # to the queue a pod that was placed is one that appears
    there = new or old
    if there is None:
        return
    waiting = Resource.TARGET_POD if target else Resource.UNSCHEDULED_POD
    resource = Resource.ASSIGNED_POD if there.spec.node_name else waiting
    promised = old.status.nominated_node_name if old is not None and not old.spec.node_name else ""
    if promised and (new is None or new.status.nominated_node_name != promised):
        # a pod that was to have a node counted there: to others it is one that has left
        yield Happened(Resource.ASSIGNED_POD, Action.DELETE, old, None)
    if old is None or new is None:
        yield from object_events(resource, old, new)
        return
    actions = list(_pod_changes(old, new, rules))
    for action in actions or [Action.UPDATE]:
        yield Happened(resource, action, old, new)


def _pod_changes(old: Pod, new: Pod, rules: RequestRules) -> Iterator[Action]:
    if old.labels != new.labels:
        yield Action.POD_LABEL
    before, after = pod_requests(old, rules, use_status=True), pod_requests(new, rules, use_status=True)
    if any(amount > after.get(name, 0) for name, amount in before.items()):
        yield Action.POD_SCALE_DOWN
    if any(amount > before.get(name, 0) for name, amount in after.items()):
        yield Action.POD_SCALE_UP
    if old.spec.scheduling_gates and not new.spec.scheduling_gates:
        yield Action.POD_GATES_GONE
    if len(old.spec.tolerations or ()) != len(new.spec.tolerations or ()):
        yield Action.POD_TOLERATION
    if (old.status.resource_claim_statuses or []) != (new.status.resource_claim_statuses or []):
        yield Action.POD_CLAIM


def _changed(before: Iterable[T], after: Iterable[T]) -> Iterator[tuple[T | None, T | None]]:
    """Yield objects that are new, gone or different, by key."""
    yield from _both(_by_key(before), _by_key(after))


def _both(old: Mapping[str, T], new: Mapping[str, T]) -> Iterator[tuple[T | None, T | None]]:
    for key in sorted(old.keys() | new.keys()):
        one, other = old.get(key), new.get(key)
        if one is not other and one != other:
            yield one, other


def _by_key(objects: Iterable[T]) -> Mapping[str, T]:
    return {f"{item.namespace}/{item.name}": item for item in objects}


class Moment(Struct, frozen=True):
    """A cluster as it was, as far as the queue is told of changes.

    Attributes:
        nodes: by name.
        pods: by row, where each was placed; empty for nowhere.
        tables: objects of other kinds by key, by table.
    """

    nodes: Mapping[str, Node]
    pods: tuple[str, ...]
    tables: Mapping[str, Mapping[str, Object]]

    @classmethod
    def of(cls, cluster: Cluster) -> Moment:
        """Note a cluster as it is."""
        names = [*(node.name for node in cluster.nodes), ""]
        return cls(
            {node.name: node for node in cluster.nodes},
            tuple(names[row] for row in cluster.pod_node.tolist()),
            {name: dict(cluster.objects.table(name)) for name in _TABLES},
        )

    def since(self, cluster: Cluster) -> Iterator[Happened]:
        """Yield what happened since in the same cluster, in which no pod changed its row."""
        now = Moment.of(cluster)
        for old, new in _both(self.nodes, now.nodes):
            yield from node_events(old, new)
        for row, place in enumerate(now.pods):
            was = self.pods[row] if row < len(self.pods) else ""
            if was and not place:
                yield Happened(Resource.ASSIGNED_POD, Action.DELETE, pod_on(cluster.pods[row].pod, was), None)
            elif place and not was:
                yield Happened(Resource.ASSIGNED_POD, Action.ADD, None, pod_on(cluster.pods[row].pod, place))
        for name, resource in _TABLES.items():
            for one, other in _both(self.tables[name], now.tables[name]):
                yield from object_events(resource, one, other)


def pod_on(pod: Pod, node: str) -> Pod:
    """A pod as it is on a node."""
    return pod if pod.spec.node_name == node else structs.replace(pod, spec=structs.replace(pod.spec, node_name=node))
