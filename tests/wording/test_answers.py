"""What many answers come to, in a sentence: nothing is said twice."""

import pytest

from kplan.wording.answers import counts_sentence


@pytest.mark.parametrize(
    ("counts", "waits", "told"),
    [
        ({"FITS": 1000}, True, "all 1,000 waiting pods fit, each tried alone"),
        ({"FITS": 2}, False, "both pods fit, each tried alone"),
        ({"FITS": 1}, True, "the waiting pod fits, tried alone"),
        ({"FITS": 3, "PREEMPTS": 1}, True, "4 of 4 waiting pods fit, each tried alone; 1 PREEMPTS, 3 FITS"),
        ({"PENDING": 1, "FITS": 3}, True, "1 of 4 waiting pods fits no node, for 2 causes; 3 FITS"),
        ({"GATED": 1}, True, "0 of 1 waiting pod fits, tried alone; 1 GATED"),
        ({}, True, "no pod waits"),
    ],
)
def test_how_many_pods_fit(counts: dict[str, int], waits: bool, told: str) -> None:
    every = {"PENDING": 0, "PREEMPTS": 0, "FITS": 0, "GATED": 0, **counts}
    assert counts_sentence(every, waits=waits, causes=2, in_turn=False) == told
