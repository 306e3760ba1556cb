"""Two schedulers that race for one node."""

from typing import Any

import pytest

import kplan
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.reasons.careful import careful
from kplan.reasons.racing import RacesWith
from kplan.reasons.run_cycle import RunCycle
from kplan.studies.racing import told_races
from kplan.wording.careful import careful_text
from tests.builders import node, pod


def warned(*objects: Object) -> list[RacesWith]:
    planner = kplan.Scheduler.of("1.37").planner(ClusterState.of(objects))
    web = planner.cluster.pods[planner.cluster.pod_index["default/web"]]
    return [one for one in careful(RunCycle.of(planner, web)) if isinstance(one, RacesWith)]


def nightly(name: str, cpu: str = "2", **spec: Any) -> Object:
    return pod(name, requests={"cpu": cpu}, schedulerName="nightly", **spec)


WEB = pod("web", requests={"cpu": "3"})


def test_pods_that_fit_now_and_not_beside_this_one_race_with_it() -> None:
    [race] = warned(node("a", cpu="4"), WEB, nightly("one"), nightly("two"), nightly("small", "1"))
    assert race == RacesWith("nightly", 2, "a")
    told = "2 pods of scheduler nightly wait for the same room on a: whoever binds first gets it"
    assert careful_text(race) == told


@pytest.mark.parametrize(
    "other",
    [
        nightly("beside", "1"),
        nightly("large", "5"),
        nightly("picky", nodeSelector={"disk": "ssd"}),
        nightly("gated", schedulingGates=[{"name": "x"}]),
        nightly("placed", node="b"),
        pod("ours", requests={"cpu": "2"}),
    ],
    ids=lambda one: one.name,
)
def test_who_does_not_want_the_same_room_races_with_nobody(other: Object) -> None:
    assert warned(node("a", cpu="4"), WEB, other) == []


def test_a_taint_keeps_the_other_away() -> None:
    tolerant = pod("web", requests={"cpu": "3"}, tolerations=[{"operator": "Exists"}])
    tainted = node("a", cpu="4", taints=["x:NoSchedule"])
    assert warned(tainted, tolerant, nightly("one")) == []
    assert len(warned(tainted, tolerant, nightly("one", tolerations=[{"operator": "Exists"}]))) == 1


def test_the_last_place_for_a_pod_is_raced_for_too() -> None:
    assert len(warned(node("a", cpu="8", pods="1"), WEB, nightly("one", "1"))) == 1


def plan_warnings(*objects: Object) -> list[str]:
    """What a plan of all pods that wait for the default scheduler is warned of."""
    planner = kplan.Scheduler.of("1.37").planner(ClusterState.of(objects))
    pods, cluster = list(planner.waiting()), planner.cluster
    placed = [planner.step(pod).outcome.placement for pod in pods]
    nodes = [cluster.node_name(one.node) if one is not None else "" for one in placed]
    return list(told_races(planner, zip(pods, nodes, strict=True)))


def test_a_plan_races_with_pods_that_fit_without_it() -> None:
    """Both nodes have 4 cpu: the first pod leaves 1 of one, the second 2 of the other."""
    ours = (pod("a", requests={"cpu": "3"}), pod("b", requests={"cpu": "2"}))
    nodes = (node("n1", cpu="4"), node("n2", cpu="4"))
    assert plan_warnings(*nodes, *ours, nightly("one", "3"), nightly("two", "4")) == [
        "2 pods of scheduler nightly wait for the same room on n1 and 1 more node: whoever binds first gets it"
    ]
    assert plan_warnings(*nodes, *ours, nightly("one", "2")) == [
        "1 pod of scheduler nightly waits for the same room on n1: whoever binds first gets it"
    ]
    assert plan_warnings(*nodes, *ours, nightly("small", "1"), nightly("large", "5")) == []
    assert plan_warnings(*nodes, *ours) == []


def test_a_plan_does_not_race_where_the_other_may_not_go() -> None:
    nodes = (node("n1", cpu="4", taints=["x:NoSchedule"]),)
    ours = pod("a", requests={"cpu": "3"}, tolerations=[{"operator": "Exists"}])
    assert plan_warnings(*nodes, ours, nightly("one", "3")) == []
    assert len(plan_warnings(node("n1", cpu="4"), ours, nightly("one", "3"))) == 1
