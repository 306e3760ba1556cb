"""Whether a new volume may be made for a node: provisioner, allowed topologies and tracked free storage.

Source: kubernetes v1.37.2 pkg/scheduler/framework/plugins/volumebinding/binder.go checkVolumeProvisions,
hasEnoughCapacity (equal since v1.34).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kplan.cluster import Cluster
from kplan.framework.worlds import Mask
from kplan.objects.models import CSIStorageCapacity, PersistentVolumeClaim, StorageClass
from kplan.objects.quantity import value
from kplan.objects.selectors import Requirement, compile_selector
from kplan.plugins.shared.claims import requested_storage
from kplan.plugins.volume_binding.matching import selector_problem
from kplan.plugins.volume_binding.preference import Preference, VolumePlace, single_requirement

NO_PROVISIONER = "kubernetes.io/no-provisioner"


class FreeStorage(Struct, frozen=True):
    """Where a new volume fits.

    Attributes:
        enough: bool[M].
        source: int64[M], number of the CSIStorageCapacity it comes out of, -1 where none is tracked.
    """

    enough: Mask
    source: NDArray[np.int64]


def provisions(storage_class: StorageClass) -> bool:
    """Tell whether volumes of a class are made on demand."""
    return bool(storage_class.provisioner) and storage_class.provisioner != NO_PROVISIONER


def allowed_topology(storage_class: StorageClass, cluster: Cluster) -> Mask:
    """bool[N] of the nodes that a class makes volumes for: one of its terms holds, or there is none.

    Source: pkg/apis/core/v1/helper/helpers.go MatchTopologySelectorTerms (a term without requirements, or with one that
    lists no value, matches no node).
    """
    if not storage_class.allowed_topologies:
        return np.ones(len(cluster.nodes), dtype=np.bool_)
    mask = np.zeros(len(cluster.nodes), dtype=np.bool_)
    for term in storage_class.allowed_topologies:
        expressions = term.match_label_expressions or ()
        if not expressions or not all(expression.values for expression in expressions):
            continue
        allowed = np.ones(len(cluster.nodes), dtype=np.bool_)
        for expression in expressions:
            values = tuple(sorted(set(expression.values or ())))
            allowed &= cluster.labels.requirement(Requirement(expression.key, "In", values))
        mask |= allowed
    return mask


def tracks_capacity(storage_class: StorageClass, cluster: Cluster) -> bool:
    """Tell whether the driver of a class reports how much it can still provide."""
    driver = cluster.objects.csi_drivers.get(storage_class.provisioner or "")
    return driver is not None and bool(driver.spec.storage_capacity)


def free_storage(
    claim: PersistentVolumeClaim, storage_class: StorageClass, cluster: Cluster, rows: NDArray[np.intp], keys: list[str]
) -> FreeStorage:
    """Tell on which nodes what is free suffices for a claim.

    Several objects may do for one node; the scheduler takes any of them, here it is the first by namespace and name.

    Args:
        claim: the claim.
        storage_class: its class.
        cluster: the cluster.
        rows: intp[M], node rows.
        keys: keys of the CSIStorageCapacity objects that numbers stand for; grows.
    """
    source = np.full(len(rows), -1, dtype=np.int64)
    requested = requested_storage(claim)
    if requested is None or not tracks_capacity(storage_class, cluster):
        return FreeStorage(np.ones(len(rows), dtype=np.bool_), source)
    size = value(requested)
    sufficient = []
    for capacity in capacities_of_class(cluster, storage_class.name):
        largest = largest_volume(capacity)
        if largest is not None and largest >= size:
            sufficient.append(capacity)
    first = Preference(cluster, [_place(capacity, cluster) for capacity in sufficient]).first(rows)
    enough = first < len(sufficient)
    source[enough] = first[enough] + len(keys)
    keys.extend(capacity.key for capacity in sufficient)
    return FreeStorage(enough, source)


def _place(capacity: CSIStorageCapacity, cluster: Cluster) -> VolumePlace:
    topology = capacity.node_topology
    if topology is None or selector_problem(topology):
        return VolumePlace(None, lambda: node_access(capacity, cluster))
    return VolumePlace(
        single_requirement(compile_selector(topology).requirements), lambda: node_access(capacity, cluster)
    )


def capacities_of_class(cluster: Cluster, name: str) -> Iterator[CSIStorageCapacity]:
    """Yield what drivers report for a storage class, by namespace and name."""
    table = cluster.objects.table("csi_storage_capacities")
    for key in sorted(table):
        if (table[key].storage_class_name or "") == name:
            yield table[key]


def largest_volume(capacity: CSIStorageCapacity) -> int | None:
    """Size of the largest volume that can be made [bytes]; None where it is unknown, so none can."""
    limit = capacity.maximum_volume_size if capacity.maximum_volume_size is not None else capacity.capacity
    return value(limit) if limit is not None else None


def node_access(capacity: CSIStorageCapacity, cluster: Cluster) -> Mask:
    """bool[N] of the nodes that can reach the storage.

    Source: volumeBinder.nodeHasAccess (no topology: none; a selector that cannot be evaluated: none).
    """
    if capacity.node_topology is None or selector_problem(capacity.node_topology):
        return np.zeros(len(cluster.nodes), dtype=np.bool_)
    mask = np.ones(len(cluster.nodes), dtype=np.bool_)
    for requirement in compile_selector(capacity.node_topology).requirements:
        mask &= cluster.labels.requirement(requirement)
    return mask
