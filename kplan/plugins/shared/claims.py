"""Claims of a pod, what they and their volumes say, and which pods use which: what the volume plugins share."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from kplan.cluster import Cluster
from kplan.framework.findings import About, Why
from kplan.framework.reason_codes import AboutKind, ReasonCode
from kplan.framework.worlds import Mask
from kplan.objects.models import PersistentVolume, PersistentVolumeClaim, Pod, Volume
from kplan.objects.models.storage import VolumeNodeAffinity
from kplan.objects.selectors import NodeTerm, Requirement, compile_node_term
from kplan.plugins.shared.csi_translation import plugin_of_inline

BETA_CLASS = "volume.beta.kubernetes.io/storage-class"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"
WAIT_FOR_FIRST_CONSUMER = "WaitForFirstConsumer"


class ClaimUse(Struct, frozen=True):
    """One volume of a pod that is a claim.

    Attributes:
        volume: name of the volume in the pod.
        name: name of the claim; empty if the pod gives none.
        key: ``namespace/name`` of the claim.
        ephemeral: whether the claim is made for the pod, and so has to be owned by it.
    """

    volume: str
    name: str
    key: str
    ephemeral: bool


def claim_use(pod: Pod, volume: Volume) -> ClaimUse | None:
    """Return the claim of one volume of a pod, or None.

    Source: component-helpers v0.37.2 storage/ephemeral/ephemeral.go VolumeClaimName.
    """
    if volume.persistent_volume_claim is not None:
        name = volume.persistent_volume_claim.claim_name
        return ClaimUse(volume.name, name, f"{pod.namespace}/{name}", ephemeral=False)
    if volume.ephemeral is not None:
        name = f"{pod.name}-{volume.name}"
        return ClaimUse(volume.name, name, f"{pod.namespace}/{name}", ephemeral=True)
    return None


def claim_uses(pod: Pod) -> Iterator[ClaimUse]:
    """Yield the claims of a pod in the order of its volumes; a claim named twice comes twice."""
    for volume in pod.spec.volumes or ():
        use = claim_use(pod, volume)
        if use is not None:
            yield use


def own_claims(pod: Pod) -> dict[About, str]:
    """Give each claim that is made for a pod, as reasons are about it, with its entry in the pod's spec.

    Pods that are alike but for their names have the same entries, each with claims of its own.
    """
    own = {About(AboutKind.CLAIM, use.name): use.volume for use in claim_uses(pod) if use.ephemeral}
    made = {status.name: status.resource_claim_name for status in pod.status.resource_claim_statuses or ()}
    for entry in pod.spec.resource_claims or ():
        if entry.resource_claim_name is None:
            name = made.get(entry.name)
            own[About(AboutKind.DEVICE_CLAIM, f"{pod.namespace}/{name}" if name else entry.name)] = entry.name
    return own


def owned_by(claim: PersistentVolumeClaim, pod: Pod) -> bool:
    """Tell whether the pod is the controller of the claim.

    Source: component-helpers v0.37.2 storage/ephemeral/ephemeral.go VolumeIsForPod.
    """
    owner = claim.controller
    return owner is not None and (owner.uid or "") == (pod.metadata.uid or "")


def not_owner(claim: PersistentVolumeClaim, pod: Pod) -> Why:
    """Refuse for an ephemeral volume whose claim belongs to something else."""
    text = f"PVC {claim.key} was not created for pod {pod.key} (pod is not owner)"
    return Why(ReasonCode.CLAIM_NOT_OWNED, (About(AboutKind.CLAIM, claim.name),), text)


def claim_missing(name: str, looking: str = "") -> Why:
    """Refuse for a claim that is not there.

    Args:
        name: its name.
        looking: what a plugin says before the API's text.
    """
    text = f'{looking}persistentvolumeclaim "{name}" not found'
    return Why(ReasonCode.CLAIM_MISSING, (About(AboutKind.CLAIM, name),), text)


def claim_class(claim: PersistentVolumeClaim) -> str:
    """Return the storage class of a claim, the old annotation first; empty for none.

    Source: component-helpers v0.37.2 storage/volume/helpers.go GetPersistentVolumeClaimClass.
    """
    return claim.annotations.get(BETA_CLASS, claim.spec.storage_class_name or "")


def volume_class(volume: PersistentVolume) -> str:
    """Return the storage class of a volume, the old annotation first; empty for none.

    Source: component-helpers v0.37.2 storage/volume/helpers.go GetPersistentVolumeClass.
    """
    return volume.annotations.get(BETA_CLASS, volume.spec.storage_class_name or "")


def requested_storage(claim: PersistentVolumeClaim) -> str | int | float | None:
    """Return the storage a claim asks for, as written; None if it asks for none."""
    resources = claim.spec.resources
    return (resources.requests or {}).get("storage") if resources is not None else None


def affinity_terms(affinity: VolumeNodeAffinity | None) -> tuple[NodeTerm, ...] | None:
    """Compile the node affinity of a volume: terms of which one must match; None for every node.

    The scheduler asks with the labels of the node alone, so a requirement on ``metadata.name`` is asked of an empty
    name: In never holds, NotIn always does.
    Source: component-helpers v0.37.2 storage/volume/helpers.go CheckNodeAffinity.
    """
    if affinity is None or affinity.required is None:
        return None
    return tuple(map(compile_node_term, affinity.required.node_selector_terms or ()))


def reach(cluster: Cluster, affinity: VolumeNodeAffinity | None) -> Mask:
    """bool[N] of the nodes that a volume with this node affinity can be used from."""
    terms = affinity_terms(affinity)
    if terms is None:
        return np.ones(len(cluster.nodes), dtype=np.bool_)
    mask = np.zeros(len(cluster.nodes), dtype=np.bool_)
    for term in terms:
        if not term.names:
            mask |= cluster.labels.term(term)
        elif not term.invalid and all(requirement.accepts("") for requirement in term.names):
            mask |= cluster.labels.term(NodeTerm(term.labels, ())) if term.labels else True
    return mask


def reachable(affinity: VolumeNodeAffinity | None, labels: dict[str, str]) -> bool:
    """Tell whether a volume with this node affinity can be used from a node with these labels."""
    terms = affinity_terms(affinity)
    if terms is None:
        return True
    return any(term.matches("", labels) for term in terms)


def affinity_requirements(affinity: VolumeNodeAffinity | None) -> tuple[tuple[Requirement, ...], ...]:
    """List the requirements of each term of a volume's node affinity; empty for every node."""
    return tuple((*term.labels, *term.names) for term in affinity_terms(affinity) or ())


class VolumeUsers:
    """Which pods use which claims and disks, by row; made anew when rows are added or taken back.

    Attributes:
        by_claim: rows of the pods that name a claim, by ``namespace/name`` (claims made for a pod are not among them).
        by_claim_name: the same by the name alone, once for each volume that names it.
        with_disks: rows of the pods with volumes that only one pod may use at a time.
        with_volumes: rows of the pods with volumes that may count against a limit.
    """

    __slots__ = ("by_claim", "by_claim_name", "generation", "with_disks", "with_volumes")

    def __init__(self) -> None:
        self.generation = -1
        self.by_claim: dict[str, list[int]] = {}
        self.by_claim_name: dict[str, list[int]] = {}
        self.with_disks: list[int] = []
        self.with_volumes: list[int] = []

    def refresh(self, cluster: Cluster) -> VolumeUsers:
        """Bring the index up to the rows of the cluster; volumes of a pod never change."""
        if self.generation == cluster.pod_generation:
            return self
        self.by_claim, self.by_claim_name = {}, {}
        self.with_disks, self.with_volumes = [], []
        self.generation = cluster.pod_generation
        for info in cluster.pods:
            if info.pod.spec.volumes:
                self._add(info.row, info.pod)
        return self

    def _add(self, row: int, pod: Pod) -> None:
        counted = disks = False
        for volume in pod.spec.volumes or ():
            source = volume.persistent_volume_claim
            if source is not None:
                self.by_claim.setdefault(f"{pod.namespace}/{source.claim_name}", []).append(row)
                self.by_claim_name.setdefault(source.claim_name, []).append(row)
            counted |= source is not None or volume.ephemeral is not None or plugin_of_inline(volume) is not None
            disks |= is_disk(volume)
        if counted:
            self.with_volumes.append(row)
        if disks:
            self.with_disks.append(row)


def is_disk(volume: Volume) -> bool:
    """Tell whether a volume is one that VolumeRestrictions looks at.

    Source: v1.37.2 volumerestrictions/volume_restrictions.go needsRestrictionsCheck.
    """
    return (
        volume.gce_persistent_disk is not None
        or volume.aws_elastic_block_store is not None
        or volume.rbd is not None
        or volume.iscsi is not None
    )


def volume_users(cluster: Cluster) -> VolumeUsers:
    """Return the index of a cluster, up to date."""
    users: VolumeUsers = cluster.objects.derived("pods by volume", (), VolumeUsers)
    return users.refresh(cluster)
