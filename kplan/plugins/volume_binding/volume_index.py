"""Volumes by class, by the claim that they are reserved for, and free ones by size: in step with the cluster.

Each pod that is placed binds volumes; an index that is made again for each would cost as many steps as there are pods
times volumes.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from kplan.cluster import Cluster
from kplan.objects.models import Object, PersistentVolume
from kplan.objects.quantity import nanos
from kplan.objects.selectors import Selector
from kplan.plugins.shared.claims import volume_class

_VOLUMES = "persistent_volumes"


def volume_size(volume: PersistentVolume) -> int:
    """Capacity of a volume [10^-9 bytes]."""
    return nanos((volume.spec.capacity or {}).get("storage", 0))


class FreeKind(NamedTuple):
    """What a claim says about free volumes but for their size."""

    storage_class: str
    volume_mode: str
    attributes_class: str
    selector: Selector | None
    access_modes: frozenset[str]

    def has(self, volume: PersistentVolume) -> bool:
        """Whether a volume is free and of this kind.

        Source: component-helpers v0.37.2 storage/volume/pv_helpers.go FindMatchingVolume (equal since v0.34).
        """
        spec = volume.spec
        return (
            spec.claim_ref is None
            and volume_class(volume) == self.storage_class
            and (spec.volume_mode or "Filesystem") == self.volume_mode
            and (spec.volume_attributes_class_name or "") == self.attributes_class
            and volume.metadata.deletion_timestamp is None
            and volume.status.phase == "Available"
            and (self.selector is None or self.selector.matches(volume.labels))
            and self.access_modes.issubset(spec.access_modes or ())
        )


class VolumeIndex:
    """Follows the volumes of a cluster."""

    def __init__(self, volumes: Mapping[str, PersistentVolume]) -> None:
        self._by_class: dict[str, list[PersistentVolume]] = {}
        self._by_claim: dict[tuple[str, str], list[PersistentVolume]] = {}
        self._free: dict[FreeKind, list[PersistentVolume]] = {}
        for volume in sorted(volumes.values(), key=_name):
            self._by_class.setdefault(volume_class(volume), []).append(volume)
            claim = _claim_of(volume)
            if claim is not None:
                self._by_claim.setdefault(claim, []).append(volume)

    def put(self, attribute: str, key: str, former: Object | None, item: Object | None) -> None:
        """Follow the replacement of one volume; None stands for none."""
        del attribute, key
        if isinstance(former, PersistentVolume):
            _take_out(self._by_class[volume_class(former)], former)
            claim = _claim_of(former)
            if claim is not None:
                _take_out(self._by_claim[claim], former)
            for kind, free in self._free.items():
                if kind.has(former):
                    del free[bisect_left(free, _by_size(former), key=_by_size)]
        if isinstance(item, PersistentVolume):
            insort(self._by_class.setdefault(volume_class(item), []), item, key=_name)
            claim = _claim_of(item)
            if claim is not None:
                insort(self._by_claim.setdefault(claim, []), item, key=_name)
            for kind, free in self._free.items():
                if kind.has(item):
                    insort(free, item, key=_by_size)

    def of_class(self, name: str) -> Iterable[PersistentVolume]:
        """Volumes of a storage class (empty: of none), by name."""
        return self._by_class.get(name, ())

    def reserved(self, namespace: str, claim: str) -> Iterable[PersistentVolume]:
        """Volumes that name a claim, by name."""
        return self._by_claim.get((namespace, claim), ())

    def free(self, kind: FreeKind, size: int) -> list[PersistentVolume]:
        """Free volumes of a kind and of at least a size [10^-9 bytes]: smallest first, equal ones by name."""
        free = self._free.get(kind)
        if free is None:
            if len(self._free) >= _KINDS:
                self._free.clear()
            free = self._free[kind] = sorted(filter(kind.has, self.of_class(kind.storage_class)), key=_by_size)
        return free[bisect_left(free, size, key=volume_size) :]


_KINDS = 50
"""Kinds whose free volumes are kept: each change of a volume asks all of them."""


def _name(volume: PersistentVolume) -> bytes:
    return volume.name.encode()


def _by_size(volume: PersistentVolume) -> tuple[int, bytes]:
    return volume_size(volume), volume.name.encode()


def _claim_of(volume: PersistentVolume) -> tuple[str, str] | None:
    ref = volume.spec.claim_ref
    return (ref.namespace or "", ref.name or "") if ref is not None else None


def _take_out(volumes: list[PersistentVolume], volume: PersistentVolume) -> None:
    del volumes[bisect_left(volumes, _name(volume), key=_name)]


def volume_index(cluster: Cluster) -> VolumeIndex:
    """The index of a cluster's volumes."""
    return cluster.objects.followed("volumes", (_VOLUMES,), lambda: VolumeIndex(cluster.objects.persistent_volumes))
