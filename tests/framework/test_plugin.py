"""Normalisation by the highest score, in integers."""

import numpy as np
import pytest

from kplan.framework.plugin import default_normalize

CASES: dict[str, tuple[list[int], bool, list[int]]] = {
    "the highest becomes 100": ([1, 2, 4], False, [25, 50, 100]),
    "integer division drops the rest": ([1, 2, 3], False, [33, 66, 100]),
    "reversed, what was dropped is added": ([1, 2, 3], True, [67, 34, 0]),
    "all 0 stays 0": ([0, 0], False, [0, 0]),
    "all 0 reversed is 100": ([0, 0], True, [100, 100]),
    "one node": ([7], False, [100]),
    "one node reversed": ([7], True, [0]),
    "no node": ([], False, []),
    "no node reversed": ([], True, []),
    "large scores do not overflow": ([2**53, 2**54], False, [50, 100]),
}


@pytest.mark.parametrize(("raw", "reverse", "want"), CASES.values(), ids=CASES)
def test_scores(raw: list[int], reverse: bool, want: list[int]) -> None:
    scores = default_normalize(np.array(raw, dtype=np.int64), reverse=reverse)
    assert (scores.tolist(), scores.dtype) == (want, np.int64)


def test_each_row_is_scaled_by_itself() -> None:
    scores = np.array([[1, 2, 4], [0, 0, 0], [5, 0, 10]], dtype=np.int64)
    assert default_normalize(scores).tolist() == [[25, 50, 100], [0, 0, 0], [50, 0, 100]]
    assert default_normalize(scores, reverse=True).tolist() == [[75, 50, 0], [100, 100, 100], [50, 100, 0]]
