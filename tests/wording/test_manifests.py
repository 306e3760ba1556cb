"""Words of what manifests bring, and of steps that are the answer."""

import pytest

from kplan.objects.models import LabelSelector, LabelSelectorRequirement
from kplan.result.document_plan import Expanded
from kplan.wording.check import change
from kplan.wording.manifests import selected, selects_no_pod
from kplan.wording.simulate import steps_taken


@pytest.mark.parametrize(
    ("selector", "text"),
    [
        pytest.param(None, "without a selector", id="none"),
        pytest.param(LabelSelector(), "of everything", id="an empty one selects all"),
        pytest.param(
            LabelSelector(
                match_labels={"b": "2", "a": "1"},
                match_expressions=[
                    LabelSelectorRequirement(key="c", operator="In", values=["x", "y"]),
                    LabelSelectorRequirement(key="d", operator="Exists"),
                ],
            ),
            "a=1, b=2, c In (x, y), d Exists",
            id="labels by name, then expressions as written",
        ),
    ],
)
def test_a_selector_is_written_as_typed(selector: LabelSelector | None, text: str) -> None:
    assert selected(selector) == text


@pytest.mark.parametrize(
    ("side", "means"), [("affinity", "it can never be met"), ("anti-affinity", "it keeps nothing apart")]
)
def test_a_term_that_selects_nothing_says_what_that_means(side: str, means: str) -> None:
    term = LabelSelector(match_labels={"app": "x"})
    assert selects_no_pod("deploy/shop/web", side, term) == (
        f"deploy/shop/web: pod {side} app=x selects no pod, not even its own: {means}"
    )


@pytest.mark.parametrize(
    ("steps", "unmet", "left", "expected", "text"),
    [
        pytest.param(1, 0, 0, 0, "no pod stays Pending after 1 step", id="one"),
        pytest.param(3, 0, 0, 2, "no pod stays Pending after 3 steps, 2 as expected", id="some have expectations"),
        pytest.param(3, 1, 2, 2, "1 of 3 steps is not as expected", id="what is not as expected comes first"),
        pytest.param(2, 0, 1, 1, "1 pod stays Pending after 2 steps", id="a pod is left"),
    ],
)
def test_steps_are_the_answer(steps: int, unmet: int, left: int, expected: int, text: str) -> None:
    assert steps_taken(steps, unmet=unmet, left=left, expected=expected) == text


@pytest.mark.parametrize(
    ("verdict", "told", "said"),
    [
        pytest.param("changed", ["image a; b -> c", "args x, y -> x"], "image a; b -> c, args x, y -> x", id="whole"),
        pytest.param("changed", ["a", "b", "c"], "a, b, ...", id="the first two of several"),
        pytest.param("scaled", ["1,000 -> 1,200"], "scaled, 1,000 -> 1,200", id="scaled"),
        pytest.param("new", ["limits added"], "new, 2 pods", id="of what is new the number"),
    ],
)
def test_phrases_of_a_change_are_told_whole(verdict: str, told: list[str], said: str) -> None:
    assert change(Expanded(object="deploy/x/web", verdict=verdict), 2, told) == said
