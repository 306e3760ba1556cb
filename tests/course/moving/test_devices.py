"""Moves of pods that hold devices: they give them back, and get others where they land."""

from __future__ import annotations

from typing import Any

from kplan import Scheduler
from kplan.course.moving import Movable, SearchResult, WantedPods, fewest_moves
from kplan.course.moving.journey import take_off
from kplan.pipeline import Planner
from kplan.sources.loading import load_values
from tests.cli.test_devices import cluster

DRA = "resource.k8s.io/v1"


def planner_of(running: int, wanted: int) -> Planner:
    """Two nodes of four devices, which pods of one each share; one that waits wants some on one node."""
    exactly = {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": wanted}
    claim = {"devices": {"requests": [{"name": "r", "exactly": exactly}]}}
    meta = {"name": "wanted", "namespace": "ml", "uid": "wanted"}
    spec = {
        "containers": [{"name": "main", "image": "x:1", "resources": {"claims": [{"name": "gpu"}]}}],
        "resourceClaims": [{"name": "gpu", "resourceClaimName": "wanted"}],
    }
    items: list[dict[str, Any]] = [
        *cluster(running),
        {"apiVersion": DRA, "kind": "ResourceClaim", "metadata": {**meta, "uid": "claim"}, "spec": claim},
        {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec, "status": {"phase": "Pending"}},
    ]
    return Scheduler.of().planner(load_values(items), everything=False)


def search(running: int, wanted: int) -> SearchResult:
    planner = planner_of(running, wanted)
    return fewest_moves(planner, WantedPods((planner.cluster.pod_index["ml/wanted"],)), Movable(planner), most=2)


def test_a_pod_gives_its_devices_back_and_gets_others() -> None:
    """One of four is in use on each node; four are wanted."""
    found = search(2, 4)
    [journey] = found.journeys
    assert [(one.pod, one.home, one.to) for one in journey.moves] == [("ml/st-0", "a", "b")]
    assert journey.placed == (("ml/wanted", "a"),)
    assert found.bound == 1


def test_two_pods_make_room() -> None:
    """Two of four are in use on each node."""
    found = search(4, 4)
    [journey] = found.journeys
    moved = sorted((one.pod, one.home, one.to) for one in journey.moves)
    assert moved == [("ml/st-0", "a", "b"), ("ml/st-2", "a", "b")]
    assert found.bound == 2


def test_where_all_devices_are_in_use_no_move_helps() -> None:
    found = search(8, 1)
    assert not found.journeys
    assert found.bound == 3


def test_the_pod_that_is_made_instead_has_a_claim_of_its_own() -> None:
    planner = planner_of(2, 4)
    with planner.trial(everything=False) as trial:
        copy = take_off(trial, trial.cluster.pod_index["ml/st-0"])
        [status] = copy.pod.status.resource_claim_statuses or ()
        claims = trial.cluster.objects.table("resource_claims")
        assert "ml/st-0-gpu-x" not in claims
        assert claims[f"ml/{status.resource_claim_name}"].status.allocation is None
    assert "ml/st-0-gpu-x" in planner.cluster.objects.table("resource_claims")
