"""Edits of selectors: the least that lets a device in, or no longer fails on it; each by hand."""

from __future__ import annotations

import pytest

from kplan.plugins.shared.devices.cel_device import CelDevice, SemanticVersion
from kplan.plugins.shared.devices.cel_edits import Edit, guarded, letting_in, operator_put_right
from kplan.plugins.shared.devices.cel_parts import parts

DEVICE = CelDevice(
    "gpu.example.com",
    False,
    (
        ("gpu.example.com", "gen", 3),
        ("gpu.example.com", "model", "L4"),
        ("gpu.example.com", "ecc", False),
        ("gpu.example.com", "firmware", SemanticVersion("1.2.0")),
        ("gpu.example.com", "profiles", ("1g", "2g")),
        ("gpu.example.com", "quoted", 'a "b"'),
        ("x.io", "numa", -1),
    ),
    (("gpu.example.com", "memory", 40 * 2**30 * 10**9),),
)
A, C = 'device.attributes["gpu.example.com"]', 'device.capacity["gpu.example.com"]'
OURS = 'device.driver == "gpu.example.com"'


def value(subject: str, new: str, old: str) -> Edit:
    return Edit("value", subject, new, old)


def left_out(subject: str, old: str) -> Edit:
    return Edit("part", subject, "", old)


LETS_IN: dict[str, tuple[str, str | None, list[Edit]]] = {
    "a text": (f"{A}.model == 'H100'", f"{A}.model == 'L4'", [value("model", "L4", "H100")]),
    "a text on the left": (f'"H100" == {A}.model', f'"L4" == {A}.model', [value("model", "L4", "H100")]),
    "a number": (f"{A}.gen == 4", f"{A}.gen == 3", [value("gen", "3", "4")]),
    "a negative number": ('device.attributes["x.io"].numa == 0', 'device.attributes["x.io"].numa == -1',
                          [value("numa", "-1", "0")]),
    "a number at least": (f"{A}.gen >= 4", f"{A}.gen >= 3", [value("gen", ">= 3", ">= 4")]),
    "more than a number": (f"{A}.gen > 3", f"{A}.gen > 2", [value("gen", "> 2", "> 3")]),
    "less than a number": (f"{A}.gen < 2", f"{A}.gen < 4", [value("gen", "< 4", "< 2")]),
    "a number at least, the other way round": (f"4 <= {A}.gen", f"3 <= {A}.gen", [value("gen", ">= 3", ">= 4")]),
    "true": (f"{A}.ecc == true", f"{A}.ecc == false", [value("ecc", "false", "true")]),
    "nothing but the name": (f"{A}.ecc", f"!{A}.ecc", [value("ecc", "false", "true")]),
    "a name behind a key": (f'{A}["model"] == "H100"', f'{A}["model"] == "L4"', [value("model", "L4", "H100")]),
    "an optional one": (f'{A}.?model.orValue("") == "x"', f'{A}.?model.orValue("") == "L4"',
                        [value("model", "L4", "x")]),
    "a quantity at least": (f'{C}.memory.compareTo(quantity("80Gi")) >= 0',
                            f'{C}.memory.compareTo(quantity("40Gi")) >= 0', [value("memory", ">= 40Gi", ">= 80Gi")]),
    "more than a quantity": (f'{C}.memory.compareTo(quantity("80Gi")) > 0',
                             f'{C}.memory.compareTo(quantity("40Gi")) >= 0', [value("memory", ">= 40Gi", "> 80Gi")]),
    "a version at least": (f'{A}.firmware.compareTo(semver("2.0.0")) >= 0',
                           f'{A}.firmware.compareTo(semver("1.2.0")) >= 0',
                           [value("firmware", ">= 1.2.0", ">= 2.0.0")]),
    "two things": (f'{A}.gen >= 4 && {OURS} && {A}.model == "H100"', f'{A}.gen >= 3 && {OURS} && {A}.model == "L4"',
                   [value("gen", ">= 3", ">= 4"), value("model", "L4", "H100")]),
    "a name that is not spelled so": (f'{OURS} && {A}.modle == "L4"', f'{OURS} && {A}.model == "L4"',
                                      [Edit("name", "modle", "model", "modle")]),
    "an attribute that it has not": (f'{OURS} && {A}.memoryType == "HBM3"', OURS,
                                     [left_out("memoryType", f'{A}.memoryType == "HBM3"')]),
    "no plain comparison": (f'{A}.model.startsWith("H") && {A}.gen == 3', f"{A}.gen == 3",
                            [left_out("model", f'{A}.model.startsWith("H")')]),
    "another value": (f'{A}.model != "L4" && {A}.gen == 2', f"{A}.gen == 3",
                      [left_out("model", f'{A}.model != "L4"'), value("gen", "3", "2")]),
    "a list is no value": (f'{A}.profiles == ["4g"] && {OURS}', OURS,
                           [left_out("profiles", f'{A}.profiles == ["4g"]')]),
    "a text with quotes in it": (f'{A}.quoted == "c" && {OURS}', OURS, [left_out("quoted", f'{A}.quoted == "c"')]),
    "the driver": (f'device.driver == "other" && {A}.gen == 4', None, []),
    "nothing would be left": (f'{A}.memoryType == "HBM3"', None, []),
    "one of two that are alike": (f'({A}.gen == 4 || {A}.gen == 5)', None, []),
    "the domain alone": ('"nvidia.com" in device.attributes', None, []),
}  # fmt: skip


@pytest.mark.parametrize(("text", "then", "edits"), LETS_IN.values(), ids=LETS_IN)
def test_the_least_change_that_lets_a_device_in(text: str, then: str | None, edits: list[Edit]) -> None:
    found = letting_in(text, DEVICE)
    assert (found.text if found else None) == then
    assert list(found.edits if found else ()) == edits


GUARDS: dict[str, tuple[str, str | None]] = {
    "a field": (f'{A}.memoryType == "HBM3"', f'has({A}.memoryType) && {A}.memoryType == "HBM3"'),
    "a key": (f'{A}["memoryType"] == "HBM3"', f'"memoryType" in {A} && {A}["memoryType"] == "HBM3"'),
    "the first of two": (f"{OURS} && {A}.a == 1 && {A}.b == 1", f"{OURS} && has({A}.a) && {A}.a == 1 && {A}.b == 1"),
    "one of an alternative": (f"{A}.a == 1 || {A}.gen == 4", f"has({A}.a) && ({A}.a == 1 || {A}.gen == 4)"),
    "a capacity": (f'{C}.cores.isGreaterThan(quantity("1"))',
                   f'has({C}.cores) && {C}.cores.isGreaterThan(quantity("1"))'),
    "what does not fail": (f"{A}.gen == 4", None),
    "what fails otherwise": (f"{A}.gen / 0 == 1", None),
}  # fmt: skip


@pytest.mark.parametrize(("text", "then"), GUARDS.values(), ids=GUARDS)
def test_what_fails_on_a_device_asks_first_whether_it_is_there(text: str, then: str | None) -> None:
    found = guarded(text, DEVICE)
    assert (found.text if found else None) == then


def test_an_equals_sign_is_doubled_where_it_stands_alone() -> None:
    found = operator_put_right(f'{OURS} &&\n {A}.model = "L4"', 2, len(f" {A}.model ") + 1)
    assert found is not None
    assert found.text == f'{OURS} &&\n {A}.model == "L4"'
    assert operator_put_right(f"{A}.gen + 1", 1, 3) is None
    assert operator_put_right(f"{A}.gen + 1", 4, 1) is None


PARTS = {
    "joined": (f"{A}.gen == 3 && ({A}.a || b) && c", [f"{A}.gen == 3", f"({A}.a || b)", "c"]),
    "an alternative is one": ("a && b || c", ["a && b || c"]),
    "so is a condition": ("a ? b : c && d", ["a ? b : c && d"]),
    "an optional key is no condition": ("a[?'b'].hasValue() && a.?c.hasValue()",
                                        ["a[?'b'].hasValue()", "a.?c.hasValue()"]),
    "in a text": ('a == "b && c" && d', ['a == "b && c"', "d"]),
    "over lines": ("a  // && this\n  && b", ["a", "b"]),
}  # fmt: skip


@pytest.mark.parametrize(("text", "split"), PARTS.values(), ids=PARTS)
def test_what_must_all_hold(text: str, split: list[str]) -> None:
    assert [part.text for part in parts(text)] == split
