"""The search behind VolumeBinding: for each node, can the claims of a pod be had there, and with which volumes.

Claims are looked at one after another, each for all nodes at once; which volumes earlier claims of the pod took is kept
per node. A node is done with as soon as one step fails, as in the scheduler.
Source: kubernetes v1.37.2 pkg/scheduler/framework/plugins/volumebinding/binder.go.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kplan.cluster import Cluster
from kplan.cluster.work import SEARCHED
from kplan.framework.features import Features
from kplan.framework.findings import RowError
from kplan.framework.worlds import Int, Mask
from kplan.objects.models import PersistentVolume, PersistentVolumeClaim, StorageClass
from kplan.objects.quantity import nanos
from kplan.plugins.shared.claims import SELECTED_NODE, claim_class, reach, requested_storage
from kplan.plugins.shared.csi_translation import (
    TranslationError,
    is_switched_on,
    plugin_of_volume,
    says_migrated,
    translated_affinity,
    volume_handle,
)
from kplan.plugins.volume_binding.capacity import allowed_topology, free_storage, provisions
from kplan.plugins.volume_binding.matching import MatchError, Matching


class Binding(Struct, frozen=True):
    """An existing volume is bound to a claim; ``claim`` is ``namespace/name``."""

    claim: str
    volume: str


class Provision(Struct, frozen=True):
    """A volume is made for a claim.

    Attributes:
        claim: ``namespace/name``.
        capacity: key of the CSIStorageCapacity it comes out of; None where none is tracked.
    """

    claim: str
    capacity: str | None = None


class PodVolumes(Struct, frozen=True):
    """What placing the pod on a node does for its unbound claims.

    Attributes:
        bindings: existing volumes that are bound, smallest claim first.
        provisions: volumes that are made.
    """

    bindings: tuple[Binding, ...] = ()
    provisions: tuple[Provision, ...] = ()

    @property
    def volumes(self) -> dict[str, str]:
        """Name of the volume by name of the claim; empty where one is made."""
        matched = {_name(binding.claim): binding.volume for binding in self.bindings}
        return matched | {_name(provision.claim): "" for provision in self.provisions}


def _name(key: str) -> str:
    return key.partition("/")[2]


class PodClaims(Struct, frozen=True):
    """Claims of a pod.

    Attributes:
        bound: those with a volume, in the order of the pod's volumes.
        delayed: those that wait for their first consumer, in that order.
    """

    bound: tuple[PersistentVolumeClaim, ...]
    delayed: tuple[PersistentVolumeClaim, ...]


class VolumeSearch(Struct):
    """State of one search over M nodes.

    Attributes:
        out_of_reach: bool[M], a bound volume cannot be used from there.
        no_volume: bool[M], a claim neither finds nor may be given a volume.
        no_space: bool[M], the volume would not fit what is free.
        missing: bool[M], a claim is bound to a volume that is not there.
        errors: rows on which the scheduler fails.
        choice: what would be bound and made, by node row, where nothing is in the way.
    """

    out_of_reach: Mask
    no_volume: Mask
    no_space: Mask
    missing: Mask
    errors: list[RowError]
    choice: dict[int, PodVolumes]


def search(claims: PodClaims, cluster: Cluster, rows: NDArray[np.intp], features: Features) -> VolumeSearch:
    """Search all nodes at positions ``rows`` (intp[M]).

    Source: volumeBinder.FindPodVolumes.
    """
    nowhere = np.zeros((4, len(rows)), dtype=np.bool_)
    answer = VolumeSearch(nowhere[0], nowhere[1], nowhere[2], nowhere[3], [], {})
    alive = _check_bound(claims.bound, cluster, rows, features, answer)
    if claims.delayed:
        cluster.work.charge(SEARCHED * len(rows))
        _bind_delayed(claims.delayed, cluster, rows, features, alive, answer)
    return answer


def _check_bound(
    bound: Sequence[PersistentVolumeClaim],
    cluster: Cluster,
    rows: NDArray[np.intp],
    features: Features,
    answer: VolumeSearch,
) -> Mask:
    """Check bound claims in order, until the first that fails on a node; return bool[M], where no error happened.

    Source: volumeBinder.checkBoundClaims.
    """
    undecided = np.ones(len(rows), dtype=np.bool_)
    sound = np.ones(len(rows), dtype=np.bool_)
    for claim in bound:
        volume = cluster.objects.persistent_volumes.get(claim.spec.volume_name or "")
        if volume is None:
            answer.missing |= undecided
            break
        usable, migrated, problem = volume_reach(cluster, volume, features)
        if problem:
            failed = undecided & migrated[rows]
            answer.errors.extend(
                RowError(int(row), f"could not translate pv: {problem}") for row in np.flatnonzero(failed)
            )
            undecided &= ~failed
            sound &= ~failed
        mismatch = undecided & ~usable[rows]
        answer.out_of_reach |= mismatch
        undecided &= ~mismatch
    return sound


def volume_reach(cluster: Cluster, volume: PersistentVolume, features: Features) -> tuple[Mask, Mask, str]:
    """Tell from which nodes a bound volume can be used.

    An in-tree volume is looked at as its CSI driver sees it where the node's CSINode says that the plugin is migrated.

    Returns:
        bool[N] of the nodes it can be used from, bool[N] of those that see it translated, and why it cannot be
        translated (empty if it can).

    Source: volumeBinder.tryTranslatePVToCSI.
    """
    usable = reach(cluster, volume.spec.node_affinity)
    migrated = np.zeros(len(cluster.nodes), dtype=np.bool_)
    plugin = plugin_of_volume(volume)
    if plugin is None or not is_switched_on(plugin, features):
        return usable, migrated, ""
    for name, csi_node in cluster.objects.csi_nodes.items():
        row = cluster.node_index.get(name)
        if row is not None:
            migrated[row] = says_migrated(csi_node, plugin)
    try:
        volume_handle(volume)
    except TranslationError as error:
        return usable, migrated, str(error)
    return np.where(migrated, reach(cluster, translated_affinity(volume, plugin)), usable), migrated, ""


def by_size(claims: Sequence[PersistentVolumeClaim]) -> list[PersistentVolumeClaim]:
    """Sort claims by the storage they ask for, smallest first; equal ones keep their order.

    Source: byPVCSize; Go's sort keeps the order of equal elements up to 12 of them.
    """
    return sorted(claims, key=lambda claim: nanos(requested_storage(claim) or 0))


def _bind_delayed(
    delayed: Sequence[PersistentVolumeClaim],
    cluster: Cluster,
    rows: NDArray[np.intp],
    features: Features,
    alive: Mask,
    answer: VolumeSearch,
) -> None:
    """Find or plan a volume for each unbound claim on the nodes that are alive.

    Source: volumeBinder.FindPodVolumes from "Find matching volumes and node for unbound claims" on.
    """
    selected = [claim for claim in delayed if SELECTED_NODE in claim.annotations]
    for claim in selected:
        chosen_node = cluster.node_index.get(claim.annotations[SELECTED_NODE], -1)
        elsewhere = alive & (rows != chosen_node)
        answer.no_volume |= elsewhere
        alive = alive & ~elsewhere
    to_match = by_size([claim for claim in delayed if SELECTED_NODE not in claim.annotations])
    matching = Matching(cluster, rows, features)
    for claim in to_match:
        try:
            matching.match(claim)
        except MatchError as error:
            answer.errors.extend(RowError(int(row), str(error)) for row in np.flatnonzero(alive))
            return
    taken = matching.taken
    everywhere = np.ones(len(rows), dtype=np.bool_)
    to_provision = [(claim, everywhere) for claim in selected]
    to_provision += [(claim, volume < 0) for claim, volume in zip(to_match, taken, strict=True)]
    capacities: list[Int] = []
    keys: list[str] = []
    for claim, needed in to_provision:
        asked = alive & needed
        capacity = np.full(len(rows), -1, dtype=np.int64)
        capacities.append(capacity)
        if not asked.any():
            continue
        storage_class = cluster.objects.storage_classes[claim_class(claim)]
        possible = _may_provision(storage_class, cluster, rows)
        answer.no_volume |= asked & ~possible
        space = free_storage(claim, storage_class, cluster, rows, keys)
        answer.no_space |= asked & possible & ~space.enough
        alive = alive & ~(asked & ~(possible & space.enough))
        capacity[:] = space.source
    planned = [(claim, needed, capacity) for (claim, needed), capacity in zip(to_provision, capacities, strict=True)]
    alive = alive & ~answer.out_of_reach & ~answer.missing
    answer.choice.update(_choices(rows, alive, to_match, taken, list(matching.numbers), planned, keys))


def _may_provision(storage_class: StorageClass, cluster: Cluster, rows: NDArray[np.intp]) -> Mask:
    """bool[M] of the nodes that a new volume of the class may be made for."""
    if not provisions(storage_class):
        return np.zeros(len(rows), dtype=np.bool_)
    return allowed_topology(storage_class, cluster)[rows]


def _choices(
    rows: NDArray[np.intp],
    alive: Mask,
    to_match: Sequence[PersistentVolumeClaim],
    taken: Sequence[Int],
    volumes: Sequence[str],
    planned: Sequence[tuple[PersistentVolumeClaim, Mask, Int]],
    keys: Sequence[str],
) -> dict[int, PodVolumes]:
    """Write down what each node that is left would get; nodes that get the same share one object."""
    at = np.flatnonzero(alive)
    if not len(at):
        return {}
    # -2 where nothing is made for the claim on that node
    made = [np.where(needed, capacity, -2) for _, needed, capacity in planned]
    table = np.stack([*taken, *made])[:, at]
    columns, index = np.unique(table, axis=1, return_inverse=True)
    plans = []
    for column in columns.T.tolist():
        matched, new = column[: len(taken)], column[len(taken) :]
        bindings = (Binding(c.key, volumes[v]) for c, v in zip(to_match, matched, strict=True) if v >= 0)
        provided = (
            Provision(claim.key, keys[source] if source >= 0 else None)
            for (claim, _, _), source in zip(planned, new, strict=True)
            if source > -2
        )
        plans.append(PodVolumes(tuple(bindings), tuple(provided)))
    return {int(row): plans[i] for row, i in zip(rows[at].tolist(), index.reshape(-1).tolist(), strict=True)}
