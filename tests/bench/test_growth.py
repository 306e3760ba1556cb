"""What is there twice takes about twice the work: calls of functions are counted, which no other work disturbs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bench import growth

SMALLEST = 6
OF_SIZE = 8
"""A part of the size that is measured suffices for the exponent."""
QUADRATIC = 4.0
MOST = 3.4
"""How many times as much the second doubling may take as the first: 2 is proportional, 4 quadratic."""


def calls(name: str, number: int, folder: Path) -> int:
    """Calls of functions that one shape of one size takes."""
    shape, file = growth.SHAPES[name], folder / f"{number}.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": shape.items(number)}))
    told = growth.asked([str(file) if word == "FILE" else word for word in shape.words], count=True)
    assert told["code"] in (0, 1, 3), told
    return int(told["calls"])


@pytest.mark.parametrize("name", growth.SHAPES)
def test_twice_as_much_takes_about_twice_as_many_calls(name: str, tmp_path: Path) -> None:
    first = SIZES.get(name) or max(growth.SHAPES[name].size // OF_SIZE, SMALLEST)
    calls(name, 2, tmp_path)  # imports, and what is kept of them
    one, two, four = (calls(name, first * factor, tmp_path) for factor in (1, 2, 4))
    assert (four - two) < MOST * (two - one)


SIZES = {
    "containers": 50,
    **{"spread": 25, "images": 50},  # of fewer, most calls are for the cluster
    **dict.fromkeys(
        ("templates-diff", "budgets-diff", "templates-fail", "budgets-drain", "templates-drain", "budgets-fail"), 20
    ),
}
