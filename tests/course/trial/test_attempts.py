"""A plan that is being made: which pods are told together, and which are tried again."""

from typing import Any

import kplan
from kplan.cluster import Remove
from kplan.course.trial.attempts import Attempts
from kplan.objects.models import Object, Pod
from kplan.objects.state import ClusterState
from kplan.result import EventKind
from kplan.studies.simulate.telling import Telling
from tests.builders import node, pod

OWNER = {
    "ownerReferences": [{"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "log", "uid": "log", "controller": True}]
}


def tied_to(name: str) -> dict[str, Any]:
    """Affinity by which the controller of a DaemonSet ties a pod to its node."""
    field = {"key": "metadata.name", "operator": "In", "values": [name]}
    term = {"nodeSelectorTerms": [{"matchFields": [field]}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": term}}


def in_zone(name: str) -> dict[str, Any]:
    expression = {"key": "zone", "operator": "In", "values": [name]}
    term = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": term}}


def log(home: str) -> Pod:
    return pod(f"log-{home}", requests={"cpu": "1"}, affinity=tied_to(home), metadata=OWNER)


def begun(*objects: Object) -> tuple[Attempts[object], Telling]:
    telling = Telling()
    run: Attempts[object] = Attempts(kplan.Scheduler.of("1.37").planner(ClusterState.of(objects)), telling)
    run.place(run.planner.waiting())
    return run, telling


def test_a_pod_of_another_node_is_tried_again_though_one_of_its_set_still_waits() -> None:
    full = {"cpu": "1"}
    run, _ = begun(
        *(node(name, cpu="1") for name in ("a", "b")),
        pod("here-a", node="a", requests=full),
        pod("here-b", node="b", requests=full),
        log("a"),
        log("b"),
    )
    assert [landing.kind for landing in run.landings.values()] == [EventKind.PENDING, EventKind.PENDING]
    cluster = run.planner.cluster
    cluster.apply([Remove(cluster.pod_index["default/here-b"])])
    run.retry()
    assert {landing.pod.key: landing.node for landing in run.landings.values()} == {
        "default/log-a": "",
        "default/log-b": "b",
    }


def test_pods_of_one_set_are_told_once() -> None:
    _, telling = begun(*(node(name, cpu="500m") for name in ("a", "b")), log("a"), log("b"))
    assert len(telling.told) == 1


def test_pods_with_the_same_reasons_for_other_rules_are_told_apart() -> None:
    _, telling = begun(node("a"), pod("one", affinity=in_zone("east")), pod("two", affinity=in_zone("west")))
    assert [told.because.text for told in telling.told.values()] == [
        "node affinity zone=east: no node has that",
        "node affinity zone=west: no node has that",
    ]


def test_a_victim_that_another_scheduler_placed_comes_back_to_that_one() -> None:
    owner = {"ownerReferences": [{"kind": "ReplicaSet", "name": "web", "uid": "u", "controller": True}]}
    low = pod("low", node="a", requests={"cpu": "1"}, metadata=owner, schedulerName="another")
    run, _ = begun(node("a", cpu="1"), low, pod("high", requests={"cpu": "1"}, priority=9))
    told = [(one.pod.name, one.node, one.elsewhere) for one in run.landings.values()]
    assert told == [("high", "a", False), ("low-r1", "", True)]


def test_a_pod_that_came_back_before_goes_on_with_its_number() -> None:
    owner = {"ownerReferences": [{"kind": "ReplicaSet", "name": "web", "uid": "u", "controller": True}]}
    low = pod("low-r1", node="a", requests={"cpu": "1"}, metadata=owner | {"uid": None})
    run, _ = begun(node("a", cpu="1"), low, pod("high", requests={"cpu": "1"}, priority=9))
    assert [one.pod.name for one in run.landings.values()] == ["high", "low-r2"]


def test_a_pod_of_the_cluster_keeps_its_whole_name_when_it_comes_back() -> None:
    owner = {"ownerReferences": [{"kind": "ReplicaSet", "name": "web", "uid": "u", "controller": True}]}
    low = pod("low-r1", node="a", requests={"cpu": "1"}, metadata=owner | {"uid": "4711"})
    run, _ = begun(node("a", cpu="1"), low, pod("high", requests={"cpu": "1"}, priority=9))
    assert [one.pod.name for one in run.landings.values()] == ["high", "low-r1-r1"]
