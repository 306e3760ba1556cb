"""Which values an attribute has that a device is without: of all devices that the drivers have published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from kplan.cluster import Cluster
from kplan.objects.models.devices import Device as ApiDevice
from kplan.plugins.dynamic_resources.facts import DeviceVerdict, KnownValues, NodeClaims
from kplan.plugins.dynamic_resources.judging import written
from kplan.plugins.shared.devices.cel_parts import parts
from kplan.plugins.shared.devices.device import attribute_value, qualified


def known_values(nodes: Iterable[NodeClaims], cluster: Cluster) -> Iterator[KnownValues]:
    """Yield what devices have of each attribute, or capacity, that a selector failed for.

    Args:
        nodes: with what refuses their devices.
        cluster: the cluster.
    """
    asked = {
        name: None
        for node in nodes
        for request in node.requests
        for device in request.devices
        if device.missing
        for name in _names(device)
    }
    if not asked:
        return
    counted: dict[tuple[str, str], Counter[str]] = {name: Counter() for name in asked}
    for item in cluster.objects.table("resource_slices").values():
        for device in item.spec.devices or ():
            for name, value in _values(device, item.spec.driver):
                if name in counted:
                    counted[name][value] += 1
    for pair, values in counted.items():
        yield KnownValues(
            "/".join(pair), tuple(sorted(values.items(), key=lambda value_count: (-value_count[1], value_count[0])))
        )


def _names(device: DeviceVerdict) -> Iterator[tuple[str, str]]:
    """Domain and name of what a device is without."""
    driver = device.device.partition("/")[0]
    for part in parts(device.expression):
        for path in part.paths:
            if path.name == device.missing:
                yield path.domain or driver, path.name


def _values(device: ApiDevice, driver: str) -> Iterator[tuple[tuple[str, str], str]]:
    for name, attribute in (device.attributes or {}).items():
        yield qualified(name, driver), written(attribute_value(attribute))
    for name, capacity in (device.capacity or {}).items():
        yield qualified(name, driver), str(capacity.value)
