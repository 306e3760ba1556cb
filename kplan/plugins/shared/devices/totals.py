"""How many devices of a class each node has, and how many are in use: what resources backed by devices score by.

Source: kubernetes v1.37.2 pkg/scheduler/framework/plugins/noderesources/resource_allocation.go
calculateDRAResourceTotals, deviceMatchesClass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kplan.framework.features import Features
from kplan.framework.worlds import Int, Mask
from kplan.objects.models import DeviceClass
from kplan.plugins.shared.devices.cel import expression
from kplan.plugins.shared.devices.cel_errors import ExpressionError
from kplan.plugins.shared.devices.device import DeviceID, PooledDevice
from kplan.plugins.shared.devices.rules import allocator_rules
from kplan.plugins.shared.devices.slices import Slice, read_slices
from kplan.plugins.shared.devices.usage import device_usage

if TYPE_CHECKING:
    from kplan.cluster import Cluster


def class_totals(chosen: DeviceClass, cluster: Cluster, features: Features) -> tuple[Int, Int]:
    """Count the devices of a class on every node.

    Every slice counts, whatever its generation, and whether or not its pool is complete. A node for which a selector of
    the class fails has none.

    Returns:
        int64[N] devices and int64[N] devices in use.
    """
    total, used, _ = _kept_totals(chosen, cluster, features)
    return total, used


def class_checks(chosen: DeviceClass, cluster: Cluster, features: Features) -> Mask:
    """bool[N] of the nodes for which a device is held against the class's selectors."""
    if all(selector.cel is None for selector in chosen.spec.selectors or ()):
        return np.zeros(len(cluster.nodes), dtype=np.bool_)
    return _kept_totals(chosen, cluster, features)[2]


def _kept_totals(chosen: DeviceClass, cluster: Cluster, features: Features) -> tuple[Int, Int, Mask]:
    kinds = ("resource_slices", "device_classes", "device_taint_rules", "nodes", "resource_claims")
    name = f"device-totals-{chosen.name}-{hash((features.version, features.gates))}"
    totals: tuple[Int, Int, Mask] = cluster.objects.derived(name, kinds, lambda: _totals(chosen, cluster, features))
    return totals


def _totals(chosen: DeviceClass, cluster: Cluster, features: Features) -> tuple[Int, Int, Mask]:
    rules = allocator_rules(features)
    usage = device_usage(cluster, consumable=rules.consumable)
    total = np.zeros(len(cluster.nodes), dtype=np.int64)
    used = np.zeros(len(cluster.nodes), dtype=np.int64)
    broken = np.zeros(len(cluster.nodes), dtype=np.bool_)
    seen = np.zeros(len(cluster.nodes), dtype=np.bool_)
    for item in read_slices(cluster, features):
        for device in item.devices:
            nodes = _nodes(item, device, cluster)
            seen |= nodes
            try:
                matches = _of_class(device, chosen)
            except ExpressionError:
                broken |= nodes
                continue
            if matches:
                total += nodes
                if usage.used(DeviceID(item.driver, item.pool, device.name)):
                    used += nodes
    total[broken] = 0
    used[broken] = 0
    return total, used, seen


def _of_class(device: PooledDevice, chosen: DeviceClass) -> bool:
    # the scorer does not tell expressions that a device allows multiple allocations
    seen = device.seen._replace(multiple=False)
    return all(
        expression(selector.cel.expression).matches(seen)
        for selector in chosen.spec.selectors or ()
        if selector.cel is not None
    )


def _nodes(item: Slice, device: PooledDevice, cluster: Cluster) -> Mask:
    """bool[N] of the nodes on which a device counts: a slice that chooses none counts on all."""
    choice = device.nodes if item.per_device else item.nodes
    if choice.every or (not choice.given and not item.per_device):
        return np.ones(len(cluster.nodes), dtype=np.bool_)
    mask = np.zeros(len(cluster.nodes), dtype=np.bool_)
    row = cluster.node_index.get(choice.name) if choice.name else None
    if row is not None:
        mask[row] = True
    if choice.selector is not None and not choice.name:
        mask |= cluster.labels.selector(choice.selector)
    return mask
