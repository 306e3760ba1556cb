"""Which existing volume a claim gets on a node: one pre-bound to it, else the smallest that is large enough.

Source: component-helpers v0.37.2 storage/volume/pv_helpers.go FindMatchingVolume (equal since v0.34).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kplan.cluster import Cluster
from kplan.framework.features import Features
from kplan.framework.worlds import Int
from kplan.objects.models import LabelSelector, PersistentVolume, PersistentVolumeClaim
from kplan.objects.quantity import nanos
from kplan.objects.selectors import Selector, compile_selector
from kplan.plugins.shared.claims import affinity_terms, claim_class, reach, requested_storage, volume_class
from kplan.plugins.volume_binding.preference import Preference, VolumePlace, single_term
from kplan.plugins.volume_binding.volume_index import FreeKind, volume_index, volume_size


class MatchError(Exception):
    """A claim the scheduler cannot look for a volume for; the message is its text."""


class Matching:
    """One search for the volumes of a pod's claims, over M nodes.

    What earlier claims took on a node is taken there for later ones, so the first volume that is left moves one way
    along the order of preference: each place of it is passed once, however many claims are alike.

    Args:
        cluster: the cluster.
        rows: intp[M], node rows.
        features: the scheduler's version.

    Attributes:
        taken: int64[M] for each claim so far, number of its volume, -1 where there is none.
        numbers: number of each volume seen so far, in order.
    """

    def __init__(self, cluster: Cluster, rows: NDArray[np.intp], features: Features) -> None:
        self.taken: list[Int] = []
        self.numbers: dict[str, int] = {}
        self._cluster, self._rows, self._features = cluster, rows, features
        self._gone: list[set[int]] = []
        self._gone_of = 0
        self._orders: dict[Wish, _Order] = {}

    def match(self, claim: PersistentVolumeClaim) -> None:
        """Find the volume that the next claim gets on each node; it waits for its first consumer, and is unbound.

        Raises:
            MatchError: the scheduler fails on this claim.
        """
        wish = wish_of(claim, self._features)
        self._take_note()
        chosen = np.full(len(self._rows), -1, dtype=np.int64)
        undecided = np.ones(len(self._rows), dtype=np.bool_)
        for volume in _reserved(claim, self._cluster, self._features):
            number = self._number(volume.name)
            # A volume reserved for the claim decides: where it is out of reach, no other is tried.
            there = [position for position, gone in enumerate(self._gone) if number in gone]
            decides = undecided.copy()
            decides[there] = False
            chosen[decides & reach(self._cluster, volume.spec.node_affinity)[self._rows]] = number
            undecided &= ~decides
        if undecided.any():
            self._take_first_free(wish, undecided, chosen)
        self.taken.append(chosen)

    def _take_note(self) -> None:
        """Write down by node what earlier claims took, once there are any."""
        if self.taken and not self._gone:
            self._gone = [set() for _ in range(len(self._rows))]
        for chosen in self.taken[self._gone_of :]:
            for position in np.flatnonzero(chosen >= 0).tolist():
                self._gone[position].add(int(chosen[position]))
        self._gone_of = len(self.taken)

    def _take_first_free(self, wish: Wish, undecided: NDArray[np.bool_], chosen: Int) -> None:
        """Write to ``chosen`` the first free volume in reach of each undecided node that no earlier claim takes."""
        order = self._orders.get(wish)
        if order is None:
            order = self._orders[wish] = _Order(self._cluster, wish, self._rows)
        none = len(order.free)
        if not self._gone:
            takes = undecided & (order.first < none)
            firsts, which = np.unique(order.first[takes], return_inverse=True)
            numbers = np.array([self._number(order.free[first].name) for first in firsts.tolist()], dtype=np.int64)
            chosen[takes] = numbers[which]
            return
        for position in np.flatnonzero(undecided & (order.first < none)).tolist():
            gone = self._gone[position]
            while order.first[position] < none:
                number = self._number(order.free[order.first[position]].name)
                if number not in gone:
                    chosen[position] = number
                    break
                order.pass_on(position)

    def _number(self, volume: str) -> int:
        return self.numbers.setdefault(volume, len(self.numbers))


class _Order:
    """Free volumes for claims that are alike, smallest first, and the first that is left for each node.

    Attributes:
        free: the volumes.
        first: int64[M], the first in reach of each node that is not passed; their number where there is none.
    """

    def __init__(self, cluster: Cluster, wish: Wish, rows: NDArray[np.intp]) -> None:
        self.free, self._preference = _preferred(cluster, wish)
        self._rows = rows
        self._left: dict[int, Iterator[int]] = {}
        self.first = self._preference.first(rows)

    def pass_on(self, position: int) -> None:
        """Pass the first that is left for a node."""
        left = self._left.get(position)
        if left is None:
            left = self._left[position] = self._preference.at(int(self._rows[position]))
            next(left, None)
        self.first[position] = next(left, len(self.free))


def _preferred(cluster: Cluster, wish: Wish) -> tuple[Sequence[PersistentVolume], Preference]:
    """Free volumes that suit claims, smallest first, and which of them each node prefers; kept until either changes."""
    known: dict[Wish, tuple[Sequence[PersistentVolume], Preference]] = cluster.objects.derived(
        "free volumes in order", ("persistent_volumes", "nodes"), dict
    )
    if wish not in known:
        free = volume_index(cluster).free(wish.kind, wish.size)
        known[wish] = free, Preference(cluster, [_place(cluster, volume) for volume in free])
    return known[wish]


def _place(cluster: Cluster, volume: PersistentVolume) -> VolumePlace:
    affinity = volume.spec.node_affinity
    # the same objects are asked about for each pod: what one compiles to is kept beside it
    compiled: dict[int, tuple[object, object]] = cluster.objects.derived("places of volumes", (), dict)
    known, place = compiled.get(id(affinity), (None, None))
    if known is not affinity or not isinstance(place, VolumePlace):
        place = VolumePlace(single_term(affinity_terms(affinity)), lambda: reach(cluster, affinity))
        compiled[id(affinity)] = affinity, place
    return place


def _claim_selector(claim: PersistentVolumeClaim, features: Features) -> Selector | None:
    if claim.spec.volume_attributes_class_name and not features.enabled("VolumeAttributesClass"):
        raise MatchError(
            f"unsupported volumeAttributesClassName is set on claim {claim.key} "
            "when the feature-gate VolumeAttributesClass is disabled"
        )
    if claim.spec.selector is None:
        return None
    problem = selector_problem(claim.spec.selector)
    if problem:
        raise MatchError(f"error creating internal label selector for claim: {claim.key}: {problem}")
    return compile_selector(claim.spec.selector)


def selector_problem(selector: LabelSelector) -> str:
    """Tell why Kubernetes cannot evaluate a label selector; empty if it can.

    Source: apimachinery v0.37.2 pkg/apis/meta/v1/helpers.go LabelSelectorAsSelector, pkg/labels/selector.go
    NewRequirement (the syntax of keys and values is the API server's to check).
    """
    for expression in selector.match_expressions or ():
        match expression.operator:
            case "In" | "NotIn":
                if not expression.values:
                    return "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty"
            case "Exists" | "DoesNotExist":
                if expression.values:
                    return "values: Invalid value: must be an empty set for exists and does not exist"
            case operator:
                return f'"{operator}" is not a valid label selector operator'
    return ""


class Wish(NamedTuple):
    """What a claim says about the free volumes that suit it: claims that say the same get the same.

    Attributes:
        kind: all but the size.
        size: the storage that it asks for [10^-9 bytes].
    """

    kind: FreeKind
    size: int


def wish_of(claim: PersistentVolumeClaim, features: Features) -> Wish:
    """Tell what a claim asks of free volumes.

    Raises:
        MatchError: the scheduler fails on this claim.
    """
    kind = FreeKind(
        claim_class(claim),
        claim.spec.volume_mode or "Filesystem",
        claim.spec.volume_attributes_class_name or "",
        _claim_selector(claim, features),
        frozenset(claim.spec.access_modes or ()),
    )
    return Wish(kind, nanos(requested_storage(claim) or 0))


def _reserved(claim: PersistentVolumeClaim, cluster: Cluster, features: Features) -> list[PersistentVolume]:
    """Volumes of the claim's class that are reserved for it and suit it, by name."""
    return [
        volume
        for volume in volume_index(cluster).reserved(claim.namespace, claim.name)
        if volume_class(volume) == claim_class(claim) and mismatch(claim, volume, features) is None
    ]


def reserved_for(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    """Tell whether a volume names the claim as the one it belongs to.

    Source: IsVolumeBoundToClaim.
    """
    ref = volume.spec.claim_ref
    if ref is None or (ref.name or "") != claim.name or (ref.namespace or "") != claim.namespace:
        return False
    return not ref.uid or ref.uid == (claim.metadata.uid or "")


class Mismatch(StrEnum):
    """Why a volume of the right class does not suit a claim on any node."""

    CLAIMED = "claimed"
    SIZE = "size"
    VOLUME_MODE = "volume-mode"
    ATTRIBUTES_CLASS = "attributes-class"
    BEING_DELETED = "being-deleted"
    NOT_AVAILABLE = "not-available"
    SELECTOR = "selector"
    ACCESS_MODES = "access-modes"


def mismatch(claim: PersistentVolumeClaim, volume: PersistentVolume, features: Features) -> Mismatch | None:
    """Tell why a volume does not suit a claim even if reserved for it; None if it does."""
    spec = volume.spec
    if spec.claim_ref is not None and not reserved_for(volume, claim):
        return Mismatch.CLAIMED
    if volume_size(volume) < nanos(requested_storage(claim) or 0):
        return Mismatch.SIZE
    if (claim.spec.volume_mode or "Filesystem") != (spec.volume_mode or "Filesystem"):
        return Mismatch.VOLUME_MODE
    wanted = (claim.spec.volume_attributes_class_name or "") if features.enabled("VolumeAttributesClass") else ""
    if wanted != (spec.volume_attributes_class_name or ""):
        return Mismatch.ATTRIBUTES_CLASS
    return Mismatch.BEING_DELETED if volume.metadata.deletion_timestamp is not None else None


def free_mismatch(claim: PersistentVolumeClaim, volume: PersistentVolume, selector: Selector | None) -> Mismatch | None:
    """Tell why a volume that is reserved for nobody does not suit a claim; None if it does."""
    if volume.status.phase != "Available":
        return Mismatch.NOT_AVAILABLE
    if selector is not None and not selector.matches(volume.labels):
        return Mismatch.SELECTOR
    modes = set(volume.spec.access_modes or ())
    return None if modes.issuperset(claim.spec.access_modes or ()) else Mismatch.ACCESS_MODES
