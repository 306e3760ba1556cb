"""Volumes that can be reached from lost nodes alone, and what is on these nodes besides."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np
from msgspec import Struct

from kplan.cluster import Cluster, PodInfo
from kplan.objects.models import PersistentVolume
from kplan.plugins.shared.claims import affinity_requirements, claim_uses, reach

_ZONES = {
    "topology.kubernetes.io/zone": ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"),
    "failure-domain.beta.kubernetes.io/zone": (
        "failure-domain.beta.kubernetes.io/zone",
        "topology.kubernetes.io/zone",
    ),
}
"""Label of a volume, and labels of nodes it is held against, the first that is there."""


class Tie(Struct, frozen=True):
    """A volume that no node that is left reaches.

    Attributes:
        volume: its name.
        claim: name of the claim of the pod.
        local: whether its data is on a lost node, and not only in its zone.
        where: the nodes or the zones.
    """

    volume: str
    claim: str
    local: bool
    where: tuple[str, ...]


def ties(cluster: Cluster, pod: PodInfo, lost: Collection[str]) -> Iterator[Tie]:
    """Yield volumes of a pod that only lost nodes reach.

    Args:
        cluster: the cluster before the loss.
        pod: a pod.
        lost: names of the nodes that are lost.
    """
    for use in claim_uses(pod.pod):
        claim = cluster.objects.table("persistent_volume_claims").get(use.key)
        name = claim.spec.volume_name if claim is not None else None
        volume = cluster.objects.table("persistent_volumes").get(name) if name else None
        if volume is None:
            continue
        names = _reached(cluster, volume)
        if names and all(name in lost for name in names):
            yield Tie(volume.name, use.name, *_where(volume, names))


def _reached(cluster: Cluster, volume: PersistentVolume) -> list[str]:
    """Names of the nodes that reach a volume, by its node affinity and its zone label."""
    mask = reach(cluster, volume.spec.node_affinity).copy()
    for label, keys in _ZONES.items():
        values = set(volume.labels.get(label, "").split("__")) - {""}
        if values:
            zones = [next((node.labels[key] for key in keys if key in node.labels), "") for node in cluster.nodes]
            mask &= np.array([zone in values for zone in zones], dtype=np.bool_)
    return [cluster.node_name(row) for row in np.flatnonzero(mask).tolist()]


def _where(volume: PersistentVolume, names: list[str]) -> tuple[bool, tuple[str, ...]]:
    """Whether a volume is on its node, and the nodes, or the zones it is in."""
    keys: dict[str, list[str]] = {}
    for term in affinity_requirements(volume.spec.node_affinity):
        for requirement in term:
            keys.setdefault(requirement.key, []).extend(str(value) for value in requirement.values)
    for label in _ZONES:
        keys.setdefault(label, []).extend(filter(None, volume.labels.get(label, "").split("__")))
    zones = sorted({value for key, values in keys.items() if key.endswith("/zone") for value in values})
    if volume.spec.local is None and zones:
        return False, tuple(zones)
    return True, tuple(names)


def empty_dirs(pod: PodInfo) -> list[str]:
    """Names of the emptyDir volumes of a pod."""
    return [volume.name for volume in pod.pod.spec.volumes or () if volume.empty_dir is not None]
