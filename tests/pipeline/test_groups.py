"""Groups in a plan: all that they need at one time, or nothing; expected values are those of kube-scheduler 1.37.2."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kplan
from kplan.cluster.schema import COLUMNS
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from kplan.result import EventKind
from tests.builders import make, node, pod

ON = {"GenericWorkload": True}
SCHEDULER = kplan.Scheduler.of("1.37", gates=ON)


def group(name: str, least: int = 0, **spec: Any) -> Object:
    policy: dict[str, Any] = {"gang": {"minCount": least}} if least else {"basic": {}}
    return make("PodGroup", name, namespace="default", spec={"schedulingPolicy": policy, **spec})


def member(of: str, number: int, cpu: str = "1", **fields: Any) -> Object:
    named = {"podGroupName": of}
    return pod(f"{of}-{number}", requests={"cpu": cpu}, schedulingGroup=named, **fields)


def members(of: str, count: int, cpu: str = "1", **fields: Any) -> list[Object]:
    return [member(of, number, cpu, **fields) for number in range(count)]


def planner(*objects: Object, gates: dict[str, bool] | None = None, **options: Any) -> Planner:
    scheduler = kplan.Scheduler.of("1.37", gates={**ON, **gates}) if gates else SCHEDULER
    return scheduler.planner(ClusterState.of(objects), **options)


def told(planned: Planner) -> dict[str, str]:
    """Where each waiting pod ends up, or what the scheduler says to it."""
    found = {}
    for event in planned.simulate().events:
        last = event.outcome.last
        where = planned.cluster.node_name(last.placement.node) if last.placement is not None else ""
        found[event.outcome.pod.split("/")[1]] = where or last.error or last.fit_error
    return found


def test_a_gang_that_fits_is_placed_whole() -> None:
    assert told(planner(node("a", cpu="2"), node("b", cpu="2"), group("g", 3), *members("g", 3))) == {
        "g-0": "a",
        "g-1": "b",
        "g-2": "a",
    }


def test_a_gang_of_which_one_pod_fits_nowhere_holds_nothing() -> None:
    planned = planner(node("a", cpu="2"), group("g", 3), *members("g", 3), pod("after", requests={"cpu": "2"}))
    no_room = "minCount (3) cannot be satisfied: 2 scheduled, 0 remaining"
    nobody = "No preemption victims found for incoming preemptor"
    assert told(planned) == {
        "after": "a",
        "g-0": "0/1 nodes are available: 1 Insufficient cpu.",
        "g-1": "minCount (3) cannot be satisfied: 0 scheduled, 2 remaining",
        "g-2": "minCount (3) cannot be satisfied: 0 scheduled, 2 remaining",
    }
    alone = planner(node("a", cpu="2"), group("g", 3), *members("g", 3))
    assert told(alone) == {
        "g-0": f"pod group is unschedulable, {no_room}, pod group preemption: {nobody}",
        "g-1": f"pod group is unschedulable, {no_room}, pod group preemption: {nobody}",
        "g-2": "0/1 nodes are available: 1 Insufficient cpu.",
    }
    assert alone.cluster.pod_count.tolist() == [0]


def test_without_a_gang_pods_are_placed_as_they_fit() -> None:
    assert told(planner(node("a", cpu="2"), group("g"), *members("g", 3))) == {
        "g-0": "a",
        "g-1": "a",
        "g-2": "0/1 nodes are available: 1 Insufficient cpu.",
    }


def test_more_than_the_quorum_may_be_left_over() -> None:
    assert told(planner(node("a", cpu="2"), group("g", 2), *members("g", 3)))["g-2"] == (
        "0/1 nodes are available: 1 Insufficient cpu."
    )


def test_a_gang_with_too_few_pods_is_not_tried() -> None:
    planned = planner(node("a"), group("g", 3), *members("g", 2))
    events = planned.simulate().events
    assert [event.kind for event in events] == [EventKind.PENDING] * 2
    texts = {event.outcome.pre_enqueue.reasons for event in events if event.outcome.pre_enqueue is not None}
    assert texts == {("waiting for minCount pods from a gang to appear in scheduling queue",)}


def test_one_gated_pod_keeps_all_of_a_group_out() -> None:
    gated = member("g", 1, schedulingGates=[{"name": "wait"}])
    events = planner(node("a"), group("g", 1), member("g", 0), gated).simulate().events
    assert [(event.outcome.pod, event.kind) for event in events] == [
        ("default/g-0", EventKind.PENDING),
        ("default/g-1", EventKind.GATED),
    ]


def test_a_group_evicts_what_lets_all_of_it_in() -> None:
    low = [pod(f"low-{on}", node=on, requests={"cpu": "2"}, priority=0) for on in ("a", "b", "c")]
    nodes = [node(name, cpu="2") for name in ("a", "b", "c")]
    planned = planner(*nodes, *low, group("g", 2, priority=10), *members("g", 2, "2", priority=10))
    assert told(planned) == {"g-0": "a", "g-1": "b"}
    assert [one.name for one in planned.cluster.pods if one.gone] == ["low-a", "low-b"]


def test_a_group_that_leaves_as_a_whole_leaves_whole() -> None:
    old = [member("old", number, "2", node=on, priority=0) for number, on in enumerate(("a", "b"))]
    planned = planner(
        node("a", cpu="2"),
        node("b", cpu="2"),
        *old,
        group("old", 2, priority=0, disruptionMode={"all": {}}),
        group("g", 1, priority=10),
        member("g", 0, "2", priority=10),
    )
    assert told(planned) == {"g-0": "a"}
    assert [one.name for one in planned.cluster.pods if one.gone] == ["old-0", "old-1"]


def test_a_topology_constraint_keeps_a_group_in_one_domain() -> None:
    nodes = [node(name, cpu="2", labels={"rack": rack}) for name, rack in (("a", "r1"), ("b", "r2"), ("c", "r2"))]
    bound = {"topology": [{"key": "rack"}]}
    item = group("g", 3, schedulingConstraints=bound)
    gates = {"TopologyAwareWorkloadScheduling": True}
    assert told(planner(*nodes, item, *members("g", 3), gates=gates)) == {"g-0": "b", "g-1": "c", "g-2": "b"}


def test_a_group_has_the_priority_that_it_says_and_its_pods_have_to_have_it() -> None:
    planned = planner(node("a"), group("g", 1, priority=10), member("g", 0, priority=5))
    assert told(planned) == {
        "g-0": "all pods in a single pod group should have the same priority as the pod group's priority, got 5 and 10"
    }


def test_pods_of_one_scheduler_only() -> None:
    planned = planner(node("a"), group("g", 1), member("g", 0), member("g", 1, node="a", schedulerName="other"))
    assert told(planned) == {
        "g-0": 'all pods in a single pod group should have the same .spec.schedulerName set, got: "other" and '
        '"default-scheduler"'
    }


def test_with_the_gate_off_a_group_is_a_number_of_pods() -> None:
    off = kplan.Scheduler.of("1.37").planner(ClusterState.of([node("a", cpu="1"), group("g", 2), *members("g", 2)]))
    assert told(off)["g-0"] == "a"


def test_a_trial_takes_a_group_back_exactly() -> None:
    planned = planner(node("a", cpu="2"), node("b", cpu="2"), group("g", 3), *members("g", 3))
    before = {column.name: getattr(planned.cluster, column.name).copy() for column in COLUMNS}
    with planned.trial() as trial:
        trial.simulate()
        assert int(planned.cluster.pod_count.sum()) == 3
    assert [
        column.name for column in COLUMNS if (getattr(planned.cluster, column.name) != before[column.name]).any()
    ] == []
    assert told(planned)["g-0"] == "a"


SIZES = st.integers(1, 4)
GROUPS = st.lists(
    st.tuples(
        SIZES,
        st.integers(0, 5),
        st.integers(1, 4),
        st.sampled_from([0, 10, 100]),
        st.sampled_from(["", "all", "single"]),
    ),
    min_size=1,
    max_size=4,
)
RUNNING = st.lists(st.tuples(st.integers(0, 3), st.integers(1, 3), st.sampled_from([0, 10])), max_size=5)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=4), GROUPS, RUNNING, st.booleans())
def test_no_group_is_ever_given_less_than_its_quorum(
    nodes: list[int],
    groups: list[tuple[int, int, int, int, str]],
    running: list[tuple[int, int, int]],
    topology: bool,
) -> None:
    objects = [node(f"n{i}", cpu=str(cpu), labels={"rack": f"r{i % 2}"}) for i, cpu in enumerate(nodes)]
    for i, (on, cpu, priority) in enumerate(running):
        objects.append(pod(f"old-{i}", node=f"n{on % len(nodes)}", requests={"cpu": str(cpu)}, priority=priority))
    quorum = {}
    for i, (size, least, cpu, priority, mode) in enumerate(groups):
        spec: dict[str, Any] = {"priority": priority}
        if mode:
            spec["disruptionMode"] = {mode: {}}
        if topology:
            spec["schedulingConstraints"] = {"topology": [{"key": "rack"}]}
        objects += [group(f"g{i}", least, **spec), *members(f"g{i}", size, str(cpu), priority=priority)]
        quorum[f"default/g{i}"] = max(least, 1)
    planned = planner(*objects, gates={"TopologyAwareWorkloadScheduling": topology})
    for waiting in planned.waiting():
        outcome = planned.step(waiting).outcome
        if outcome.last.placement is not None and outcome.group is not None:
            key = outcome.group.group
            held = [planned.cluster.pods[row].bound for row in planned.cluster.in_group(key)]
            gone = any(planned.cluster.pods[row].gone for row in outcome.group.last.pods)
            assert gone or sum(held) >= quorum[key], (key, outcome.pod)


@pytest.mark.parametrize("least", [1, 2, 3])
def test_a_group_that_is_there_in_part_needs_only_the_rest(least: int) -> None:
    planned = planner(node("a", cpu="2"), group("g", least), member("g", 9, node="a"), *members("g", 2))
    placed = told(planned)
    assert (placed["g-0"] == "a") == (least < 3)
