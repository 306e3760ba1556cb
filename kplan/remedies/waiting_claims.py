"""Claims that wait for their first consumer: volumes to bind, capacity to provision, where the class allows it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kplan.cluster import Put
from kplan.objects.models import (
    CSIStorageCapacity,
    LabelSelector,
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeSpec,
    StorageClass,
)
from kplan.objects.models.meta import ObjectMeta
from kplan.objects.models.storage import PersistentVolumeStatus, VolumeNodeAffinity
from kplan.objects.quantity import format_bytes, value
from kplan.plugins.shared.claims import SELECTED_NODE, ClaimUse, claim_uses
from kplan.plugins.volume_binding.facts import VolumeBindingFacts, WaitingClaim
from kplan.remedies.candidate import Candidate, Case, Cost

NODES = 3
_HOSTNAME = "kubernetes.io/hostname"


def propose(case: Case) -> Iterator[Candidate]:
    """Claims that wait for the pod: a volume on a node, more capacity, a smaller claim, topologies of the class."""
    rows = case.nearest(NODES, "no-volume-to-bind", "no-storage-capacity")
    facts = case.facts(rows).get("VolumeBinding")
    if not isinstance(facts, VolumeBindingFacts):
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
    sizes += [_size(case, volume.volume) for volume in waiting.unsuitable if volume.why == "too small" and waiting.size]
    if not sizes or max(sizes) <= 0 or claim.spec.resources is None:
        return
    text = format_bytes(max(sizes))
    resources = replace(claim.spec.resources, requests={"storage": text})
    smaller = replace(claim, spec=replace(claim.spec, resources=resources))
    yield Candidate(
        "smaller-claim",
        Cost.REQUEST,
        f"claim {use.name} of at most {text} (now {waiting.size})",
        changes=(Put("persistent_volume_claims", use.key, smaller),),
        commands=(
            f"kubectl delete pvc {use.name} -n {case.pod.namespace}",
            f"# then the same claim with requests.storage: {text}",
        ),
        short=f"claim {use.name} {text} (now {waiting.size})",
    )


def _size(case: Case, volume: str) -> int:
    item = case.cluster.objects.persistent_volumes.get(volume)
    return value((item.spec.capacity or {}).get("storage", 0)) if item is not None else 0


def _class(case: Case, name: str) -> StorageClass:
    return case.cluster.objects.storage_classes[name]


def _any_place(case: Case, waiting: WaitingClaim) -> Candidate:
    item = _class(case, waiting.storage_class)
    return Candidate(
        "class-topologies",
        Cost.NODE,
        f"class {item.name} without allowedTopologies",
        changes=(Put("storage_classes", item.name, replace(item, allowed_topologies=None)),),
        commands=(
            f"# a StorageClass cannot be changed: delete {item.name} and make it anew without allowedTopologies",
        ),
    )


def _no_node_selected(use: ClaimUse, claim: PersistentVolumeClaim, waiting: WaitingClaim) -> Candidate:
    annotations = {key: value for key, value in claim.annotations.items() if key != SELECTED_NODE}
    namespace, _, name = use.key.partition("/")
    changed = replace(claim, metadata=replace(claim.metadata, annotations=annotations or None))
    return Candidate(
        "selected-node",
        Cost.STALE,
        f"clear selected-node {waiting.selected_node} of claim {name}",
        changes=(Put("persistent_volume_claims", use.key, changed),),
        commands=(f"kubectl annotate pvc {name} -n {namespace} {SELECTED_NODE}-",),
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
        Cost.NODE,
        f"a volume of {size}, class {waiting.storage_class}, on {node.name}",
        changes=(Put("persistent_volumes", name, volume),),
        commands=(
            f"# a PersistentVolume: {size}, {'/'.join(claim.spec.access_modes or ())}, storageClassName "
            f"{waiting.storage_class}, nodeAffinity {_HOSTNAME} In [{host}]",
        ),
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
        Cost.NODE,
        f"{waiting.provisioner} reports {size} for class {waiting.storage_class}",
        changes=(Put("csi_storage_capacities", item.key, item),),
        commands=("kubectl get csistoragecapacities -A  # the driver writes these; none is large enough",),
    )


def _untracked(case: Case, waiting: WaitingClaim) -> Candidate:
    driver = case.cluster.objects.csi_drivers[waiting.provisioner]
    changed = replace(driver, spec=replace(driver.spec, storage_capacity=False))
    return Candidate(
        "capacity-untracked",
        Cost.NODE,
        f"storageCapacity: false on csidriver {driver.name}",
        changes=(Put("csi_drivers", driver.name, changed),),
        commands=(
            f"""kubectl patch csidriver {driver.name} --type=merge -p '{{"spec":{{"storageCapacity":false}}}}'""",
            "# the scheduler then no longer looks how much is left; the driver may still refuse",
        ),
        note="space is no longer looked at",
    )
