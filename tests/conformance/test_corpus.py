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


@pytest.mark.parametrize(
    ("version", "use"),
    [
        pytest.param(version, use, marks=pytest.mark.xfail(raises=AssertionError, strict=True, reason=reason))
        for version in VERSIONS
        for use, reason in GAPS.items()
        if use != "gang" or version == "1.37"
    ],
)
def test_cases_beyond_a_known_gap_agree(version: str, use: str) -> None:
    for theme in themes(version):
        comparison = compare(version, theme, only=lambda uses: use in uses, stop=True)
        assert comparison.cases == comparison.good_cases, str(comparison)
