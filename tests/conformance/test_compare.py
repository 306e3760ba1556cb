"""The comparison tells apart what differs, and treats as equal only what it says."""

from typing import Any

import pytest

from tests.conformance import corpus
from tests.conformance.compare import Comparison


def case(**pod: Any) -> dict[str, Any]:
    return {"name": "c", "pods": [{"pod": "default/p", "feasible": [], "best": [], **pod}]}


def nodes(**answer: Any) -> dict[str, Any]:
    return case(nodes={"n1": answer})


def refused(*reasons: str, code: str = "Unschedulable") -> dict[str, Any]:
    return {"code": code, "plugin": "NodeResourcesFit", "reasons": list(reasons)}


def victims(*pods: str, others: list[list[str]] | None = None, picks: tuple[str, ...] = ("n1",)) -> dict[str, Any]:
    candidate: dict[str, Any] = {"pods": list(pods)}
    if others:
        candidate["others"] = [{"pods": other} for other in others]
    return case(preemption={"eligible": True, "candidates": {"n1": candidate}, "picks": list(picks)})


@pytest.mark.parametrize(
    ("want", "got"),
    [
        pytest.param(nodes(raw={"A": 0, "B": 3}), nodes(raw={"B": 3}), id="a skipped score and 0"),
        pytest.param(nodes(verdict=refused("x", "y")), nodes(verdict=refused("y", "x")), id="the order of reasons"),
        pytest.param(nodes(verdict={"code": "Success"}), nodes(), id="success and no status"),
        pytest.param(victims("a", "b"), victims("b", "a"), id="the order of victims"),
        pytest.param(victims("a", others=[["b"]]), victims("b"), id="victims the scheduler took with another order"),
        pytest.param(case(error="plugin: bad thing"), case(error="plugin: other words"), id="the tail of an error"),
        pytest.param({"name": "c", "error": "bad config"}, {"name": "c", "error": "no"}, id="both refuse the case"),
    ],
)
def test_these_are_equal(want: dict[str, Any], got: dict[str, Any]) -> None:
    comparison = Comparison()
    assert comparison.add(want, got)
    assert comparison.agrees
    assert comparison.differences == []


@pytest.mark.parametrize(
    ("want", "got", "told"),
    [
        pytest.param(
            nodes(verdict=refused("x")),
            nodes(verdict=refused("y")),
            "c default/p verdict/n1: want ('Unschedulable', 'NodeResourcesFit', ['x']) got "
            "('Unschedulable', 'NodeResourcesFit', ['y'])",
            id="another reason",
        ),
        pytest.param(
            nodes(verdict=refused("x")),
            nodes(verdict=refused("x", code="UnschedulableAndUnresolvable")),
            "c default/p verdict/n1: want ('Unschedulable', 'NodeResourcesFit', ['x']) got "
            "('UnschedulableAndUnresolvable', 'NodeResourcesFit', ['x'])",
            id="another code",
        ),
        pytest.param(
            nodes(raw={"A": 3}),
            nodes(raw={"A": 4}),
            "c default/p raw/n1/A: want 3 got 4",
            id="a score that is off by one",
        ),
        pytest.param(
            victims("a", others=[["b"]]),
            victims("c"),
            "c default/p preemption/candidates/n1: want (['a'], 0) got (['c'], 0)",
            id="victims the scheduler never took",
        ),
        pytest.param(
            {"name": "c", "error": "bad config"}, case(), "c: want the case refused (bad config)", id="not refused"
        ),
        pytest.param(
            {"name": "c", "error": "bad config"}, None, "c: want the case refused (bad config)", id="no answer at all"
        ),
        pytest.param(
            case(), {"name": "c", "pods": []}, "c: want the pods ['default/p'] got []", id="a pod that is not answered"
        ),
        pytest.param(
            {**case(), "gated": ["default/p"]}, case(), "c gated: want ['default/p'] got None", id="who is gated"
        ),
    ],
)
def test_these_differ(want: dict[str, Any], got: dict[str, Any] | None, told: str) -> None:
    comparison = Comparison()
    assert not comparison.add(want, got)
    assert not comparison.agrees
    assert comparison.differences == [told]


def test_nothing_compared_is_no_agreement() -> None:
    assert not Comparison().agrees


def test_a_crash_is_no_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(case: Any, version: str) -> Any:
        raise RuntimeError("bug")

    row = {"case": {"name": "c"}, "uses": [], "expected": {"name": "c", "error": "bad config"}}
    monkeypatch.setattr(corpus, "answer", crash)
    monkeypatch.setattr(corpus, "cases", lambda version, theme: [row])
    comparison = corpus.compare("1.37", "config")
    assert not comparison.agrees
    assert "RuntimeError: bug" in comparison.differences[1]
