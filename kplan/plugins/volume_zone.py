"""VolumeZone: a pod runs in the zone and region of the volumes its claims are bound to.

What it checks:  for each zone or region label of a bound PersistentVolume ("a__b" lists several), the node's label of
                 the same name, or of the newer name for the failure-domain.beta ones, has one of its values; a node
                 without any zone or region label passes. Claims made for the pod (ephemeral volumes) are not looked at.
Rejects with:    "node(s) had no available volume zone" (UnschedulableAndUnresolvable); for every node:
                 "PersistentVolumeClaim had no name", "persistentvolumeclaim "x" not found",
                 "persistentvolume "x" not found", "storageclass.storage.k8s.io "x" not found",
                 "PersistentVolumeClaim had no pv name and storageClass name",
                 "VolumeBindingMode not set for StorageClass "x"", "PersistentVolume had no name" (all the same code)
Not modelled:    deferred resizes (gate InPlacePodVerticalScalingSchedulerPreemption).
Source:          kubernetes v1.37.2 pkg/scheduler/framework/plugins/volumezone/volume_zone.go (equal since v1.34)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kplan.cluster import Cluster, PodInfo
from kplan.framework.codes import Point, Reads
from kplan.framework.events import Action, Happened, Interest, Resource
from kplan.framework.findings import About, Facts, Failed, Findings, Ready, Refused, Skip, Why, refused
from kplan.framework.plugin import ColumnPlugin
from kplan.framework.reason_codes import AboutKind, ReasonCode
from kplan.framework.worlds import Worlds
from kplan.objects.models import PersistentVolume, PersistentVolumeClaim, StorageClass
from kplan.plugins.shared.claims import WAIT_FOR_FIRST_CONSUMER, claim_class, claim_missing, claim_uses
from kplan.plugins.shared.csi_translation import BETA_REGION, BETA_ZONE, REGION, ZONE, ZONE_SEPARATOR

NO_ZONE = "node(s) had no available volume zone"

_KEYS = (BETA_ZONE, BETA_REGION, ZONE, REGION)
_NEWER = {BETA_ZONE: ZONE, BETA_REGION: REGION}


class VolumeLabel(Facts, frozen=True):
    """One zone or region label that a volume brings along.

    Attributes:
        claim: name of the claim that is bound to the volume.
        volume: name of the volume.
        key: label.
        values: any of these will do, sorted.
    """

    claim: str
    volume: str
    key: str
    values: tuple[str, ...]


VolumeZoneState = tuple[VolumeLabel, ...]
"""The labels of all bound volumes of the pod."""


class ZoneMismatch(Facts, frozen=True):
    """The first label of a volume that keeps a node out.

    Attributes:
        node: name of the node.
        volume: name of the volume.
        key: label as on the volume.
        node_value: what the node has; empty if it lacks the label.
    """

    node: str
    volume: str
    key: str
    node_value: str


class VolumeZoneFacts(Facts, frozen=True):
    """Labels of the volumes, and where nodes differ from them."""

    labels: tuple[VolumeLabel, ...]
    mismatches: tuple[ZoneMismatch, ...]


class VolumeZone(ColumnPlugin[None]):
    """See the module."""

    name: ClassVar[str] = "VolumeZone"

    def reads(self, point: Point, pod: PodInfo) -> Reads:
        """Labels of nodes and volumes; nothing where the pod has no claim."""
        return Reads.NODE | Reads.STORAGE if any(claim_uses(pod.pod)) else Reads.NODE

    def pre_filter(self, pod: PodInfo, cluster: Cluster) -> Skip | Refused | Failed | Ready[VolumeZoneState]:
        """Collect the labels of the volumes that claims of the pod are bound to.

        Source: VolumeZone.PreFilter, getPVbyPod.
        """
        topologies: list[VolumeLabel] = []
        for use in claim_uses(pod.pod):
            if use.ephemeral:
                continue
            if not use.name:
                return Refused.of(ReasonCode.VOLUME_ZONE, "PersistentVolumeClaim had no name")
            claim = cluster.objects.persistent_volume_claims.get(use.key)
            if claim is None:
                return Refused((claim_missing(use.name),))
            volume_name = claim.spec.volume_name
            if not volume_name:
                problem = _unbound(claim, cluster)
                if problem is not None:
                    return Refused((problem,))
                continue
            volume = cluster.objects.persistent_volumes.get(volume_name)
            if volume is None:
                text = f'persistentvolume "{volume_name}" not found'
                return Refused.of(ReasonCode.VOLUME_MISSING, text, About(AboutKind.VOLUME, volume_name))
            topologies.extend(_topologies(use.name, volume))
        return Ready(tuple(topologies)) if topologies else Skip()

    def filter(self, pod: PodInfo, state: VolumeZoneState, cluster: Cluster, worlds: Worlds) -> Findings[Any]:
        """Compare labels.

        Source: VolumeZone.Filter.
        """
        out_of_reach = np.zeros(len(cluster.nodes), dtype=np.bool_)
        for topology in state:
            out_of_reach |= ~_allowed(cluster, topology)
        out_of_reach &= _has_topology(cluster)
        volumes = dict.fromkeys(topology.volume for topology in state)
        about = tuple(About(AboutKind.VOLUME, name) for name in volumes)
        rows = out_of_reach[worlds.rows]
        return refused(ReasonCode.VOLUME_ZONE, NO_ZONE, rows, unresolvable=True, about=about)

    def interests(self) -> tuple[Interest, ...]:
        """Nodes that are new or have other labels, claims, volumes and storage classes."""
        changed = Action.ADD | Action.UPDATE
        return (
            Interest(Resource.STORAGE_CLASS, Action.ADD),
            Interest(Resource.NODE, Action.ADD | Action.NODE_LABEL),
            Interest(Resource.PERSISTENT_VOLUME_CLAIM, changed),
            Interest(Resource.PERSISTENT_VOLUME, changed),
        )

    def wakes(self, pod: PodInfo, cluster: Cluster, happened: Happened) -> bool:
        """Any such node, a claim of the pod, a volume that is new or of another zone, a class that waits for pods."""
        old, new = happened.old, happened.new
        if isinstance(new, PersistentVolumeClaim):
            mine = (use.name for use in claim_uses(pod.pod) if not use.ephemeral)
            return new.namespace == pod.namespace and new.name in mine
        if isinstance(new, StorageClass):
            return new.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER
        if isinstance(old, PersistentVolume) and isinstance(new, PersistentVolume):
            return _zones(old) != _zones(new)
        return True

    def explain(
        self,
        pod: PodInfo,
        state: VolumeZoneState,
        cluster: Cluster,
        worlds: Worlds,
        findings: Findings[Any],
        rows: Sequence[int],
    ) -> VolumeZoneFacts:
        """List the labels of the volumes and, for nodes that are refused, the first that differs."""
        failed = findings.failed
        mismatches = []
        for row in rows:
            node = cluster.nodes[int(worlds.rows[row])]
            if not failed[row]:
                continue
            for topology in state:
                value = node.labels.get(topology.key, node.labels.get(_NEWER.get(topology.key, topology.key)))
                if value not in topology.values:
                    mismatches.append(ZoneMismatch(node.name, topology.volume, topology.key, value or ""))
                    break
        return VolumeZoneFacts(state, tuple(mismatches))


def _unbound(claim: PersistentVolumeClaim, cluster: Cluster) -> Why | None:
    """Return why a claim without a volume keeps the pod out; None where it waits for its first consumer."""
    class_name = claim_class(claim)
    of_claim, of_class = (About(AboutKind.CLAIM, claim.name),), (About(AboutKind.STORAGE_CLASS, class_name),)
    if not class_name:
        return Why(ReasonCode.VOLUME_ZONE, of_claim, "PersistentVolumeClaim had no pv name and storageClass name")
    storage_class = cluster.objects.storage_classes.get(class_name)
    if storage_class is None:
        text = f'storageclass.storage.k8s.io "{class_name}" not found'
        return Why(ReasonCode.STORAGE_CLASS_MISSING, of_class, text)
    if storage_class.volume_binding_mode is None:
        return Why(ReasonCode.VOLUME_ZONE, of_class, f'VolumeBindingMode not set for StorageClass "{class_name}"')
    if storage_class.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER:
        return None
    return Why(ReasonCode.VOLUME_ZONE, of_claim, "PersistentVolume had no name")


def _topologies(claim: str, volume: PersistentVolume) -> Iterator[VolumeLabel]:
    """Yield the zone and region labels of a volume; one that lists an empty value is ignored.

    Source: VolumeZone.getPVTopologies; cloud-provider v0.37.2 volume/helpers/zones.go LabelZonesToSet.
    """
    for key in _KEYS:
        if key in volume.labels:
            values = {value.strip() for value in volume.labels[key].split(ZONE_SEPARATOR)}
            if "" not in values:
                yield VolumeLabel(claim, volume.name, key, tuple(sorted(values)))


def _allowed(cluster: Cluster, topology: VolumeLabel) -> NDArray[np.bool_]:
    """bool[N] of the nodes whose label has one of the values; the newer name counts where the older is absent."""
    own = cluster.labels.column(topology.key)
    mask = own.lookup(np.array([*(value in topology.values for value in own.values), False]))
    newer = _NEWER.get(topology.key)
    if newer is not None:
        column = cluster.labels.column(newer)
        named = column.lookup(np.array([*(value in topology.values for value in column.values), False]))
        mask = np.where(own.present, mask, named)
    return mask.astype(np.bool_)


def _has_topology(cluster: Cluster) -> NDArray[np.bool_]:
    """bool[N] of the nodes with any zone or region label."""
    mask = np.zeros(len(cluster.nodes), dtype=np.bool_)
    for key in _KEYS:
        mask |= cluster.labels.column(key).present
    return mask


def _zones(volume: PersistentVolume) -> dict[str, frozenset[str]]:
    """Values of each label that tells where a volume is."""
    labels = volume.labels
    return {
        key: frozenset(labels[key].split(ZONE_SEPARATOR))
        for key in (BETA_ZONE, BETA_REGION, ZONE, REGION)
        if key in labels
    }
