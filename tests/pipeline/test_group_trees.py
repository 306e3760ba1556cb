"""Groups of groups: so many groups at one time, or none; expected values are those of kube-scheduler 1.37.2."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import kplan
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from tests.builders import make, node, pod

GATES = {"GenericWorkload": True, "TopologyAwareWorkloadScheduling": True, "CompositePodGroup": True}
SCHEDULER = kplan.Scheduler.of("1.37", gates=GATES)
NO_ROOM = "0/1 nodes are available: 1 Insufficient cpu."


def group(name: str, least: int, parent: str | None = None, **spec: Any) -> Object:
    policy = {"gang": {"minCount": least}}
    above = {"parentCompositePodGroupName": parent} if parent else {}
    return make("PodGroup", name, namespace="default", spec={"schedulingPolicy": policy, **above, **spec})


def composite(name: str, least: int, parent: str | None = None, **spec: Any) -> Object:
    policy = {"gang": {"minGroupCount": least}}
    above = {"parentCompositePodGroupName": parent} if parent else {}
    return make("CompositePodGroup", name, namespace="default", spec={"schedulingPolicy": policy, **above, **spec})


def members(of: str, count: int, cpu: str = "1", **fields: Any) -> list[Object]:
    named = {"podGroupName": of}
    return [pod(f"{of}-{n}", requests={"cpu": cpu}, schedulingGroup=named, **fields) for n in range(count)]


def planner(*objects: Object) -> Planner:
    return SCHEDULER.planner(ClusterState.of(objects))


def told(planned: Planner) -> dict[str, str]:
    """Where each waiting pod ends up, or what the scheduler says to it."""
    found = {}
    for event in planned.simulate().events:
        last = event.outcome.last
        where = planned.cluster.node_name(last.placement.node) if last.placement is not None else ""
        kept = ", ".join(last.pre_enqueue.reasons) if last.pre_enqueue is not None else ""
        found[event.outcome.pod.split("/")[1]] = where or kept or last.error or last.fit_error
    return found


def test_all_groups_that_are_needed_are_placed_at_one_time() -> None:
    jobs = [group("a", 1, "job"), group("b", 2, "job"), composite("job", 2)]
    assert told(planner(node("n", cpu="3"), *jobs, *members("a", 1), *members("b", 2))) == {
        "a-0": "n",
        "b-0": "n",
        "b-1": "n",
    }


def test_where_one_group_that_is_needed_does_not_fit_none_is_placed() -> None:
    jobs = [group("a", 1, "job"), group("b", 2, "job"), composite("job", 2)]
    planned = planner(node("n", cpu="2"), *jobs, *members("a", 1), *members("b", 2))
    first = "0/1 placements are available, first placement status"
    own = "minCount (2) cannot be satisfied: 1 scheduled, 0 remaining"
    nobody = "pod group preemption: No preemption victims found for incoming preemptor"
    few = "minCount (2) cannot be satisfied: 1 scheduled, 0 remaining"
    assert told(planned) == {
        # a fits, and is told what its parent came to
        "a-0": f"pod group is unschedulable, {first}: {few}",
        "b-0": f"pod group is unschedulable, pod group is unschedulable, {first}: {own}, {nobody}",
        "b-1": NO_ROOM,
    }
    assert planned.cluster.pod_count.tolist() == [0]


def test_a_group_that_is_not_needed_may_be_left_over() -> None:
    jobs = [group("a", 1, "job"), group("b", 2, "job"), composite("job", 1)]
    answers = told(planner(node("n", cpu="2"), *jobs, *members("a", 1), *members("b", 2)))
    assert (answers["a-0"], answers["b-1"]) == ("n", NO_ROOM)


def test_a_group_of_groups_below_another_counts_as_one() -> None:
    jobs = [group("a", 1, "half"), group("b", 1, "half"), composite("half", 2, "job"), group("c", 1, "job")]
    objects = [node("n", cpu="3"), *jobs, composite("job", 2), *(one for name in "abc" for one in members(name, 1))]
    assert told(planner(*objects)) == {"a-0": "n", "b-0": "n", "c-0": "n"}


def test_no_pod_is_tried_before_enough_groups_have_their_pods() -> None:
    jobs = [group("a", 1, "job"), group("b", 2, "job"), composite("job", 2)]
    wait = 'waiting for composite pod group "job" tree to meet quorum'
    assert told(planner(node("n"), *jobs, *members("a", 1), *members("b", 1))) == {"a-0": wait, "b-0": wait}


def test_a_group_above_that_is_not_there_keeps_all_out() -> None:
    missing = "composite pod group object not found in state for compositepodgroup/default/job"
    assert told(planner(node("n"), group("a", 1, "job"), *members("a", 1))) == {
        "a-0": f"failed to build hierarchy snapshot: {missing}"
    }


def test_groups_that_are_above_each_other_keep_their_pods_out() -> None:
    jobs = [group("a", 1, "x"), composite("x", 1, "y"), composite("y", 1, "x")]
    assert told(planner(node("n"), *jobs, *members("a", 1)))["a-0"].startswith("failed to build hierarchy snapshot")


def test_all_groups_below_one_with_a_constraint_are_in_one_domain() -> None:
    racks = [node(name, cpu="2", labels={"rack": name}) for name in ("x", "y", "z")]
    racks[1] = node("y", cpu="4", labels={"rack": "y"})
    rack = {"topology": [{"key": "rack"}]}
    jobs = [group("a", 2, "job"), group("b", 2, "job"), composite("job", 2, schedulingConstraints=rack)]
    assert set(told(planner(*racks, *jobs, *members("a", 2), *members("b", 2))).values()) == {"y"}


def test_pods_of_groups_that_leave_only_together_are_one_victim() -> None:
    old = [group("a", 1, "old"), group("b", 1, "old"), composite("old", 2, disruptionMode={"all": {}}, priority=0)]
    runs = [*members("a", 1, node="n"), *members("b", 1, node="m")]
    planned = planner(
        node("n", cpu="1"), node("m", cpu="1"), *old, *runs, pod("new", requests={"cpu": "1"}, priority=5)
    )
    (event,) = planned.simulate().events
    assert sorted(planned.cluster.pods[row].name for row in event.outcome.victims) == ["a-0", "b-0"]


def test_a_pod_more_of_a_gang_that_runs_is_refused_alone() -> None:
    """A gang that has what it needs comes to nothing all the same where none of its waiting pods fits."""
    planned = planner(
        node("n", cpu="1"),
        group("g", 1),
        *members("g", 1, node="n"),
        pod("g-more", requests={"cpu": "1"}, schedulingGroup={"podGroupName": "g"}),
    )
    planned.simulate()
    (turn,) = planned.turns
    assert turn.status.reasons == (
        "pod group is unschedulable, pod group preemption: No preemption victims found for incoming preemptor",
    )


LEAF = st.tuples(st.integers(1, 3), st.integers(1, 3))
"""Pods of a group, and how many it needs."""
JOB = st.tuples(st.lists(LEAF, min_size=1, max_size=3), st.integers(1, 3), st.sampled_from([0, 5, 9]))
"""Groups of a group, how many of them it needs, and its priority."""


@settings(max_examples=80, deadline=None)
@given(
    cpus=st.lists(st.integers(1, 5), min_size=1, max_size=4),
    jobs=st.lists(JOB, min_size=1, max_size=3),
    old=st.lists(st.tuples(st.integers(1, 3), st.integers(0, 3)), max_size=3),
)
def test_in_no_plan_does_a_group_of_groups_hold_less_than_its_quorum(
    cpus: list[int], jobs: list[tuple[list[tuple[int, int]], int, int]], old: list[tuple[int, int]]
) -> None:
    """Whoever leaves for it; groups that run may be evicted, only as a whole."""
    objects: list[Object] = [node(f"n{i}", cpu=str(cpu)) for i, cpu in enumerate(cpus)]
    for i, (size, on) in enumerate(old):
        objects.append(group(f"old{i}", size, priority=1, disruptionMode={"all": {}}))
        objects += members(f"old{i}", size, node=f"n{on % len(cpus)}", priority=1)
    for i, (leaves, least, priority) in enumerate(jobs):
        objects.append(composite(f"job{i}", least, priority=priority))
        for k, (size, wanted) in enumerate(leaves):
            objects.append(group(f"job{i}x{k}", wanted, f"job{i}", priority=priority))
            objects += members(f"job{i}x{k}", size, priority=priority)
    planned = planner(*objects)
    planned.simulate()
    held = {
        name: sum(one.bound and not one.gone for one in planned.cluster.pods if one.name.startswith(f"{name}-"))
        for name in {one.name.partition("-")[0] for one in planned.cluster.pods}
    }
    for i, (size, _) in enumerate(old):
        assert held[f"old{i}"] in (0, size)
    for i, (leaves, least, _) in enumerate(jobs):
        numbers = [held[f"job{i}x{k}"] for k in range(len(leaves))]
        whole = [number >= wanted for number, (_, wanted) in zip(numbers, leaves, strict=True)]
        assert all(number == 0 or enough for number, enough in zip(numbers, whole, strict=True))
        assert not any(numbers) or sum(whole) >= least
