"""One cycle of one pod, with stand-in plugins: what kube-scheduler's framework does with their answers."""

from typing import Any

import numpy as np
import pytest

from kplan.framework.codes import Code, Cost
from kplan.framework.findings import Failed, Findings, Ready, Refused, RowError, Skip, Why, passed, refused
from kplan.framework.preemption import NodeStatus, PostFilterResult
from kplan.framework.reason_codes import ReasonCode
from kplan.result import Outcome
from tests.builders import node, pod
from tests.pipeline.stand import planner_of, stand

ABC = (node("a"), node("b"), node("c"))


def ask(*plugins: Any, nodes: tuple[Any, ...] = ABC, **options: Any) -> Outcome:
    planner = planner_of([*nodes, pod("new")], *plugins, **options)
    return planner.explain(planner.cluster.pods[0])


def why(reason: str) -> Why:
    return Why(ReasonCode.PORT_TAKEN, (), reason)


def refuse(reason: str, *rows: int, unresolvable: bool = False) -> Any:
    """A filter that refuses some rows."""

    def filter(pod: Any, state: Any, cluster: Any, worlds: Any) -> Findings[Any]:
        return refused(ReasonCode.PORT_TAKEN, reason, np.isin(worlds.rows, rows), unresolvable=unresolvable)

    return filter


def pass_all(pod: Any, state: Any, cluster: Any, worlds: Any) -> Findings[Any]:
    return passed(len(worlds))


def only(*names: str) -> Any:
    return lambda pod, cluster: Ready(None, frozenset(names))


def score(*by_row: int) -> Any:
    return lambda pod, state, cluster, rows, choice: np.array(by_row, dtype=np.int64)[rows]


# PreFilter


def test_an_unresolvable_pre_filter_ends_at_once() -> None:
    asked = []
    outcome = ask(
        stand("First", pre_filter=lambda pod, cluster: Refused((why("no"),))),
        stand("Second", pre_filter=lambda pod, cluster: asked.append(1)),
    )
    assert outcome.diagnosis is not None
    assert outcome.diagnosis.pre_filter == NodeStatus(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, "First", (why("no"),))
    assert not outcome.diagnosis.unschedulable.any()
    assert (outcome.fit_error, asked) == ("0/3 nodes are available: no.", [])


def test_an_unschedulable_pre_filter_lets_the_others_speak_and_the_last_one_is_told() -> None:
    outcome = ask(
        stand("First", pre_filter=lambda pod, cluster: Refused((why("one"),), unresolvable=False)),
        stand(
            "Second",
            pre_filter=lambda pod, cluster: Refused(
                (
                    why("two"),
                    why("three"),
                ),
                unresolvable=False,
            ),
        ),
        stand("Third", pre_filter=lambda pod, cluster: Ready(None)),
    )
    assert outcome.diagnosis is not None
    assert outcome.diagnosis.pre_filter == NodeStatus(
        Code.UNSCHEDULABLE,
        "Second",
        (
            why("two"),
            why("three"),
        ),
    )
    assert outcome.diagnosis.unschedulable.all()
    assert outcome.fit_error == "0/3 nodes are available: two, three."


def test_an_unresolvable_pre_filter_wins_over_an_unschedulable_one_before_it() -> None:
    outcome = ask(
        stand("First", pre_filter=lambda pod, cluster: Refused((why("one"),), unresolvable=False)),
        stand("Second", pre_filter=lambda pod, cluster: Refused((why("two"),))),
    )
    assert outcome.fit_error == "0/3 nodes are available: two."


def test_an_error_of_pre_filter_fails_the_pod() -> None:
    outcome = ask(stand("Broken", pre_filter=lambda pod, cluster: Failed("boom")))
    assert (outcome.error, outcome.fit_error) == ('running PreFilter plugin "Broken": boom', "")


def test_a_plugin_that_skips_is_not_asked_to_filter() -> None:
    outcome = ask(stand("Skips", pre_filter=lambda pod, cluster: Skip(), filter=refuse("no", 0, 1, 2)))
    assert outcome.feasible.tolist() == [0, 1, 2]


def test_a_filter_without_pre_filter_gets_none_and_one_with_it_its_own_state() -> None:
    states = []

    def filter(pod: Any, state: Any, cluster: Any, worlds: Any) -> Findings[Any]:
        states.append(state)
        return passed(len(worlds))

    ask(stand("With", pre_filter=lambda pod, cluster: Ready("mine"), filter=filter), stand("Without", filter=filter))
    assert states == ["mine", None]


def test_names_that_plugins_allow_are_intersected_and_the_rest_is_left_out() -> None:
    outcome = ask(
        stand("One", pre_filter=only("a", "b")),
        stand("Two", pre_filter=only("b", "c", "gone")),
        stand("Refuses", filter=refuse("no", 0, 1, 2)),
    )
    assert outcome.diagnosis is not None
    assert (outcome.diagnosis.rows.tolist(), outcome.diagnosis.pre_filter_nodes) == ([1], ("b",))
    assert outcome.fit_error == ("0/3 nodes are available: 1 no, 2 node(s) didn't satisfy plugin(s) [One Two].")


def test_names_that_do_not_meet_refuse_the_pod() -> None:
    outcome = ask(stand("Two", pre_filter=only("a")), stand("One", pre_filter=only("b")))
    assert outcome.fit_error == "0/3 nodes are available: node(s) didn't satisfy plugin(s) [One Two] simultaneously."


def test_a_plugin_that_allows_no_name_refuses_the_pod_alone() -> None:
    outcome = ask(stand("One", pre_filter=only()))
    assert outcome.fit_error == "0/3 nodes are available: node(s) didn't satisfy plugin One."


def test_a_name_no_node_has_leaves_all_nodes_out() -> None:
    outcome = ask(stand("One", pre_filter=only("gone")))
    assert outcome.fit_error == "0/3 nodes are available: 3 node(s) didn't satisfy plugin(s) [One]."


# Filter


def test_the_first_plugin_that_refuses_a_node_gives_its_status_and_all_are_kept() -> None:
    outcome = ask(
        stand("One", filter=refuse("one", 0)),
        stand("Two", filter=refuse("two", 0, 1, 2, unresolvable=True)),
    )
    assert outcome.diagnosis is not None
    assert dict(outcome.diagnosis.status) == {
        0: NodeStatus(Code.UNSCHEDULABLE, "One", (why("one"),)),
        1: NodeStatus(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, "Two", (why("two"),)),
        2: NodeStatus(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, "Two", (why("two"),)),
    }
    assert [failing.plugin for failing in outcome.diagnosis.failing] == ["One", "Two"]
    assert outcome.diagnosis.unschedulable.tolist() == [True, False, False]
    assert outcome.fit_error == "0/3 nodes are available: 1 one, 2 two."


def test_statuses_are_a_mapping_of_the_refused_positions() -> None:
    outcome = ask(stand("One", filter=refuse("one", 0, 2)))
    assert outcome.diagnosis is not None
    status = outcome.diagnosis.status
    assert (list(status), len(status), 1 in status, status.get(1), status[2].plugin) == ([0, 2], 2, False, None, "One")
    with pytest.raises(KeyError):
        status[1]
    with pytest.raises(KeyError):
        status[3]


def broken(*errors: tuple[int, str]) -> Any:
    """A filter that fails on some rows and refuses all others."""

    def filter(pod: Any, state: Any, cluster: Any, worlds: Any) -> Findings[Any]:
        rows = worlds.rows.tolist()
        found = tuple(RowError(rows.index(row), text) for row, text in errors if row in rows)
        findings = refused(ReasonCode.PORT_TAKEN, "no", np.ones(len(worlds), dtype=np.bool_), unresolvable=False)
        return Findings(findings.refusals, findings.unresolvable, found)

    return filter


def test_an_error_on_one_node_fails_the_pod_wherever_else_it_fits() -> None:
    def filter(pod: Any, state: Any, cluster: Any, worlds: Any) -> Findings[Any]:
        return Findings((), np.zeros(len(worlds), dtype=np.bool_), (RowError(2, "boom"),))

    outcome = ask(stand("Broken", filter=filter))
    assert (outcome.error, outcome.choice, outcome.scores) == ('running "Broken" filter plugin: boom', -1, None)


def test_of_several_errors_that_of_the_first_node_is_told() -> None:
    outcome = ask(stand("Broken", filter=broken((2, "late"), (1, "early"))))
    assert outcome.error == 'running "Broken" filter plugin: early'


def test_an_error_behind_another_plugins_refusal_is_not_reached() -> None:
    outcome = ask(stand("One", filter=refuse("one", 0, 1)), stand("Broken", filter=broken((0, "boom"))))
    assert (outcome.error, outcome.fit_error) == ("", "0/3 nodes are available: 1 no, 2 one.")


def searching(seen: list[list[int]]) -> Any:
    def filter(pod: Any, state: Any, cluster: Any, worlds: Any) -> Findings[Any]:
        seen.append(worlds.rows.tolist())
        return refused(ReasonCode.PORT_TAKEN, "two", np.ones(len(worlds), dtype=np.bool_), unresolvable=False)

    return stand("Searches", cost=Cost.SEARCH, filter=filter)


@pytest.mark.parametrize(("everything", "want"), [(True, [0, 1, 2]), (False, [2])])
def test_a_search_is_asked_about_refused_nodes_only_when_everything_is_wanted(
    everything: bool, want: list[int]
) -> None:
    seen: list[list[int]] = []
    outcome = ask(stand("One", filter=refuse("one", 0, 1)), searching(seen), everything=everything)
    assert (seen, outcome.fit_error) == ([want], "0/3 nodes are available: 1 two, 2 one.")


def test_a_search_with_no_node_left_is_not_asked() -> None:
    seen: list[list[int]] = []
    ask(stand("One", filter=refuse("one", 0, 1, 2)), searching(seen), everything=False)
    assert seen == []


def test_without_nodes_the_cycle_ends_in_words_of_its_own() -> None:
    outcome = ask(stand("One", filter=pass_all), nodes=())
    assert (outcome.error, outcome.fit_error) == ("no nodes available to schedule pods", "")


# Score


def test_totals_add_up_normalised_scores_times_weight() -> None:
    double = {"normalize": lambda pod, state, cluster, rows, raw: raw * 2}
    outcome = ask(
        stand("One", score=score(1, 2, 3), **double),
        stand("Two", score=score(30, 20, 10)),
        weights={"One": 5, "Two": 1},
    )
    assert outcome.scores is not None
    assert {name: raw.tolist() for name, raw in outcome.scores.raw.items()} == {"One": [1, 2, 3], "Two": [30, 20, 10]}
    assert outcome.scores.weighted["One"].tolist() == [10, 20, 30]
    assert outcome.scores.total.tolist() == [40, 40, 40]


def test_a_tie_lists_all_and_the_first_by_name_is_chosen() -> None:
    outcome = ask(stand("One", score=score(1, 7, 7)), nodes=(node("c"), node("b"), node("a")))
    assert outcome.scores is not None
    assert (outcome.scores.best, outcome.choice) == ((1, 2), 1)


def test_only_feasible_nodes_are_scored() -> None:
    outcome = ask(stand("One", filter=refuse("no", 1)), stand("Two", score=score(1, 100, 3)))
    assert outcome.scores is not None
    assert (outcome.scores.rows.tolist(), outcome.scores.total.tolist(), outcome.choice) == ([0, 2], [1, 3], 2)


def test_a_plugin_whose_pre_score_skips_is_not_asked_to_score() -> None:
    outcome = ask(
        stand("One", pre_score=lambda *asked: Skip(), score=score(9, 0, 0)), stand("Two", score=score(0, 1, 0))
    )
    assert outcome.scores is not None
    assert (outcome.scores.skipped, outcome.choice, list(outcome.scores.raw)) == (("One",), 1, ["Two"])


def test_score_gets_the_state_of_pre_score_or_else_that_of_pre_filter() -> None:
    seen = {}

    def remember(name: str) -> Any:
        def score(pod: Any, state: Any, cluster: Any, rows: Any, choice: Any) -> Any:
            seen[name] = state
            return np.zeros(len(rows), dtype=np.int64)

        return score

    ask(
        stand("One", pre_filter=lambda *a: Ready("early"), pre_score=lambda *a: Ready("late"), score=remember("One")),
        stand("Two", pre_filter=lambda *a: Ready("early"), score=remember("Two")),
        stand("Three", pre_filter=lambda *a: Skip(), score=remember("Three")),
    )
    assert seen == {"One": "late", "Two": "early", "Three": None}


@pytest.mark.parametrize(
    ("plugin", "text"),
    [
        (stand("One", pre_score=lambda *a: Failed("boom")), 'running PreScore plugin "One": boom'),
        (stand("One", score=lambda *a: Failed("boom")), 'running Score plugins: plugin "One" failed with: boom'),
    ],
)
def test_an_error_while_scoring_fails_the_pod(plugin: Any, text: str) -> None:
    outcome = ask(plugin)
    assert (outcome.error, outcome.scores) == (text, None)


def test_without_score_plugins_all_feasible_nodes_tie() -> None:
    outcome = ask(stand("One", filter=refuse("no", 0)))
    assert outcome.scores is not None
    assert outcome.scores.best == (1, 2)


# PostFilter


def post(code: Code, message: str) -> Any:
    return lambda pod, state, handle: PostFilterResult(code, message)


def test_texts_of_post_filter_plugins_are_joined() -> None:
    outcome = ask(
        stand("One", filter=refuse("no", 0, 1, 2)),
        stand("Two", post_filter=post(Code.UNSCHEDULABLE, "two.")),
        stand("Three", post_filter=post(Code.UNSCHEDULABLE, "")),
        stand("Four", post_filter=post(Code.UNSCHEDULABLE, "four.")),
    )
    assert outcome.fit_error == "0/3 nodes are available: 3 no. two., four."


def test_a_post_filter_that_succeeds_stands_alone_and_ends_the_list() -> None:
    asked = []
    outcome = ask(
        stand("One", filter=refuse("no", 0, 1, 2)),
        stand("Two", post_filter=post(Code.UNSCHEDULABLE, "two.")),
        stand("Three", post_filter=post(Code.SUCCESS, "three.")),
        stand("Four", post_filter=lambda *a: asked.append(1)),
    )
    assert (outcome.fit_error, asked) == ("0/3 nodes are available: 3 no. three.", [])


def test_post_filter_is_not_asked_where_a_node_is_feasible() -> None:
    asked = []
    ask(stand("One", filter=refuse("no", 0, 1)), stand("Two", post_filter=lambda *a: asked.append(1)))
    assert asked == []


def test_post_filter_learns_where_an_eviction_may_help() -> None:
    seen = []

    def post_filter(pod: Any, state: Any, handle: Any) -> PostFilterResult:
        seen.append(handle.rows.tolist())
        return PostFilterResult(Code.UNSCHEDULABLE)

    ask(
        stand("One", filter=refuse("one", 1, unresolvable=True)),
        stand("Two", filter=refuse("two", 0, 1, 2)),
        stand("Three", post_filter=post_filter),
    )
    assert seen == [[0, 2]]


def test_a_node_that_fits_alone_is_taken_even_where_scoring_would_fail() -> None:
    outcome = ask(stand("One", filter=refuse("no", 0, 1), score=lambda *a: Failed("boom")))
    assert (outcome.error, outcome.choice) == ("", 2)
    assert outcome.scores is not None
    assert outcome.scores.problem == 'running Score plugins: plugin "One" failed with: boom'


def test_post_filter_is_told_what_its_plugin_refused_the_pod_with() -> None:
    seen = []

    def post_filter(pod: Any, state: Any, handle: Any) -> PostFilterResult:
        seen.append(state)
        return PostFilterResult(Code.UNSCHEDULABLE)

    refusal = Refused.of(ReasonCode.CLAIM_MISSING, "no")
    ask(stand("One", pre_filter=lambda *a: refusal, post_filter=post_filter))
    assert seen == [refusal]
