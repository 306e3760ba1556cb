"""Which CSI volumes pods use and nodes have attached, as arrays that stand until the objects behind them change.

Source: kubernetes v1.37.2 pkg/scheduler/framework/plugins/nodevolumelimits/csi.go filterAttachableVolumes,
getCSIDriverInfo, getCSIDriverInfoFromSC, checkAttachableInlineVolume, getNodeVolumeAttachmentInfo.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from kplan.cluster import Cluster
from kplan.framework.findings import Why
from kplan.framework.reason_codes import ReasonCode
from kplan.objects.models import Object, PersistentVolume, PersistentVolumeClaim, Pod
from kplan.plugins.shared.claims import claim_class, claim_missing, claim_use, not_owner, owned_by, volume_users
from kplan.plugins.shared.csi_translation import (
    BY_NAME,
    IN_TREE,
    TranslationError,
    inline_handle,
    plugin_of_inline,
    plugin_of_volume,
    volume_handle,
)

Index = NDArray[np.intp]

ALWAYS = 0
"""A volume of a CSI driver counts everywhere; others only where in-tree plugin number 1, 2 ... is migrated."""

PLUGIN_NUMBER = {plugin.name: number for number, plugin in enumerate(IN_TREE, start=1)}


class UsedVolume(NamedTuple):
    """A volume that counts against a limit.

    Attributes:
        driver: name of the CSI driver.
        unique: ``driver/handle``; a volume two pods use has one such name.
        plugin: ALWAYS, or the number of the in-tree plugin that has to be migrated on the node.
        label: name of the claim, or of the pod's volume where there is no claim.
    """

    driver: str
    unique: str
    plugin: int
    label: str


class AttachmentProblem(NamedTuple):
    """A volume the scheduler cannot count.

    Attributes:
        text: its text.
        plugin: as of UsedVolume: where it fails.
        code: what is wrong, where pods are refused for it elsewhere.
        missing: of a claim that is not there, why a pod to place is refused; it is passed over for a placed one.
        claim: ``namespace/name`` of that claim.
    """

    text: str = ""
    plugin: int = ALWAYS
    code: ReasonCode | None = None
    missing: Why | None = None
    claim: str = ""


def used_volumes(pod: Pod, cluster: Cluster) -> Iterator[UsedVolume | AttachmentProblem]:
    """Yield what each volume of a pod counts as, in order; volumes that do not count are left out."""
    for volume in pod.spec.volumes or ():
        use = claim_use(pod, volume)
        if use is None:
            plugin = plugin_of_inline(volume)
            if plugin is None or not plugin.counted:
                continue
            number = PLUGIN_NUMBER[plugin.name]
            try:
                yield UsedVolume(plugin.driver, f"{plugin.driver}/{inline_handle(volume)}", number, volume.name)
            except TranslationError as error:
                yield AttachmentProblem(f"converting volume({volume.name}) from inline to csi: {error}", number)
            continue
        if not use.name:
            yield AttachmentProblem("PersistentVolumeClaim had no name")
            continue
        claim = cluster.objects.persistent_volume_claims.get(use.key)
        if claim is None:
            yield AttachmentProblem(missing=claim_missing(use.name, f"looking up PVC {use.key}: "), claim=use.key)
        elif use.ephemeral and not owned_by(claim, pod):
            why = not_owner(claim, pod)
            yield AttachmentProblem(why.reason, code=why.code)
        else:
            counted = volume_of_claim(claim, cluster)
            if counted is not None:
                yield counted


def volume_of_claim(claim: PersistentVolumeClaim, cluster: Cluster) -> UsedVolume | None:
    """Return what a claim counts as: its volume, or one its storage class would make; None if nothing."""
    volume = cluster.objects.persistent_volumes.get(claim.spec.volume_name or "")
    if volume is None:
        return _of_class(claim, cluster)
    if volume.spec.csi is not None:
        return _used(volume.spec.csi.driver, volume.spec.csi.volume_handle, ALWAYS, claim)
    plugin = plugin_of_volume(volume)
    if plugin is None or not plugin.counted:
        return None
    try:
        return _used(plugin.driver, volume_handle(volume), PLUGIN_NUMBER[plugin.name], claim)
    except TranslationError:
        return None


def _of_class(claim: PersistentVolumeClaim, cluster: Cluster) -> UsedVolume | None:
    name = claim_class(claim)
    storage_class = cluster.objects.storage_classes.get(name) if name else None
    if storage_class is None:
        return None
    provisioner = storage_class.provisioner or ""
    # The scheduler puts a random prefix before the claim, so that it equals no real volume; a space does the same.
    handle = f" {claim.key}"
    plugin = BY_NAME.get(provisioner)
    if plugin is None:
        return _used(provisioner, handle, ALWAYS, claim)
    return _used(plugin.driver, handle, PLUGIN_NUMBER[plugin.name], claim) if plugin.counted else None


def _used(driver: str, handle: str, plugin: int, claim: PersistentVolumeClaim) -> UsedVolume | None:
    return UsedVolume(driver, f"{driver}/{handle}", plugin, claim.name) if driver and handle else None


class Uses(Struct):
    """Volumes of all pods, one entry a pod and volume, by pod row.

    Attributes:
        pod: intp[U].
        volume: intp[U], number of the unique name.
        driver: intp[U], number of the driver.
        plugin: intp[U], see UsedVolume.
        volumes: number of each unique name.
        drivers: number of each driver.
        problems: what placed pods bring that the scheduler fails on, by pod row.
    """

    pod: Index
    volume: Index
    driver: Index
    plugin: Index
    volumes: dict[str, int]
    drivers: dict[str, int]
    problems: dict[int, list[AttachmentProblem]]


_Seen = tuple[PersistentVolumeClaim, PersistentVolume | None, UsedVolume | None]


class Attachments(Struct):
    """Keeps ``Uses`` up to date.

    A plan changes claims and volumes with every pod it places (annotations, claimRef), hardly ever what they count
    as: so claims that changed are looked at again, and the arrays are only made anew if one counts differently.
    """

    versions: tuple[int, ...] = ()
    claims: dict[str, _Seen] = field(default_factory=dict)
    uses: Uses | None = None
    _by_volume: dict[str, set[str]] = field(default_factory=dict)
    _absent: frozenset[str] = frozenset()
    _changed: set[str] = field(default_factory=set)

    def put(self, attribute: str, key: str, former: Object | None, item: Object | None) -> None:
        """Note the claims that the replacement of a claim or volume may concern."""
        del former, item
        self._changed.update((key,) if attribute == "persistent_volume_claims" else self._by_volume.get(key, ()))

    def refresh(self, cluster: Cluster) -> Uses:
        """Return the uses as of now."""
        users = volume_users(cluster)
        versions = (users.generation, cluster.objects.version["storage_classes"])
        if self.uses is None or versions != self.versions or not self._unchanged(cluster):
            self._build(cluster, users.with_volumes)
        self._changed.clear()
        self.versions = versions
        assert self.uses is not None
        return self.uses

    def _unchanged(self, cluster: Cluster) -> bool:
        """Whether all claims that changed since the uses were counted still count as they did."""
        claims, volumes = cluster.objects.persistent_volume_claims, cluster.objects.persistent_volumes
        for key in self._changed:
            seen, now = self.claims.get(key), claims.get(key)
            if seen is None:
                if now is not None and key in self._absent:
                    return False
                continue
            claim, volume, counted = seen
            if now is None:
                return False
            its_volume = volumes.get(now.spec.volume_name or "")
            if now is claim and its_volume is volume:
                continue
            same_owner = now.metadata.owner_references == claim.metadata.owner_references
            if not same_owner or volume_of_claim(now, cluster) != counted:
                return False
            self._see(key, now, its_volume, counted)
        return True

    def _see(
        self, key: str, claim: PersistentVolumeClaim, volume: PersistentVolume | None, counted: UsedVolume | None
    ) -> None:
        self.claims[key] = (claim, volume, counted)
        self._by_volume.setdefault(claim.spec.volume_name or "", set()).add(key)

    def _build(self, cluster: Cluster, rows: list[int]) -> None:
        volumes: dict[str, int] = {}
        drivers: dict[str, int] = {}
        problems: dict[int, list[AttachmentProblem]] = {}
        entries: list[tuple[int, int, int, int]] = []
        self.claims, self._by_volume = {}, {}
        for row in rows:
            pod = cluster.pods[row].pod
            self._remember(pod, cluster)
            for item in used_volumes(pod, cluster):
                if isinstance(item, AttachmentProblem):
                    problems.setdefault(row, []).append(item)
                    continue
                number = volumes.setdefault(item.unique, len(volumes))
                entries.append((row, number, drivers.setdefault(item.driver, len(drivers)), item.plugin))
        table = np.array(entries, dtype=np.intp).reshape(-1, 4).T.copy()
        missing = (problem for told in problems.values() for problem in told if problem.missing is not None)
        self._absent = frozenset(problem.claim for problem in missing)
        self.uses = Uses(table[0], table[1], table[2], table[3], volumes, drivers, problems)

    def _remember(self, pod: Pod, cluster: Cluster) -> None:
        for volume in pod.spec.volumes or ():
            use = claim_use(pod, volume)
            claim = cluster.objects.persistent_volume_claims.get(use.key) if use is not None else None
            if use is not None and claim is not None and use.key not in self.claims:
                volume_object = cluster.objects.persistent_volumes.get(claim.spec.volume_name or "")
                self._see(use.key, claim, volume_object, volume_of_claim(claim, cluster))


def volume_uses(cluster: Cluster) -> Uses:
    """Return the uses of a cluster, up to date."""
    kinds = ("persistent_volume_claims", "persistent_volumes")
    return cluster.objects.followed("volume uses", kinds, Attachments).refresh(cluster)


class AttachedVolume(NamedTuple):
    """What a VolumeAttachment says: node name, unique name as of UsedVolume, name of the volume."""

    node: str
    unique: str
    volume: str


def attached_volumes(cluster: Cluster) -> dict[str, list[AttachedVolume]]:
    """Index the VolumeAttachments of CSI volumes by attacher.

    Source: getNodeVolumeAttachmentInfo (a volume that is not there, or is not CSI's own, does not count).
    """

    def index() -> dict[str, list[AttachedVolume]]:
        by_driver: dict[str, list[AttachedVolume]] = {}
        for item in cluster.objects.table("volume_attachments").values():
            spec = item.spec
            name = spec.source.persistent_volume_name if spec.source is not None else None
            volume = cluster.objects.persistent_volumes.get(name or "")
            if not spec.attacher or volume is None or volume.spec.csi is None:
                continue
            unique = f"{spec.attacher}/{volume.spec.csi.volume_handle}"
            by_driver.setdefault(spec.attacher, []).append(AttachedVolume(spec.node_name or "", unique, volume.name))
        return by_driver

    by_attacher: dict[str, list[AttachedVolume]] = cluster.objects.derived(
        "volumes attached", ("volume_attachments", "persistent_volumes"), index
    )
    return by_attacher
