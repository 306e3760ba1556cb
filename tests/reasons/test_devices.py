"""Nodes without devices for a pod, told apart by what they lack: codes and what they are about."""

from __future__ import annotations

from typing import Any

from kplan.objects.models import Object
from tests.builders import node, pod
from tests.plugins.devices.world import DRIVER, claim, claiming, device, device_class, given, request, slice_of
from tests.reasons.test_groups import groups

A = f'device.attributes["{DRIVER}"]'
IS_L = f'{A}.?model.orValue("") == "l"'
ABOUT = "device-claim default/c, device-request r, device-class gpu"


def model(name: str, value: str) -> dict[str, Any]:
    return device(name, attributes={"model": value})


def test_nodes_are_told_apart_by_what_they_lack_and_those_without_devices_come_last() -> None:
    objects = [
        *(node(name) for name in "abcdef"),
        slice_of("c", model("g0", "s")),
        slice_of("d", model("g0", "l")),
        slice_of("e", model("g0", "s")),
        slice_of("f", model("g0", "l"), model("g1", "l")),
        device_class(),
        claim("c", request("r", IS_L)),
        claim("x", request(), status=given("d", "g0")),
        claim("y", request(count=2), status=given("f", "g0", "g1")),
    ]
    assert groups(claiming("new", "c"), *objects) == [
        (["d", "f"], [f"devices-in-use: {ABOUT}"]),
        (["c", "e"], [f"device-selector: {ABOUT}"]),
        (["a", "b"], [f"no-device-of-class: {ABOUT}"]),
    ]


def test_nodes_with_fewer_devices_to_free_come_first() -> None:
    def of(name: str, count: int) -> list[Object]:
        devices = [device(f"g{i}") for i in range(4)]
        held = [f"g{i}" for i in range(count)]
        return [node(name), slice_of(name, *devices), claim(name, request(count=count), status=given(name, *held))]

    objects = [*of("a", 4), *of("b", 2), *of("d", 3), device_class(), claim("c", request(count=3))]
    assert groups(claiming("new", "c"), *objects) == [(["b", "d", "a"], [f"devices-in-use: {ABOUT}"])]


def test_a_selector_that_fails_is_one_reason_whichever_device_it_fails_on() -> None:
    objects = [
        *(one for name in "abc" for one in (node(name), slice_of(name, model(f"g-{name}", "l")))),
        device_class(),
        claim("c", request("r", f'{A}.modle == "l"')),
        claim("x", request(), status=given("c", "g-c")),
    ]
    assert groups(claiming("new", "c"), *objects) == [(["a", "b", "c"], [f"device-selector-fails: {ABOUT}"])]


def test_of_an_extended_resource_the_resource_is_named_and_no_claim() -> None:
    served = device_class("gpu", extendedResourceName="example.com/gpu")
    found = groups(pod("new", requests={"example.com/gpu": "2"}), node("a"), slice_of("a", device("g0")), served)
    assert found == [(["a"], ["too-few-devices: device-resource example.com/gpu, device-class gpu"])]
