"""The scheduling queue in words: what wakes a pod, and how many pods a change wakes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kplan.framework.events import Action, Interest, Resource
from kplan.result.document_queue import QueueState
from kplan.words import count, joined, listed

_NODE = {
    Action.NODE_TAINT: "taints",
    Action.NODE_LABEL: "labels",
    Action.NODE_ALLOCATABLE: "amounts",
    Action.NODE_FEATURE: "features",
}
_PODS = {
    "NodeResourcesFit": "a pod",
    "NodePorts": "a pod that holds its port",
    "InterPodAffinity": "a pod that its terms, or whose terms, are about",
    "PodTopologySpread": "a pod that its constraints count",
    "NodeVolumeLimits": "a pod with volumes",
    "VolumeRestrictions": "a pod that uses its disk or claim",
}
_OTHERS = {
    Resource.PERSISTENT_VOLUME: "a PersistentVolume",
    Resource.PERSISTENT_VOLUME_CLAIM: "its claim",
    Resource.STORAGE_CLASS: "a StorageClass",
    Resource.CSI_NODE: "a CSINode",
    Resource.CSI_DRIVER: "its CSIDriver",
    Resource.CSI_STORAGE_CAPACITY: "a CSIStorageCapacity",
    Resource.VOLUME_ATTACHMENT: "a VolumeAttachment",
    Resource.RESOURCE_CLAIM: "a ResourceClaim",
    Resource.RESOURCE_SLICE: "a ResourceSlice",
    Resource.DEVICE_CLASS: "a DeviceClass",
    Resource.POD_GROUP: "its PodGroup",
}
_OWN = {
    Action.POD_TOLERATION: "tolerations",
    Action.POD_LABEL: "labels",
    Action.POD_SCALE_DOWN: "requests",
    Action.POD_CLAIM: "claims",
}
AT_LATEST = "after 5 min at the latest"


def wake_text(plugin: str, interest: Interest) -> str:
    """What a plugin asks to hear of: ``a node is added or its taints change``."""
    actions = interest.actions
    if interest.resource is Resource.TARGET_POD:
        if Action.UPDATE in actions:
            return "the pod itself changes"
        own = [word for action, word in _OWN.items() if action in actions]
        return f"its own {joined(own)} change" if own else "its last scheduling gate is removed"
    if interest.resource is Resource.NODE:
        parts = [word for action, word in ((Action.ADD, "added"), (Action.DELETE, "deleted")) if action in actions]
        changes = [word for action, word in _NODE.items() if action in actions]
        text = f"a node is {' or '.join(parts)}" if parts else "a node"
        return f"{text} or its {' or '.join(changes)} change" if changes else text
    if interest.resource in (Resource.ASSIGNED_POD, Resource.UNSCHEDULED_POD):
        what = [word for action, word in ((Action.ADD, "placed"), (Action.DELETE, "deleted")) if action in actions]
        what += ["relabelled"] if Action.POD_LABEL in actions else []
        who = _PODS.get(plugin, "a pod")
        if not what:
            return f"{who} asks for less" if Action.POD_SCALE_DOWN in actions else f"{who} changes"
        return f"{who} is {' or '.join(what)}"
    what = [word for action, word in ((Action.ADD, "added"), (Action.DELETE, "deleted")) if action in actions]
    what += ["changed"] if Action.OTHER in actions else []
    return f"{_OTHERS[interest.resource]} is {' or '.join(what)}"


def wakes_text(interests: Iterable[tuple[str, Interest]]) -> str:
    """What wakes a pod, in a phrase: what is heard of nodes, and of the pod itself, by all plugins at one time.

    Args:
        interests: by name of the plugin.
    """
    told: dict[str, Interest] = {}
    texts: dict[Resource | str, str] = {}
    for plugin, interest in interests:
        resource = interest.resource
        if resource in (Resource.NODE, Resource.TARGET_POD):
            former = told.get(resource)
            told[resource] = Interest(resource, interest.actions | former.actions) if former is not None else interest
            texts[resource] = wake_text("", told[resource])
        else:
            text = wake_text(plugin, interest)
            texts.setdefault(text, text)
    return "; ".join(texts.values()) or "anything happens"


def queue_text(queue: QueueState, what: str) -> str:
    """Where a pod stands and what wakes it, in a line.

    Args:
        queue: the pod in the queue.
        what: wakes it, as of ``wakes_text``.
    """
    if queue.state == "gated":
        return "kept out by its scheduling gates"
    if queue.state == "to-be-tried":
        told = "not tried yet, as far as its status says"
        return f"{told}; once refused, it is tried again when {what}; {AT_LATEST}" if queue.refused_by else told
    head = f"backing off until {queue.until[11:19]}; then" if queue.until else "it"
    by = f"refused by {joined(queue.refused_by)}" if queue.refused_by else "refused before"
    fits = "it fits now, and yet waits: " if queue.waits else ""
    return f"{fits}{by}; {head} is tried again when {what}; {AT_LATEST}"


def woken_note(woken: Sequence[str], waiting: int, *, partly: bool = False) -> str:
    """How many waiting pods a change wakes: ``wakes 12 of 40 waiting pods: a, b, c, +9``.

    Args:
        woken: their keys.
        waiting: how many wait.
        partly: whether not all of those were asked about.
    """
    more = " or more" if partly else ""
    return f"wakes {len(woken):,}{more} of {count(waiting, 'waiting pod')}: {listed(woken)}"


def action_names(actions: Action) -> Iterable[str]:
    """Names of actions as upstream has them; of every kind of update ``Update`` alone."""
    if Action.UPDATE in actions:
        yield from (name for action, name in _NAMES.items() if action in actions & ~Action.UPDATE)
        yield "Update"
        return
    yield from (name for action, name in _NAMES.items() if action in actions)


_NAMES = {
    Action.ADD: "Add",
    Action.DELETE: "Delete",
    Action.NODE_ALLOCATABLE: "UpdateNodeAllocatable",
    Action.NODE_LABEL: "UpdateNodeLabel",
    Action.NODE_TAINT: "UpdateNodeTaint",
    Action.NODE_FEATURE: "UpdateNodeDeclaredFeature",
    Action.POD_LABEL: "UpdatePodLabel",
    Action.POD_SCALE_DOWN: "UpdatePodScaleDown",
    Action.POD_TOLERATION: "UpdatePodToleration",
    Action.POD_GATES_GONE: "UpdatePodSchedulingGatesEliminated",
    Action.POD_CLAIM: "UpdatePodGeneratedResourceClaim",
}
