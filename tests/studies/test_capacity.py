"""Capacity: how many more fit equals what placing them one after the other gives."""

from pathlib import Path
from typing import Any

import pytest

import kplan
from kplan.cluster import AddPods
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from kplan.result import EventKind
from kplan.result.document_capacity import CapacityReport
from kplan.scenario.manifests import fresh_copy
from kplan.studies.capacity import CapacityAsked, Supply, capacity, of_manifests, of_workload
from kplan.studies.capacity.count import count_sets
from kplan.studies.capacity.shapes import shape_pod, shape_room
from kplan.studies.origin import origin, version_of
from tests.builders import make, node, pod
from tests.scenario.worlds import owned

SCHEDULER = kplan.Scheduler.of("1.37")


def planner_of(*objects: Object) -> Planner:
    return SCHEDULER.planner(ClusterState.of(objects), preempt=False, everything=False)


def report(planner: Any, **asked: Any) -> CapacityReport:
    state = planner.cluster.state
    return capacity(planner, CapacityAsked(**asked), origin(state, SCHEDULER.features, *version_of(state, "1.37")))


def two_zones() -> list[Object]:
    east, west = {"topology.kubernetes.io/zone": "east"}, {"topology.kubernetes.io/zone": "west"}
    return [
        node("a", labels=east),
        node("b", labels=west, cpu="3"),
        owned("web-1", "ReplicaSet", "web", on="a"),
        owned("web-2", "ReplicaSet", "web", on="b"),
    ]


def test_replicas_that_fit_by_zone_and_what_stops_the_next() -> None:
    planner = planner_of(*two_zones())
    found = report(planner, supplies=[of_workload(planner.cluster, "rs/web", "shop")], replicas=9)
    assert (found.verdict, found.sets) == ("PARTLY", 5)
    assert found.sentence == "shop/web: 5 of 7 more replicas fit (2 run, 9 asked for)"
    assert [(one.place, one.running, one.more, one.nodes) for one in found.places] == [
        ("east", 1, 3, {"a": 3}),
        ("west", 1, 2, {"b": 2}),
    ]
    assert found.next_pod == 8
    assert [(one.plugin, one.nodes) for one in found.refusing] == [("NodeResourcesFit", 2)]
    assert found.growth is not None
    assert (found.growth.nodes, found.growth.fits, found.growth.needed) == ((0, 1, 2, 3), (5, 9, 13, 17), 1)
    assert found.try_ == "1 more node like a -> all 7 fit, and 2 to spare"


def test_a_pod_that_an_empty_node_refuses_is_helped_by_no_number() -> None:
    planner = planner_of(*two_zones())
    big = pod("big", requests={"cpu": "8"})
    found = report(planner, supplies=[Supply("pod/default/big", big)])
    assert (found.verdict, found.sentence) == ("BLOCKED", "default/big: no number of nodes like a helps")
    assert found.because is not None
    assert found.because.text.startswith("even an empty one: cpu")


def test_pods_that_wait_are_counted_among_those_that_are_tried() -> None:
    waiting = owned("web-3", "ReplicaSet", "web")
    planner = planner_of(*two_zones(), waiting)
    assert report(planner, supplies=[of_workload(planner.cluster, "rs/web", "shop")]).sets == 5


def test_several_workloads_by_ratio() -> None:
    planner = planner_of(node("a"), node("b"))
    small = Supply("pod/default/small", pod("small", requests={"cpu": "500m"}))
    large = Supply("pod/default/large", pod("large", requests={"cpu": "2"}))
    found = report(planner, supplies=[small, large], ratio=(2, 1))
    assert (found.sets, [(one.workload, one.more) for one in found.workloads]) == (
        2,
        [("pod/default/small", 4), ("pod/default/large", 2)],
    )


def test_a_statefulsets_new_pods_have_claims_of_their_own() -> None:
    template = {
        "metadata": {"labels": {"app": "db"}},
        "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]},
    }
    claim = {
        "metadata": {"name": "data"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "fast",
            "resources": {"requests": {"storage": "1Gi"}},
        },
    }
    spec = {
        "replicas": 1,
        "serviceName": "db",
        "selector": {"matchLabels": {"app": "db"}},
        "template": template,
        "volumeClaimTemplates": [claim],
    }
    objects = [
        node("a"),
        make("StatefulSet", "db", namespace="shop", metadata={"uid": "StatefulSet-db"}, spec=spec),
        make("StorageClass", "fast", provisioner="x", volumeBindingMode="WaitForFirstConsumer"),
        owned("db-0", "StatefulSet", "db", on="a"),
    ]
    planner = planner_of(*objects)
    supply = of_workload(planner.cluster, "sts/db", "shop")
    assert supply.manifest is not None
    assert report(planner, supplies=[supply]).sets == 3


@pytest.mark.parametrize("requests", [{"cpu": "300m"}, {"memory": "3Gi"}, {"cpu": "1", "memory": "1Gi"}])
def test_the_count_equals_placing_pods_one_after_the_other(requests: dict[str, str]) -> None:
    """Also where nodes are filled at once."""
    objects = [node(f"n-{n}", cpu=str(2 + n % 7), memory=f"{8 + n % 5}Gi") for n in range(60)]
    planner = planner_of(*objects)
    sample = shape_pod("probe", requests)
    mark = planner.mark
    placed = 0
    while True:
        planner.apply([AddPods((fresh_copy(sample, f"one-{placed}"),))])
        if planner.step(planner.cluster.pods[-1]).kind is not EventKind.PLACED:
            break
        placed += 1
    planner.rewind(mark)
    counted = count_sets(planner, [Supply("x", sample)], [1])
    assert counted.sets == placed
    assert shape_room(planner, "x", requests).fits == placed


def test_a_manifest_is_counted_beside_what_runs_of_it(tmp_path: Path) -> None:
    file = tmp_path / "web.yaml"
    file.write_text(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec:\n  replicas: 2\n"
        "  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n"
        "    spec: {containers: [{name: c, image: i, resources: {requests: {cpu: '1500m'}}}]}\n"
    )
    planner = planner_of(node("a"), node("b"))
    (supply,) = of_manifests(planner.cluster, [str(file)])
    assert (supply.name, supply.running) == ("deploy/shop/web", ())
    assert report(planner, supplies=[supply]).sets == 4
