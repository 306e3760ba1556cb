"""Volumes that are held: what may be attached to one node alone, and is wanted on another.

The scheduler does not ask for it: such a pod is placed, and waits there until the volume is detached elsewhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.silence import is_silent
from kplan.objects.models import PersistentVolume, PersistentVolumeClaim, Pod
from kplan.plugins.shared.claims import claim_class, claim_uses

DETACHED_AFTER = 360
"""Seconds after which a volume is detached from a node that is silent or deleted, once no pod there is left.

Source: v1.37.2 attachdetach DefaultTimerConfig ReconcilerMaxWaitForUnmountDuration; at once for a node tainted
out-of-service (reconciler.go hasOutOfServiceTaint).
"""
_SHARED = frozenset({"ReadWriteMany", "ReadOnlyMany"})
_NOT_ATTACHED = "kubernetes.io/no-provisioner"
_PLACED_IN = ("gce_persistent_disk", "aws_elastic_block_store", "azure_disk", "cinder", "vsphere_volume", "fc", "rbd")


class Held(Struct, frozen=True):
    """A volume that a pod waits for.

    Attributes:
        claim: name of the claim.
        volume: name of the volume; empty where the claim has none yet.
        mode: its access mode.
        node: where it is attached.
        by: ``ns/name`` of the pod that holds it there; empty where none is left.
        silent: whether that node is silent.
    """

    claim: str
    volume: str
    mode: str
    node: str
    by: str = ""
    silent: bool = False

    @property
    def in_time(self) -> bool:
        """Whether it is detached by force after DETACHED_AFTER: no pod is left there, and nobody says it is unmounted.

        Source: v1.37.2 attachdetach reconciler.go reconcile (forceDetach).
        """
        return self.silent and not self.by


ByClaim = Mapping[str, Sequence[int]]
"""Rows of the pods that use each claim, by its key."""


def held_elsewhere(
    cluster: Cluster, pod: PodInfo, started: Collection[int] = (), by_claim: ByClaim | None = None
) -> Held | None:
    """Find a volume of a pod that has a node which another node holds; None for none.

    Args:
        cluster: the cluster.
        pod: a pod.
        started: rows of pods that a plan has placed, and that have got their volumes since.
        by_claim: who uses which claim, where it was looked up before.

    Source: v1.37.2 attachdetach reconciler attachDesiredVolumes, util.IsMultiAttachAllowed.
    """
    at = int(cluster.pod_node[pod.row])
    if at < 0:
        return None
    for key, volume, mode in exclusive(cluster, pod):
        rows = users(cluster, key) if by_claim is None else by_claim.get(key, ())
        for row in rows:
            home = int(cluster.pod_node[row])
            other = cluster.pods[row]
            if row != pod.row and home >= 0 and home != at and (row in started or _runs(other)):
                node = cluster.nodes[home]
                return Held(key.partition("/")[2], volume, mode, node.name, other.key, is_silent(node))
        left = _attached(cluster, volume, at) if volume else None
        if left is not None:
            return Held(key.partition("/")[2], volume, mode, left, _waits_there(cluster, rows, left), silent=True)
    return None


def not_starting(
    cluster: Cluster, placed: Iterable[PodInfo], started: Collection[int]
) -> Iterator[tuple[PodInfo, Held]]:
    """Yield pods that a plan has placed and that do not start, as another node holds a volume of theirs.

    Args:
        cluster: as the plan left it.
        placed: pods in the order in which they were placed: the first of several that share a volume gets it.
        started: rows of those that are known to start.
    """
    running = set(started)
    asked = [pod for pod in placed if pod.row not in running and not pod.gone and pod.pod.spec.volumes]
    by_claim = _by_claim(cluster) if asked else {}
    for pod in asked:
        held = held_elsewhere(cluster, pod, running, by_claim)
        if held is None:
            running.add(pod.row)
        else:
            yield pod, held


def exclusive(cluster: Cluster, pod: PodInfo) -> Iterator[tuple[str, str, str]]:
    """Claims of a pod whose volume is attached, and to one node alone: key, volume and access mode."""
    return exclusive_of(cluster, pod.pod)


def exclusive_of(cluster: Cluster, pod: Pod) -> Iterator[tuple[str, str, str]]:
    """The same of a pod that may not be there yet."""
    for use in claim_uses(pod):
        claim = cluster.objects.table("persistent_volume_claims").get(use.key)
        if claim is None:
            continue
        volume = cluster.objects.table("persistent_volumes").get(claim.spec.volume_name or "")
        modes = (volume.spec.access_modes if volume is not None else None) or claim.spec.access_modes or []
        if modes and not _SHARED & set(modes) and _is_attached(cluster, claim, volume):
            yield use.key, volume.name if volume is not None else "", modes[0]


def users(cluster: Cluster, claim: str) -> list[int]:
    """Rows of pods that use a claim, by ``ns/name``; those that left are none."""
    space = claim.partition("/")[0]
    return [
        pod.row
        for pod in cluster.pods
        if not pod.gone
        and pod.namespace == space
        and pod.pod.spec.volumes
        and any(use.key == claim for use in claim_uses(pod.pod))
    ]


def _by_claim(cluster: Cluster) -> dict[str, list[int]]:
    by_claim: dict[str, list[int]] = {}
    for pod in cluster.pods:
        for use in claim_uses(pod.pod) if not pod.gone and pod.pod.spec.volumes else ():
            by_claim.setdefault(use.key, []).append(pod.row)
    return by_claim


def _waits_there(cluster: Cluster, rows: Iterable[int], node: str) -> str:
    """Key of a pod that was on a node before and has not started there; empty for none.

    It wants its volume there until it is gone, so that nothing detaches it by force.

    Source: v1.37.2 attachdetach util.DetermineVolumeAction, desired_state_of_world_populator.go.
    """
    pods = (cluster.pods[row] for row in rows)
    return next((pod.key for pod in pods if pod.pod.spec.node_name == node and not pod.pod.ended), "")


class Attached(Struct):
    """Where volumes are attached while pods that share them are placed one after the other.

    Attributes:
        homes: row of the node, by key of the claim.
    """

    homes: dict[str, int] = field(default_factory=dict)

    def take(self, cluster: Cluster, pod: PodInfo) -> Held | None:
        """Attach the volumes of a pod that has just been placed; give one that another node holds."""
        at = int(cluster.pod_node[pod.row])
        for key, volume, mode in exclusive(cluster, pod):
            if key not in self.homes:
                there = (int(cluster.pod_node[row]) for row in users(cluster, key) if _runs(cluster.pods[row]))
                self.homes[key] = next((home for home in there if home >= 0), at)
            home = self.homes[key]
            if home != at:
                return Held(key.partition("/")[2], volume, mode, cluster.node_name(home))
        return None


def _runs(pod: PodInfo) -> bool:
    """Whether a pod runs in the state, and so has got its volumes."""
    return bool(pod.pod.spec.node_name) and not pod.pod.ended and (pod.pod.status.phase or "Running") != "Pending"


def _is_attached(cluster: Cluster, claim: PersistentVolumeClaim, volume: PersistentVolume | None) -> bool:
    """Whether a volume is attached before it is mounted: not if it is local, a share, or of a driver that does not.

    Source: v1.37.2 attachdetach; csi CanAttach (spec.attachRequired, true by default).
    """
    if volume is None:
        item = cluster.objects.table("storage_classes").get(claim_class(claim))
        provisioner = item.provisioner if item is not None else ""
        return bool(provisioner) and provisioner != _NOT_ATTACHED and _needs_attaching(cluster, provisioner)
    if volume.spec.csi is not None:
        return _needs_attaching(cluster, volume.spec.csi.driver or "")
    return any(getattr(volume.spec, name, None) is not None for name in _PLACED_IN)


def _needs_attaching(cluster: Cluster, driver: str) -> bool:
    item = cluster.objects.table("csi_drivers").get(driver)
    return item is None or item.spec.attach_required is not False


def _attached(cluster: Cluster, volume: str, at: int) -> str | None:
    """Name of a silent node that a volume is attached to though no pod there uses it; None for none."""
    for attachment in cluster.objects.table("volume_attachments").values():
        row = cluster.node_index.get(attachment.spec.node_name or "")
        if row is None or row == at or attachment.spec.source is None or not is_silent(cluster.nodes[row]):
            continue
        if attachment.spec.source.persistent_volume_name == volume:
            return cluster.nodes[row].name
    return None
