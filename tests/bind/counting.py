"""A pod whose device is cores and memory of its node, for tests of what bind writes of that."""

from __future__ import annotations

from kplan.objects.models import Object
from tests.bind.test_show import mine
from tests.builders import node
from tests.plugins.devices.world import claim, device, device_class, request, slice_of

GATES = {"DRANodeAllocatableResources": True}


def counting(cores: str = "2") -> list[Object]:
    """A device that is some cores of its node, with memory besides, and a pod whose container claims it."""
    takes = {"cpu": {"mapping": {"deviceMultiplier": cores}}, "memory": {"overhead": {"perPod": "1Gi"}}}
    resources = {"requests": {"cpu": "1"}, "claims": [{"name": "c"}]}
    wants = mine(
        "a",
        resourceClaims=[{"name": "c", "resourceClaimName": "c"}],
        containers=[{"name": "main", "image": "i", "resources": resources}],
    )
    slices = slice_of("node-a", device("g0", nodeAllocatableResources=takes))
    return [node("node-a", cpu="4"), slices, device_class(), claim("c", request()), wants]
