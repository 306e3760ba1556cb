"""Volumes: limits, claims, classes, capacities, and volumes that are still attached for nobody."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kplan.cluster import Change, Put
from kplan.objects.models import (
    Container,
    CSINode,
    OwnerReference,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeSpec,
    PodSpec,
)
from kplan.objects.models.meta import ObjectMeta, ObjectReference
from kplan.objects.models.storage import (
    CsiNodeDriver,
    PersistentVolumeClaimSpec,
    PersistentVolumeStatus,
    VolumeNodeResources,
)
from kplan.plugins.node_volume_limits import DriverUsage, NodeVolumeLimitsFacts
from kplan.plugins.shared.claims import (
    BIND_COMPLETED,
    BOUND_BY_CONTROLLER,
    SELECTED_NODE,
    WAIT_FOR_FIRST_CONSUMER,
    ClaimUse,
    claim_class,
    claim_uses,
    requested_storage,
)
from kplan.plugins.volume_binding.facts import VolumeBindingFacts
from kplan.remedies import waiting_claims
from kplan.remedies.candidate import Candidate, Case, Cost

NODES = 3
_BROKEN = (
    "claim-missing",
    "claim-being-deleted",
    "claim-being-made",
    "claim-unbound",
    "claim-not-owned",
    "volume-missing",
    "storage-class-missing",
)
_ELSEWHERE = ("volume-out-of-reach", "volume-zone", "volume-missing")
_HOSTNAME = "kubernetes.io/hostname"


def propose(case: Case) -> Iterator[Candidate]:
    """Change what the volumes of the pod need, or what nodes allow."""
    codes = case.codes()
    if "volume-limit" in codes or "csi-driver-missing" in codes:
        yield from _limits(case)
    if codes & {"no-volume-to-bind", "no-storage-capacity"}:
        yield from waiting_claims.propose(case)
    if codes & set(_BROKEN) or codes & set(_ELSEWHERE):
        yield from _claims(case)
    if codes & {"volume-limit", "no-volume-to-bind", "no-storage-capacity", *_BROKEN, *_ELSEWHERE}:
        yield from _without_claims(case)


def _limits(case: Case) -> Iterator[Candidate]:
    rows = case.nearest(NODES, "volume-limit", "csi-driver-missing")
    facts = case.facts(rows).get("NodeVolumeLimits")
    if not isinstance(facts, NodeVolumeLimitsFacts):
        return
    by_node: dict[str, list[DriverUsage]] = {}
    for use in facts.usage:
        over = use.limit is not None and use.attached + len(use.new) > use.limit
        if over or not use.installed:
            by_node.setdefault(use.node, []).append(use)
    order = {case.cluster.node_name(row): place for place, row in enumerate(rows)}
    for node, uses in sorted(by_node.items(), key=lambda item: order.get(item[0], 0)):
        known = case.cluster.objects.csi_nodes.get(node) or CSINode(metadata=ObjectMeta(name=node))
        missing = [use for use in uses if not use.installed]
        if missing:
            yield _installed(known, missing)
            continue
        yield _raised(known, uses)
        yield from _detached(case, uses)


def _raised(csi_node: CSINode, uses: list[DriverUsage]) -> Candidate:
    changed, told = csi_node, []
    for use in uses:
        limit = use.attached + len(use.new)
        changed = _with_limit(changed, use.driver, limit)
        told.append(f"{limit} (now {use.limit})")
    what = told[0] if len(told) == 1 else ", ".join(f"{use.driver} {t}" for use, t in zip(uses, told, strict=True))
    return Candidate(
        "volume-limit",
        Cost.NODE,
        f"limit of {csi_node.name} {what}",
        changes=(Put("csi_nodes", csi_node.name, changed),),
        commands=tuple(
            f"# driver {use.driver} on {csi_node.name}: let it report a limit of {use.attached + len(use.new)} "
            "(an option of most drivers, or a larger machine)"
            for use in uses
        ),
    )


def _with_limit(csi_node: CSINode, driver: str, limit: int) -> CSINode:
    drivers = [
        replace(one, allocatable=VolumeNodeResources(count=limit)) if one.name == driver else one
        for one in csi_node.spec.drivers or ()
    ]
    return replace(csi_node, spec=replace(csi_node.spec, drivers=drivers))


def _installed(csi_node: CSINode, missing: list[DriverUsage]) -> Candidate:
    drivers = [*(csi_node.spec.drivers or ()), *(CsiNodeDriver(name=use.driver) for use in missing)]
    names = ", ".join(use.driver for use in missing)
    return Candidate(
        "install-driver",
        Cost.NODE,
        f"driver {names} installed on {csi_node.name}",
        changes=(Put("csi_nodes", csi_node.name, replace(csi_node, spec=replace(csi_node.spec, drivers=drivers))),),
        commands=(f"kubectl get csinode {csi_node.name} -o yaml  # why is {names} not registered there?",),
    )


def _detached(case: Case, uses: list[DriverUsage]) -> Iterator[Candidate]:
    """Detach what no pod uses; where that is not enough it is said."""
    unused = {name for use in uses for name in use.unused}
    node = uses[0].node
    found = [
        (key, item)
        for key, item in case.cluster.objects.table("volume_attachments").items()
        if item.spec.node_name == node and item.spec.source and item.spec.source.persistent_volume_name in unused
    ]
    if found:
        names = ", ".join(sorted({item.spec.source.persistent_volume_name for _, item in found}))
        yield Candidate(
            "detach-volume",
            Cost.STALE,
            f"detach {names} from {node}: no pod there uses it",
            changes=tuple(Put("volume_attachments", key, None) for key, _ in found),
            commands=tuple(f"kubectl delete volumeattachment {key}" for key, _ in found),
            failed=f"detaching {names}",
        )


def _uses(case: Case) -> list[ClaimUse]:
    return [use for use in claim_uses(case.pod.pod) if use.name]


def _without_claims(case: Case) -> Iterator[Candidate]:
    for use in _uses(case):
        yield _without(use)


def _without(use: ClaimUse) -> Candidate:
    def edit(spec: PodSpec) -> PodSpec:
        volumes = [volume for volume in spec.volumes or () if volume.name != use.volume]

        def unmounted(containers: list[Container] | None) -> list[Container] | None:
            if containers is None:
                return None
            made = []
            for container in containers:
                mounts = [mount for mount in container.volume_mounts or () if mount.name != use.volume]
                changed = len(mounts) != len(container.volume_mounts or ())
                made.append(replace(container, volume_mounts=mounts or None) if changed else container)
            return made

        return replace(
            spec,
            volumes=volumes or None,
            containers=unmounted(spec.containers),
            init_containers=unmounted(spec.init_containers),
        )

    return Candidate("without-claim", Cost.LEAVE_OUT, f"the pod without claim {use.name}", edit=edit)


def _claims(case: Case) -> Iterator[Candidate]:
    """New claims in place of those that are missing, leaving, or bound to a volume in the wrong place."""
    objects = case.cluster.objects
    elsewhere = _out_of_reach(case)
    for use in _uses(case):
        claim = objects.persistent_volume_claims.get(use.key)
        if claim is None:
            yield from _new_claim(case, use, None)
        elif (
            claim.metadata.deletion_timestamp is not None
            or not claim.spec.volume_name
            or use.name in elsewhere
            or claim.spec.volume_name not in objects.persistent_volumes
        ):
            yield from _new_claim(case, use, claim)


def _needs_another(case: Case, use: ClaimUse, claim: PersistentVolumeClaim, elsewhere: set[str]) -> bool:
    if claim.metadata.deletion_timestamp is not None or not claim.spec.volume_name:
        return True
    return use.name in elsewhere or claim.spec.volume_name not in case.cluster.objects.persistent_volumes


def _out_of_reach(case: Case) -> set[str]:
    rows = case.nearest(4, *_ELSEWHERE)
    facts = case.facts(rows).get("VolumeBinding") if rows else None
    if not isinstance(facts, VolumeBindingFacts):
        return set()
    missed = {volume for node in facts.nodes for volume in node.out_of_reach}
    return {volume.claim for volume in facts.bound if volume.volume in missed}


def _new_claim(case: Case, use: ClaimUse, claim: PersistentVolumeClaim | None) -> Iterator[Candidate]:
    classes = case.cluster.objects.storage_classes
    waits = [name for name, item in classes.items() if item.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER]
    own = claim_class(claim) if claim is not None else ""
    data = claim is not None and bool(claim.spec.volume_name)
    going = claim is not None and claim.metadata.deletion_timestamp is not None
    word = "new claim" if claim is not None else f"create claim {use.name}"
    for name in [own] if own in waits else waits[:2]:
        item = classes[name]
        if (item.provisioner or "") in ("", "kubernetes.io/no-provisioner"):
            continue
        yield _claimed(case, use, claim, name, f"{word}, class {name}", data=data)
    if own in classes and own not in waits and not going:
        late = replace(
            classes[own],
            metadata=replace(classes[own].metadata, name=f"{own}-late"),
            volume_binding_mode=WAIT_FOR_FIRST_CONSUMER,
        )
        text = f"{word}, WaitForFirstConsumer"
        yield _claimed(case, use, claim, late.name, text, data=data, more=(Put("storage_classes", late.name, late),))
    if (
        claim is None
        or not claim.spec.volume_name
        or claim.spec.volume_name not in (case.cluster.objects.persistent_volumes)
    ):
        yield _with_volume(case, use, claim)


def _claimed(
    case: Case,
    use: ClaimUse,
    claim: PersistentVolumeClaim | None,
    storage_class: str,
    text: str,
    *,
    data: bool,
    more: tuple[Change, ...] = (),
) -> Candidate:
    fresh = _fresh(case, use, claim, storage_class)
    delete = [f"kubectl delete pvc {use.name} -n {case.pod.namespace}"] if claim is not None else []
    modes = "/".join(fresh.spec.access_modes or ())
    size = requested_storage(fresh)
    return Candidate(
        "new-claim",
        Cost.LOSS if data else Cost.LOOSEN,
        text,
        changes=(*more, Put("persistent_volume_claims", use.key, fresh)),
        commands=(
            *delete,
            f"# then a claim {use.name}: {size}, {modes}, storageClassName {storage_class}"
            + (" (a copy of the class with volumeBindingMode: WaitForFirstConsumer)" if more else ""),
        ),
        harm="LOSES DATA" if data else "",
    )


def _fresh(case: Case, use: ClaimUse, claim: PersistentVolumeClaim | None, storage_class: str) -> PersistentVolumeClaim:
    """A claim as if just made: not bound, no node selected for it."""
    namespace, _, name = use.key.partition("/")
    owners = _owner(case) if use.ephemeral else None
    if claim is None:
        metadata = ObjectMeta(name=name, namespace=namespace, owner_references=owners)
        spec = _template(case, use) or PersistentVolumeClaimSpec(access_modes=["ReadWriteOnce"])
        return PersistentVolumeClaim(metadata=metadata, spec=replace(spec, storage_class_name=storage_class))
    dropped = (SELECTED_NODE, BIND_COMPLETED, BOUND_BY_CONTROLLER, "volume.beta.kubernetes.io/storage-class")
    annotations = {key: value for key, value in claim.annotations.items() if key not in dropped}
    metadata = replace(claim.metadata, annotations=annotations or None, deletion_timestamp=None)
    return PersistentVolumeClaim(
        metadata=metadata, spec=replace(claim.spec, volume_name=None, storage_class_name=storage_class)
    )


def _owner(case: Case) -> list[OwnerReference]:
    pod = case.pod.pod
    return [OwnerReference(api_version="v1", kind="Pod", name=pod.name, uid=pod.metadata.uid, controller=True)]


def _template(case: Case, use: ClaimUse) -> PersistentVolumeClaimSpec | None:
    """What the pod's own template says of a claim made for it."""
    for volume in case.spec.volumes or ():
        if volume.name == use.volume and volume.ephemeral and volume.ephemeral.volume_claim_template:
            return volume.ephemeral.volume_claim_template.spec
    return None


def _with_volume(case: Case, use: ClaimUse, claim: PersistentVolumeClaim | None) -> Candidate:
    """A claim with a volume that any node can use: what the volume controller has to bring about."""
    fresh = _fresh(case, use, claim, claim_class(claim) if claim is not None else "")
    name = f"volume-for-{use.name}"
    volume = PersistentVolume(
        metadata=ObjectMeta(name=name),
        spec=PersistentVolumeSpec(
            access_modes=fresh.spec.access_modes,
            storage_class_name=fresh.spec.storage_class_name,
            capacity={"storage": requested_storage(fresh) or "1Gi"},
            claim_ref=ObjectReference(
                kind="PersistentVolumeClaim",
                namespace=fresh.namespace,
                name=fresh.name,
                uid=fresh.metadata.uid,
            ),
        ),
        status=PersistentVolumeStatus(phase="Bound"),
    )
    metadata = replace(fresh.metadata, annotations={**fresh.annotations, BIND_COMPLETED: "yes"})
    bound = replace(fresh, metadata=metadata, spec=replace(fresh.spec, volume_name=name))
    lost = claim is not None and bool(claim.spec.volume_name)
    if claim is None:
        text = f"create claim {use.name}, bound to a volume"
    elif lost or claim.metadata.deletion_timestamp is not None:
        text = f"a new claim {use.name}, bound to a volume"
    else:
        text = f"a volume for claim {use.name}"
    asked = f"# claim {use.name} in namespace {case.pod.namespace}, and a volume it is bound to"
    return Candidate(
        "claim-bound",
        Cost.LOSS if lost else Cost.NODE,
        text,
        changes=(Put("persistent_volumes", name, volume), Put("persistent_volume_claims", use.key, bound)),
        commands=(f"kubectl describe pvc {use.name} -n {case.pod.namespace}" if claim is not None else asked,),
        harm="LOSES DATA" if lost else "",
    )
