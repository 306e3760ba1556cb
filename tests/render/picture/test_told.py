"""Numbers in pictures are written as the tables beside them have them."""

import pytest

from kplan.render.picture.told import percent, together

GI, MI = 1 << 30, 1 << 20
AMOUNTS = [
    ("cpu", [3500, 3920, 420], ["3500m", "3920m", "420m"]),
    ("cpu", [3000, 4000, 0], ["3", "4", "0"]),
    ("cpu", [900_000, 3920], ["900", "3.92"]),
    ("cpu", [64_000, 250], ["64", "0.25"]),
    ("cpu", [1_500_400, 900], ["1,500", "1"]),
    ("memory", [9344 * MI, 15 * GI, 6016 * MI], ["9.13Gi", "15Gi", "5.88Gi"]),
    ("memory", [15 * GI, 100 * MI], ["15,360Mi", "100Mi"]),
    ("memory", [900, 0], ["900", "0"]),
    ("memory", [0, 0], ["0", "0"]),
    ("hugepages-2Mi", [4 * MI, 2 * MI], ["4Mi", "2Mi"]),
    ("nvidia.com/gpu", [8000, 1], ["8,000", "1"]),
]


@pytest.mark.parametrize(("resource", "numbers", "wanted"), AMOUNTS)
def test_amounts_that_stand_together_have_one_unit(resource: str, numbers: list[int], wanted: list[str]) -> None:
    assert together(resource, numbers) == wanted


@pytest.mark.parametrize(("part", "wanted"), [(79.99, "79%"), (80.0, "80%"), (100 * 0.29, "29%"), (104.2, "104%")])
def test_nothing_is_full_before_it_is(part: float, wanted: str) -> None:
    assert percent(part) == wanted
