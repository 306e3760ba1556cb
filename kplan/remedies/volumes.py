"""Volumes: limits, claims, classes, capacities, and volumes that are still attached for nobody."""

from __future__ import annotations

from collections.abc import Iterator

from kplan.cluster import Put
from kplan.objects.lean import replace
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
from kplan.remedies import about, waiting_claims
from kplan.remedies.candidate import Candidate, Case, RemedyCost
from kplan.remedies.deeds import Objects
from kplan.remedies.specs import with_containers

NODES = 3
BROKEN_CLAIM = (
    "claim-missing",
    "claim-being-deleted",
    "claim-being-made",
    "claim-unbound",
    "claim-not-owned",
    "volume-missing",
    "storage-class-missing",
)
"""Codes of claims that are not as they should be, whatever the nodes."""
_ELSEWHERE = ("volume-out-of-reach", "volume-zone", "volume-missing")
_HOSTNAME = "kubernetes.io/hostname"


def propose(case: Case) -> Iterator[Candidate]:
    """Change what the volumes of the pod need, or what nodes allow."""
    codes = case.codes()
    if "volume-limit" in codes or "csi-driver-missing" in codes:
        yield from _limits(case)
    if codes & {"no-volume-to-bind", "no-storage-capacity"}:
        yield from waiting_claims.propose(case)
    if codes & set(BROKEN_CLAIM) or codes & set(_ELSEWHERE):
        yield from _claims(case)
    if codes & {"volume-limit", "no-volume-to-bind", "no-storage-capacity", *BROKEN_CLAIM, *_ELSEWHERE}:
        yield from map(_without, _uses(case))


def _limits(case: Case) -> Iterator[Candidate]:
    rows = case.nearest(NODES, "volume-limit", "csi-driver-missing")
    facts = case.facts_of(NodeVolumeLimitsFacts, rows)
    if facts is None:
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
    limits = {use.driver: (use.attached + len(use.new), use.limit) for use in uses}
    drivers = [
        replace(driver, allocatable=VolumeNodeResources(count=limits[driver.name][0]))
        if driver.name in limits
        else driver
        for driver in csi_node.spec.drivers or ()
    ]
    told = tuple((driver, new, old) for driver, (new, old) in limits.items())
    return _with_drivers("volume-limit", csi_node, drivers, about.Named(node=csi_node.name, limits=told))


def _installed(csi_node: CSINode, missing: list[DriverUsage]) -> Candidate:
    names = tuple(use.driver for use in missing)
    drivers = [*(csi_node.spec.drivers or ()), *(CsiNodeDriver(name=name) for name in names)]
    return _with_drivers("install-driver", csi_node, drivers, about.Named(node=csi_node.name, names=names))


def _with_drivers(code: str, csi_node: CSINode, drivers: list[CsiNodeDriver], what: about.Named) -> Candidate:
    changed = replace(csi_node, spec=replace(csi_node.spec, drivers=drivers))
    return Candidate(code, RemedyCost.NODE, what, steps=(Objects((Put("csi_nodes", csi_node.name, changed),)),))


def _detached(case: Case, uses: list[DriverUsage]) -> Iterator[Candidate]:
    """Detach what no pod uses; where that is not enough it is said."""
    unused = {name for use in uses for name in use.unused}
    node = uses[0].node
    attachments = [
        (key, item)
        for key, item in case.cluster.objects.table("volume_attachments").items()
        if item.spec.node_name == node and item.spec.source and item.spec.source.persistent_volume_name in unused
    ]
    if attachments:
        volumes = sorted({item.spec.source.persistent_volume_name for _, item in attachments})
        what = about.Named(node=node, names=tuple(volumes), keys=tuple(key for key, _ in attachments))
        steps = (Objects(tuple(Put("volume_attachments", key, None) for key, _ in attachments)),)
        yield Candidate("detach-volume", RemedyCost.STALE, what, steps=steps, named=True)


def _uses(case: Case) -> list[ClaimUse]:
    return [use for use in claim_uses(case.pod.pod) if use.name]


def _without(use: ClaimUse) -> Candidate:
    def edit(spec: PodSpec) -> PodSpec:
        volumes = [volume for volume in spec.volumes or () if volume.name != use.volume]

        def unmounted(container: Container) -> Container:
            mounts = [mount for mount in container.volume_mounts or () if mount.name != use.volume]
            changed = len(mounts) != len(container.volume_mounts or ())
            return replace(container, volume_mounts=mounts or None) if changed else container

        return with_containers(replace(spec, volumes=volumes or None), unmounted)

    return Candidate("without-claim", RemedyCost.LEAVE_OUT, about.Named(name=use.name), edits=(edit,))


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


def _out_of_reach(case: Case) -> set[str]:
    rows = case.nearest(4, *_ELSEWHERE)
    facts = case.facts_of(VolumeBindingFacts, rows) if rows else None
    if facts is None:
        return set()
    missed = {volume for node in facts.nodes for volume in node.out_of_reach}
    return {volume.claim for volume in facts.bound if volume.volume in missed}


def _new_claim(case: Case, use: ClaimUse, claim: PersistentVolumeClaim | None) -> Iterator[Candidate]:
    classes = case.cluster.objects.storage_classes
    waits = [name for name, item in classes.items() if item.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER]
    own = claim_class(claim) if claim is not None else ""
    going = claim is not None and claim.metadata.deletion_timestamp is not None
    for name in [own] if own in waits else waits[:2]:
        item = classes[name]
        if (item.provisioner or "") in ("", "kubernetes.io/no-provisioner"):
            continue
        yield _claimed(case, use, claim, name)
    if own in classes and own not in waits and not going:
        late = replace(
            classes[own],
            metadata=replace(classes[own].metadata, name=f"{own}-late"),
            volume_binding_mode=WAIT_FOR_FIRST_CONSUMER,
        )
        yield _claimed(case, use, claim, late.name, late=(Put("storage_classes", late.name, late),))
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
    late: tuple[Put, ...] = (),
) -> Candidate:
    fresh = _fresh(case, use, claim, storage_class)
    data = claim is not None and bool(claim.spec.volume_name)
    what = about.NewClaim(
        "" if claim is not None else use.name,
        storage_class,
        bool(late),
        claim=use.name,
        namespace=case.pod.namespace,
        size=f"{requested_storage(fresh)}",
        modes=tuple(fresh.spec.access_modes or ()),
    )
    return Candidate(
        "new-claim",
        RemedyCost.LOSS if data else RemedyCost.LOOSEN,
        what,
        steps=(Objects((*late, Put("persistent_volume_claims", use.key, fresh))),),
        harm="loses-data" if data else "",
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
    again = claim is not None and (lost or claim.metadata.deletion_timestamp is not None)
    return Candidate(
        "claim-bound",
        RemedyCost.LOSS if lost else RemedyCost.NODE,
        about.Named("new" if claim is None else "again" if again else "", use.name, case.pod.namespace),
        steps=(Objects((Put("persistent_volumes", name, volume), Put("persistent_volume_claims", use.key, bound))),),
        harm="loses-data" if lost else "",
    )
