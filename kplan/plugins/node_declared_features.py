"""NodeDeclaredFeatures: a pod that needs a feature of the kubelet fits only nodes that declare it.

What it checks:  status.declaredFeatures of the node holds every feature the pod needs:
                 RestartAllContainersOnContainerExits (a restartPolicyRules entry with action RestartAllContainers),
                 UserNamespacesHostNetworkSupport (1.36 and later: hostNetwork true and hostUsers false),
                 VolumeBindMountOptions (1.37 and later: a volumeMount with bindMountOptions, of any container).
Rejects with:    "node(s) didn't match Pod's required features" (UnschedulableAndUnresolvable); in 1.35
                 "node declared features check failed - unsatisfied requirements: A, B"
Not modelled:    nothing.
Source:          kubernetes v1.37.2, v1.36.3 and v1.35.4
                 pkg/scheduler/framework/plugins/nodedeclaredfeatures/nodedeclaredfeatures.go; component-helpers of the
                 same versions nodedeclaredfeatures/features (gate NodeDeclaredFeatures, on from 1.36)
"""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from msgspec import Struct

from kplan.cluster import Cluster, PodInfo
from kplan.framework.events import Action, Happened, Interest, Resource
from kplan.framework.features import Features
from kplan.framework.findings import (
    About,
    Facts,
    Findings,
    Mask,
    Ready,
    Refusal,
    Skip,
    failed_everywhere,
    passed,
)
from kplan.framework.plugin import ColumnPlugin
from kplan.framework.reason_codes import AboutKind, ReasonCode
from kplan.framework.worlds import Worlds
from kplan.objects.models import Node, Pod

REASON = "node(s) didn't match Pod's required features"
NO_STATE = 'error reading "PreFilterNodeDeclaredFeatures" from cycle-state: not found'
REASON_135 = "node declared features check failed - unsatisfied requirements: "


class FeatureGroup(Struct, frozen=True):
    """Nodes that lack the same features.

    Attributes:
        missing: features the pod needs and the nodes do not declare, sorted.
        nodes: names, in the order asked.
    """

    missing: tuple[str, ...]
    nodes: tuple[str, ...]


class NodeDeclaredFeaturesFacts(Facts, frozen=True):
    """Which features are missing where.

    Attributes:
        needed: features the pod needs, sorted.
        groups: nodes by what they lack.
    """

    needed: tuple[str, ...]
    groups: tuple[FeatureGroup, ...]


def needed_features(pod: Pod, features: Features) -> frozenset[str]:
    """What a pod needs of its node's kubelet.

    Args:
        pod: the pod.
        features: of the version.
    """
    spec = pod.spec
    containers = (*(spec.containers or ()), *(spec.init_containers or ()))
    needed = set()
    if any(rule.action == "RestartAllContainers" for c in containers for rule in c.restart_policy_rules or ()):
        needed.add("RestartAllContainersOnContainerExits")
    if features.since(36) and spec.host_network and spec.host_users is False:
        needed.add("UserNamespacesHostNetworkSupport")
    ephemeral = getattr(spec, "ephemeral_containers", None) or ()
    mounts = (mount for c in (*containers, *ephemeral) for mount in c.volume_mounts or ())
    if features.since(37) and any(mount.bind_mount_options for mount in mounts):
        needed.add("VolumeBindMountOptions")
    return frozenset(needed)


class NodeDeclaredFeatures(ColumnPlugin[None]):
    """Refuses nodes that lack a feature the pod needs."""

    name: ClassVar[str] = "NodeDeclaredFeatures"

    def pre_filter(self, pod: PodInfo, cluster: Cluster) -> Skip | Ready[frozenset[str]]:
        """Find what the pod needs: the state is the set of features; a pod that needs none skips."""
        if not self.features.enabled("NodeDeclaredFeatures"):
            return Skip()
        needed = needed_features(pod.pod, self.features)
        return Ready(needed) if needed else Skip()

    def filter(self, pod: PodInfo, state: frozenset[str] | None, cluster: Cluster, worlds: Worlds) -> Findings[None]:
        """Refuse nodes that lack a needed feature; without PreFilter (if turned off) it fails, as upstream."""
        if state is None:
            if not self.features.enabled("NodeDeclaredFeatures"):
                return passed(len(worlds))
            return failed_everywhere(NO_STATE, len(worlds))
        refusing: dict[str, Mask] = {}
        about: dict[str, dict[About, None]] = {}
        for index, declared in enumerate(cluster.feature_sets):
            missing = sorted(state - declared)
            if missing:
                reason = REASON if self.features.since(36) else REASON_135 + ", ".join(missing)
                refusing.setdefault(reason, np.zeros(len(cluster.feature_sets), dtype=np.bool_))[index] = True
                about.setdefault(reason, {}).update((About(AboutKind.FEATURE, name), None) for name in missing)
        feature_set = cluster.feature_set[worlds.rows]
        code = ReasonCode.NODE_FEATURES
        refusals = tuple(Refusal(code, tuple(about[why]), why, sets[feature_set]) for why, sets in refusing.items())
        return Findings(refusals, np.ones(len(worlds), dtype=np.bool_))

    def interests(self) -> tuple[Interest, ...]:
        """Nodes that are new or declare other features, any change of the pod."""
        own = Interest(Resource.TARGET_POD, Action.UPDATE)
        return Interest(Resource.NODE, Action.ADD | Action.NODE_FEATURE), own

    def wakes(self, pod: PodInfo, cluster: Cluster, happened: Happened) -> bool:
        """A node that declares something else, a pod that needs something else."""
        old, new = happened.old, happened.new
        if isinstance(old, Pod) and isinstance(new, Pod):
            return needed_features(old, self.features) != needed_features(new, self.features)
        if isinstance(old, Node) and isinstance(new, Node):
            return (old.status.declared_features or []) != (new.status.declared_features or [])
        return True

    def explain(
        self,
        pod: PodInfo,
        state: frozenset[str] | None,
        cluster: Cluster,
        worlds: Worlds,
        findings: Findings[None],
        rows: Sequence[int],
    ) -> NodeDeclaredFeaturesFacts:
        """Group nodes by the features they lack."""
        needed = state or frozenset()
        groups: dict[tuple[str, ...], list[str]] = {}
        for row in rows:
            node = int(worlds.rows[row])
            missing = tuple(sorted(needed - cluster.feature_sets[cluster.feature_set[node]]))
            if missing:
                groups.setdefault(missing, []).append(cluster.node_name(node))
        grouped = tuple(FeatureGroup(missing, tuple(nodes)) for missing, nodes in groups.items())
        return NodeDeclaredFeaturesFacts(tuple(sorted(needed)), grouped)
