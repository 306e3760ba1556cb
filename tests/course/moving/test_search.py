"""The fewest moves: against brute force by a model of its own, and cases by hand."""

from __future__ import annotations

from typing import Any

import pytest

from kplan import Scheduler
from kplan.course.moving import Movable, MovingRules, SearchResult, WantedPods, fewest_moves
from kplan.objects.models import Object, Pod
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from tests.builders import make, node, pod
from tests.course.moving.small_worlds import random_world

MOST = 2


def planner_of(*objects: Object) -> Planner:
    return Scheduler.of().planner(ClusterState.of(list(objects)), everything=False)


def owned(name: str, on: str, cpu: str, **more: Any) -> Pod:
    """A pod of a ReplicaSet."""
    owner = {"kind": "ReplicaSet", "apiVersion": "apps/v1", "name": name, "uid": name, "controller": True}
    metadata = {"ownerReferences": [owner], **more.pop("metadata", {})}
    return pod(name, node=on, requests={"cpu": cpu}, metadata=metadata, **more)


def search(planner: Planner, *names: str, most: int = 3, rules: MovingRules | None = None) -> SearchResult:
    rows = tuple(planner.cluster.pod_index[f"default/{name}"] for name in names)
    return fewest_moves(planner, WantedPods(rows), Movable(planner, rules or MovingRules()), most=most)


def moves(found: SearchResult) -> list[tuple[str, str, str]]:
    """Pod, node that it leaves and node that it lands on, of the first journey."""
    return [(one.pod.partition("/")[2], one.home, one.to) for one in found.journeys[0].moves]


@pytest.mark.parametrize("first", range(0, 300, 20))
def test_no_plan_has_more_moves_than_the_optimum(first: int) -> None:
    for seed in range(first, first + 20):
        world = random_world(seed)
        best = world.fewest(MOST)
        found = search(planner_of(*world.objects()), "wanted-0", most=MOST)
        assert (len(found.journeys[0].moves) if found.journeys else -1) == best, seed
        assert found.bound == (best if best >= 0 else MOST + 1), seed


def test_the_random_clusters_need_one_move_two_moves_and_more() -> None:
    needed = [random_world(seed).fewest(MOST) for seed in range(60)]
    assert [needed.count(number) for number in (0, 1, 2, -1)] == [0, 18, 4, 38]


def test_nothing_is_changed_afterwards() -> None:
    planner = planner_of(*random_world(1).objects())
    before, stamp = planner.cluster.requested.copy(), len(planner.cluster.pods)
    search(planner, "wanted-0")
    assert (planner.cluster.requested == before).all()
    assert len(planner.cluster.pods) == stamp
    assert not planner.changes


def test_a_pod_makes_room_for_one_that_makes_room() -> None:
    """Only x may go where the wanted one is to be; to b it can go once y has left that for c."""
    planner = planner_of(
        node("a", cpu="4", labels={"pool": "x"}),
        node("b", cpu="3"),
        node("c", cpu="2"),
        owned("x", "a", "3"),
        owned("y", "b", "2"),
        pod("wanted", requests={"cpu": "4"}, nodeSelector={"pool": "x"}),
    )
    found = search(planner, "wanted")
    assert moves(found) == [("y", "b", "c"), ("x", "a", "b")]
    assert found.fewest
    assert found.journeys[0].placed == (("default/wanted", "a"),)
    assert [step.flag for step in found.journeys[0].steps()] == [
        "--cordon a",
        "--cordon b",
        "--evict pod/default/y",
        "--uncordon b",
        "--evict pod/default/x",
        "--uncordon a",
    ]


def test_a_pod_that_others_need_is_moved_to_where_they_fit() -> None:
    """The wanted one needs the cache in its zone, where there is no room; nobody leaves in its favour."""
    term = {"labelSelector": {"matchLabels": {"app": "cache"}}, "topologyKey": "zone"}
    near = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    planner = planner_of(
        node("a", cpu="2", labels={"zone": "a"}),
        node("b", cpu="8", labels={"zone": "b"}),
        owned("cache", "a", "1", labels={"app": "cache"}),
        pod("wanted", requests={"cpu": "4"}, affinity=near),
    )
    assert moves(search(planner, "wanted")) == [("cache", "a", "b")]


def full(**more: Any) -> list[Object]:
    """Two nodes, one full with a pod that could move; more are keywords of that pod."""
    return [
        node("a", cpu="4"),
        node("b", cpu="2"),
        owned("x", "a", "2", **more),
        pod("wanted", requests={"cpu": "3"}),
    ]


def test_one_move() -> None:
    assert moves(search(planner_of(*full()), "wanted")) == [("x", "a", "b")]


@pytest.mark.parametrize(
    ("more", "beside"),
    [
        pytest.param({"metadata": {"ownerReferences": []}}, [], id="nothing recreates it"),
        pytest.param(
            {"metadata": {"annotations": {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}}},
            [],
            id="it is not safe to evict",
        ),
        pytest.param({"metadata": {"annotations": {"karpenter.sh/do-not-disrupt": "true"}}}, [], id="not to disrupt"),
        pytest.param({"schedulerName": "other"}, [], id="another scheduler places it"),
        pytest.param(
            {"labels": {"app": "x"}},
            [
                make(
                    "PodDisruptionBudget",
                    "x",
                    namespace="default",
                    spec={"minAvailable": 1, "selector": {"matchLabels": {"app": "x"}}},
                )
            ],
            id="its budget allows none",
        ),
        pytest.param({"nodeSelector": {"kubernetes.io/hostname": "a"}}, [], id="it fits nowhere else"),
    ],
)
def test_a_pod_that_has_to_stay_is_not_moved(more: dict[str, Any], beside: list[Object]) -> None:
    found = search(planner_of(*full(**more), *beside), "wanted")
    assert not found.journeys
    assert found.bound == 4


def test_a_pod_that_loses_data_is_moved_only_where_no_other_is_enough() -> None:
    scratch = {"volumes": [{"name": "scratch", "emptyDir": {}}]}
    two = [node("a", cpu="4"), node("b", cpu="2"), pod("wanted", requests={"cpu": "3"}), owned("y", "a", "1")]
    assert moves(search(planner_of(*two, owned("x", "a", "1", **scratch)), "wanted")) == [("y", "a", "b")]
    assert moves(search(planner_of(*full(**scratch)), "wanted")) == [("x", "a", "b")]
    assert not search(planner_of(*full(**scratch)), "wanted", rules=MovingRules(local_data=True)).journeys


def test_all_of_a_group_find_a_place_or_none() -> None:
    planner = planner_of(
        node("a", cpu="4"),
        node("b", cpu="4"),
        node("c", cpu="4"),
        owned("x", "a", "1"),
        owned("y", "b", "1"),
        pod("w1", requests={"cpu": "4"}),
        pod("w2", requests={"cpu": "4"}),
    )
    found = search(planner, "w1", "w2")
    assert len(found.journeys[0].moves) == 1
    assert {where for _, where in found.journeys[0].placed} | {found.journeys[0].moves[0].to} == {"a", "b", "c"}


def test_a_pod_is_steered_where_it_has_to_go() -> None:
    """By score x goes to c, where y has to go: x is kept off it, as b takes nothing else."""
    planner = planner_of(
        node("a", cpu="8"),
        node("b", cpu="3"),
        node("c", cpu="8", labels={"disk": "ssd"}),
        owned("x", "a", "3"),
        owned("y", "a", "5", nodeSelector={"disk": "ssd"}, affinity={}),
        owned("z", "c", "2", nodeSelector={"disk": "ssd"}),
        pod("wanted", requests={"cpu": "8"}, nodeSelector={"kubernetes.io/hostname": "a"}),
    )
    found = search(planner, "wanted")
    assert sorted(moves(found)) == [("x", "a", "b"), ("y", "a", "c")]


@pytest.mark.parametrize("bare", [False, True])
def test_all_eight_find_a_place_or_none(bare: bool) -> None:
    """Seven nodes are free and one holds a small pod: where that may not leave, seven places are none."""
    nodes = [node(f"n{number}", cpu="4") for number in range(8)]
    small = owned("x", "n0", "1", metadata={"ownerReferences": []} if bare else {})
    names = [f"w{number}" for number in range(8)]
    planner = planner_of(*nodes, node("other", cpu="2"), small, *(pod(name, requests={"cpu": "4"}) for name in names))
    found = search(planner, *names)
    if bare:
        assert not found.journeys
        return
    assert moves(found) == [("x", "n0", "other")]
    assert {where for _, where in found.journeys[0].placed} == {f"n{number}" for number in range(8)}
    assert found.fewest
