"""THE table of reason codes: a stable kebab-case code for every reason a pod or a node is refused for."""

from __future__ import annotations

import re
from enum import StrEnum


class ReasonCode(StrEnum):
    """What is wrong, whatever the scheduler's words for it in a version; codes stay as they are once released."""

    NO_NODES = "no-nodes"
    LEFT_OUT_BY_NAME = "left-out-by-name"

    SCHEDULING_GATES = "scheduling-gates"

    GROUP_MISSING = "group-missing"
    GROUP_TOO_SMALL = "group-too-small"
    """A gang of fewer pods than have to get a node at one time."""
    GROUP_QUORUM = "group-quorum"
    """Fewer pods of a gang get a node than have to at one time."""
    GROUP_WAITS = "group-waits"
    """A pod has a node and waits for others of its gang."""

    NODE_CORDONED = "node-cordoned"
    OTHER_NODE_NAMED = "other-node-named"
    TAINT_NOT_TOLERATED = "taint-not-tolerated"
    NODE_AFFINITY = "node-affinity"
    NODE_SELECTOR = "node-selector"
    """The same reason of the scheduler as NODE_AFFINITY, where spec.nodeSelector alone is what a node misses."""
    ADDED_AFFINITY = "added-affinity"
    NODE_NAMES_CONFLICT = "node-names-conflict"
    NODE_FEATURES = "node-features"
    NODE_CONDITION = "node-condition"
    NODE_LABELS = "node-labels"
    SERVICE_AFFINITY = "service-affinity"
    EXTENDER = "extender"
    """Whatever an HTTP extender refuses for; its words say what."""
    OTHER_PLUGIN = "other-plugin"
    """Whatever a plugin refuses for that kube-scheduler does not have; its words say what."""

    INSUFFICIENT_RESOURCE = "insufficient-resource"
    TOO_MANY_PODS = "too-many-pods"
    PORT_TAKEN = "port-taken"

    SPREAD_SKEW = "spread-skew"
    SPREAD_LABEL_MISSING = "spread-label-missing"
    POD_AFFINITY = "pod-affinity"
    POD_ANTI_AFFINITY = "pod-anti-affinity"
    OTHERS_ANTI_AFFINITY = "others-anti-affinity"

    CLAIM_MISSING = "claim-missing"
    CLAIM_BEING_DELETED = "claim-being-deleted"
    CLAIM_BEING_MADE = "claim-being-made"
    CLAIM_UNBOUND = "claim-unbound"
    CLAIM_NOT_OWNED = "claim-not-owned"
    CLAIM_IN_USE = "claim-in-use"
    STORAGE_CLASS_MISSING = "storage-class-missing"
    VOLUME_MISSING = "volume-missing"
    VOLUME_OUT_OF_REACH = "volume-out-of-reach"
    VOLUME_ZONE = "volume-zone"
    VOLUME_LIMIT = "volume-limit"
    NO_VOLUME_TO_BIND = "no-volume-to-bind"
    NO_STORAGE_CAPACITY = "no-storage-capacity"
    DISK_IN_USE = "disk-in-use"
    CSI_DRIVER_MISSING = "csi-driver-missing"

    DEVICE_CLAIM_NOT_CREATED = "device-claim-not-created"
    DEVICE_CLAIM_MISSING = "device-claim-missing"
    DEVICE_CLAIM_BEING_DELETED = "device-claim-being-deleted"
    DEVICE_CLAIM_NOT_OWNED = "device-claim-not-owned"
    DEVICE_CLAIM_BEING_ALLOCATED = "device-claim-being-allocated"
    DEVICE_CLAIM_LEFT_OVER = "device-claim-left-over"
    """The claim of an attempt before, for extended resources that devices serve."""
    DEVICE_CLAIM_OUT_OF_REACH = "device-claim-out-of-reach"
    DEVICE_CLASS_MISSING = "device-class-missing"
    DEVICE_REQUEST_UNSUPPORTED = "device-request-unsupported"
    DEVICES_NOT_FOUND = "devices-not-found"
    DEVICE_POOL_INVALID = "device-pool-invalid"
    DEVICE_SEARCH_TIMED_OUT = "device-search-timed-out"
    RESOURCE_NOT_OFFERED = "resource-not-offered"
    """An extended resource that a node has none of, of a pod that gets others from devices."""


class AboutKind(StrEnum):
    """Kinds of things that a reason is about."""

    RESOURCE = "resource"
    """A resource by its name; ``pods`` for the number of pods of a node."""
    PORT = "port"
    """A host port, ``8080/TCP``."""
    TAINT = "taint"
    """``key=value:effect``."""
    SELECTOR = "selector"
    """An entry of spec.nodeSelector, ``key=value``."""
    REQUIREMENT = "requirement"
    """An expression of a node affinity."""
    UNREADABLE = "unreadable"
    """Expressions of a node affinity that cannot be evaluated."""
    TERMS = "terms"
    """How many terms a node affinity has of which none holds."""
    DOMAIN = "domain"
    """A topology key."""
    NODE = "node"
    PLUGIN = "plugin"
    CLAIM = "claim"
    """A PersistentVolumeClaim of the pod's namespace."""
    VOLUME = "volume"
    """A PersistentVolume; of a disk in use, the volume of the pod."""
    STORAGE_CLASS = "class"
    DRIVER = "driver"
    GATE = "gate"
    GROUP = "group"
    """A group of pods, ``namespace/name``."""
    FEATURE = "feature"
    DEVICE_CLAIM = "device-claim"
    """A ResourceClaim, ``namespace/name``; of one that is not made yet, the entry of spec.resourceClaims."""
    DEVICE = "device"
    DEVICE_CLASS = "device-class"
    DEVICE_RESOURCE = "device-resource"
    """An extended resource that devices serve; its claim is made by the scheduler itself."""
    DEVICE_REQUEST = "device-request"
    """A request of a ResourceClaim, ``request`` or ``request/option``."""


_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def plugin_code(plugin: str) -> str:
    """Code of what goes wrong inside a plugin: its name in kebab case, ``unknown`` without one."""
    return _CAMEL.sub("-", plugin).lower() or "unknown"
