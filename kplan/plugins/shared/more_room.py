"""Whether what happened may make room for what a pod requests.

Source: v1.37.2 noderesources/fit.go isSchedulableAfterNodeChange, isFit, haveAnyRequestedResourcesIncreased,
haveEnoughRelevantResourcesDecreased, isSchedulableAfterDeviceClassEvent.
"""

from __future__ import annotations

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.build import allocatable_of
from kplan.framework.events import Action, Happened, Resource
from kplan.framework.features import Features
from kplan.objects.models import DeviceClass, Node, Pod
from kplan.objects.quantity import value
from kplan.objects.requests import pod_requests
from kplan.plugins.shared.devices.classes import IMPLICIT_PREFIX, class_of_resource


def wakes(pod: PodInfo, cluster: Cluster, happened: Happened, features: Features) -> bool:
    """Tell whether it may; it is one of what NodeResourcesFit asks to hear of."""
    old, new = happened.old, happened.new
    if isinstance(new, Node):
        return _node(pod, cluster, old if isinstance(old, Node) else None, new, features)
    if isinstance(new, DeviceClass):
        name = new.spec.extended_resource_name
        if isinstance(old, DeviceClass) and old.spec.extended_resource_name == name:
            return False
        implicit = "" if isinstance(old, DeviceClass) else f"{IMPLICIT_PREFIX}{new.name}"
        return any(resource in pod.requests for resource in (name, implicit) if resource)
    if happened.resource is Resource.ASSIGNED_POD and happened.action is Action.POD_SCALE_DOWN:
        return isinstance(old, Pod) and isinstance(new, Pod) and _asks_for_less(pod, cluster, old, new)
    return True


def _node(pod: PodInfo, cluster: Cluster, old: Node | None, new: Node, features: Features) -> bool:
    requests = {name: amount for name, amount in pod.requests.items() if amount > 0}
    amounts = allocatable_of(new)
    served = {name for name in requests if class_of_resource(name, cluster, features) is not None}
    short = any(amounts.get(name, 0) < amount for name, amount in requests.items() if name not in served)
    if short or _pods(new) < 1:
        return False
    if old is None or _pods(new) > _pods(old) or any(amounts.get(name, 0) == 0 for name in served):
        return True
    before = allocatable_of(old)
    return any(amounts.get(name, 0) > before.get(name, 0) for name in requests)


def _pods(node: Node) -> int:
    return value((node.status.allocatable or {}).get("pods", 0))


def _asks_for_less(pod: PodInfo, cluster: Cluster, old: Pod, new: Pod) -> bool:
    """Tell whether another pod asks for less of what this one wants."""
    before = pod_requests(old, cluster.rules, use_status=True)
    after = pod_requests(new, cluster.rules, use_status=True)
    return any(before.get(name, 0) > after.get(name, 0) for name, amount in pod.requests.items() if amount)
