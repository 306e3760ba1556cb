"""A DeviceClass asked for as a resource: what is said goes by what is known of it; the scheduler's text does not."""

import pytest

from kplan.objects.state import Completeness
from tests.builders import make, node, pod
from tests.studies.ask import document

CLASS = "gpu.example.com"
RESOURCE = f"deviceclass.resource.kubernetes.io/{CLASS}"
LISTED = Completeness(counts={"Node": 2, "Pod": 1, "DeviceClass": 0})
PARTLY = Completeness(counts={"Node": 2, "Pod": 1, "DeviceClass": 1}, partial={"DeviceClass": "some are left out"})
OTHERS = Completeness(counts={"Node": 2, "Pod": 1})
ABSENT = f"there is no DeviceClass {CLASS}; it wants 1"
UNKNOWN = f"no node has devices of DeviceClass {CLASS}, if there is one: the source holds no deviceclasses; it wants 1"
SOME = (
    f"no node has devices of DeviceClass {CLASS}, if there is one: the source holds not all deviceclasses; it wants 1"
)
OFF = f"DeviceClass {CLASS} cannot be asked for as a resource: feature gate DRAExtendedResource is off; it wants 1"


@pytest.mark.parametrize(
    ("version", "completeness", "said"),
    [
        pytest.param("1.37", LISTED, ABSENT, id="classes were listed and it is not among them"),
        pytest.param("1.37", OTHERS, UNKNOWN, id="no classes were listed: it may be there"),
        pytest.param("1.37", PARTLY, SOME, id="some classes were left out: it may be there"),
        pytest.param("1.36", LISTED, ABSENT, id="the gate is on from 1.36"),
        pytest.param("1.35", LISTED, OFF, id="the gate is off until 1.35"),
        pytest.param("1.34", OTHERS, OFF, id="where the gate is off, no class would help"),
    ],
)
def test_what_is_said_of_a_class_that_nothing_serves(version: str, completeness: Completeness, said: str) -> None:
    objects = [node("node-a"), node("node-b"), pod("wants", requests={RESOURCE: "1"})]
    found = document(objects, "default/wants", version=version, completeness=completeness)
    assert found.because is not None
    assert (found.because.code, found.because.text) == ("insufficient-resource", said)
    assert [reason.message for reason in found.groups[0].reasons] == [f"Insufficient {RESOURCE}"]


def test_a_resource_of_another_name_is_not_told_of_as_a_class() -> None:
    found = document(
        [node("node-a"), pod("wants", requests={"example.com/gpu": "1"})], "default/wants", completeness=LISTED
    )
    assert found.because is not None
    assert found.because.text == "no node has example.com/gpu; it wants 1"


def test_a_class_that_is_there_is_not_told_to_be_missing() -> None:
    objects = [node("node-a"), make("DeviceClass", CLASS), pod("wants", requests={RESOURCE: "1"})]
    found = document(objects, "default/wants")
    assert found.because is not None
    assert "there is no DeviceClass" not in found.because.text
