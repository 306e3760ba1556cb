"""Two specs compared: fields that differ, and the patch that comes of them."""

from typing import Any

import pytest

from kplan.objects.models import PodSpec
from kplan.remedies.specs import SpecDifference, differences, merge_patch
from tests.builders import pod


def spec(**fields: Any) -> PodSpec:
    return pod("p", **fields).spec


def test_maps_are_looked_into_and_lists_are_one_field() -> None:
    before = {"a": {"b": 1, "c": [1, 2]}, "gone": True}
    after = {"a": {"b": 2, "c": [1, 3]}, "new": {"x": 1}}
    assert list(differences(before, after)) == [
        SpecDifference(("a", "b"), 1, 2),
        SpecDifference(("a", "c"), [1, 2], [1, 3]),
        SpecDifference(("gone",), True, None),
        SpecDifference(("new",), None, {"x": 1}),
    ]


@pytest.mark.parametrize(
    ("before", "after", "patch"),
    [
        pytest.param(
            spec(nodeSelector={"a": "b", "c": "d"}),
            spec(nodeSelector={"c": "d"}),
            {"nodeSelector": {"a": None}},
            id="a label that goes",
        ),
        pytest.param(
            spec(tolerations=[{"key": "a"}]),
            spec(tolerations=[{"key": "a"}, {"key": "b"}]),
            {"tolerations": [{"key": "a"}, {"key": "b"}]},
            id="a list without a merge key is written as a whole",
        ),
        pytest.param(
            spec(volumes=[{"name": "a", "emptyDir": {}}, {"name": "b", "emptyDir": {}}]),
            spec(volumes=[{"name": "b", "emptyDir": {}}]),
            {"volumes": [{"$patch": "delete", "name": "a"}]},
            id="an entry of a list with a merge key goes by its key",
        ),
        pytest.param(spec(priority=1), spec(priority=9), {}, id="the priority is that of its class"),
    ],
)
def test_the_patch(before: PodSpec, after: PodSpec, patch: dict[str, Any]) -> None:
    assert merge_patch(before, after) == patch
