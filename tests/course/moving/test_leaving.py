"""Which pods may leave, told for all at once as for each by itself, and sets of them in order."""

from itertools import combinations
from typing import Any

import msgspec
import numpy as np
import pytest

import kplan
from kplan.course.moving import Movable, WantedPods, fewest_moves, leaving
from kplan.course.moving.leaving import _choices
from kplan.course.moving.movable import MovingRules
from kplan.objects.models import Object, PodDisruptionBudget
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from tests.builders import node, pod

BUDGET = {"selector": {"matchLabels": {"app": "spared"}}, "minAvailable": 1}


def owned(kind: str, **metadata: Any) -> dict[str, Any]:
    owner = {"apiVersion": "v1", "kind": kind, "name": "w", "uid": "w", "controller": True}
    return {"ownerReferences": [owner], **metadata}


def planner_over(objects: list[Object]) -> Planner:
    planner: Planner = kplan.Scheduler.of("1.37").planner(ClusterState.of(objects))
    return planner


def of_all_kinds() -> list[Object]:
    safe = "cluster-autoscaler.kubernetes.io/safe-to-evict"
    metadata: dict[str, dict[str, Any]] = {
        "moves": owned("ReplicaSet"),
        "annotated": owned("ReplicaSet", annotations={"note": "nothing"}),
        "asked": owned("ReplicaSet", annotations={safe: "false"}),
        "daemon": owned("DaemonSet"),
        "static": owned("Node"),
        "mirror": owned("ReplicaSet", annotations={"kubernetes.io/config.mirror": "x"}),
        "bare": {},
        "leaving": owned("ReplicaSet", deletionTimestamp="2026-01-01T00:00:00Z"),
    }
    pods: list[Object] = [pod(name, node="n-0", metadata=more) for name, more in metadata.items()]
    local = [{"name": "v", "emptyDir": {}}]
    return [
        node("n-0"),
        *pods,
        pod("local", node="n-0", metadata=owned("ReplicaSet"), volumes=local),
        pod("other", node="n-0", metadata=owned("ReplicaSet"), schedulerName="mine"),
        pod("spared", node="n-0", labels={"app": "spared"}, metadata=owned("ReplicaSet")),
        pod("starts", node="n-0", labels={"app": "spared"}, metadata=owned("ReplicaSet"), status={"phase": "Pending"}),
        pod("waits", metadata=owned("ReplicaSet")),
        pod("nowhere", node="n-9", metadata=owned("ReplicaSet")),
        budget(),
    ]


def budget() -> Object:
    return msgspec.convert({"metadata": {"name": "b", "namespace": "default"}, "spec": BUDGET}, PodDisruptionBudget)


@pytest.mark.parametrize(
    ("rules", "may"),
    [
        pytest.param(MovingRules(), {"moves", "annotated", "local", "starts"}, id="as they are"),
        pytest.param(
            MovingRules(annotated=True), {"moves", "annotated", "asked", "local", "starts"}, id="annotated, too"
        ),
        pytest.param(MovingRules(local_data=True), {"moves", "annotated", "starts"}, id="none that loses data"),
        pytest.param(
            MovingRules(spares=lambda pod: pod.name == "moves"), {"annotated", "local", "starts"}, id="one is spared"
        ),
    ],
)
def test_all_pods_that_may_be_moved_are_those_that_do_not_stay(rules: MovingRules, may: set[str]) -> None:
    planner = planner_over(of_all_kinds())
    movable = Movable(planner, rules)
    pods = planner.cluster.pods
    assert {pods[row].name for row in np.flatnonzero(movable.mask()).tolist()} == may
    placed = [info for info in pods if planner.cluster.pod_node[info.row] >= 0]
    assert {info.name for info in placed if movable.stays(info) is None} == may


@pytest.mark.parametrize(
    ("count", "size", "most"), [(5, 1, 99), (5, 2, 99), (6, 3, 99), (6, 3, 7), (4, 2, 0), (2, 3, 9)]
)
def test_ways_to_choose_are_in_order_and_no_more_than_asked_for(count: int, size: int, most: int) -> None:
    assert _choices(count, size, most).tolist() == [list(way) for way in combinations(range(count), size)][:most]


def test_a_search_that_leaves_sets_out_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    objects: list[Object] = [node("n-0", cpu="4"), node("n-1", cpu="1")]
    objects += [pod(f"p-{i}", node="n-0", requests={"cpu": "1"}, metadata=owned("ReplicaSet")) for i in range(4)]
    planner = planner_over([*objects, pod("wanted", requests={"cpu": "2"})])
    wanted = WantedPods((planner.cluster.pod_index["default/wanted"],))
    whole = fewest_moves(planner, wanted, Movable(planner), most=1)
    assert (whole.bound, whole.journeys) == (2, ())
    monkeypatch.setattr(leaving, "WORLDS", 3)
    cut = fewest_moves(planner, wanted, Movable(planner), most=1)
    assert (cut.bound, cut.journeys) == (1, ())
