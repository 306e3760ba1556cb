"""Writes as data: whether a field is set already, free, reserved or somebody else's, and what setting it leaves."""

from typing import Any

import pytest

from kplan.framework.writes import Field, Standing

NODE = Field(("metadata", "annotations", "node"), "a")
OWNER = Field(
    ("spec", "ref"), {"namespace": "shop", "name": "data", "uid": "u1", "more": "x"}, ("namespace", "name", "uid")
)


def annotated(value: str) -> dict[str, Any]:
    return {"metadata": {"annotations": {"node": value}}}


def owned(**reference: str) -> dict[str, Any]:
    return {"spec": {"ref": reference}}


@pytest.mark.parametrize(
    ("field", "item", "wanted"),
    [
        (NODE, {}, Standing.OPEN),
        (NODE, {"metadata": {"annotations": None}}, Standing.OPEN),
        (NODE, {"metadata": "text"}, Standing.OPEN),
        (NODE, annotated("a"), Standing.DONE),
        (NODE, annotated("b"), Standing.TAKEN),
        (OWNER, owned(), Standing.OPEN),
        (OWNER, owned(namespace="shop", name="data"), Standing.OPEN),
        (OWNER, owned(namespace="shop", name="data", uid="u1"), Standing.DONE),
        (OWNER, owned(namespace="shop", name="data", uid="u2"), Standing.TAKEN),
        (OWNER, owned(namespace="shop", name="other"), Standing.TAKEN),
    ],
    ids=[
        "nothing is there", "nothing is annotated", "no place for it", "set already", "set to another", "no reference",
        "reserved for it", "its own", "another of the name", "reserved for another",
    ],
)  # fmt: skip
def test_how_a_field_stands(field: Field, item: dict[str, Any], wanted: Standing) -> None:
    assert field.standing(item) is wanted


def test_setting_a_field_leaves_the_rest_and_the_object_that_was_read() -> None:
    item = {"metadata": {"name": "x", "annotations": {"other": "1"}}, "unknown": [1]}
    assert NODE.put(item) == {
        "metadata": {"name": "x", "annotations": {"other": "1", "node": "a"}}, "unknown": [1],
    }  # fmt: skip
    assert item == {"metadata": {"name": "x", "annotations": {"other": "1"}}, "unknown": [1]}
    assert NODE.put({}) == annotated("a")
