"""How much free storage is worth, from v1.37 on: the fuller it would be, the less.

Source: kubernetes v1.37.2 pkg/scheduler/framework/plugins/volumebinding/scorer.go, volume_binding.go Score;
plugins/helper/shape_score.go BuildBrokenLinearFunction.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from kplan.cluster import Cluster
from kplan.objects.models import PersistentVolumeClaim
from kplan.objects.quantity import value
from kplan.plugins.shared.allocation_scores import MAX_UTILIZATION, broken_linear
from kplan.plugins.shared.claims import requested_storage
from kplan.plugins.volume_binding.binder import PodVolumes


class WouldCrash(Exception):
    """An input that crashes kube-scheduler itself; the message says on what."""


class StorageAmount(Struct):
    """Storage of one class [bytes]."""

    requested: int = 0
    capacity: int = 0


def score_volumes(volumes: PodVolumes, shape: Sequence[tuple[int, int]], cluster: Cluster) -> int:
    """Score what one node would give the pod; 0 if nothing counts.

    Raises:
        WouldCrash: kube-scheduler would crash.
    """
    amounts = _bound(volumes, cluster) if volumes.bindings else _provisioned(volumes, cluster)
    if not amounts:
        return 0
    total = sum(_class_score(amount, shape) for amount in amounts.values())
    # round half away from zero of a mean that is not negative
    return (2 * total + len(amounts)) // (2 * len(amounts))


def _size(claim: PersistentVolumeClaim) -> int:
    return value(requested_storage(claim) or 0)


def _bound(volumes: PodVolumes, cluster: Cluster) -> dict[str, StorageAmount]:
    amounts: dict[str, StorageAmount] = {}
    for binding in volumes.bindings:
        volume = cluster.objects.persistent_volumes[binding.volume]
        amount = amounts.setdefault(volume.spec.storage_class_name or "", StorageAmount())
        amount.requested += _size(cluster.objects.persistent_volume_claims[binding.claim])
        amount.capacity += value((volume.spec.capacity or {}).get("storage", 0))
    return amounts


def _provisioned(volumes: PodVolumes, cluster: Cluster) -> dict[str, StorageAmount]:
    amounts: dict[str, StorageAmount] = {}
    for provision in volumes.provisions:
        if provision.capacity is None:
            continue
        claim = cluster.objects.persistent_volume_claims[provision.claim]
        capacity = cluster.objects.table("csi_storage_capacities")[provision.capacity]
        if claim.spec.storage_class_name is None:
            raise WouldCrash(
                f"claim {claim.key} names its storage class by the annotation volume.beta.kubernetes.io/storage-class "
                "alone, and its driver tracks capacity"
            )
        if capacity.capacity is None:
            raise WouldCrash(f"CSIStorageCapacity {capacity.key} has a maximumVolumeSize but no capacity")
        amount = amounts.setdefault(claim.spec.storage_class_name, StorageAmount())
        # Not a sum: two claims of a class come out of the same free storage.
        amount.capacity = value(capacity.capacity)
        amount.requested += _size(claim)
    return amounts


def _class_score(amount: StorageAmount, shape: Sequence[tuple[int, int]]) -> int:
    if amount.capacity == 0 or amount.requested > amount.capacity:
        return broken_linear(shape, MAX_UTILIZATION)
    return broken_linear(shape, amount.requested * MAX_UTILIZATION // amount.capacity)
