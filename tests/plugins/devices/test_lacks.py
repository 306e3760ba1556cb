"""What a node lacks for the claims of a pod: one thing, and the numbers and names behind it."""

from __future__ import annotations

from typing import Any

import pytest

from kplan.config.versions import features
from kplan.objects.models import Object
from kplan.plugins.dynamic_resources import DynamicResources
from kplan.plugins.dynamic_resources.facts import DynamicResourcesFacts, Lack, NodeClaims, Short
from kplan.plugins.shared.devices.cel_errors import Spot
from tests.builders import make, node
from tests.plugins.devices.world import (
    DRIVER,
    claim,
    claiming,
    device,
    device_class,
    given,
    request,
    slice_of,
)
from tests.plugins.telling import facts

A = f'device.attributes["{DRIVER}"]'
BROKEN = [{"key": "broken", "value": "yes", "effect": "NoSchedule"}]


def asked(*objects: Object, **gates: bool) -> NodeClaims:
    """What node ``a`` lacks for the claim ``c``."""
    plugin = DynamicResources(None, features("1.37", gates).features)
    found = facts(plugin, claiming("new", "c"), node("a"), *objects)
    assert isinstance(found, DynamicResourcesFacts)
    (told,) = found.nodes
    return told


def model(name: str, **attributes: Any) -> dict[str, Any]:
    return device(name, attributes=attributes)


HELD = claim("other", request(), status=given("a", "g0", users=["x"]))
IS_L = f'{A}.model == "l"'

CASES: dict[str, tuple[list[Object], Lack, int, int]] = {
    "the only device is held": (
        [slice_of("a", device("g0")), device_class(), claim("c", request()), HELD],
        Lack.IN_USE,
        0,
        1,
    ),
    "one of two is held and both are wanted": (
        [slice_of("a", device("g0"), device("g1")), device_class(), claim("c", request(count=2)), HELD],
        Lack.IN_USE,
        1,
        2,
    ),
    "a held device that would not do is no matter": (
        [
            slice_of("a", model("g0", model="s"), model("g1", model="s")),
            device_class(),
            claim("c", request("r", IS_L)),
            HELD,
        ],
        Lack.SELECTOR,
        0,
        0,
    ),
    "a taint of the device": (
        [slice_of("a", device("g0", taints=BROKEN)), device_class(), claim("c", request())],
        Lack.TAINT,
        0,
        1,
    ),
    "too few of the class, used or not": (
        [slice_of("a", device("g0"), device("g1")), device_class(), claim("c", request(count=3)), HELD],
        Lack.TOO_FEW,
        1,
        2,
    ),
    "devices, but none of the class": (
        [slice_of("a", model("g0", model="s")), device_class("gpu", IS_L), claim("c", request())],
        Lack.NO_DEVICE,
        0,
        0,
    ),
    "no slice of the node": (
        [slice_of("b", device("g0")), device_class(), claim("c", request())],
        Lack.NO_DEVICE,
        0,
        0,
    ),
    "slices of the pool are missing": (
        [slice_of("a", device("g0"), slices=2), device_class(), claim("c", request())],
        Lack.POOL,
        0,
        0,
    ),
    "all are wanted and one is held": (
        [
            slice_of("a", device("g0"), device("g1")),
            device_class(),
            claim("c", request(allocationMode="All", count=None)),
            HELD,
        ],
        Lack.IN_USE,
        1,
        2,
    ),
    "a selector that names what is not there": (
        [slice_of("a", model("g0", model="l")), device_class(), claim("c", request("r", f'{A}.modle == "l"'))],
        Lack.FAILS,
        0,
        0,
    ),
}


@pytest.mark.parametrize(("objects", "lack", "usable", "selected"), CASES.values(), ids=CASES)
def test_one_thing_is_lacking(objects: list[Object], lack: Lack, usable: int, selected: int) -> None:
    told = asked(*objects)
    assert told.request is not None
    assert (told.lack, told.request.usable, told.request.selected) == (lack, usable, selected)


def test_of_a_prioritized_list_the_option_nearest_to_being_met_is_told() -> None:
    options = [{**request("r", IS_L)["exactly"], "name": "l"}, {**request("r")["exactly"], "name": "any"}]
    wanted = claim("c", {"name": "r", "firstAvailable": options})
    told = asked(slice_of("a", model("g0", model="s")), device_class(), wanted, HELD)
    assert told.request is not None
    assert (told.lack, told.request.request, [one.lack for one in told.requests]) == (
        Lack.IN_USE,
        "r/any",
        [Lack.SELECTOR, Lack.IN_USE],
    )


def test_devices_that_do_not_go_together_are_counted_by_the_value_they_would_have_to_share() -> None:
    devices = [model("g0", numa=0), model("g1", numa=0), model("g2", numa=1), device("g3")]
    shared = [{"matchAttribute": f"{DRIVER}/numa"}]
    told = asked(slice_of("a", *devices), device_class(), claim("c", request(count=3), constraints=shared))
    assert (told.lack, told.request) == (Lack.CONSTRAINT, None)
    (one,) = told.constraints
    assert (one.claim, one.attribute, one.distinct, one.values, one.alone) == (
        "default/c",
        f"{DRIVER}/numa",
        False,
        (("", 1), ("0", 2), ("1", 1)),
        True,
    )


def test_of_two_constraints_the_one_is_told_without_which_devices_are_found() -> None:
    devices = [model("g0", numa=0, link="x"), model("g1", numa=1, link="x")]
    shared = [{"matchAttribute": f"{DRIVER}/link"}, {"matchAttribute": f"{DRIVER}/numa"}]
    told = asked(slice_of("a", *devices), device_class(), claim("c", request(count=2), constraints=shared))
    assert [one.attribute for one in told.constraints] == [f"{DRIVER}/numa"]


def test_requests_that_want_the_same_devices_lack_them_together() -> None:
    told = asked(slice_of("a", device("g0")), device_class(), claim("c", request("r"), request("s")))
    assert (told.lack, told.request, told.constraints) == (Lack.TOGETHER, None, ())


def test_counters_that_are_not_left_are_told_with_who_has_them() -> None:
    counters = {"sharedCounters": [{"name": "gpu", "counters": {"memory": {"value": "40Gi"}}}]}
    takes = {"consumesCounters": [{"counterSet": "gpu", "counters": {"memory": {"value": "30Gi"}}}]}
    small = {"consumesCounters": [{"counterSet": "gpu", "counters": {"memory": {"value": "20Gi"}}}]}
    pool = {"name": "a", "generation": 1, "resourceSliceCount": 2}
    told = asked(
        slice_of("a", device("big", attributes={"model": "l"}, **takes), device("g0", **small), pool=pool),
        make("ResourceSlice", "a-counters", spec={"driver": DRIVER, "nodeName": "a", "pool": pool, **counters}),
        device_class(),
        claim("c", request("r", f'{A}.?model.orValue("") == "l"')),
        HELD,
    )
    assert (told.lack, told.request is not None) == (Lack.COUNTERS, True)
    (big,) = [one for one in told.request.devices if one.name == "big"]  # type: ignore[union-attr]
    assert big.short == (Short("gpu/memory", "30Gi", "20Gi"),)
    assert (big.holders, big.users) == (("default/other",), ("default/x",))


def test_capacity_that_is_not_left_is_told() -> None:
    shared = device("g0", capacity={"memory": "40Gi"}, allowMultipleAllocations=True)
    asks = request("r", capacity={"requests": {"memory": "30Gi"}})
    status = given("a", "g0", users=["x"])
    status["allocation"]["devices"]["results"][0] |= {
        "shareID": "8ba5f8c4-1f3a-4a4e-9f6a-0a3c6a6f0d01",
        "consumedCapacity": {"memory": "20Gi"},
    }
    told = asked(
        slice_of("a", shared),
        device_class(),
        claim("c", asks),
        claim("other", request(), status=status),
        DRAConsumableCapacity=True,
    )
    assert told.lack is Lack.CAPACITY
    assert told.request is not None
    assert told.request.devices[0].short == (Short("memory", "30Gi", "20Gi", "40Gi"),)
    assert told.request.devices[0].users == ("default/x",)


def test_what_is_spelled_alike_is_told_of_an_attribute_that_is_not_there() -> None:
    told = asked(
        slice_of("a", model("g0", productName="T4")),
        device_class(),
        claim("c", request("r", f'{A}.productname == "T4"')),
    )
    assert told.request is not None
    (one,) = told.request.devices
    assert (one.missing, one.close, one.of_class, one.error) == (
        "productname",
        "productName",
        False,
        "no such key: productname",
    )


def test_a_selector_of_the_class_that_does_not_compile_is_told_with_its_place() -> None:
    text = f'"x" in device.attributes &&\n  {A}.model = "l"'
    told = asked(slice_of("a", model("g0", model="l")), device_class("gpu", text), claim("c", request()))
    assert told.request is not None
    (one,) = told.request.devices
    line = text.splitlines()[1]
    assert (told.lack, one.of_class) == (Lack.FAILS, True)
    assert one.spots[0] == Spot(2, line.index("=") + 1, one.spots[0].text)
    assert f" | {line}\n | {'.' * line.index('=')}^" in one.error


def test_a_claim_that_has_devices_of_another_node_says_which() -> None:
    found = facts(
        DynamicResources(None, features("1.37").features),
        claiming("new", "c"),
        node("a"),
        node("b"),
        slice_of("b", device("g0")),
        device_class(),
        claim("c", request(), status=given("b", "g0", users=["x"])),
    )
    (told,) = found.nodes
    (one,) = told.elsewhere
    assert (told.node, one.claim, one.devices, one.nodes, one.users, one.failed) == (
        "a",
        "default/c",
        (f"{DRIVER}/b/g0",),
        ("b",),
        ("default/x",),
        False,
    )


def test_a_request_for_all_is_judged_though_a_pool_is_incomplete() -> None:
    wanted = claim("c", request("r", allocationMode="All", count=None))
    plugin = DynamicResources(None, features("1.37").features)
    found = facts(
        plugin, claiming("new", "c"), node("a"), slice_of("a", device("g0"), slices=2), device_class(), wanted
    )
    assert [one.incomplete for one in found.nodes[0].requests] == [(f"{DRIVER}/a",)]
