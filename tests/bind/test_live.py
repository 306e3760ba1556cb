"""The cluster while it is written to: what others do counts, what is assumed is confirmed or taken back exactly."""

import numpy as np
import pytest

from kplan.api import Scheduler, fill_in
from kplan.bind.plan.profiles import with_profiles
from kplan.bind.run.live import LiveCluster, NoFit
from kplan.bind.run.watch import Seen
from kplan.cluster import PodInfo
from kplan.objects.models import Object, Pod
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from tests.bind.counting import GATES, counting
from tests.bind.test_show import claims, mine, storage
from tests.builders import make, node, pod


def live(*objects: Object, clock: list[float] | None = None, gates: dict[str, bool] | None = None) -> LiveCluster:
    state = ClusterState.of(objects, source="prod")
    scheduler = Scheduler.of("1.37", gates=gates)
    fill_in(state, scheduler)
    cluster = scheduler.cluster(state)
    pipelines = with_profiles(scheduler.pipelines, ["kplan"])
    now = clock or [0.0]
    return LiveCluster(Planner(cluster, pipelines, everything=False), clock=lambda: now[0])


def info(of: LiveCluster, name: str) -> PodInfo:
    found = of.pod(f"default/{name}")
    assert found is not None
    return found


def on(name: str, where: str, cpu: str = "1") -> Pod:
    return pod(name, node=where, schedulerName="kplan", requests={"cpu": cpu})


def test_a_pod_that_another_scheduler_places_takes_its_room() -> None:
    cluster = live(node("node-a", cpu="2"), mine("a"))
    cluster.seen(Seen(on("rival", "node-a", "2")))
    with pytest.raises(NoFit, match="node-a no longer fits it: Insufficient cpu"):
        cluster.assume(info(cluster, "a"), "node-a")
    cluster.seen(Seen(on("rival", "node-a", "2"), gone=True))
    cluster.assume(info(cluster, "a"), "node-a")


def test_what_is_assumed_counts_until_it_is_taken_back() -> None:
    cluster = live(node("node-a", cpu="1"), mine("a"), mine("b"))
    cluster.assume(info(cluster, "a"), "node-a")
    assert cluster.feasible(info(cluster, "b"), "node-a") == "node-a no longer fits it: Insufficient cpu"
    cluster.revert("default/a")
    assert cluster.feasible(info(cluster, "b"), "node-a") == ""
    assert int(cluster.cluster.requested[0, 0]) == 0


def test_reserved_claims_and_volumes_are_taken_back_exactly() -> None:
    cluster = live(node("node-a"), node("node-b"), *storage(), mine("a", volumes=claims("scratch", "data")))
    tables = cluster.cluster.objects
    before = tables.persistent_volumes["pv-1"], tables.persistent_volume_claims["default/scratch"]
    writes = cluster.assume(info(cluster, "a"), "node-b")
    assert [(one.until.claim, one.until.volume) for one in writes] == [
        ("default/data", "pv-1"),
        ("default/scratch", ""),
    ]
    assert len(cluster.assumed["default/a"].former) == 2
    assert tables.persistent_volumes["pv-1"].spec.claim_ref is not None
    cluster.revert("default/a")
    assert (tables.persistent_volumes["pv-1"], tables.persistent_volume_claims["default/scratch"]) == before


def test_an_assumption_is_confirmed_when_the_server_shows_it() -> None:
    clock = [0.0]
    cluster = live(node("node-a"), mine("a"), clock=clock)
    assert cluster.assume(info(cluster, "a"), "node-a") == ()
    assumed = cluster.assumed["default/a"]
    cluster.written("default/a")
    clock[0] = 31.0
    assert cluster.unconfirmed(30) == []  # written at 0 means not written
    cluster.written("default/a")
    clock[0] = 61.0
    assert cluster.unconfirmed(30) == ["default/a"]
    cluster.seen(Seen(on("a", "node-a")))
    assert assumed.confirmed
    assert cluster.unconfirmed(30) == []
    assert int(cluster.cluster.pod_count[0]) == 1


def test_news_that_is_older_than_the_binding_takes_nothing_back() -> None:
    cluster = live(node("node-a"), mine("a"))
    cluster.assume(info(cluster, "a"), "node-a")
    cluster.seen(Seen(pod("a", schedulerName="kplan", requests={"cpu": "1"})))
    assert int(cluster.cluster.pod_count[0]) == 1


def test_pods_that_a_new_list_does_not_have_are_gone() -> None:
    cluster = live(node("node-a"), on("old", "node-a"), mine("a"))
    cluster.listed([pod("a", schedulerName="kplan", requests={"cpu": "1"}), on("new", "node-a", "2")])
    assert cluster.pod("default/old") is None
    assert int(cluster.cluster.requested[0, 0]) == 2000


def test_nodes_are_cordoned_appear_and_leave() -> None:
    cluster = live(node("node-a"), on("x", "node-a"), mine("a"))
    cluster.seen_node(Seen(node("node-a", unschedulable=True)))
    assert cluster.fits_somewhere(info(cluster, "a")) == ""
    cluster.seen_node(Seen(node("node-0")))
    assert cluster.fits_somewhere(info(cluster, "a")) == "node-0"
    cluster.listed_nodes([node("node-0")])
    assert list(cluster.cluster.node_index) == ["node-0"]
    assert cluster.pod("default/x") is None
    assert np.array_equal(cluster.cluster.pod_count, [0])


def test_a_victim_that_leaves_makes_room_only_as_long_as_it_is_asked_about() -> None:
    cluster = live(node("node-a", cpu="1"), on("low", "node-a"), mine("high"))
    low = info(cluster, "low")
    assert cluster.feasible(info(cluster, "high"), "node-a", [low]) == ""
    assert cluster.feasible(info(cluster, "high"), "node-a") != ""


CLAIM = {"accessModes": ["ReadWriteOnce"], "storageClassName": "local", "volumeName": "pv-1"}
ANNOTATIONS = {"pv.kubernetes.io/bind-completed": "yes"}


def bound_claim(**metadata: str) -> Object:
    return make(
        "PersistentVolumeClaim", "data", namespace="default", metadata={"annotations": ANNOTATIONS, **metadata},
        spec=CLAIM, status={"phase": "Bound"},
    )  # fmt: skip


def test_a_claim_that_leaves_or_is_gone_since_holds_its_pod_back() -> None:
    volume = make("PersistentVolume", "pv-1", spec={"accessModes": ["ReadWriteOnce"], "storageClassName": "local"})
    cluster = live(node("node-a"), volume, bound_claim(), mine("a", volumes=claims("data")))
    assert cluster.feasible(info(cluster, "a"), "node-a") == ""
    leaving = bound_claim(deletionTimestamp="2026-01-01T00:00:00Z")
    cluster.seen_object("persistent_volume_claims", Seen(leaving))
    with pytest.raises(NoFit, match='persistentvolumeclaim "data" is being deleted'):
        cluster.assume(info(cluster, "a"), "node-a")
    cluster.seen_object("persistent_volume_claims", Seen(leaving, gone=True))
    with pytest.raises(NoFit, match='persistentvolumeclaim "data" not found'):
        cluster.assume(info(cluster, "a"), "node-a")
    cluster.listed_objects("persistent_volume_claims", [bound_claim()])
    cluster.assume(info(cluster, "a"), "node-a")
    cluster.listed_objects("persistent_volume_claims", [])
    assert "default/data" not in cluster.cluster.objects.persistent_volume_claims


def test_news_of_a_volume_that_is_reserved_waits_until_it_is_taken_back() -> None:
    cluster = live(node("node-a"), node("node-b"), *storage(), mine("a", volumes=claims("data")))
    cluster.assume(info(cluster, "a"), "node-b")
    cluster.seen_object("persistent_volumes", Seen(make("PersistentVolume", "pv-1")))
    assert cluster.cluster.objects.persistent_volumes["pv-1"].spec.claim_ref is not None


def test_a_volume_is_within_reach_where_its_affinity_says_so() -> None:
    cluster = live(node("node-a"), node("node-b"), *storage(), mine("a"))
    volume = cluster.cluster.objects.persistent_volumes["pv-1"]  # it is on node-b
    assert [cluster.reaches(volume, name) for name in ("node-a", "node-b", "node-gone")] == [False, True, True]


def test_what_devices_take_of_a_node_is_taken_back_with_the_pod() -> None:
    cluster = live(*counting(), gates=GATES)
    before = int(cluster.cluster.requested[0, 0])
    cluster.assume(info(cluster, "a"), "node-a")
    assert int(cluster.cluster.requested[0, 0]) == before + 3000
    cluster.revert("default/a")
    assert int(cluster.cluster.requested[0, 0]) == before
    assert info(cluster, "a").pod.status.node_allocatable_resource_claim_statuses is None
    assert cluster.feasible(info(cluster, "a"), "node-a") == ""
