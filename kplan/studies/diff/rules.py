"""What differs between the rules of two sides, and between their nodes, a line each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from kplan.cluster import Cluster
from kplan.config import Profile
from kplan.objects.models import Node
from kplan.objects.well_known import UNSCHEDULABLE
from kplan.pipeline import Pipeline
from kplan.remedies.specs import differences
from kplan.wording import diff as words

GATES = frozenset(
    {
        "CSIMigrationPortworx",
        "DRAAdminAccess",
        "DRAConsumableCapacity",
        "DRADerivedAttributes",
        "DRADeviceBindingConditions",
        "DRADeviceCompatibilityGroups",
        "DRADeviceTaintRules",
        "DRADeviceTaints",
        "DRAExtendedResource",
        "DRAFractionalCapacityRange",
        "DRAListTypeAttributes",
        "DRANodeAllocatableResources",
        "DRAOptionalNodeOperations",
        "DRAPartitionableDevices",
        "DRAPrioritizedList",
        "DRAResourceClaimDeviceStatus",
        "DRASchedulerFilterTimeout",
        "DRAWorkloadResourceClaims",
        "DynamicResourceAllocation",
        "GangScheduling",
        "GenericWorkload",
        "InPlacePodLevelResourcesVerticalScaling",
        "InPlacePodVerticalScaling",
        "InPlacePodVerticalScalingSchedulerPreemption",
        "InterPodAffinityHostnameFastPath",
        "MatchLabelKeysInPodTopologySpread",
        "MaxUnavailableStatefulSet",
        "NodeDeclaredFeatures",
        "PodGroupPreemptionPolicy",
        "PodLevelResources",
        "PodLevelResourcesFixDefaulting",
        "PodTopologyLabelsAdmission",
        "StatefulSetRecreateStrategy",
        "StorageCapacityScoring",
        "TaintTolerationComparisonOperators",
        "TopologyAwareWorkloadScheduling",
        "VolumeAttributesClass",
        "VolumeLimitScaling",
        "WorkloadAwarePreemption",
    }
)
"""Gates that the rules here ask about; of the hundreds of others none moves a pod."""


def rule_lines(a: Mapping[str, Pipeline], b: Mapping[str, Pipeline]) -> Iterator[str]:
    """Tell what differs between two sets of profiles: version, gates, plugins, weights, arguments."""
    first, second = next(iter(a.values())).features, next(iter(b.values())).features
    if first.version != second.version:
        yield words.versions(str(first.version), str(second.version))
    for side, gates in (("B", (second.gates - first.gates) & GATES), ("A", (first.gates - second.gates) & GATES)):
        if gates:
            yield words.gates_on(gates, side)
    for name in dict.fromkeys((*a, *b)):
        if name not in a or name not in b:
            yield words.profile_alone(name, "A" if name in a else "B")
            continue
        prefix = f"{name}: " if len({*a, *b}) > 1 else ""
        same = first.version == second.version
        for line in _profile_lines(a[name].profile, b[name].profile, points=same):
            yield f"{prefix}{line}"


def _profile_lines(a: Profile, b: Profile, *, points: bool) -> Iterator[str]:
    in_a, in_b = _points(a), _points(b)
    for name in dict.fromkeys((*in_a, *in_b)):
        if name not in in_b:
            yield words.plugin_off(name)
        elif name not in in_a:
            yield words.plugin_on(name)
        elif points and in_a[name] != in_b[name]:
            lost, won = sorted(in_a[name] - in_b[name]), sorted(in_b[name] - in_a[name])
            yield words.plugin_points(name, lost, won)
    for name in dict.fromkeys((*a.weights, *b.weights)):
        one, two = a.weights.get(name), b.weights.get(name)
        if one is not None and two is not None and one != two:
            yield words.weights(name, one, two)
    for name in dict.fromkeys((*a.args, *b.args)):
        if name in a.args and name in b.args:
            one_args, two_args = msgspec.to_builtins(a.args[name]), msgspec.to_builtins(b.args[name])
            for field in differences(one_args, two_args):
                # a field that only one version has is no choice of anybody's
                if points or (field.old is not None and field.new is not None):
                    yield f"{'.'.join((name, *field.path))}: {_short(field.old)} -> {_short(field.new)}"
    if a.percentage_of_nodes_to_score != b.percentage_of_nodes_to_score:
        yield f"percentageOfNodesToScore {a.percentage_of_nodes_to_score} -> {b.percentage_of_nodes_to_score}"


def _points(profile: Profile) -> dict[str, frozenset[str]]:
    """Extension points by plugin."""
    by_plugin: dict[str, set[str]] = {}
    for point, names in profile.plugins.items():
        for name in names:
            by_plugin.setdefault(name, set()).add(point)
    return {name: frozenset(points) for name, points in by_plugin.items()}


def _short(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, list) and all(isinstance(item, dict) and {"name", "weight"} == set(item) for item in value):
        return ", ".join(f"{item['name']} {item['weight']}" for item in value) or "none"
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return text if len(text) <= 60 else f"{text[:57]}..."


def node_lines(a: Cluster, b: Cluster) -> Iterator[str]:
    """Tell which nodes came, went or changed in what scheduling looks at."""
    both = [(a.nodes[row], b.nodes[b.node_index[name]]) for name, row in a.node_index.items() if name in b.node_index]
    differing = {
        "new": [name for name in b.node_index if name not in a.node_index],
        "gone": [name for name in a.node_index if name not in b.node_index],
        "cordoned": [x.name for x, y in both if _cordoned(y) and not _cordoned(x)],
        "uncordoned": [x.name for x, y in both if _cordoned(x) and not _cordoned(y)],
        "taints": [x.name for x, y in both if _taints(x) != _taints(y)],
        "labels": [x.name for x, y in both if dict(x.labels) != dict(y.labels)],
        "allocatable": [x.name for x, y in both if x.status.allocatable != y.status.allocatable],
    }
    for what in words.NODES:
        if differing[what]:
            yield words.nodes_line(what, differing[what])


def _cordoned(node: Node) -> bool:
    return bool(node.spec.unschedulable)


def _taints(node: Node) -> list[tuple[str, str, str]]:
    """Taints but that of a cordon, which is told by itself."""
    taints = [(taint.key, taint.value or "", taint.effect) for taint in node.spec.taints or ()]
    return sorted(taint for taint in taints if taint[0] != UNSCHEDULABLE)
