"""Groups in 1.36: each pod evicts by itself; expected values are those of kube-scheduler 1.36.3."""

from typing import Any

import kplan
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from tests.builders import node, pod
from tests.pipeline.test_groups import group, member, members, told

ON = {"GenericWorkload": True, "GangScheduling": True}
WAITS = (
    "pod group is unschedulable, waiting for minCount pods from a gang to be scheduled, one or more plugins asked to "
    "wait and no plugin rejected pod"
)


def planner(*objects: Object, **gates: bool) -> Planner:
    return kplan.Scheduler.of("1.36", gates={**ON, **gates}).planner(ClusterState.of(objects))


def running(name: str, on: str, cpu: str = "1", **fields: Any) -> Object:
    return pod(name, requests={"cpu": cpu}, nodeName=on, **fields)


def test_a_gang_that_fits_is_placed_whole() -> None:
    planned = planner(node("a", cpu="2"), node("b", cpu="2"), group("g", 3), *members("g", 3))
    assert told(planned) == {"g-0": "a", "g-1": "b", "g-2": "a"}


def test_pods_that_fit_are_told_what_permit_said() -> None:
    planned = planner(node("a", cpu="2"), group("g", 3), *members("g", 3), pod("later", requests={"cpu": "2"}))
    assert told(planned) == {
        "g-0": WAITS,
        "g-1": WAITS,
        "g-2": "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are "
        "available: 1 No preemption victims found for incoming pod.",
        "later": "a",
    }


def test_a_group_waits_for_what_its_pods_evict_and_is_placed_then() -> None:
    planned = planner(
        node("a", cpu="1"),
        node("b", cpu="1"),
        running("low", "b"),
        group("g", 2, priority=10),
        *members("g", 2, priority=10),
    )
    assert told(planned) == {"g-0": "a", "g-1": "b"}
    turn = planned.turns[0]
    waits = "pod group is unschedulable, pod group is waiting for preemption to complete"
    assert turn.status.reasons == (waits,)
    assert [planned.cluster.pods[row].name for row in turn.victims] == ["low"]
    assert turn.last.placed


def room_for_one_of_two(**gates: bool) -> Planner:
    """A group of two: one of its pods can evict, no other node has room."""
    return planner(
        node("a", cpu="1"),
        node("b", cpu="1"),
        running("low", "a"),
        running("high", "b", priority=100),
        group("g", 2, priority=10),
        *members("g", 2, priority=10),
        **gates,
    )


def test_what_a_pod_evicts_is_gone_also_where_its_group_comes_to_nothing() -> None:
    planned = room_for_one_of_two()
    assert told(planned)["g-0"] == WAITS
    turn = planned.turns[0]
    assert [planned.cluster.pods[row].name for row in turn.victims] == ["low"]
    assert not turn.last.placed
    assert planned.cluster.pods[planned.cluster.pod_index["default/low"]].gone


def test_behind_the_gate_pods_leave_for_all_of_a_group_or_not_at_all() -> None:
    planned = room_for_one_of_two(WorkloadAwarePreemption=True)
    assert told(planned) == {
        name: "0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: not eligible due "
        "to workload aware preemption enabled"
        for name in ("g-0", "g-1")
    }
    assert planned.turns[0].status.reasons == ("pod group is unschedulable, pod group is unschedulable",)
    assert planned.turns[0].victims == ()


def test_a_gated_pod_does_not_hold_back_the_others() -> None:
    # what is told of the gated one is what it would meet by itself; it evicts nobody
    gated = member("g", 2, schedulingGates=[{"name": "example.com/wait"}])
    planned = planner(node("a", cpu="2"), group("g", 2), *members("g", 2), gated)
    assert told(planned) == {"g-0": "a", "g-1": "a", "g-2": "0/1 nodes are available: 1 Insufficient cpu."}


def test_a_group_has_the_turn_of_its_first_pod_whatever_priority_it_says() -> None:
    planned = planner(
        node("a", cpu="1"), group("g", 1, priority=100), member("g", 0), pod("first", requests={"cpu": "1"}, priority=5)
    )
    assert told(planned)["first"] == "a"
