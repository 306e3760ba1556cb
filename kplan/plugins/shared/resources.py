"""Amounts of resources on nodes, as the plugins that fit and score by resources see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from kplan.cluster.cluster import CPU, MEMORY
from kplan.framework.args import ResourceSpec
from kplan.framework.features import Features
from kplan.framework.findings import Mask
from kplan.framework.worlds import Int, Rows
from kplan.objects.resource_names import is_scalar_resource
from kplan.plugins.shared.devices.classes import class_of_resource
from kplan.plugins.shared.devices.totals import class_checks, class_totals

if TYPE_CHECKING:
    from kplan.cluster import Cluster


class ScoredResource(Struct, frozen=True):
    """One resource that counts in a score, on each of M nodes.

    Attributes:
        weight: what it weighs among the configured resources.
        allocatable: int64[M], 0 on a node where it does not count. [millicores for cpu, else whole]
        allocated: int64[M], what the pods on the node request. [as allocatable]
        everywhere: whether it counts on every node.
        asked: what the pod to be scheduled requests. [as allocatable]
    """

    weight: int
    allocatable: Int
    allocated: Int
    everywhere: bool
    asked: int

    @property
    def requested(self) -> Int:
        """What the node's pods and the new one request together: int64[M], as allocatable."""
        return self.allocated + self.asked

    def together(self) -> ScoredResource:
        """The same of all nodes where it counts as if they were one."""
        counts = self.allocatable > 0
        allocatable, allocated = self.allocatable.sum(where=counts), self.allocated.sum(where=counts)
        some = bool(allocatable > 0)
        return ScoredResource(self.weight, np.array([allocatable]), np.array([allocated]), some, self.asked)


def resource_uses(
    cluster: Cluster,
    rows: Rows,
    specs: Sequence[ResourceSpec],
    asked: Mapping[str, int],
    features: Features,
    *,
    non_zero: bool,
    devices: bool = True,
) -> list[ScoredResource]:
    """Gather the configured resources that count for a pod, on the nodes at ``rows``, in order of configuration.

    A scalar resource (extended, huge pages ...) counts only if the pod asks for it, and any resource only on nodes
    that have some; one that counts on no node is left out.

    Args:
        cluster: the cluster.
        rows: intp[M], rows of nodes.
        specs: the configured resources.
        asked: what the pod requests, by resource, in the scheduler's units.
        features: gates of the version.
        non_zero: whether cpu and memory of the pods on a node count with the defaults for containers that request none.
        devices: whether devices that serve an extended resource count as some of it.

    Source: v1.37.2 noderesources/resource_allocation.go calculateNodeAllocatableRequest,
    calculateResourceAllocatableRequest.
    """
    uses = []
    for spec in specs:
        ask = asked.get(spec.name, 0)
        if ask == 0 and is_scalar_resource(spec.name):
            continue
        amounts = _amounts(cluster, rows, spec.name, features if devices else None, non_zero=non_zero)
        if amounts is not None:
            uses.append(ScoredResource(spec.weight, *amounts, ask))
    return uses


def _amounts(
    cluster: Cluster, rows: Rows, name: str, features: Features | None, *, non_zero: bool
) -> tuple[Int, Int, bool] | None:
    """Return what nodes have of a resource and what is allocated of it, int64[M] each, and whether all have some.

    None if no node has any.
    """
    resource = cluster.resource(name)
    devices = device_totals(name, cluster, features) if features is not None else None
    if resource is None:
        if devices is None:
            return None
        allocatable = devices[0].take(rows)
        return allocatable, devices[1].take(rows), bool((allocatable > 0).all())
    allocatable = cluster.allocatable[resource].take(rows)
    requested = cluster.non_zero_requested if non_zero and resource in (CPU, MEMORY) else cluster.requested
    allocated = requested[resource].take(rows)
    if devices is None and cluster.is_everywhere(resource):
        return (allocatable, allocated, True) if len(rows) else None
    if devices is not None:
        classic = allocatable > 0
        allocatable = np.where(classic, allocatable, devices[0].take(rows))
        allocated = np.where(classic, allocated, devices[1].take(rows))
    if not len(rows):
        return None
    everywhere = bool(allocatable.min() > 0)
    return (allocatable, allocated, everywhere) if everywhere or allocatable.max() > 0 else None


def delegated_to_devices(name: str, cluster: Cluster, features: Features) -> Mask | None:
    """Tell which nodes leave an extended resource to DynamicResources: bool[N], or None for none of them.

    Source: v1.37.2 noderesources/fit.go shouldDelegateResourceToDRA.
    """
    if "/" not in name or class_of_resource(name, cluster, features) is None:
        return None
    return without_classic(name, cluster, features)


def without_classic(name: str, cluster: Cluster, features: Features) -> Mask:
    """bool[N] of the nodes that have none of a resource of their own: it is 0 or absent, in 1.34 absent.

    Source: v1.37.2 noderesources/fit.go shouldDelegateResourceToDRA; v1.34.4 noderesources/fit.go fitsRequest.
    """
    if not features.since(35):
        return np.array([name not in (node.status.allocatable or ()) for node in cluster.nodes], dtype=np.bool_)
    resource = cluster.resource(name)
    if resource is None:
        return np.ones(len(cluster.nodes), dtype=np.bool_)
    mask: Mask = cluster.allocatable[resource] == 0
    return mask


def device_totals(name: str, cluster: Cluster, features: Features) -> tuple[Int, Int] | None:
    """Count a resource's devices on every node: int64[N] all and int64[N] allocated ones, or None without devices.

    Source: v1.37.2 noderesources/resource_allocation.go calculateDRAExtendedResourceAllocatableRequest (from 1.35).
    """
    if "/" not in name or not features.since(35):
        return None
    device_class = class_of_resource(name, cluster, features)
    return None if device_class is None else class_totals(device_class, cluster, features)


def checks_devices(name: str, cluster: Cluster, features: Features) -> Mask | None:
    """Tell on which nodes scoring by a resource evaluates selectors of devices: bool[N], or None for none of them."""
    device_class = class_of_resource(name, cluster, features) if features.since(35) else None
    if device_class is None:
        return None
    return class_checks(device_class, cluster, features) & without_classic(name, cluster, features)


@lru_cache(maxsize=64)
def each_pod(count: int) -> Int:
    """Return int64[P], a weight of 1 for every pod; the same array for the same count, as ``Worlds.total`` wants."""
    return np.broadcast_to(np.int64(1), (count,))
