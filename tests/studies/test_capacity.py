"""Capacity: how many more fit equals what placing them one after the other gives."""

from pathlib import Path
from typing import Any

import pytest

import kplan
from kplan.cluster import AddPods
from kplan.course.capacity.counting import count_sets
from kplan.errors import UsageError
from kplan.objects.models import Object, ObjectMeta, ResourceQuota
from kplan.objects.models.policy import ResourceQuotaSpec, ResourceQuotaStatus
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from kplan.result import EventKind
from kplan.result.document_capacity import CapacityReport
from kplan.scenario.manifests import fresh_copy
from kplan.studies.capacity import CapacityAsked, Supply, capacity, of_manifests, of_workload
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
    assert found.attempt == "1 more node like a -> all 7 fit, and 2 to spare"


def test_a_pod_that_an_empty_node_refuses_is_helped_by_no_number() -> None:
    planner = planner_of(*two_zones())
    big = pod("big", requests={"cpu": "8"})
    found = report(planner, supplies=[Supply("pod/default/big", big)])
    assert (found.verdict, found.sentence) == ("BLOCKED", "default/big: no number of nodes like a helps")
    assert found.because is not None
    assert found.because.text.startswith("even an empty one: cpu")


def test_sets_that_an_empty_node_refuses_are_named_by_all_that_is_in_them() -> None:
    planner = planner_of(*two_zones())
    some = [Supply("pod/default/small", pod("small")), Supply("pod/default/big", pod("big", requests={"cpu": "8"}))]
    found = report(planner, supplies=some)
    said = "sets of 1 pod/default/small + 1 pod/default/big: no number of nodes like a helps"
    assert (found.verdict, found.sentence) == ("BLOCKED", said)


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
    placed = 0
    with planner.trial() as trial:
        while True:
            trial.apply([AddPods((fresh_copy(sample, f"one-{placed}"),))])
            if trial.step(trial.cluster.pods[-1]).kind is not EventKind.PLACED:
                break
            placed += 1
    counted = count_sets(planner, [Supply("x", sample)], [1])
    assert counted.sets == placed
    assert shape_room(planner, "x", requests).fits == placed


def test_room_that_is_kept_for_a_nominated_pod_is_not_filled() -> None:
    kept = pod("kept", requests={"cpu": "4"}, priority=10, status={"phase": "Pending", "nominatedNodeName": "n-0"})
    planner = planner_of(*(node(f"n-{n}", cpu="10", memory="64Gi") for n in range(6)), kept)
    # 100 pods of 100m on each of five nodes, and 60 on the one with 4 cpu kept
    assert shape_room(planner, "x", {"cpu": "100m"}).fits == 560


def test_a_manifest_is_counted_beside_what_runs_of_it(tmp_path: Path) -> None:
    file = tmp_path / "web.yaml"
    file.write_text(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec:\n  replicas: 2\n"
        "  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n"
        "    spec: {containers: [{name: c, image: i, resources: {requests: {cpu: '1500m'}}}]}\n"
    )
    planner = planner_of(node("a"), node("b"))
    (supply,) = of_manifests(planner.cluster, [str(file)])
    assert (supply.name, supply.running, supply.asks) == ("deploy/shop/web", (), 2)
    assert report(planner, supplies=[supply]).sets == 4


WORKLOAD = """\
---
apiVersion: apps/v1
kind: %s
metadata: {name: %s, namespace: shop}
spec:
  selector: {matchLabels: {app: %s}}
  template:
    metadata: {labels: {app: %s}}
    spec: {containers: [{name: c, image: i, resources: {requests: {cpu: '1500m'}}}]}
"""


def test_a_daemonset_of_a_manifest_is_not_multiplied(tmp_path: Path) -> None:
    file = tmp_path / "all.yaml"
    agent = WORKLOAD % ("DaemonSet", "agent", "agent", "agent")
    file.write_text(agent + WORKLOAD % ("Deployment", "web", "web", "web"))
    planner = planner_of(node("a"), node("b"))
    (supply,) = of_manifests(planner.cluster, [str(file)])
    assert supply.name == "deploy/shop/web"
    assert report(planner, supplies=[supply]).notes == ("ds/shop/agent has one pod for each node, and is not counted",)
    file.write_text(agent)
    with pytest.raises(UsageError, match="ds/shop/agent: a DaemonSet has one pod for each node"):
        of_manifests(planner.cluster, [str(file)])


WEB = {"app": "web"}


@pytest.mark.parametrize(
    ("asks", "running", "verdict", "sentence", "attempt"),
    [
        (6, 0, "PARTLY", "shop/web: 4 of the 6 it asks for fit (0 run)", "1 more node like a -> all 6 fit"),
        (6, 1, "PARTLY", "shop/web: 3 of the 5 more it asks for fit (1 run)", "1 more node like a -> all 5 fit"),
        (3, 0, "FITS", "shop/web: 4 more replicas fit, the 3 it asks for among them (0 run)", None),
        (1, 1, "FITS", "shop/web: 3 more replicas fit (1 run)", None),
        (None, 0, "FITS", "shop/web: 4 more replicas fit (0 run)", None),
    ],
    ids=[
        "fewer fit than the manifest asks for",
        "those that run are part of what it asks for",
        "more fit than it asks for",
        "all it asks for run",
        "it asks for nothing",
    ],
)
def test_the_replicas_of_a_manifest_are_a_wish(
    asks: int | None, running: int, verdict: str, sentence: str, attempt: str | None
) -> None:
    """Each of two nodes of 4 cpu takes two pods of 1500m."""
    planner = planner_of(node("a"), node("b"), *[owned("w-1", "ReplicaSet", "web", on="a", cpu="1500m")] * running)
    sample = pod("web", namespace="shop", labels=WEB, requests={"cpu": "1500m"})
    found = report(planner, supplies=[Supply("deploy/shop/web", sample, tuple(range(running)), asks=asks)])
    assert (found.verdict, found.sentence) == (verdict, sentence)
    assert found.attempt == (attempt or "one more node like a -> 2 more fit")
    assert found.notes == ()


def test_a_number_that_is_asked_for_wins_over_the_manifest() -> None:
    planner = planner_of(node("a"), node("b"))
    sample = pod("web", namespace="shop", requests={"cpu": "1500m"})
    found = report(planner, supplies=[Supply("deploy/shop/web", sample, asks=6)], replicas=2)
    assert (found.verdict, found.sentence) == ("FITS", "shop/web: 2 of 2 more replicas fit (0 run, 2 asked for)")


def test_where_no_number_of_nodes_is_enough_the_best_is_told_and_where_it_ends() -> None:
    """By zone, skew 1: west holds 2, so east may hold 3; with 2 more nodes in west its 5 let east fill up with 4."""
    spread = {"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule"}
    zones = [{"topology.kubernetes.io/zone": zone} for zone in ("east", "west")]
    planner = planner_of(node("a", labels=zones[0]), node("b", labels=zones[1], cpu="2"))
    constraint = {**spread, "labelSelector": {"matchLabels": WEB}}
    sample = pod("web", labels=WEB, requests={"cpu": "1"}, topologySpreadConstraints=[constraint])
    found = report(planner, supplies=[Supply("deploy/default/web", sample)], replicas=12)
    assert found.growth is not None
    assert (found.growth.nodes, found.growth.fits) == ((0, 1, 2, 3, 6), (5, 8, 9, 9, 9))
    assert found.attempt == "2 more nodes like b -> 9 of 12 fit; even 6 of them make no more fit"


def test_that_nobody_is_evicted_is_told_where_priority_would() -> None:
    planner = planner_of(node("a"), owned("low", "ReplicaSet", "low", on="a", cpu="3"))
    sample = pod("web", requests={"cpu": "1"}, priority=1000)
    found = report(planner, supplies=[Supply("deploy/default/web", sample, asks=2)])
    assert found.sentence == "default/web: 1 of the 2 it asks for fit (0 run)"
    assert found.notes == ("capacity evicts nobody: kplan simulate shows what pods of priority 1,000 would evict",)


def quota(**hard: str) -> ResourceQuota:
    name = ObjectMeta(name="compute", namespace="shop")
    return ResourceQuota(metadata=name, spec=ResourceQuotaSpec(hard=hard), status=ResourceQuotaStatus())


def test_a_quota_that_stops_sooner_is_told() -> None:
    """Two pods of 1 cpu run; five more find a place, and the quota of 4 cpu lets in two of them."""
    planner = planner_of(*two_zones(), quota(**{"requests.cpu": "4"}))
    found = report(planner, supplies=[of_workload(planner.cluster, "rs/web", "shop")])
    assert (found.sets, found.quota_lets_in, found.verdict) == (5, 2, "FITS")
    assert found.sentence == "shop/web: 5 more replicas fit (2 run); a quota lets in 2"
    assert found.because is not None
    # the quota stops first, and more nodes let in no more
    assert (found.because.code, found.attempt, found.how_to) == ("quota", "", None)
    assert found.notes == (
        "a quota lets in only 2 of these 5: exceeded quota: compute, requested: requests.cpu=1, used: requests.cpu=4, "
        "limited: requests.cpu=4",
    )


def test_a_quota_that_lets_in_fewer_than_are_wanted_is_why_they_do_not_fit() -> None:
    planner = planner_of(*two_zones(), quota(**{"requests.cpu": "4"}))
    found = report(planner, supplies=[of_workload(planner.cluster, "rs/web", "shop")], replicas=5)
    assert (found.verdict, found.sentence) == (
        "PARTLY", "shop/web: 3 of 3 more replicas fit (2 run, 5 asked for); a quota lets in 2",
    )  # fmt: skip
    assert found.because is not None
    assert found.because.text.startswith("exceeded quota: compute")


def test_a_quota_that_lets_nothing_in_leaves_no_room() -> None:
    planner = planner_of(*two_zones(), quota(pods="2"))
    found = report(planner, supplies=[of_workload(planner.cluster, "rs/web", "shop")])
    assert (found.verdict, found.quota_lets_in) == ("BLOCKED", 0)
    assert found.because is not None
    assert found.because.text.startswith("exceeded quota: compute")


def test_a_quota_that_has_let_waiting_pods_in_is_not_asked_about_them() -> None:
    planner = planner_of(*two_zones(), owned("web-3", "ReplicaSet", "web"), quota(pods="3"))
    found = report(planner, supplies=[of_workload(planner.cluster, "rs/web", "shop")])
    assert [note for note in found.notes if "quota" in note] == [
        "a quota lets in only 1 of these 5: exceeded quota: compute, requested: pods=1, used: pods=3, limited: pods=3"
    ]


def test_a_quota_with_room_is_not_told() -> None:
    planner = planner_of(*two_zones(), quota(pods="7"))
    assert report(planner, supplies=[of_workload(planner.cluster, "rs/web", "shop")]).notes == ()


def test_a_workload_of_a_scheduler_without_a_profile_is_refused_in_a_line() -> None:
    planner = planner_of(node("node-a"), owned("web-1", "ReplicaSet", "web", on="node-a", schedulerName="volcano"))
    with pytest.raises(UsageError) as refused:
        report(planner, supplies=[of_workload(planner.cluster, "rs/web", "shop")])
    assert refused.value.message == "rs/shop/web: no profile here has the schedulerName volcano"
    assert refused.value.code == "other-scheduler"
