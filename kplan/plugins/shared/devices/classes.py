"""Extended resources that devices serve: which DeviceClass stands behind a name.

Source: dynamic-resource-allocation v0.37.2 deviceclass/extendedresourcecache/extendedresourcecache.go; v1.34.4
pkg/scheduler/framework/plugins/dynamicresources/extended DeviceClassMapping.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kplan.cluster.pods import seconds
from kplan.framework.features import Features
from kplan.objects.models import DeviceClass

if TYPE_CHECKING:
    from kplan.cluster import Cluster

IMPLICIT_PREFIX = "deviceclass.resource.kubernetes.io/"


def class_of_resource(name: str, cluster: Cluster, features: Features) -> DeviceClass | None:
    """Return the class that serves an extended resource, or None (also where the gate is off).

    Only names with a domain are extended resources.
    """
    if "/" not in name or not features.enabled("DRAExtendedResource"):
        return None
    classes: Mapping[str, DeviceClass] = cluster.objects.table("device_classes")
    both = features.since(35)
    served: Mapping[str, str] = cluster.objects.derived(
        f"resources-of-device-classes-{both}", ("device_classes",), lambda: _served(classes, both=both)
    )
    class_name = served.get(name)
    return None if class_name is None else classes[class_name]


def _served(classes: Mapping[str, DeviceClass], *, both: bool) -> dict[str, str]:
    """Map resources to classes: of those that name the same, the newest, then the first by name.

    Args:
        classes: by name.
        both: whether a class that names a resource serves the one named after it, too; until 1.34 it does not.
    """
    by_resource = {
        f"{IMPLICIT_PREFIX}{item.name}": item.name
        for item in classes.values()
        if both or item.spec.extended_resource_name is None
    }
    order = sorted(
        classes.values(), key=lambda item: (-seconds(item.metadata.creation_timestamp or ""), item.name.encode())
    )
    for item in reversed(order):
        if item.spec.extended_resource_name is not None:
            by_resource[item.spec.extended_resource_name] = item.name
    return by_resource
