"""Selectors of devices: 1,074 questions, held against what kube-scheduler 1.37.2's own CEL environment answered.

The questions are made by ``tests/oracle/selectors.py`` and answered by ``kporacle -cel``.
"""

import gzip
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kplan.objects.models.devices import Device
from kplan.plugins.shared.devices.cel import compile_problem, expression
from kplan.plugins.shared.devices.cel_device import CelDevice, SemanticVersion
from kplan.plugins.shared.devices.cel_errors import ExpressionError
from kplan.plugins.shared.devices.device import Kinds

ANSWERS = Path(__file__).parents[3] / "fixtures" / "cel" / "selectors.jsonl.gz"

A = 'device.attributes["gpu.example.com"]'

DIFFERENT = {
    "[1, 2].map(x, [x, 'a']).size() == 2": "the type of a variable of a macro is not known by itself",
    "['a'].indexOf(1) == -1": "a list may be asked for what cannot be in it",
}
"""Where the answer is another one, and why; the docstring of ``shared/devices/cel.py`` says what it means."""

OTHER_WORDS = (
    "semver('1.0').major()",
    f"{A}.gen.isGreaterThan(semver(",
    "ip('10.0.0.x')",
    "dyn(b'a')",
    f"{A}.firmware",
)
"""Beginnings of expressions whose error has other words."""


def questions() -> list[dict[str, Any]]:
    with gzip.open(ANSWERS, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def answer(question: dict[str, Any]) -> dict[str, Any]:
    device = Kinds().device(msgspec.convert(question["device"], Device), question["driver"], (), ())
    try:
        return {"match": expression(question["expression"]).matches(device.seen)}
    except ExpressionError as error:
        return {"match": False, "compile" if error.compile else "runtime": error.text}


def kind(found: dict[str, Any]) -> str:
    return next((error for error in ("compile", "runtime") if error in found), str(found["match"]))


def test_every_answer_is_the_schedulers() -> None:
    asked = questions()
    assert len({question["expression"] for question in asked}) > 300
    different = set()
    for question in asked:
        text, expected, mine = question["expression"], question["expected"], answer(question)
        if kind(mine) != kind(expected):
            different.add(text)
        elif "runtime" in mine and not text.startswith(OTHER_WORDS):
            assert mine["runtime"] == expected["runtime"], text
    assert different == set(DIFFERENT)


GPU = CelDevice(
    "gpu.example.com",
    False,
    (("gpu.example.com", "gen", 3), ("gpu.example.com", "firmware", SemanticVersion("1.2.0")), ("x.io", "numa", 1)),
    (("gpu.example.com", "memory", 40 * 2**30 * 10**9),),
)


def test_devices_that_differ_in_nothing_an_expression_mentions_are_evaluated_once() -> None:
    asked = expression(f"{A}.gen == 3 && {A}.firmware.major() == 1")
    seen = asked.source.seen(GPU)
    other = GPU._replace(attributes=(*GPU.attributes[:2], ("x.io", "numa", 0)), capacity=())
    assert asked.source.seen(other) == seen
    assert asked.matches(GPU)
    assert asked.matches(other)


@pytest.mark.parametrize(
    "text",
    [
        f"{A}.exists(name, name == 'gen')",
        "device.attributes.exists(domain, domain == 'x.io')",
        "device.attributes.size() == 2",
        f"{A}['g' + 'en'] == 3",
    ],
)
def test_an_expression_that_may_see_anything_sees_the_whole_device(text: str) -> None:
    asked = expression(text)
    assert asked.source.seen(GPU) == GPU
    assert asked.matches(GPU)


def test_the_same_text_is_the_same_expression() -> None:
    assert expression("device.driver == 'a'") is expression("device.driver == 'a'")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("device.driver == 'a'", None),
        ("device.driver", "must evaluate to bool or the unknown type, not string"),
        ("1", "must evaluate to bool or the unknown type, not int"),
    ],
)
def test_what_is_wrong_with_an_expression(text: str, problem: str | None) -> None:
    assert compile_problem(text) == problem


def test_a_missing_domain_is_an_empty_map_and_a_missing_name_an_error() -> None:
    assert expression('device.attributes["y.io"].?numa.orValue(4) == 4').matches(GPU)
    with pytest.raises(ExpressionError, match="no such key: numa"):
        expression('device.attributes["y.io"].numa == 1').matches(GPU)
