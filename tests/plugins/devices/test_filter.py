"""Which nodes have devices for a pod: worked out by hand from what Kubernetes documents."""

from typing import Any

import pytest

from kplan.config.versions import features
from kplan.objects.models import Object
from kplan.plugins.dynamic_resources import DynamicResources
from tests.builders import make, node, pod
from tests.plugins.ask import rejected
from tests.plugins.devices.world import (
    DRIVER,
    claim,
    claiming,
    device,
    device_class,
    given,
    request,
    selects,
    slice_of,
)

CANNOT = ["cannot allocate all claims"]
A = f'device.attributes["{DRIVER}"]'
NODES = [node("a"), node("b")]
SMALL = device("small", attributes={"model": "s", "root": "x"}, capacity={"memory": "8Gi"})
LARGE = device("large", attributes={"model": "l", "root": "y"}, capacity={"memory": "40Gi"})
PLAIN = device("plain", attributes={"model": "s", "root": "x"})
TAINTED = device("tainted", taints=[{"key": "broken", "effect": "NoSchedule", "timeAdded": "2026-01-01T00:00:00Z"}])
TOLERATES = [{"key": "broken", "operator": "Exists", "effect": "NoSchedule"}]
COUNTERS = [{"name": "gpu-0", "counters": {"slices": {"value": "2"}}}]


FAILS = (
    "claim default/c: selector #0 on device gpu.example.com/b/plain: CEL runtime error: no such key: memory. consider "
    "using CEL optional chaining (.? followed by orValue()) or guarding the check with has() for optional fields"
)

UPDATED = (
    "claim default/c, request r: asks for all devices, but resource pool gpu.example.com/a is currently being updated"
)


def part(name: str, slices: int) -> dict[str, Any]:
    uses = [{"counterSet": "gpu-0", "counters": {"slices": {"value": str(slices)}}}]
    return device(name, consumesCounters=uses)


def shared_counters() -> list[Object]:
    pool = {"name": "a", "generation": 1, "resourceSliceCount": 2}
    counters = {"driver": DRIVER, "nodeName": "a", "pool": pool, "sharedCounters": COUNTERS}
    parts = [part("one", 1), part("two", 1), part("whole", 2)]
    return [make("ResourceSlice", "a-counters", spec=counters), slice_of("a", *parts, slices=2)]


CASES: dict[str, tuple[list[Object], list[Object], dict[str, list[str]]]] = {
    "a node without devices has none": ([slice_of("a", SMALL)], [claim("c", request())], {"b": CANNOT}),
    "the class chooses": (
        [slice_of("a", SMALL), slice_of("b", LARGE), device_class("gpu", f'{A}.model == "l"')],
        [claim("c", request())],
        {"a": CANNOT},
    ),
    "so does the request": (
        [slice_of("a", SMALL), slice_of("b", LARGE)],
        [claim("c", request("r", f'device.capacity["{DRIVER}"].memory.isGreaterThan(quantity("8Gi"))'))],
        {"a": CANNOT},
    ),
    "a selector that fails fails the node": (
        [slice_of("a", SMALL), slice_of("b", PLAIN)],
        [claim("c", request("r", f'device.capacity["{DRIVER}"].memory.isGreaterThan(quantity("1Gi"))'))],
        {"b": [FAILS]},
    ),
    "two devices are more than one": (
        [slice_of("a", SMALL), slice_of("b", SMALL, PLAIN)],
        [claim("c", request(count=2))],
        {"a": CANNOT},
    ),
    "one that is given to another claim is not to be had": (
        [slice_of("a", SMALL), slice_of("b", SMALL)],
        [claim("c", request()), claim("other", request(), status=given("a", "small", users=["x"]))],
        {"a": CANNOT},
    ),
    "all devices means every one of them": (
        [slice_of("a", SMALL, PLAIN), slice_of("b", SMALL)],
        [
            claim("c", request(allocationMode="All", count=0)),
            claim("other", request(), status=given("a", "plain", users=["x"])),
        ],
        {"a": CANNOT},
    ),
    "devices that have to match do": (
        [slice_of("a", SMALL, LARGE), slice_of("b", SMALL, PLAIN)],
        [claim("c", request(count=2), constraints=[{"matchAttribute": f"{DRIVER}/root"}])],
        {"a": CANNOT},
    ),
    "devices that must not are distinct": (
        [slice_of("a", SMALL, LARGE), slice_of("b", SMALL, PLAIN)],
        [claim("c", request(count=2), constraints=[{"distinctAttribute": f"{DRIVER}/root"}])],
        {"b": CANNOT},
    ),
    "the second option will do": (
        [slice_of("a", SMALL), slice_of("b", LARGE)],
        [
            claim(
                "c",
                {
                    "name": "r",
                    "firstAvailable": [
                        {**request(count=2)["exactly"], "name": "two"},
                        {**request("r", f'{A}.model == "s"')["exactly"], "name": "s"},
                    ],
                },
            )
        ],
        {"b": CANNOT},
    ),
    "a taint keeps others away": (
        [slice_of("a", TAINTED), slice_of("b", SMALL)],
        [claim("c", request())],
        {"a": CANNOT},
    ),
    "a toleration does not": (
        [slice_of("a", TAINTED), slice_of("b", SMALL)],
        [claim("c", request(tolerations=TOLERATES))],
        {},
    ),
    "two parts of one device fit": (shared_counters(), [claim("c", request(count=2))], {"b": CANNOT}),
    "three do not": (shared_counters(), [claim("c", request(count=3))], {"a": CANNOT, "b": CANNOT}),
    "a claim that has devices is where they are": (
        [slice_of("a", SMALL), slice_of("b", SMALL)],
        [claim("c", request(), status=given("a", "small"))],
        {"b": ["resourceclaim not available on the node"]},
    ),
    "a pool of which slices are missing serves no request for all": (
        [slice_of("a", SMALL, slices=2), slice_of("b", SMALL)],
        [claim("c", request(allocationMode="All", count=0))],
        {"a": [UPDATED]},
    ),
    "an administrator may have what others have": (
        [slice_of("a", SMALL), slice_of("b", SMALL)],
        [claim("c", request(adminAccess=True)), claim("other", request(), status=given("a", "small", users=["x"]))],
        {},
    ),
    "what a node has in its own name is not what another has": (
        [slice_of("a", SMALL, nodeName=None, allNodes=True)],
        [claim("c", request())],
        {},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("slices", "claims", "refused"), CASES.values(), ids=CASES)
def test_where_devices_are_found(slices: list[Object], claims: list[Object], refused: dict[str, list[str]]) -> None:
    classes = [] if any(type(one).__name__ == "DeviceClass" for one in slices) else [device_class()]
    plugin = DynamicResources(None, features("1.37").features)
    found = rejected(plugin, claiming("new", "c"), *NODES, *slices, *claims, *classes)
    assert {name: why if isinstance(why, list) else [why] for name, why in found.items()} == refused


WHOLE: dict[str, tuple[list[Object], list[str]]] = {
    "there is no such class": (
        [claim("c", request()), device_class("other")],
        ["request r: device class gpu does not exist"],
    ),
    "it is being allocated": (
        [
            make(
                "ResourceClaim",
                "c",
                namespace="default",
                spec={"devices": {"requests": [request()]}},
                metadata={"annotations": {"kplan.dev/in-flight": ""}},
            ),
            device_class(),
        ],
        ["resource claim default/c is in the process of being allocated"],
    ),
}


@pytest.mark.parametrize(("objects", "texts"), WHOLE.values(), ids=WHOLE)
def test_what_refuses_the_pod_as_a_whole(objects: list[Object], texts: list[str]) -> None:
    plugin = DynamicResources(None, features("1.37").features)
    assert rejected(plugin, claiming("new", "c"), *objects, *NODES) == texts


RESOURCE = "example.com/gpu"


def test_devices_serve_an_extended_resource_where_the_node_has_none_of_its_own() -> None:
    served = device_class("gpu", extendedResourceName=RESOURCE)
    nodes = [node("a"), node("b"), node("own", allocatable={RESOURCE: "1"})]
    plugin = DynamicResources(None, features("1.37").features)
    new = pod("new", requests={RESOURCE: "2"})
    found = rejected(plugin, new, *nodes, served, slice_of("a", SMALL, PLAIN), slice_of("b", SMALL))
    assert found == {"b": CANNOT}


def test_devices_of_a_source_that_holds_no_slices_count_as_there() -> None:
    plugin = DynamicResources(None, features("1.37").features)
    elsewhere = claim("d", request(), status=given("b", "small"))
    new = claiming("new", "c", "d")
    found = rejected(plugin, new, *NODES, claim("c", request()), elsewhere, device_class())
    assert found == {"a": ["resourceclaim not available on the node"]}


def test_selectors_of_a_class_are_those_of_the_claim_too() -> None:
    both = device_class("gpu", f'{A}.model == "s"', f'{A}.root == "x"')
    plugin = DynamicResources(None, features("1.37").features)
    slices = [slice_of("a", SMALL), slice_of("b", LARGE)]
    asked = claim("c", request("r", "false", selectors=selects("true")))
    assert rejected(plugin, claiming("new", "c"), *NODES, *slices, both, asked) == {"b": CANNOT}
