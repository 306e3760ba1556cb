"""Selectors of devices that are changed: of a claim or of a class, and which devices they let in then."""

from __future__ import annotations

from typing import Any

import pytest

from kplan.objects.models import Object
from tests.builders import node, pod
from tests.plugins.devices.world import DRIVER, claim, claiming, device, device_class, request, slice_of
from tests.remedies.test_search import search, told
from tests.studies.ask import document

A = f'device.attributes["{DRIVER}"]'
OURS = f'device.driver == "{DRIVER}"'


def of(name: str, **attributes: Any) -> list[Object]:
    return [node(name), slice_of(name, device("g0", attributes=attributes))]


CASES: dict[str, tuple[str, str, str]] = {
    "a number of the claim": ("", f"{A}.gen >= 4", "selector of claim c: gen >= 3 (now >= 4) -> b"),
    "two things that the claim asks for": (
        "", f'{A}.gen == 4 && {A}.model == "x"', "selector of claim c: gen 3 (now 4), model s (now x) -> b",
    ),
    "a number of the class": (f"{OURS} && {A}.gen >= 4", "", "selector of class gpu: gen >= 3 (now >= 4) -> b"),
    "a name of the class": (
        f'{OURS} && {A}.?gen.orValue(0) < 4 && {A}.modle == "s"', "",
        "selector of class gpu: model in place of modle -> b",
    ),
    "an attribute that some devices are without": (
        "", f'{A}.model == "s"', "selector of claim c: only where model is there -> b",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("of_class", "of_claim", "remedy"), CASES.values(), ids=CASES)
def test_the_change_of_a_selector_that_lets_the_nearest_device_in(of_class: str, of_claim: str, remedy: str) -> None:
    bare = of("a", other=1) if "model ==" in of_claim and "gen" not in of_claim else []
    wants = request("r", *([of_claim] if of_claim else []))
    objects = [*of("b", gen=3, model="s"), *bare, device_class("gpu", *([of_class] if of_class else []))]
    assert remedy in told(search([*objects, claim("c", wants), claiming("new", "c")], "default/new"))


def test_the_class_behind_an_extended_resource() -> None:
    served = device_class("gpu", f"{OURS} && {A}.gen >= 4", extendedResourceName="example.com/gpu")
    wants = pod("new", requests={"example.com/gpu": "1"})
    found = told(search([*of("b", gen=3), served, wants], "default/new"))
    assert "selector of class gpu: gen >= 3 (now >= 4) -> b" in found
    assert not [line for line in found if "claim" in line]


def test_the_values_that_others_have_are_told() -> None:
    objects = [
        *of("a", other=1), *of("b", gen=2), *of("c", gen=2), *of("d", gen=5), device_class(),
        claim("c", request("r", f"{A}.gen == 7")), claiming("new", "c"),
    ]  # fmt: skip
    answer = document(objects, "default/new")
    assert answer.devices is not None
    [missing] = answer.devices.missing
    assert (missing.attribute, missing.values) == (f"{DRIVER}/gen", {"2": 2, "5": 1})
    assert answer.because is not None
    assert answer.because.text == (
        "a selector of claim c fails on a/g0: it has no attribute gen; 2 on 2 devices, 5 on 1 device"
    )
