"""Words of a list of devices: how many are free, and which class is scarcest."""

from __future__ import annotations

from kplan.result.document_base import Cause
from kplan.result.document_device_list import DeviceList
from kplan.words import count

POOL_INCOMPLETE = "slices are missing"


def devices_sentence(nodes: int, having: int, devices: int, free: int) -> str:
    """``3 nodes, 2 with devices: 3 devices, 2 of them free``."""
    whole = count(nodes, "node")
    if not devices:
        return f"{whole}, none with devices"
    each = "it has devices" if nodes == having == 1 else f"{having:,} with devices"
    return f"{whole}, {each}: {count(devices, 'device')}, {free:,} free"


def waiting_text(claims: int) -> str:
    """Say that claims wait for devices."""
    return f"{count(claims, 'claim')} of waiting pods {'has' if claims == 1 else 'have'} no devices yet"


def scarcest_class(device_list: DeviceList) -> Cause | None:
    """Say of the class with the smallest part free how much that is, and in which pieces."""
    there = {name: total for name, total in device_list.classes.items() if total.devices}
    if not there:
        return None
    name = min(there, key=lambda key: (there[key].free / there[key].devices, key))
    total = there[name]
    if not total.free:
        return Cause(code="scarcest", text=f"{name}: none of {count(total.devices, 'device')} is free")
    pieces = f", at most {total.largest:,} on one node ({total.largest_node})"
    return Cause(code="scarcest", text=f"{name} is scarcest: {total.free:,} of {total.devices:,} free{pieces}")
