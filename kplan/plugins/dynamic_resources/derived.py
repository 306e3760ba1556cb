"""Attributes that a request derives from a device (gate DRADerivedAttributes).

Source: dynamic-resource-allocation v0.37.2 cel/compile.go EvaluateDerivedAttribute, valToDeviceAttribute.
"""

from __future__ import annotations

from kplan.objects.models.devices import DeviceAttribute
from kplan.plugins.shared.devices.cel import expression
from kplan.plugins.shared.devices.cel_errors import ExpressionError
from kplan.plugins.shared.devices.cel_values import plain
from kplan.plugins.shared.devices.device import PooledDevice


def derived_attribute(text: str, device: PooledDevice) -> DeviceAttribute | None:
    """Evaluate a derived attribute of a device; None where it comes to nothing that can be compared.

    Differs from kube-scheduler: an expression that fails lets no device match, instead of failing the pod.
    """
    try:
        return _attribute(plain(expression(text).value(device.seen)))
    except ExpressionError:
        return None


def _attribute(value: object) -> DeviceAttribute | None:
    if isinstance(value, bool):
        return DeviceAttribute(bool_value=value)
    if isinstance(value, int):
        return DeviceAttribute(int_value=value)
    if isinstance(value, str):
        return DeviceAttribute(string_value=value)
    if not isinstance(value, list) or not value:
        return None
    if all(isinstance(item, bool) for item in value):
        return DeviceAttribute(bool_values=value)
    if all(isinstance(item, int) for item in value):
        return DeviceAttribute(int_values=value)
    if all(isinstance(item, str) for item in value):
        return DeviceAttribute(string_values=value)
    if len(value) == 1 and isinstance(value[0], bytes):
        return DeviceAttribute(version_value=value[0].decode())
    return None
