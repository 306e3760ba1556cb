"""Labels of the node that a pod gets when it is bound, and the pods that are planned after it."""

from typing import Any

import pytest

import kplan
from kplan.cluster import AddPods
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from tests.builders import make, node, pod

ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
NODES = [node("a", labels={ZONE: "z1", REGION: "r"}), node("b", labels={ZONE: "z2"})]
FIRST = pod("first", priority=10, nodeSelector={ZONE: "z1"})


def near(labels: dict[str, str]) -> dict[str, Any]:
    term = {"labelSelector": {"matchLabels": labels}, "topologyKey": "kubernetes.io/hostname"}
    return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def planned(objects: list[Object], version: str = "1.37", **gates: bool) -> Planner:
    scheduler = kplan.Scheduler.of(version, gates=gates)
    planner = scheduler.planner(ClusterState.of(objects))
    planner.simulate()
    return planner


def place(planner: Planner, name: str) -> str:
    return planner.cluster.home_of(planner.cluster.pod_index[f"default/{name}"])


@pytest.mark.parametrize(("version", "where"), [("1.34", ""), ("1.35", "a"), ("1.36", "a"), ("1.37", "a")])
def test_a_pod_that_selects_by_the_zone_of_another_finds_it_once_that_is_bound(version: str, where: str) -> None:
    plan = planned([*NODES, FIRST, pod("second", affinity=near({ZONE: "z1"}))], version)
    assert (place(plan, "first"), place(plan, "second")) == ("a", where)


def test_without_the_gate_nothing_is_copied() -> None:
    second = pod("second", affinity=near({ZONE: "z1"}))
    assert place(planned([*NODES, FIRST, second], PodTopologyLabelsAdmission=False), "second") == ""


def test_labels_are_those_of_the_node_over_the_pods_own() -> None:
    first = pod("first", priority=10, nodeSelector={ZONE: "z1"}, labels={ZONE: "mine", "app": "x"})
    plan = planned([*NODES, first, pod("second", affinity=near({ZONE: "z1"}))])
    labels = plan.cluster.pods[plan.cluster.pod_index["default/first"]].pod.labels
    assert labels == {ZONE: "z1", REGION: "r", "app": "x"}


def test_what_nobody_asks_for_is_left_alone() -> None:
    plan = planned([*NODES, FIRST, pod("second", affinity=near({"app": "x"}))])
    assert ZONE not in plan.cluster.pods[plan.cluster.pod_index["default/first"]].pod.labels


@pytest.mark.parametrize(
    "asks",
    [
        make("PodDisruptionBudget", "b", namespace="default", spec={"selector": {"matchLabels": {ZONE: "z1"}}}),
        make("Service", "s", namespace="default", spec={"selector": {REGION: "r"}}),
        pod(
            "spread",
            topologySpreadConstraints=[
                {
                    "maxSkew": 1,
                    "topologyKey": ZONE,
                    "whenUnsatisfiable": "ScheduleAnyway",
                    "labelSelector": {"matchExpressions": [{"key": ZONE, "operator": "Exists"}]},
                }
            ],
        ),
        pod(
            "keys",
            topologySpreadConstraints=[
                {
                    "maxSkew": 1,
                    "topologyKey": ZONE,
                    "whenUnsatisfiable": "ScheduleAnyway",
                    "labelSelector": {},
                    "matchLabelKeys": [REGION],
                }
            ],
        ),
    ],
    ids=["a budget", "a Service", "a constraint", "matchLabelKeys"],
)
def test_whoever_asks_has_them_copied(asks: Object) -> None:
    plan = planned([*NODES, FIRST, asks])
    assert plan.cluster.pods[plan.cluster.pod_index["default/first"]].pod.labels[ZONE] == "z1"


def test_all_of_it_is_taken_back() -> None:
    scheduler = kplan.Scheduler.of("1.37")
    planner = scheduler.planner(ClusterState.of([*NODES, FIRST, pod("second", affinity=near({ZONE: "z1"}))]))
    cluster = planner.cluster
    first = cluster.pods[cluster.pod_index["default/first"]]
    before, kind = dict(first.pod.labels), first.pod_class
    with planner.trial() as trial:
        trial.simulate()
        assert first.pod.labels != before
    assert (dict(first.pod.labels), first.pod_class, int(cluster.pod_class[first.row])) == (before, kind, kind.index)
    assert place(planner, "second") == ""
    planner.simulate()
    assert place(planner, "second") == "a"


def test_a_pod_that_asks_is_heard_where_another_was_tried_in_its_row() -> None:
    """A what-if adds a pod and takes it back; the next one has its row, and asks by a constraint."""
    constraint = {
        "maxSkew": 1,
        "topologyKey": ZONE,
        "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": {"matchLabels": {ZONE: "z1"}},
    }
    planner = kplan.Scheduler.of("1.37").planner(ClusterState.of([*NODES, FIRST]))
    cluster = planner.cluster
    first = cluster.pods[cluster.pod_index["default/first"]]
    with planner.trial() as trial:
        trial.apply([AddPods((pod("other"),))])
        trial.step(first)
        assert ZONE not in first.pod.labels
    with planner.trial() as trial:
        trial.apply([AddPods((pod("asks", topologySpreadConstraints=[constraint]),))])
        trial.step(first)
        assert first.pod.labels[ZONE] == "z1"
