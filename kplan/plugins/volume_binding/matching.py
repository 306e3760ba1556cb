"""Which existing volume a claim gets on a node: one pre-bound to it, else the smallest that is large enough.

Source: component-helpers v0.37.2 storage/volume/pv_helpers.go FindMatchingVolume (equal since v0.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from kplan.cluster import Cluster
from kplan.framework.features import Features
from kplan.framework.worlds import Int
from kplan.objects.models import LabelSelector, PersistentVolume, PersistentVolumeClaim
from kplan.objects.quantity import nanos
from kplan.objects.selectors import Selector, compile_selector
from kplan.plugins.shared.claims import affinity_terms, claim_class, reach, requested_storage, volume_class
from kplan.plugins.volume_binding.preference import Place, Preference, single_term


class MatchError(Exception):
    """A claim the scheduler cannot look for a volume for; the message is its text."""


def match_claim(
    claim: PersistentVolumeClaim,
    cluster: Cluster,
    rows: NDArray[np.intp],
    features: Features,
    taken: Sequence[Int],
    numbers: dict[str, int],
) -> Int:
    """Find the volume a claim gets on each node.

    Args:
        claim: an unbound claim that waits for its first consumer.
        cluster: the cluster.
        rows: intp[M], node rows.
        features: the scheduler's version.
        taken: int64[M] each, the volumes that earlier claims of the pod take on each node.
        numbers: number of each volume seen so far, in order; grows.

    Returns:
        int64[M], number of a volume, -1 where there is none.

    Raises:
        MatchError: the scheduler fails on this claim.
    """
    selector = _claim_selector(claim, features)
    prebound, free = _candidates(claim, cluster, features, selector)
    chosen = np.full(len(rows), -1, dtype=np.int64)
    undecided = np.ones(len(rows), dtype=np.bool_)
    for volume in prebound:
        number = numbers.setdefault(volume.name, len(numbers))
        # A volume reserved for the claim decides: where it is out of reach, no other is tried.
        decides = undecided & ~_is_taken(number, taken, len(rows))
        chosen[decides & reach(cluster, volume.spec.node_affinity)[rows]] = number
        undecided &= ~decides
    _take_first_free(free, cluster, rows, undecided, taken, numbers, chosen)
    return chosen


def _take_first_free(
    free: Sequence[PersistentVolume],
    cluster: Cluster,
    rows: NDArray[np.intp],
    undecided: NDArray[np.bool_],
    taken: Sequence[Int],
    numbers: dict[str, int],
    chosen: Int,
) -> None:
    """Write to ``chosen`` the first free volume in reach of each undecided node that no earlier claim takes."""
    order = Preference(cluster, [_place(cluster, volume) for volume in free])
    at = np.flatnonzero(undecided)
    first = order.first(rows[at])
    for index in np.unique(first[first < len(free)]).tolist():
        numbers.setdefault(free[index].name, len(numbers))
    number_of = np.array([numbers.get(volume.name, -1) for volume in free] + [-1], dtype=np.int64)
    chosen[at] = number_of[first]
    clash = np.zeros(len(rows), dtype=np.bool_)
    for volumes in taken:
        clash |= (chosen >= 0) & (volumes == chosen)
    for position in np.flatnonzero(clash).tolist():
        gone = {int(volumes[position]) for volumes in taken}
        names = (free[index].name for index in order.at(int(rows[position])))
        left = next((name for name in names if numbers.get(name, -1) not in gone), None)
        chosen[position] = -1 if left is None else numbers.setdefault(left, len(numbers))


def _place(cluster: Cluster, volume: PersistentVolume) -> Place:
    affinity = volume.spec.node_affinity
    return Place(single_term(affinity_terms(affinity)), lambda: reach(cluster, affinity))


def _is_taken(number: int, taken: Sequence[Int], count: int) -> NDArray[np.bool_]:
    """bool[M] of the nodes where an earlier claim of the pod takes the volume."""
    mask = np.zeros(count, dtype=np.bool_)
    for volumes in taken:
        mask |= volumes == number
    return mask


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


def volumes_of_class(cluster: Cluster, name: str) -> list[PersistentVolume]:
    """List the volumes of a storage class (empty: of none), by name."""
    volumes = cluster.objects.persistent_volumes

    def index() -> dict[str, list[PersistentVolume]]:
        by_class: dict[str, list[PersistentVolume]] = {}
        for volume in sorted(volumes.values(), key=lambda volume: volume.name.encode()):
            by_class.setdefault(volume_class(volume), []).append(volume)
        return by_class

    by_class: dict[str, list[PersistentVolume]] = cluster.objects.derived(
        "volumes by class", ("persistent_volumes",), index
    )
    return by_class.get(name, [])


def _candidates(
    claim: PersistentVolumeClaim, cluster: Cluster, features: Features, selector: Selector | None
) -> tuple[list[PersistentVolume], list[PersistentVolume]]:
    """List volumes reserved for the claim, and free ones that suit it, smallest first, equal ones by name."""
    prebound, free = [], []
    for volume in volumes_of_class(cluster, claim_class(claim)):
        if mismatch(claim, volume, features):
            continue
        if reserved_for(volume, claim):
            prebound.append(volume)
        elif not free_mismatch(claim, volume, selector):
            free.append(volume)
    free.sort(key=volume_size)
    return prebound, free


def volume_size(volume: PersistentVolume) -> int:
    """Capacity of a volume [10^-9 bytes]."""
    return nanos((volume.spec.capacity or {}).get("storage", 0))


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
