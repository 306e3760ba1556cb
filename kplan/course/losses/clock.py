"""When pods of a lost node are deleted, and when something stands in their place: the clocks of the controllers.

Not modelled: flags of kube-controller-manager (its defaults are assumed), the podReplacementPolicy of Jobs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.owners import controller
from kplan.cluster.silence import OUT_OF_SERVICE, UNREACHABLE, ends_at_once
from kplan.framework.features import Features
from kplan.objects.models import Node, Toleration

TOLERATION_SECONDS = 300
"""Source: v1.37.2 DefaultTolerationSeconds.Admit in plugin/pkg/admission/defaulttolerationseconds."""
PACE = 10
"""Seconds from one node's taint to the next. Source: v1.37.2 nodelifecyclecontroller.go --node-eviction-rate 0.1."""
SLOW_PACE = 100
"""The same in a large zone of which most is lost. Source: there, --secondary-node-eviction-rate 0.01."""
LARGE_ZONE = 50
"""Source: there, --large-cluster-size-threshold."""
UNHEALTHY = 0.55
"""Source: there, --unhealthy-zone-threshold."""
COLLECTED = 60
"""Seconds at most from a node's deletion to that of its pods. Source: v1.37.2 podgc gcCheckPeriod + quarantineTime."""

_FOREVER = ("DaemonSet", "Node")
_WAIT_FOR_NODE = ("StatefulSet",)
_ZONES = ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone")
_REGIONS = ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region")


def monitor_grace(features: Features) -> int:
    """Seconds without a sign of life after which a node is tainted.

    Source: v1.37.2 nodelifecycle/config/v1alpha1 RecommendedDefaultNodeLifecycleControllerConfiguration (50 s; 40 s
    before 1.32).
    """
    return 50 if features.since(32) else 40


class Stay(Struct, frozen=True):
    """How long a pod stays bound to a node that is tainted unreachable.

    Attributes:
        seconds: until it is deleted, from the taint on; None for as long as the node is there.
        waits: whether what comes instead is made only once the pod is gone for good, with the node.
        assumed: whether its tolerations are not recorded and the default is taken.
        bears_off: whether it stays, too, where its node is tainted out-of-service.
    """

    seconds: int | None
    waits: bool = False
    assumed: bool = False
    bears_off: bool = False


def stay(pod: PodInfo) -> Stay:
    """Tell how long a pod stays.

    A pod that is deleted there stays Terminating, as no kubelet says that it has ended: a ReplicaSet or a Job makes
    another at once, a StatefulSet only when the pod's name is free, once the node is deleted or tainted out-of-service.
    One without a grace period is gone at once.

    Source: v1.37.2 tainteviction processPodOnNode and getMinTolerationTime (the first toleration that matches counts),
    replicaset claimPods and controller.IsPodActive, statefulset processReplica (a pod that terminates is waited for),
    podgc gcOrphaned and gcTerminating, daemon AddOrUpdateDaemonPodTolerations.
    """
    kind = controller(pod)[0]
    waits = kind in _WAIT_FOR_NODE
    matching, of_off = _first(pod, UNREACHABLE), _first(pod, OUT_OF_SERVICE)
    bears = of_off is not None and of_off.toleration_seconds is None
    if kind in _FOREVER:
        return Stay(None, waits, matching is None, bears)
    if matching is None:
        return Stay(TOLERATION_SECONDS, waits and not ends_at_once(pod.pod), assumed=True)
    if matching.toleration_seconds is None:
        return Stay(None, waits, bears_off=bears)
    return Stay(max(0, matching.toleration_seconds), waits and not ends_at_once(pod.pod))


def _first(pod: PodInfo, taint: str) -> Toleration | None:
    return next((one for one in pod.pod.spec.tolerations or () if _tolerates(one, taint)), None)


def _tolerates(toleration: Toleration, taint: str) -> bool:
    """Whether a toleration matches a taint of NoExecute whose value nobody knows, or which has none."""
    if toleration.effect and toleration.effect != "NoExecute":
        return False
    if toleration.key and toleration.key != taint:
        return False
    return toleration.operator == "Exists" or (bool(toleration.key) and not toleration.value)


class ZoneState(StrEnum):
    """What the controller takes a zone for: partial disruption slows it in a large zone, and stops it in a smaller."""

    NORMAL = "normal"
    PARTIAL = "partial"
    FULL = "full"


class ZoneLoss(Struct, frozen=True):
    """What a loss makes of one zone.

    Attributes:
        zone: its name; empty for the nodes without one.
        state: what the controller takes it for.
        lost: how many nodes are lost.
        unready: how many are not ready then, those that were not before among them.
        size: how many it has.
        seconds: from one taint to the next; 0 where none is set.
    """

    zone: str
    state: ZoneState
    lost: int
    unready: int
    size: int
    seconds: int

    @property
    def last(self) -> int:
        """Seconds from the first taint to the last."""
        return self.seconds * (self.lost - 1)


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast lost nodes are tainted, and so their pods deleted.

    Attributes:
        stopped: names of nodes that are not tainted at all: too much is lost at once.
        everything: whether that is because no node is left.
        zones: those that lose nodes.
        delays: by name of a node, seconds from the first taint of its zone to its own.
    """

    stopped: frozenset[str] = frozenset()
    everything: bool = False
    zones: tuple[ZoneLoss, ...] = ()
    delays: Mapping[str, int] = field(default_factory=dict, compare=False)

    def delay(self, node: str) -> int:
        """Seconds from the first taint to that of a node."""
        return self.delays.get(node, 0)


def pace(cluster: Cluster, lost: Collection[str]) -> Pace:
    """Tell how fast lost nodes are tainted.

    Source: v1.37.2 nodelifecycle handleDisruption, ComputeZoneState, setLimiterInZone, HealthyQPSFunc, ReducedQPSFunc.

    Args:
        cluster: the cluster before the loss.
        lost: names of the nodes that are lost.
    """
    gone = frozenset(lost)
    known: dict[int, tuple[Node, bool]] = cluster.objects.derived("readiness-of-nodes", (), dict)

    def is_ready(node: Node) -> bool:
        """Read a node once: each of thousands of losses asks about all."""
        told = known.get(id(node))
        if told is None:
            told = known[id(node)] = node, _is_ready(node)
        return told[1]

    if all(node.name in gone or not is_ready(node) for node in cluster.nodes):
        return Pace(gone, everything=True)
    zone_of = {name: _zone_key(cluster.nodes[cluster.node_index[name]]) for name in lost}
    before = Counter(_zone_key(node) for node in cluster.nodes if not is_ready(node) and node.name not in gone)
    losses = {
        key: _loss(key[1], number, number + before[key], _zone_size(cluster, *key))
        for key, number in Counter(zone_of.values()).items()
    }
    stopped = frozenset(name for name, key in zone_of.items() if not losses[key].seconds)
    place: Counter[tuple[str, str]] = Counter()
    delays = {}
    for name, key in zone_of.items():  # zones have queues of their own
        delays[name] = place[key] * losses[key].seconds
        place[key] += 1
    return Pace(stopped, zones=tuple(losses.values()), delays=delays)


def _loss(zone: str, lost: int, unready: int, size: int) -> ZoneLoss:
    if unready >= size:
        return ZoneLoss(zone, ZoneState.FULL, lost, unready, size, PACE)
    if unready <= 2 or unready / size < UNHEALTHY:
        return ZoneLoss(zone, ZoneState.NORMAL, lost, unready, size, PACE)
    return ZoneLoss(zone, ZoneState.PARTIAL, lost, unready, size, SLOW_PACE if size > LARGE_ZONE else 0)


def _is_ready(node: Node) -> bool:
    """Whether a node is ready; one of which a dump does not tell is."""
    return next(
        (condition.status == "True" for condition in node.status.conditions or () if condition.type == "Ready"), True
    )


def _zone_size(cluster: Cluster, region: str, zone: str) -> int:
    """Number of nodes whose ``_zone_key`` is this."""
    return int(np.count_nonzero(_has(cluster, _REGIONS, region) & _has(cluster, _ZONES, zone)))


def _has(cluster: Cluster, labels: tuple[str, str], value: str) -> NDArray[np.bool_]:
    """bool[N] of the nodes that have a value in the first of two labels that is there; none is an empty one."""
    old, new = map(cluster.labels.column, labels)
    there = new.codes == new.code(value) if value else ~new.present | (new.codes == new.code(value))
    matches: NDArray[np.bool_] = np.where(old.present, old.codes == old.code(value), there)
    return matches


def _zone_key(node: Node) -> tuple[str, str]:
    """Region and zone by the older label, if it is there; two empty texts for nodes without either.

    Source: component-helpers v0.37.2 node/topology GetZoneKey.
    """
    labels = node.labels
    old, new = _REGIONS
    region = labels[old] if old in labels else labels.get(new, "")
    old, new = _ZONES
    return region, labels[old] if old in labels else labels.get(new, "")
