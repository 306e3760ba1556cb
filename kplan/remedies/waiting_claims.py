"""Claims that wait for their first consumer: volumes to bind, capacity to provision, where the class allows it."""

from __future__ import annotations

from collections.abc import Iterator

from kplan.cluster import Put
from kplan.objects.lean import replace
from kplan.objects.models import (
    CSIStorageCapacity,
    LabelSelector,
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeSpec,
)
from kplan.objects.models.meta import ObjectMeta
from kplan.objects.models.storage import PersistentVolumeStatus, VolumeNodeAffinity
from kplan.objects.quantity import format_bytes, value
from kplan.plugins.shared.claims import SELECTED_NODE, ClaimUse, claim_uses
from kplan.plugins.volume_binding.facts import VolumeBindingFacts, WaitingClaim
from kplan.plugins.volume_binding.matching import Mismatch
from kplan.remedies import about
from kplan.remedies.candidate import Candidate, Case, RemedyCost
from kplan.remedies.deeds import Objects

NODES = 3
_HOSTNAME = "kubernetes.io/hostname"


def propose(case: Case) -> Iterator[Candidate]:
    """Claims that wait for the pod: a volume on a node, more capacity, a smaller claim, topologies of the class."""
    rows = case.nearest(NODES, "no-volume-to-bind", "no-storage-capacity")
    facts = case.facts_of(VolumeBindingFacts, rows)
    if facts is None:
        return
    uses = {use.name: use for use in claim_uses(case.pod.pod)}
    for waiting in facts.waiting:
        use = uses.get(waiting.claim)
        claim = case.cluster.objects.persistent_volume_claims.get(use.key) if use else None
        if use is None or claim is None:
            continue
        yield from _smaller(case, use, claim, waiting, facts)
        if waiting.topologies:
            yield _any_place(case, waiting)
        if waiting.selected_node:
            yield _no_node_selected(use, claim, waiting)
        if not waiting.provisioner:
            for row in rows[:2]:
                yield _local(case, claim, waiting, row)
        if waiting.tracked:
            yield _reported(case, waiting)
            yield _untracked(case, waiting)


def _smaller(
    case: Case, use: ClaimUse, claim: PersistentVolumeClaim, waiting: WaitingClaim, facts: VolumeBindingFacts
) -> Iterator[Candidate]:
    sizes = [amount for node in facts.nodes for name, amount in node.largest if name == waiting.storage_class]
    small = [volume.volume for volume in waiting.unsuitable if volume.why is Mismatch.SIZE and waiting.size]
    sizes += [_size(case, volume) for volume in small]
    if not sizes or max(sizes) <= 0 or claim.spec.resources is None:
        return
    text = format_bytes(max(sizes))
    resources = replace(claim.spec.resources, requests={"storage": text})
    smaller = replace(claim, spec=replace(claim.spec, resources=resources))
    yield Candidate(
        "smaller-claim",
        RemedyCost.REQUEST,
        about.Named(name=use.name, namespace=case.pod.namespace, new=text, old=waiting.size),
        steps=(Objects((Put("persistent_volume_claims", use.key, smaller),)),),
    )


def _size(case: Case, volume: str) -> int:
    item = case.cluster.objects.persistent_volumes.get(volume)
    return value((item.spec.capacity or {}).get("storage", 0)) if item is not None else 0


def _any_place(case: Case, waiting: WaitingClaim) -> Candidate:
    item = case.cluster.objects.storage_classes[waiting.storage_class]
    return Candidate(
        "class-topologies",
        RemedyCost.NODE,
        about.Named(storage_class=item.name),
        steps=(Objects((Put("storage_classes", item.name, replace(item, allowed_topologies=None)),)),),
    )


def _no_node_selected(use: ClaimUse, claim: PersistentVolumeClaim, waiting: WaitingClaim) -> Candidate:
    annotations = {key: value for key, value in claim.annotations.items() if key != SELECTED_NODE}
    namespace, _, name = use.key.partition("/")
    changed = replace(claim, metadata=replace(claim.metadata, annotations=annotations or None))
    return Candidate(
        "selected-node",
        RemedyCost.STALE,
        about.Named(name=name, namespace=namespace, node=waiting.selected_node),
        steps=(Objects((Put("persistent_volume_claims", use.key, changed),)),),
    )


def _local(case: Case, claim: PersistentVolumeClaim, waiting: WaitingClaim, row: int) -> Candidate:
    node = case.cluster.nodes[row]
    host = node.labels.get(_HOSTNAME, node.name)
    size = waiting.size or "1Gi"
    name = f"volume-on-{node.name}"
    term = NodeSelectorTerm(match_expressions=[NodeSelectorRequirement(key=_HOSTNAME, operator="In", values=[host])])
    volume = PersistentVolume(
        metadata=ObjectMeta(name=name, labels=_selected_labels(claim)),
        spec=PersistentVolumeSpec(
            access_modes=claim.spec.access_modes,
            volume_mode=claim.spec.volume_mode,
            storage_class_name=waiting.storage_class,
            capacity={"storage": size},
            node_affinity=VolumeNodeAffinity(required=NodeSelector(node_selector_terms=[term])),
        ),
        status=PersistentVolumeStatus(phase="Available"),
    )
    return Candidate(
        "local-volume",
        RemedyCost.NODE,
        about.Named(
            node=node.name,
            to=host,
            names=tuple(claim.spec.access_modes or ()),
            new=size,
            storage_class=waiting.storage_class,
        ),
        steps=(Objects((Put("persistent_volumes", name, volume),)),),
    )


def _selected_labels(claim: PersistentVolumeClaim) -> dict[str, str] | None:
    return dict(claim.spec.selector.match_labels or {}) if claim.spec.selector is not None else None


def _reported(case: Case, waiting: WaitingClaim) -> Candidate:
    """Capacity that the driver reports for every node."""
    size = waiting.size or "1Gi"
    namespace = next((item.namespace for item in case.cluster.objects.table("csi_storage_capacities").values()), "")
    item = CSIStorageCapacity(
        metadata=ObjectMeta(name="kplan-capacity", namespace=namespace or "default"),
        node_topology=LabelSelector(),
        storage_class_name=waiting.storage_class,
        capacity=size,
    )
    return Candidate(
        "capacity-reported",
        RemedyCost.NODE,
        about.Named(name=waiting.provisioner, new=size, storage_class=waiting.storage_class),
        steps=(Objects((Put("csi_storage_capacities", item.key, item),)),),
    )


def _untracked(case: Case, waiting: WaitingClaim) -> Candidate:
    driver = case.cluster.objects.csi_drivers[waiting.provisioner]
    changed = replace(driver, spec=replace(driver.spec, storage_capacity=False))
    return Candidate(
        "capacity-untracked",
        RemedyCost.NODE,
        about.Named(name=driver.name),
        steps=(Objects((Put("csi_drivers", driver.name, changed),)),),
    )
