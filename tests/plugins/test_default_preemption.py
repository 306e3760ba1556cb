"""DefaultPreemption: who may preempt, whom, and which node is picked; expected values are worked out by hand."""

from typing import Any

import pytest

import kplan
from kplan.framework.preemption import PickRule
from kplan.objects.models import Object, Pod
from kplan.objects.state import ClusterState
from kplan.result import Outcome
from tests.builders import make, node, pod


def explained(preemptor: Pod, *objects: Object, version: str = "1.37") -> Outcome:
    state = ClusterState.of([preemptor, *objects])
    return kplan.explain(state, [preemptor.key], scheduler=kplan.Scheduler.of(version))[0]


def victims(preemptor: Pod, *objects: Object, version: str = "1.37") -> dict[str, tuple[list[str], int]]:
    """Names of the victims and broken budgets by node."""
    state = ClusterState.of([preemptor, *objects])
    planner = kplan.Scheduler.of(version).planner(state)
    cluster = planner.cluster
    found = planner.explain(cluster.pods[cluster.pod_index[preemptor.key]]).preemption
    assert found is not None
    return {
        cluster.node_name(row): ([cluster.pods[p].name for p in candidate.pods], candidate.pdb_violations)
        for row, candidate in found.candidates.items()
    }


def picks(preemptor: Pod, *objects: Object) -> tuple[list[int], PickRule | None]:
    found = explained(preemptor, *objects).preemption
    assert found is not None
    return list(found.picks), found.criteria


def low(name: str, on: str, cpu: str = "1", priority: int = 0, start: str = "2026-01-01T00:00:00Z", **more: Any) -> Pod:
    return pod(name, node=on, requests={"cpu": cpu}, priority=priority, status={"startTime": start}, **more)


def budget(name: str, allowed: int, app: str, **status: Any) -> Object:
    return make(
        "PodDisruptionBudget",
        name,
        namespace="default",
        spec={"selector": {"matchLabels": {"app": app}}},
        status={"disruptionsAllowed": allowed, **status},
    )


HIGH = pod("high", requests={"cpu": "2"}, priority=100)


def test_only_as_many_pods_go_as_are_needed_the_important_ones_stay() -> None:
    found = victims(HIGH, node("a", cpu="4"), low("p1", "a", priority=10), low("p2", "a", priority=5),
                    low("p3", "a", priority=5, start="2026-01-02T00:00:00Z"), low("p4", "a"))  # fmt: skip
    # four pods of one cpu each; two have to go: the lowest priority, then the younger of the two of priority 5
    assert found == {"a": (["p3", "p4"], 0)}


def test_pods_of_equal_priority_are_never_victims() -> None:
    outcome = explained(HIGH, node("a", cpu="2"), low("same", "a", cpu="2", priority=100))
    assert outcome.fit_error == (
        "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: "
        "1 No preemption victims found for incoming pod."
    )


def test_a_node_that_is_refused_for_good_is_no_help() -> None:
    outcome = explained(HIGH, node("a", cpu="4", taints=["gpu:NoSchedule"]), low("p", "a", cpu="4"))
    assert outcome.preemption is not None
    assert outcome.preemption.potential == ()
    assert outcome.fit_error == (
        "0/1 nodes are available: 1 node(s) had untolerated taint(s). preemption: 0/1 nodes are available: "
        "1 Preemption is not helpful for scheduling."
    )


def test_a_pod_larger_than_the_node_is_refused_for_good() -> None:
    outcome = explained(HIGH, node("a", cpu="1"), low("p", "a"))
    assert outcome.preemption is not None
    assert outcome.preemption.potential == ()


def test_a_pod_with_policy_never_preempts_nobody() -> None:
    never = pod("high", requests={"cpu": "2"}, priority=100, preemptionPolicy="Never")
    outcome = explained(never, node("a", cpu="2"), low("p", "a", cpu="2"))
    assert outcome.fit_error == (
        "0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never."
    )


TERMINATING = {"deletionTimestamp": "2026-01-03T00:00:00Z"}
PREEMPTED = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}


@pytest.mark.parametrize(
    ("condition", "eligible"),
    [
        pytest.param(PREEMPTED, False, id="a victim that is still going keeps its preemptor waiting"),
        pytest.param({**PREEMPTED, "reason": "EvictionByEvictionAPI"}, True, id="a drained pod does not"),
        pytest.param({**PREEMPTED, "status": "False"}, True, id="a condition that is false does not"),
    ],
)
def test_a_terminating_victim_on_the_nominated_node(condition: dict[str, str], eligible: bool) -> None:
    nominated = pod("high", requests={"cpu": "2"}, priority=100, status={"nominatedNodeName": "a"})
    going = pod("p", node="a", requests={"cpu": "2"}, metadata=TERMINATING, status={"conditions": [condition]})
    found = explained(nominated, node("a", cpu="2"), going).preemption
    assert found is not None
    assert found.eligible is eligible
    if not eligible:
        assert found.reason == "not eligible due to a terminating pod on the nominated node."


def test_the_pod_whose_budget_would_break_is_put_back_first() -> None:
    found = victims(HIGH, node("a", cpu="2"), low("kept", "a", labels={"app": "kept"}),
                    low("free", "a", priority=5), budget("kept-pdb", 0, "kept"), node("b", cpu="1"))  # fmt: skip
    # two cpu are needed, so both have to go all the same
    assert found == {"a": (["free", "kept"], 1)}
    small = pod("high", requests={"cpu": "1"}, priority=100)
    found = victims(small, node("a", cpu="2"), low("kept", "a", labels={"app": "kept"}),
                    low("free", "a", priority=5), budget("kept-pdb", 0, "kept"))  # fmt: skip
    # of lower priority, but put back before the other
    assert found == {"a": (["free"], 0)}


@pytest.mark.parametrize(
    ("disrupted", "broken"),
    [
        pytest.param({}, 1, id="a budget that allows none is broken"),
        pytest.param({"p": "2026-01-03T00:00:00Z"}, 0, id="a pod that is being disrupted already is not counted again"),
    ],
)
def test_pods_being_disrupted(disrupted: dict[str, str], broken: int) -> None:
    pdb = budget("pdb", 0, "x", disruptedPods=disrupted)
    assert victims(HIGH, node("a", cpu="2"), low("p", "a", cpu="2", labels={"app": "x"}), pdb) == {"a": (["p"], broken)}


@pytest.mark.parametrize(
    ("version", "broken"),
    [
        pytest.param("1.36", 2, id="up to 1.36 each victim lowers both budgets"),
        pytest.param("1.37", 1, id="from 1.37 a victim that breaks the first budget leaves the second alone"),
    ],
)
def test_two_budgets_for_one_pod(version: str, broken: int) -> None:
    both = {"app": "x", "tier": "y"}
    second = make("PodDisruptionBudget", "b", namespace="default", spec={"selector": {"matchLabels": {"tier": "y"}}},
                  status={"disruptionsAllowed": 1})  # fmt: skip
    # p breaks budget a (allows 0). In 1.36 it has used up budget b as well, so q breaks that
    found = victims(HIGH, node("a", cpu="2"), low("p", "a", priority=9, labels=both), budget("a", 0, "x"), second,
                    low("q", "a", labels={"tier": "y"}), version=version)  # fmt: skip
    assert found == {"a": (["p", "q"], broken)}


def test_a_budget_without_selector_protects_nobody() -> None:
    pdb = make("PodDisruptionBudget", "pdb", namespace="default", spec={}, status={"disruptionsAllowed": 0})
    assert victims(HIGH, node("a", cpu="2"), low("p", "a", cpu="2", labels={"app": "x"}), pdb) == {"a": (["p"], 0)}


@pytest.mark.parametrize(
    ("objects", "want"),
    [
        pytest.param(
            [low("p1", "a", "2", labels={"app": "x"}), low("p2", "b", "2", 9), budget("pdb", 0, "x")],
            ([1], PickRule.BUDGETS),
            id="no broken budget before a lower priority",
        ),
        pytest.param(
            [low("p1", "a", "2", 5), low("p2", "b", "2", 9)],
            ([0], PickRule.HIGHEST),
            id="the lowest of the highest priorities",
        ),
        pytest.param(
            [low("p1", "a", "1", 9), low("p2", "a", "1", 5), low("p3", "b", "1", 9), low("p4", "b", "1", 4)],
            ([1], PickRule.SUM),
            id="then the lowest sum",
        ),
        pytest.param(
            [low("p1", "a", "2", start="2026-01-01T00:00:00Z"), low("p2", "b", "2", start="2026-01-02T00:00:00Z")],
            ([1], PickRule.START),
            id="then the one that started last",
        ),
        pytest.param([low("p1", "a", "2"), low("p2", "b", "2")], ([0, 1], None), id="what is left is a tie"),
    ],
)
def test_which_node_is_picked(objects: list[Object], want: tuple[list[int], str]) -> None:
    assert picks(HIGH, node("a", cpu="2"), node("b", cpu="2"), *objects) == want


def test_fewer_victims_have_the_lower_sum_as_priorities_are_made_positive() -> None:
    two = [low("p1", "a", "1"), low("p2", "a", "1"), low("p3", "b", "2")]
    assert picks(HIGH, node("a", cpu="2"), node("b", cpu="2"), *two) == ([1], PickRule.SUM)


@pytest.mark.parametrize(
    ("version", "message"),
    [
        pytest.param("1.36", "0/1 nodes are available: 1 Insufficient cpu.", id="1.36 says nothing on success"),
        pytest.param(
            "1.37",
            "0/1 nodes are available: 1 Insufficient cpu. preemption: found a potential placement for pod on node a, "
            "preempting 1 victims",
            id="1.37 names the node",
        ),
    ],
)
def test_the_event_of_a_preemption(version: str, message: str) -> None:
    outcome = explained(HIGH, node("a", cpu="2"), low("p", "a", cpu="2"), version=version)
    assert outcome.fit_error == message


def test_equal_pods_make_the_victim_a_matter_of_chance() -> None:
    small = pod("high", requests={"cpu": "1"}, priority=100)
    found = explained(small, node("a", cpu="2"), low("p1", "a"), low("p2", "a")).preemption
    assert found is not None
    assert found.ambiguous


def test_where_nodes_tie_the_event_names_the_one_that_is_drawn() -> None:
    outcome = explained(HIGH, node("a", cpu="2"), node("b", cpu="2"), low("p1", "a", "2"), low("p2", "b", "2"))
    found = "0/2 nodes are available: 2 Insufficient cpu. preemption: found a potential placement for pod on node"
    assert outcome.event_texts == (f"{found} a, preempting 1 victims", f"{found} b, preempting 1 victims")
    assert outcome.fit_error == "0/2 nodes are available: 2 Insufficient cpu."
    before = explained(HIGH, node("a", cpu="2"), low("p", "a", "2"), version="1.36")
    assert before.event_texts == ("0/1 nodes are available: 1 Insufficient cpu.",)
    assert explained(pod("fits"), node("a")).event_texts == ()
