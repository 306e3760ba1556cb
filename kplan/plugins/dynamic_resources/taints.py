"""Taints of devices, and requests that tolerate them.

Source: dynamic-resource-allocation v0.37.2 and v0.34.4 structured/internal taintPreventsAllocation;
resourceclaim/devicetoleration.go ToleratesTaint.
"""

from __future__ import annotations

from kplan.plugins.dynamic_resources.requests import ClaimRequest, TolerationRules
from kplan.plugins.shared.devices.device import PooledDevice, TaintOfDevice
from kplan.plugins.shared.devices.rules import AllocatorRules

_BLOCKING = ("NoSchedule", "NoExecute")


def blocks(device: PooledDevice, request: ClaimRequest, rules: AllocatorRules) -> bool:
    """Tell whether a taint keeps a request from a device."""
    return untolerated(device, request, rules) is not None


def untolerated(device: PooledDevice, request: ClaimRequest, rules: AllocatorRules) -> TaintOfDevice | None:
    """Return the first taint that keeps a request from a device, or None."""
    for taint in device.taints:
        counts = rules.all_taints_count or taint.effect in _BLOCKING
        if counts and not any(_tolerates(toleration, taint) for toleration in request.tolerations):
            return taint
    return None


def _tolerates(toleration: TolerationRules, taint: TaintOfDevice) -> bool:
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    if toleration.operator in ("", "Equal"):
        return toleration.value == taint.value
    return toleration.operator == "Exists"
