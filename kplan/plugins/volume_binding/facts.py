"""The numbers and names behind VolumeBinding's refusals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from kplan.cluster import Cluster
from kplan.framework.features import Features
from kplan.framework.findings import Facts
from kplan.objects.models import PersistentVolume, PersistentVolumeClaim, StorageClass
from kplan.objects.quantity import canonical
from kplan.objects.selectors import Requirement, compile_selector
from kplan.plugins.shared.claims import (
    SELECTED_NODE,
    affinity_requirements,
    claim_class,
    requested_storage,
    volume_class,
)
from kplan.plugins.volume_binding.binder import PodClaims, volume_reach
from kplan.plugins.volume_binding.capacity import (
    capacities_of_class,
    largest_volume,
    node_access,
    provisions,
    tracks_capacity,
)
from kplan.plugins.volume_binding.matching import MatchError, Mismatch, free_mismatch, mismatch, reserved_for, wish_of
from kplan.plugins.volume_binding.volume_index import volume_index


class BoundVolume(Facts, frozen=True):
    """A claim of the pod that has its volume.

    Attributes:
        claim: name of the claim.
        volume: name of the volume.
        exists: whether the volume is there.
        size: its capacity, as Kubernetes prints it; empty if unknown.
        storage_class: its class; empty for none.
        binding_mode: of that class; empty if the class is not there.
        terms: the requirements of each term of its node affinity; one term must hold. Empty if any node will do.
        reachable: names of the nodes it can be used from.
    """

    claim: str
    volume: str
    exists: bool
    size: str
    storage_class: str
    binding_mode: str
    terms: tuple[tuple[Requirement, ...], ...]
    reachable: tuple[str, ...]


class UnsuitableVolume(Facts, frozen=True):
    """A volume of the right class that the claim cannot have on any node.

    Attributes:
        volume: name of the volume.
        why: what does not suit.
    """

    volume: str
    why: Mismatch


class WaitingClaim(Facts, frozen=True):
    """A claim that waits for its first consumer.

    Attributes:
        claim: name of the claim.
        size: what it asks for, as Kubernetes prints it; empty if nothing.
        storage_class: its class.
        provisioner: of the class; empty where volumes are not made on demand.
        topologies: the requirements of each term of the class's allowedTopologies; empty if any node will do.
        selected_node: the node a volume is being made for already; empty for none.
        suitable: names of the volumes it could have, where they can be used.
        unsuitable: the others of the class.
        tracked: whether the driver reports how much it can still provide.
    """

    claim: str
    size: str
    storage_class: str
    provisioner: str
    topologies: tuple[tuple[Requirement, ...], ...]
    selected_node: str
    suitable: tuple[str, ...]
    unsuitable: tuple[UnsuitableVolume, ...]
    tracked: bool


class LabelOfNode(Facts, frozen=True):
    """A label of a node; ``value`` is empty where the node lacks it."""

    key: str
    value: str


class NodeStorage(Facts, frozen=True):
    """What a refused node has to offer.

    Attributes:
        node: name of the node.
        out_of_reach: names of bound volumes that cannot be used from it.
        labels: its own values of the labels that those volumes and allowed topologies ask for.
        largest: largest volume that can be made for it, by storage class, where that is tracked [bytes]; 0 for none.
    """

    node: str
    out_of_reach: tuple[str, ...]
    labels: tuple[LabelOfNode, ...]
    largest: tuple[tuple[str, int], ...]


class VolumeBindingFacts(Facts, frozen=True):
    """Claims of the pod, and the refused nodes."""

    bound: tuple[BoundVolume, ...]
    waiting: tuple[WaitingClaim, ...]
    nodes: tuple[NodeStorage, ...]


def volume_facts(claims: PodClaims, cluster: Cluster, refused: Sequence[int], features: Features) -> VolumeBindingFacts:
    """Collect the facts; ``refused`` are node rows."""
    bound = tuple(_bound(claim, cluster, features) for claim in claims.bound)
    waiting = tuple(_waiting(claim, cluster, features) for claim in claims.delayed)
    classes = {claim_class(claim): cluster.objects.storage_classes[claim_class(claim)] for claim in claims.delayed}
    keys = dict.fromkeys(requirement.key for volume in bound for term in volume.terms for requirement in term)
    for storage_class in classes.values():
        keys.update(dict.fromkeys(key for key, _ in _topology_keys(storage_class)))
    nodes = []
    for row in dict.fromkeys(refused):
        node = cluster.nodes[row]
        missed = (v.volume for v in bound if v.exists and node.name not in frozenset(v.reachable))
        labels = tuple(LabelOfNode(key, node.labels.get(key, "")) for key in keys)
        largest = tuple(
            (name, _largest(name, cluster, row)) for name, item in classes.items() if tracks_capacity(item, cluster)
        )
        nodes.append(NodeStorage(node.name, tuple(missed), labels, largest))
    return VolumeBindingFacts(bound, waiting, tuple(nodes))


def _bound(claim: PersistentVolumeClaim, cluster: Cluster, features: Features) -> BoundVolume:
    name = claim.spec.volume_name or ""
    volume = cluster.objects.persistent_volumes.get(name)
    if volume is None:
        return BoundVolume(claim.name, name, False, "", claim_class(claim), "", (), ())
    class_name = volume_class(volume)
    storage_class = cluster.objects.storage_classes.get(class_name)
    usable, _, _ = volume_reach(cluster, volume, features)
    return BoundVolume(
        claim=claim.name,
        volume=name,
        exists=True,
        size=_size_text(volume),
        storage_class=class_name,
        binding_mode=(storage_class.volume_binding_mode or "") if storage_class is not None else "",
        terms=affinity_requirements(volume.spec.node_affinity),
        reachable=tuple(cluster.node_name(row) for row in np.flatnonzero(usable).tolist()),
    )


def _size_text(volume: PersistentVolume) -> str:
    size = (volume.spec.capacity or {}).get("storage")
    return canonical(size) if size is not None else ""


def _waiting(claim: PersistentVolumeClaim, cluster: Cluster, features: Features) -> WaitingClaim:
    name = claim_class(claim)
    storage_class = cluster.objects.storage_classes[name]
    size = requested_storage(claim)
    suitable, unsuitable = _suiting(claim, cluster, features)
    return WaitingClaim(
        claim=claim.name,
        size=canonical(size) if size is not None else "",
        storage_class=name,
        provisioner=(storage_class.provisioner or "") if provisions(storage_class) else "",
        topologies=tuple(
            tuple(Requirement(e.key, "In", tuple(e.values or ())) for e in term.match_label_expressions or ())
            for term in storage_class.allowed_topologies or ()
        ),
        selected_node=claim.annotations.get(SELECTED_NODE, ""),
        suitable=suitable,
        unsuitable=unsuitable,
        tracked=tracks_capacity(storage_class, cluster),
    )


def _suiting(
    claim: PersistentVolumeClaim, cluster: Cluster, features: Features
) -> tuple[tuple[str, ...], tuple[UnsuitableVolume, ...]]:
    """Volumes of a claim's class that suit it, and those that do not; claims that no volume names share the answer."""
    known: dict[object, tuple[tuple[str, ...], tuple[UnsuitableVolume, ...]]] = cluster.objects.derived(
        "volumes that suit", ("persistent_volumes",), dict
    )
    index, name = volume_index(cluster), claim_class(claim)
    try:
        wish = wish_of(claim, features) if not index.reserved(claim.namespace, claim.name) else None
    except MatchError:
        wish = None
    answer = known.get(wish) if wish is not None else None
    if answer is not None:
        return answer
    selector = compile_selector(claim.spec.selector) if claim.spec.selector is not None else None
    suitable, unsuitable = [], []
    for volume in index.of_class(name):
        why = mismatch(claim, volume, features)
        if why is None and not reserved_for(volume, claim):
            why = free_mismatch(claim, volume, selector)
        if why is not None:
            unsuitable.append(UnsuitableVolume(volume.name, why))
        else:
            suitable.append(volume.name)
    answer = tuple(suitable), tuple(unsuitable)
    if wish is not None:
        known[wish] = answer
    return answer


def _topology_keys(storage_class: StorageClass) -> Iterator[tuple[str, tuple[str, ...]]]:
    for term in storage_class.allowed_topologies or ():
        for expression in term.match_label_expressions or ():
            yield expression.key, tuple(expression.values or ())


def _largest(name: str, cluster: Cluster, row: int) -> int:
    """Size of the largest volume of a class that can be made for a node [bytes]."""
    sizes = (
        largest_volume(item) or 0 for item in capacities_of_class(cluster, name) if node_access(item, cluster)[row]
    )
    return max(sizes, default=0)
