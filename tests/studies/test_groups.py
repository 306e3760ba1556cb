"""Groups of pods told: who blocks, how many fit at once, what helps, who is in the way; and sets asked to be groups."""

from typing import Any

import pytest

import kplan
from kplan.errors import UsageError
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from kplan.result.document_group import GroupPlan
from kplan.scenario.together import together
from kplan.studies.group_turns import GroupTelling, group_of_pod
from tests.builders import make, node, pod

SCHEDULER = kplan.Scheduler.of("1.37", gates={"GenericWorkload": True})
PLAIN = kplan.Scheduler.of("1.37")


def group(name: str, least: int, **spec: Any) -> Object:
    policy = {"gang": {"minCount": least}}
    return make("PodGroup", name, namespace="default", spec={"schedulingPolicy": policy, **spec})


def members(of: str, numbers: range, cpu: str = "1", **fields: Any) -> list[Object]:
    named = {"podGroupName": of}
    return [pod(f"{of}-{n}", requests={"cpu": cpu}, schedulingGroup=named, **fields) for n in numbers]


def told(*objects: Object, of: str, scheduler: kplan.Scheduler = SCHEDULER) -> GroupPlan:
    planner = scheduler.planner(ClusterState.of(objects))
    plan = group_of_pod(planner, planner.cluster.pods[planner.cluster.pod_index[f"default/{of}"]])
    assert plan is not None
    return plan


def test_a_group_that_fits_says_where_it_goes() -> None:
    plan = told(node("a", cpu="2"), node("b", cpu="2"), group("g", 3), *members("g", range(3)), of="g-0")
    assert (plan.result, plan.fits, plan.holds) == ("placed", 3, {"a": 2, "b": 1})
    assert plan.text == "all 3 fit at once (3 needed at one time, 3 then): a x2, b"


def test_a_group_that_does_not_says_who_blocks_what_the_others_would_hold_and_what_helps() -> None:
    plan = told(node("a", cpu="2"), group("g", 3), *members("g", range(3)), of="g-1")
    assert (plan.result, plan.fits, plan.blocked_by, plan.holds) == ("pending", 2, "default/g-2", {"a": 2})
    assert plan.because is not None
    assert (plan.because.code, plan.because.text) == (
        "insufficient-cpu",
        "cpu: it wants 1, a has 0 free",
    )
    assert plan.attempt == "one more node like a (2 cpu) -> 3 of 3 fit"
    assert plan.text == "none is placed: 3 needed at one time, 2 of 3 fit at once, default/g-2 does not"


def test_the_group_that_holds_the_room_is_named() -> None:
    plan = told(
        node("a", cpu="3"),
        group("old", 2),
        *members("old", range(2), node="a"),
        group("g", 2),
        *members("g", range(2)),
        of="g-0",
    )
    assert (plan.waits_for, plan.starves) == (("default/old",), ())


def test_two_groups_that_each_hold_a_part_starve_each_other() -> None:
    plan = told(
        node("a", cpu="4"),
        group("x", 4),
        *members("x", range(2), node="a"),
        *members("x", range(2, 4)),
        group("y", 4),
        *members("y", range(2), node="a"),
        *members("y", range(2, 4)),
        of="x-2",
    )
    assert (plan.waits_for, plan.starves) == (("default/y",), ("default/y",))


def test_a_group_that_evicts_says_whom() -> None:
    low = pod("low", node="a", requests={"cpu": "2"}, priority=0)
    plan = told(node("a", cpu="2"), low, group("g", 2, priority=9), *members("g", range(2), priority=9), of="g-0")
    assert (plan.result, plan.evicts, plan.fits) == ("preempted", ("default/low",), 2)


def test_a_group_that_has_to_be_in_one_domain_is_told_of_the_one_where_most_fit() -> None:
    gates = {"GenericWorkload": True, "TopologyAwareWorkloadScheduling": True}
    racks = {"a": "r1", "b": "r2", "c": "r2"}
    plan = told(
        *(node(name, cpu="1", labels={"rack": rack}) for name, rack in racks.items()),
        group("g", 3, schedulingConstraints={"topology": [{"key": "rack"}]}),
        *members("g", range(3)),
        of="g-0",
        scheduler=kplan.Scheduler.of("1.37", gates=gates),
    )
    assert (plan.result, plan.fits, plan.holds, plan.blocked_by) == ("pending", 2, {"b": 1, "c": 1}, "default/g-2")
    assert "2 of 3 fit at once in rack=r2" in plan.text
    assert plan.attempt == ""


def test_a_pod_alone_has_no_group() -> None:
    planner = SCHEDULER.planner(ClusterState.of([node("a"), pod("alone")]))
    assert group_of_pod(planner, planner.cluster.pods[0]) is None


def as_one(asked: list[str], *objects: Object, scheduler: kplan.Scheduler = PLAIN) -> tuple[Planner, list[GroupPlan]]:
    planner = scheduler.planner(ClusterState.of(objects))
    planner.together = together(planner.cluster, asked, "")
    planner.simulate()
    return planner, list(GroupTelling().all(planner))


JOB = {"metadata": {"ownerReferences": [{"kind": "Job", "name": "train", "controller": True, "uid": "1"}]}}


@pytest.mark.parametrize(
    ("asked", "fields"),
    [
        pytest.param("job/train", JOB, id="an owner"),
        pytest.param("app=train", {"labels": {"app": "train"}}, id="labels"),
        pytest.param("t-0,t-1,t-2", {}, id="names"),
    ],
)
def test_any_set_of_pods_is_placed_whole_or_not_at_all(asked: str, fields: dict[str, Any]) -> None:
    waiting = [pod(f"t-{n}", requests={"cpu": "1"}, **fields) for n in range(3)]
    planner, plans = as_one([asked], node("a", cpu="2"), *waiting, pod("z", requests={"cpu": "2"}))
    assert [(one.group, one.result, one.asked) for one in plans] == [(asked, "pending", True)]
    assert [one.name for one in planner.cluster.pods if one.bound] == ["z"]
    planner, plans = as_one([asked], node("a", cpu="3"), *waiting)
    assert [(one.group, one.result, one.fits) for one in plans] == [(asked, "placed", 3)]


@pytest.mark.parametrize("minor", ["1.34", "1.35", "1.36", "1.37"])
def test_a_set_may_evict_others_in_every_version(minor: str) -> None:
    waiting = [pod(f"t-{n}", requests={"cpu": "1"}, priority=5, labels={"app": "t"}) for n in range(2)]
    low = [pod("low", node="a", requests={"cpu": "2"}, priority=0)]
    _, plans = as_one(["app=t"], node("a", cpu="2"), *low, *waiting, scheduler=kplan.Scheduler.of(minor))
    assert [(one.result, one.evicts) for one in plans] == [("preempted", ("default/low",))]


def test_pods_of_the_set_that_run_count() -> None:
    objects = [pod("t-0", node="a", requests={"cpu": "1"}, labels={"app": "t"})]
    objects += [pod("t-1", requests={"cpu": "1"}, labels={"app": "t"})]
    _, plans = as_one(["app=t"], node("a", cpu="2"), *objects)
    assert [(one.wanted, one.scheduled, one.result) for one in plans] == [(2, 1, "placed")]


def test_a_set_of_which_nothing_waits_is_refused() -> None:
    with pytest.raises(UsageError, match="nothing of it waits"):
        as_one(["app=t"], node("a"), pod("t", node="a", labels={"app": "t"}))


TREES = kplan.Scheduler.of(
    "1.37", gates={"GenericWorkload": True, "TopologyAwareWorkloadScheduling": True, "CompositePodGroup": True}
)


def below(name: str, least: int, parent: str) -> Object:
    return group(name, least, parentCompositePodGroupName=parent)


def above(name: str, least: int) -> Object:
    return make(
        "CompositePodGroup", name, namespace="default", spec={"schedulingPolicy": {"gang": {"minGroupCount": least}}}
    )


def test_a_group_of_groups_says_which_group_and_which_pod_blocks() -> None:
    jobs = [below("a", 1, "job"), below("b", 2, "job"), above("job", 2)]
    objects = [node("n", cpu="2"), *jobs, *members("a", range(1)), *members("b", range(2))]
    plan = told(*objects, of="a-0", scheduler=TREES)
    assert (plan.group, plan.groups, plan.wanted, plan.fits, plan.holds) == ("default/job", 2, 2, 2, {"n": 2})
    assert plan.text == (
        "none is placed: 2 of its 2 groups needed at one time, 2 of 3 fit at once, default/b-1 of default/b does not"
    )
    assert plan.attempt == "one more node like n (2 cpu) -> 3 of 3 fit"


def test_a_group_of_groups_that_fits_says_what_it_needs() -> None:
    jobs = [below("a", 1, "job"), below("b", 2, "job"), above("job", 1)]
    objects = [node("n", cpu="4"), *jobs, *members("a", range(1)), *members("b", range(2))]
    plan = told(*objects, of="b-1", scheduler=TREES)
    assert plan.text == "all 3 fit at once (1 of its 2 groups needed at one time, 3 then): n x3"


def test_a_pod_waits_for_groups_beside_its_own() -> None:
    jobs = [below("a", 1, "job"), below("b", 2, "job"), above("job", 2)]
    planner = TREES.planner(ClusterState.of([node("n"), *jobs, *members("a", range(1))]))
    pod_info = planner.cluster.pods[planner.cluster.pod_index["default/a-0"]]
    cause = GroupTelling().cause(planner, pod_info, planner.explain(pod_info))
    assert cause is not None
    assert cause.text == "too few groups of default/job have the pods that they need; the rest are not there yet"
