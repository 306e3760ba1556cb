"""kplan answers every case of the corpus as the real kube-scheduler of that version did.

One test a version and theme, over the cases that use nothing of ``GAPS``; the others are expected to differ, strictly:
once a gap is closed its test fails until it is taken out of the list.
"""

import pytest

from tests.conformance.corpus import GAPS, VERSIONS, compare, themes

THEMES = [(version, theme) for version in VERSIONS for theme in themes(version)]
"""Themes with the same name stand apart in this order, so that workers share the large ones evenly."""


@pytest.mark.parametrize(("version", "theme"), THEMES, ids=[f"{version}-{theme}" for version, theme in THEMES])
def test_every_verdict_reason_score_and_victim_is_that_of_the_scheduler(version: str, theme: str) -> None:
    comparison = compare(version, theme, only=lambda uses: not uses & set(GAPS))
    if comparison.cases:
        assert comparison.agrees, f"{version} {theme}\n{comparison}"


def test_cases_beyond_a_known_gap_still_differ() -> None:
    closed = []
    for use in GAPS:
        found = [
            compare(version, theme, only=lambda uses, use=use: use in uses, stop=True)
            for version in VERSIONS
            for theme in themes(version)
        ]
        if all(one.cases == one.good_cases for one in found):
            closed.append(use)
    assert closed == []
