"""A node of another zone is one of it in every label; one made of numbers has what every node has."""

import kplan
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.scenario.add_node import AddNode
from tests.builders import make, node

ZONE, OLD = "topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"
REGION, DISK, HOST = "topology.kubernetes.io/region", "topology.disk.example/zone", "topology.disk.example/host"


def placed(name: str, zone: str, region: str = "r1") -> Object:
    labels = {ZONE: zone, OLD: zone, REGION: region, DISK: f"disk-{zone}", HOST: name, "kubernetes.io/os": "linux"}
    return node(name, labels=labels)


def drivers(name: str) -> Object:
    driver = {"name": "disk.example", "nodeID": name, "topologyKeys": [DISK, HOST]}
    return make("CSINode", name, spec={"drivers": [driver]})


CLUSTER = [placed("a1", "a"), placed("b1", "b", "r2"), drivers("a1"), drivers("b1")]


def labels_of(step: AddNode) -> dict[str, str]:
    planner = kplan.Scheduler.of("1.37").planner(ClusterState.of(CLUSTER), everything=False)
    return step.model(planner.cluster)[0].labels


def test_all_that_goes_with_a_zone_moves_with_it() -> None:
    found = labels_of(AddNode(like="a1", labels={"zone": "b"}))
    assert {key: found[key] for key in (ZONE, OLD, REGION, DISK)} == {ZONE: "b", OLD: "b", REGION: "r2", DISK: "disk-b"}
    assert found[HOST] == "a1"  # each host has its own: no zone tells it


def test_a_zone_without_nodes_gives_its_name_to_labels_that_had_the_old_one() -> None:
    found = labels_of(AddNode(like="a1", labels={"zone": "c"}))
    assert {key: found[key] for key in (ZONE, OLD, REGION, DISK)} == {ZONE: "c", OLD: "c", REGION: "r1", DISK: "disk-a"}


def test_what_is_given_is_not_overwritten() -> None:
    assert labels_of(AddNode(like="a1", labels={"zone": "b", DISK: "mine"}))[DISK] == "mine"


def test_a_node_of_numbers_has_the_labels_of_every_node_and_those_of_its_zone() -> None:
    found = labels_of(AddNode(allocatable={"cpu": "8"}, labels={"zone": "b"}))
    assert found == {"kubernetes.io/os": "linux", ZONE: "b", OLD: "b", REGION: "r2", DISK: "disk-b"}
