"""Words of a sweep."""

import pytest

from kplan.wording.sweep import closer, other_sweep, sentence


@pytest.mark.parametrize(
    ("fits", "total", "asks", "text"),
    [
        pytest.param(1, 6, "drain", "5 of 6 drains leave pods Pending", id="one drain"),
        pytest.param(2, 3, "fail", "survives 2 of 3 losses", id="some losses"),
        pytest.param(1, 1, "workload", "1 of 1 case fits", id="a workload has no more to say"),
        pytest.param(0, 1200, "pool", "1,200 of 1,200 cases leave pods Pending", id="an axis that asks nothing itself"),
    ],
)
def test_the_sentence_says_who_does_what(fits: int, total: int, asks: str, text: str) -> None:
    assert sentence(fits, total, asks) == text


def test_one_command_tells_more_of_a_drain_and_of_a_loss_alone() -> None:
    told = "kplan fail --zone a --cordon n1 -> what comes back when, and what would help"
    assert closer("fail", "--zone a", "--cordon n1") == told
    assert closer("pool", "like=n1") == ""


@pytest.mark.parametrize(
    ("differing", "source", "text"),
    [
        ("kplan", "", "kplan 1.0 wrote them, this is 1.1"),
        ("grid", "", "it has other scenarios"),
        ("state", "", "the cluster differs"),
        ("state", "b.yaml", "it is of b.yaml"),
    ],
)
def test_why_results_are_of_another_sweep(differing: str, source: str, text: str) -> None:
    assert other_sweep(differing, ("1.0", "1.1"), source) == text
