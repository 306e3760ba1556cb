"""What is a slip of the pen in a label, and what is another value."""

import pytest

from kplan.remedies.meant import misspelt


@pytest.mark.parametrize(
    ("value", "there"),
    [("genral", "general"), ("general", "genral"), ("hihg", "high"), ("SSD", "ssd"), ("gpu", "gpus"), ("ab", "ba")],
)
def test_a_letter_too_many_or_too_few_or_swapped_is_a_slip(value: str, there: str) -> None:
    assert misspelt(value, ["other", there])


@pytest.mark.parametrize(
    ("value", "there"),
    [("pool-1", "pool-2"), ("a", "b"), ("prod", "prod2"), ("gpu", "cpu"), ("eu-1a", "eu-1b"), ("x", "xy"), ("", "a"),
     ("ssd", "ssd")],
)  # fmt: skip
def test_another_letter_or_number_is_another_value(value: str, there: str) -> None:
    assert not misspelt(value, [there])
