"""What-ifs in a chain: each on the state that the former left, every pod in one place."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kplan
from kplan.cluster import Cluster, build, to_state
from kplan.errors import UsageError
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from kplan.result.document_whatif import WhatIfStep
from kplan.scenario import ScenarioStep, parse_step
from kplan.studies.what_ifs import run
from tests.builders import node
from tests.scenario.worlds import owned, shop

SCHEDULER = kplan.Scheduler.of("1.37")


def planner_of(*more: object) -> Planner:
    return SCHEDULER.planner(ClusterState.of([*shop(), *more]))


def take(planner: Planner, *flags: str) -> tuple[WhatIfStep, ...]:
    return run(planner, [parse_step(*flag.split(" ", 1), "shop") for flag in flags])


def places(step: WhatIfStep) -> dict[str, str]:
    return {move.instead_of or move.pod: move.node or "Pending" for move in step.moves}


def test_each_step_acts_on_what_the_former_left() -> None:
    planner = planner_of()
    first, second, third = take(planner, "cordon zone=west", "drain node-a", "uncordon node-c")
    assert (first.text, first.moves) == ("node-c, node-d cordoned", ())
    # node-b holds 3.1 of 4 cpu: nothing of node-a fits there, the web pod needs 1, the db pod 2
    assert places(second) == {"shop/db-0": "Pending", "shop/web-7d-1": "Pending"}
    assert next(move.because.text for move in second.moves if move.because).startswith("cpu")
    # node-c holds 1.1 of 4: the db pod takes 2 of the 2.9, and the web pod 1 more than is left
    assert places(third) == {"shop/db-0": "node-c", "shop/web-7d-1": "Pending"}
    assert third.step == "--uncordon node-c"


def test_a_pod_that_goes_back_to_the_node_it_was_evicted_from_is_said() -> None:
    _, step = take(planner_of(), "cordon zone=west", "evict db-0")
    assert places(step) == {"shop/db-0": "node-a"}
    assert step.notes == ("shop/db-0 goes back to the node it was evicted from",)


def test_a_statefulsets_pod_comes_back_under_its_name_and_others_under_a_new_one() -> None:
    planner = planner_of()
    (step,) = take(planner, "drain node-a")
    assert {move.pod for move in step.moves} == {"shop/db-0", "shop/web-7d-1-r1"}
    assert planner.cluster.pods[planner.cluster.pod_index["shop/db-0"]].bound


def test_expectations_are_held_against_what_came_of_the_step() -> None:
    planner = planner_of()
    steps = [
        ScenarioStep(parse_step("cordon", "zone=west"), ("nothing moves",)),
        ScenarioStep(parse_step("drain", "node-a"), ("all placed",), (("evicted", 2), ("pending", 0))),
    ]
    first, second = run(planner, steps)
    assert (first.expected, first.unmet) == (("nothing moves",), ())
    assert second.unmet == (
        "pending: 0 expected, 2 found",
        "all placed: not shop/db-0, shop/web-7d-1-r1",
    )


def test_nothing_is_lost_with_a_node_that_was_drained() -> None:
    steps = [
        ScenarioStep(parse_step("drain", "node-c")),
        ScenarioStep(parse_step("remove-node", "node-c"), ("nothing moves",), (("lost", 0),)),
    ]
    assert run(planner_of(), steps)[1].unmet == ()


def test_a_step_of_a_file_that_cannot_be_taken_is_numbered() -> None:
    steps = [ScenarioStep(parse_step("cordon", "node-a")), ScenarioStep(parse_step("drain", "node-x"))]
    with pytest.raises(UsageError) as error:
        run(planner_of(), steps)
    assert error.value.message == "step 2, --drain node-x: no node node-x"


def test_a_pod_that_waits_goes_on_waiting_with_another_priority() -> None:
    planner = planner_of(owned("new", "ReplicaSet", "new", cpu="4"))
    (step,) = take(planner, "priority new=1000")
    assert (step.text, step.moves, step.evicted) == ("shop/new with priority 1000", (), 0)
    assert planner.cluster.pods[planner.cluster.pod_index["shop/new"]].waiting
    # one that a former step left without a place is tried again: it preempts now
    planner = planner_of()
    _, _, third = take(planner, "cordon node-c", "drain node-a", "priority web-7d-1-r1=1000")
    assert (third.moves[0].pod, bool(third.moves[0].evicts)) == ("shop/web-7d-1-r1", True)


def test_preempted_pods_come_back_and_the_chain_is_followed_to_its_end() -> None:
    low = owned("low-1", "ReplicaSet", "low", on="n-1", cpu="3")
    middle = owned("middle-1", "ReplicaSet", "middle", on="n-2", cpu="4", priority=5)
    high = owned("high-1", "ReplicaSet", "high", on="n-3", cpu="4", priority=10)
    nodes = [node(f"n-{n}") for n in (1, 2, 3)]
    planner = SCHEDULER.planner(ClusterState.of([*nodes, low, middle, high]))
    (step,) = run(planner, [parse_step("fail", "n-3")])
    # the high pod evicts the lowest, which finds no room any more
    assert [(move.instead_of, move.node, move.evicts) for move in step.moves] == [
        ("shop/high-1", "n-1", ("shop/low-1",)),
        ("shop/low-1", "", ()),
    ]
    assert (step.evicted, step.lost) == (2, ())


VERBS = (
    "cordon node-a",
    "cordon zone=west",
    "uncordon node-a",
    "uncordon zone=west",
    "drain node-b",
    "fail node-c",
    "remove-node node-d",
    "add-node like=node-a,count=2",
    "add-node cpu=3,memory=4Gi",
    "evict rs/web-7d",
    "evict sts/db",
    "delete bare",
    "scale rs/web-7d=6",
    "scale rs/web-7d=1",
    "priority rs/web-7d=1000",
    "taint node-b:x=y:NoExecute",
    "label node-a:topology.kubernetes.io/zone=west",
    "set-pdb shop/web:maxUnavailable=2",
)


def described(cluster: Cluster) -> dict[str, object]:
    requested = {name: cluster.requested[row].tolist() for name, row in cluster.resources.items()}
    return {
        "nodes": [one.name for one in cluster.nodes],
        "requested": {name: amounts for name, amounts in requested.items() if any(amounts)},
        "others": [getattr(cluster, name).tolist() for name in ("non_zero_requested", "pod_count", "unschedulable")],
        "pods": sorted((pod.key, int(cluster.pod_node[pod.row])) for pod in cluster.pods if not pod.gone),
    }


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.randoms(use_true_random=False), st.integers(1, 7))
def test_after_any_chain_every_pod_is_in_one_place_and_usage_equals_a_fresh_build(
    source: random.Random, length: int
) -> None:
    state = ClusterState.of(shop())
    planner = SCHEDULER.planner(state)
    for _ in range(length):
        flag, _, text = source.choice(VERBS).partition(" ")
        try:
            run(planner, [parse_step(flag, text, "shop")])
        except UsageError:
            continue  # it names what a former step took away
    cluster = planner.cluster
    here = [pod.key for pod in cluster.pods if not pod.gone]
    assert len(here) == len(set(here))
    assert described(cluster) == described(build(to_state(cluster), SCHEDULER.request_rules))
    # what was read is untouched
    assert described(build(state)) == described(build(ClusterState.of(shop())))


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.randoms(use_true_random=False), st.integers(1, 6))
def test_undoing_the_changes_of_any_chain_gives_the_first_state_back(source: random.Random, length: int) -> None:
    cluster = SCHEDULER.cluster(ClusterState.of(shop()))
    before = described(cluster)
    undos = []
    for _ in range(length):
        flag, _, text = source.choice(VERBS).partition(" ")
        try:
            effect = parse_step(flag, text, "shop").effect(cluster)
        except UsageError:
            continue
        undos.append(cluster.apply(effect.changes))
    for undo in reversed(undos):
        cluster.undo(undo)
    assert described(cluster) == before


def test_a_pod_without_any_node_waits_as_it_does_in_a_plan() -> None:
    cluster = SCHEDULER.planner(ClusterState.of([node("a"), owned("p", "ReplicaSet", "web", on="a")]))
    steps = run(cluster, [parse_step("remove-node", "a")])
    assert [(move.result, move.node) for step in steps for move in step.moves] == [("pending", "")]
