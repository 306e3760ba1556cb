"""THE table of reason codes: a stable kebab-case code for every text a Filter plugin refuses with."""

import re

from kplan.framework.fit_error import NO_NODES
from kplan.plugins import node_affinity, node_name, node_ports, node_unschedulable
from kplan.plugins import volume_binding as binding
from kplan.plugins.inter_pod_affinity import filtering as affinity
from kplan.plugins.node_resources_fit import TOO_MANY_PODS
from kplan.plugins.node_volume_limits import EXCEEDED
from kplan.plugins.pod_topology_spread import filtering as spread
from kplan.plugins.volume_restrictions import DISK_IN_USE
from kplan.plugins.volume_zone import NO_ZONE

_INSUFFICIENT = "Insufficient "

CODES: dict[str, str] = {
    NO_NODES: "no-nodes",
    node_unschedulable.REASON: "node-cordoned",
    node_name.REASON: "other-node-named",
    node_affinity.REASON_POD: "node-affinity",
    node_affinity.REASON_ENFORCED: "added-affinity",
    node_affinity.REASON_CONFLICT: "node-names-conflict",
    node_ports.REASON: "port-taken",
    TOO_MANY_PODS: "too-many-pods",
    DISK_IN_USE: "disk-in-use",
    EXCEEDED: "volume-limit",
    binding.OUT_OF_REACH: "volume-out-of-reach",
    binding.NO_VOLUME: "no-volume-to-bind",
    binding.NO_SPACE: "no-storage-capacity",
    binding.VOLUME_MISSING: "volume-missing",
    binding.UNBOUND_IMMEDIATE: "claim-unbound",
    NO_ZONE: "volume-zone",
    spread.REASON: "spread-skew",
    spread.REASON_LABEL: "spread-label-missing",
    affinity.AFFINITY: "pod-affinity",
    affinity.ANTI_AFFINITY: "pod-anti-affinity",
    affinity.EXISTING_ANTI_AFFINITY: "others-anti-affinity",
}
"""Code by exact text; texts with names in them are in PATTERNS."""

PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (code, re.compile(pattern))
    for code, pattern in (
        ("insufficient-resource", r"Insufficient "),
        ("taint-not-tolerated", r"node\(s\) had untolerated taint"),
        ("claim-missing", r'persistentvolumeclaim ".*" not found|looking up PVC .* not found'),
        ("claim-being-deleted", r'persistentvolumeclaim ".*" is being deleted'),
        ("claim-being-made", r"waiting for ephemeral volume controller"),
        ("volume-missing", r"persistentvolumeclaim .* bound to non-existent|persistentvolume .* not found"),
        ("claim-not-owned", r"PVC .* was not created for pod"),
        ("storage-class-missing", r"storageclass.* not found"),
        ("claim-in-use", r"node\(s\) unavailable due to PersistentVolumeClaim with ReadWriteOncePod"),
        ("csi-driver-missing", r".* CSI driver is not installed on the node"),
        ("node-features", r"node\(s\) didn't match Pod's required features|node declared features check failed"),
        ("device-claim-not-created", r'pod ".*": ResourceClaim not created yet'),
        ("device-claim-missing", r"could not find ResourceClaim "),
        ("device-claim-being-deleted", r'resourceclaim ".*" is being deleted'),
        ("device-claim-not-owned", r"ResourceClaim .* was not created for [Pp]od"),
        ("scheduling-gates", r"waiting for scheduling gates"),
        ("left-out-by-name", r"node\(s\) didn't satisfy plugin"),
    )
)

_POD = re.compile(r'^pod "[^"]*": ')
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def code_of(plugin: str, message: str) -> str:
    """Find the code of a text; that of the plugin for one that is not in the tables."""
    known = CODES.get(message)
    if known is not None:
        return known
    for code, pattern in PATTERNS:
        if pattern.match(message):
            return code
    return _CAMEL.sub("-", plugin).lower() or "unknown"


def without_pod(message: str) -> str:
    """A text that begins with the name of the pod, without it: the same for all pods that wait for the same."""
    return _POD.sub("", message)


def public_code(code: str, resource: str) -> str:
    """Code of a reason as documents have it: a shortage of a native resource by its name."""
    native = resource in ("cpu", "memory", "ephemeral-storage")
    return f"insufficient-{resource}" if code == "insufficient-resource" and native else code


def resource_of(plugin: str, message: str) -> str:
    """Name the resource a text of NodeResourcesFit is about; ``pods`` for the pod limit, empty for other texts."""
    if message == TOO_MANY_PODS:
        return "pods"
    if plugin == "NodeResourcesFit" and message.startswith(_INSUFFICIENT):
        return message.removeprefix(_INSUFFICIENT)
    return ""
