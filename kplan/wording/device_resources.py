"""Words for a DeviceClass that is asked for as a resource, where no node has that."""

from __future__ import annotations

from kplan.plugins.shared.devices.classes import IMPLICIT_PREFIX
from kplan.reasons.run_cycle import RunCycle

GATE = "DRAExtendedResource"
KIND = "DeviceClass"


def class_is_not_there(asked: RunCycle, resource: str) -> str:
    """Say why nothing serves a resource that is named after a class; empty for others, and where it is there."""
    name = resource.removeprefix(IMPLICIT_PREFIX)
    if name == resource:
        return ""
    if not asked.cycle.pipeline.features.enabled(GATE):
        return f"DeviceClass {name} cannot be asked for as a resource: feature gate {GATE} is off"
    if name in asked.cluster.objects.table("device_classes"):
        return ""
    completeness = asked.cluster.state.completeness
    if completeness.has(KIND) and KIND not in completeness.partial:
        return f"there is no DeviceClass {name}"
    some = "not all" if completeness.has(KIND) else "no"
    return f"no node has devices of DeviceClass {name}, if there is one: the source holds {some} deviceclasses"
