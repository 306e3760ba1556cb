"""Claims that are being deleted: each goes with the last pod that has it, and its volume with it or not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from msgspec import Struct

from kplan.cluster import Cluster
from kplan.objects.models import PersistentVolumeClaim, Pod
from kplan.objects.state import ClusterState
from kplan.plugins.shared.claims import claim_uses

_RETAIN = "Retain"


class EndedClaim(Struct, frozen=True):
    """A claim that was being deleted, and whose last pod is gone.

    Attributes:
        claim: ``namespace/name``.
        volume: name of its volume; empty for one that has none.
        policy: reclaim policy of the volume; empty where nothing tells.
        pods: the pods that had it, ``namespace/name``.
    """

    claim: str
    volume: str
    policy: str
    pods: tuple[str, ...]

    @property
    def retained(self) -> bool:
        """Whether what is on the volume stays; Recycle scrubs it."""
        return self.policy == _RETAIN


def ended_claims(before: ClusterState, after: Cluster) -> tuple[EndedClaim, ...]:
    """Find claims that end as their last pods left.

    A claim that is being deleted stays as long as a pod with a node has it, whether that pod runs or not, and no new
    pod is let near it. Its volume follows its own reclaim policy.

    Source: podUsesPVCForDeletion in pkg/controller/volume/pvcprotection/pvc_protection_controller.go, deleteVolume and
    reclaimVolume in pkg/controller/volume/persistentvolume/pv_controller.go.

    Args:
        before: the state before pods left.
        after: the cluster that they left.
    """
    ending = {claim.key: claim for claim in before.persistent_volume_claims if claim.metadata.deletion_timestamp}
    if not ending:
        return ()
    held = _holders(ending, (pod for pod in before.pods if pod.spec.node_name))
    still = _holders(ending, (info.pod for info in after.pods if info.bound and not info.gone))
    volumes = {volume.name: volume for volume in before.persistent_volumes}
    found = []
    for key, pods in held.items():
        if key in still:
            continue
        name = ending[key].spec.volume_name or ""
        volume = volumes.get(name)
        policy = volume.spec.persistent_volume_reclaim_policy if volume is not None else None
        found.append(EndedClaim(key, name, policy or "", tuple(pods)))
    return tuple(found)


def _holders(claims: Mapping[str, PersistentVolumeClaim], pods: Iterable[Pod]) -> dict[str, list[str]]:
    """Give the pods that have each claim, in their order."""
    spaces = {key.partition("/")[0] for key in claims}
    found: defaultdict[str, list[str]] = defaultdict(list)
    for pod in pods:
        for use in claim_uses(pod) if pod.namespace in spaces else ():
            if use.key in claims:
                found[use.key].append(pod.key)
    return found
