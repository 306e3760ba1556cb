"""Writes as data: whether a field is set already, free, reserved or somebody else's, and what setting it leaves."""

from typing import Any

import pytest

from kplan.framework.writes import Field, FieldStanding

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
        (NODE, {}, FieldStanding.OPEN),
        (NODE, {"metadata": {"annotations": None}}, FieldStanding.OPEN),
        (NODE, {"metadata": "text"}, FieldStanding.OPEN),
        (NODE, annotated("a"), FieldStanding.DONE),
        (NODE, annotated("b"), FieldStanding.TAKEN),
        (OWNER, owned(), FieldStanding.OPEN),
        (OWNER, owned(namespace="shop", name="data"), FieldStanding.OPEN),
        (OWNER, owned(namespace="shop", name="data", uid="u1"), FieldStanding.DONE),
        (OWNER, owned(namespace="shop", name="data", uid="u2"), FieldStanding.TAKEN),
        (OWNER, owned(namespace="shop", name="other"), FieldStanding.TAKEN),
    ],
    ids=[
        "nothing is there", "nothing is annotated", "no place for it", "set already", "set to another", "no reference",
        "reserved for it", "its own", "another of the name", "reserved for another",
    ],
)  # fmt: skip
def test_how_a_field_stands(field: Field, item: dict[str, Any], wanted: FieldStanding) -> None:
    assert field.standing(item) is wanted


def test_setting_a_field_leaves_the_rest_and_the_object_that_was_read() -> None:
    item = {"metadata": {"name": "x", "annotations": {"other": "1"}}, "unknown": [1]}
    assert NODE.put(item) == {
        "metadata": {"name": "x", "annotations": {"other": "1", "node": "a"}}, "unknown": [1],
    }  # fmt: skip
    assert item == {"metadata": {"name": "x", "annotations": {"other": "1"}}, "unknown": [1]}
    assert NODE.put({}) == annotated("a")
