"""Devices that stand for cpu and memory of their node: what a pod counts once they are given, and who has no room."""

from typing import Any

import pytest

import kplan
from kplan.objects.models import Object, Pod
from kplan.objects.state import ClusterState
from kplan.pipeline.planner import Planner
from tests.builders import node
from tests.plugins.devices.test_planning import steps
from tests.plugins.devices.world import claim, claiming, device, device_class, given, request, slice_of

GATE = {"DRANodeAllocatableResources": True}
TWO_CORES = {
    "nodeAllocatableResourceMappings": {"cpu": {"allocationMultiplier": "2"}},
    "nodeAllocatableResources": {"cpu": {"mapping": {"deviceMultiplier": "2"}}},
}
"""A device that is two cores of its node: as 1.36 has it, and as 1.37 does."""
OVERHEAD = {"nodeAllocatableResources": {"memory": {"overhead": {"perPod": "1Gi", "perContainer": "512Mi"}}}}


def planner_of(version: str, *objects: Object, gates: dict[str, bool] = GATE) -> Planner:
    scheduler = kplan.Scheduler.of(version, gates=gates)
    return scheduler.planner(ClusterState.of([*objects, device_class()]), preempt=False)


def using(name: str, *claims: str, cpu: str = "500m", containers: int = 1, **fields: Any) -> Pod:
    """A pod each container of which refers to its claims."""
    resources = {"requests": {"cpu": cpu}, "claims": [{"name": one} for one in claims]}
    named = [{"name": f"c{i}", "image": "i", "resources": resources} for i in range(containers)]
    return claiming(name, *claims, containers=named, **fields)


def cpu_requested(planner: Planner) -> int:
    cluster = planner.cluster
    return int(cluster.requested[cluster.resources["cpu"], 0])


@pytest.mark.parametrize("version", ["1.36", "1.37"])
def test_a_pod_counts_what_its_devices_stand_for_until_it_is_taken_back(version: str) -> None:
    devices = [device(f"d{i}", **TWO_CORES) for i in range(3)]
    claims = [claim(f"c{i}", request()) for i in range(2)]
    pods = [using(f"p{i}", f"c{i}") for i in range(2)]
    planner = planner_of(version, node("a", cpu="4"), slice_of("a", *devices), *claims, *pods)
    with planner.trial() as trial:
        told = steps(trial)
        assert told[0] == "a"
        assert told[1].startswith("0/1 nodes are available: 1 Insufficient cpu.")
        assert cpu_requested(planner) == 2500
    assert cpu_requested(planner) == 0
    assert planner.cluster.pods[0].pod.status.node_allocatable_resource_claim_statuses is None


def test_without_the_gate_devices_stand_for_nothing() -> None:
    devices = [device(f"d{i}", **TWO_CORES) for i in range(2)]
    pods = [using(f"p{i}", f"c{i}") for i in range(2)]
    claims = [claim(f"c{i}", request()) for i in range(2)]
    planner = planner_of("1.37", node("a", cpu="4"), slice_of("a", *devices), *claims, *pods, gates={})
    assert steps(planner) == ["a", "a"]
    assert cpu_requested(planner) == 1000


def test_an_overhead_counts_once_for_the_pod_and_once_for_each_container() -> None:
    pods = [using("p", "c", containers=3)]
    objects = [node("a", memory="8Gi"), slice_of("a", device("d", **OVERHEAD)), claim("c", request())]
    planner = planner_of("1.37", *objects, *pods)
    assert steps(planner) == ["a"]
    memory = planner.cluster.requested[planner.cluster.resources["memory"], 0]
    assert int(memory) == (1024 + 3 * 512) * 1024 * 1024


def test_the_status_of_a_placed_pod_counts_on_its_node() -> None:
    status = {
        "nodeAllocatableResourceClaimStatuses": [
            {
                "resourceClaimName": "c", "containers": ["c0"], "resources": {"cpu": "1"},
                "mapping": [{"name": "cpu", "quantity": "3"}],
            }
        ]
    }  # fmt: skip
    for version, milli in (("1.36", 1500), ("1.37", 3500)):
        objects = [node("a", cpu="4"), slice_of("a", device("d", **TWO_CORES))]
        planner = planner_of(version, *objects, using("p", "c", nodeName="a", status=status))
        assert cpu_requested(planner) == milli


SHARED: dict[str, tuple[str, dict[str, Any], str]] = {
    "1.37 lets nobody share a device that is a resource of the node": (
        "1.37", TWO_CORES, "node allocatable resource claim c has a mapped device and cannot be shared across pods",
    ),
    "1.37 lets pods share one that takes some besides": ("1.37", OVERHEAD, ""),
    "1.36 goes by the status of pods on the node": ("1.36", TWO_CORES, ""),
}  # fmt: skip


@pytest.mark.parametrize(("version", "stands_for", "text"), SHARED.values(), ids=SHARED)
def test_sharing(version: str, stands_for: dict[str, Any], text: str) -> None:
    objects = [
        node("a", cpu="8", memory="8Gi"),
        slice_of("a", device("d", **stands_for)),
        claim("c", request(), status=given("a", "d", users=["other"])),
        using("p", "c"),
    ]
    told = steps(planner_of(version, *objects))[0]
    assert told.startswith(f"0/1 nodes are available: 1 {text}.") if text else told == "a"


def test_1_36_wants_a_container_that_refers_to_the_claim() -> None:
    objects = [node("a", cpu="8"), slice_of("a", device("d", **TWO_CORES)), claim("c", request()), claiming("p", "c")]
    text = "claim c: node-allocatable resource claim not referenced by any container within the pod"
    assert text in steps(planner_of("1.36", *objects))[0]
    assert steps(planner_of("1.37", *objects)) == ["a"]


def test_resources_of_the_pod_have_to_cover_its_devices() -> None:
    level = {"resources": {"requests": {"cpu": "2"}}}
    objects = [node("a", cpu="8"), slice_of("a", device("d", **TWO_CORES)), claim("c", request())]
    told = steps(planner_of("1.37", *objects, using("p", "c", **level)))[0]
    assert "pod level request for cpu is insufficient to cover the aggregated container" in told


def test_which_of_alike_devices_is_left_decides_whether_a_constraint_is_an_error() -> None:
    """With d0 and d1 for the first claim, d1 is missing for the second; with d0 and d2, d1 is there and has no such
    attribute, which the scheduler takes for an error."""
    devices = [device(name, attributes={"fast": name != "d0"}) for name in ("d0", "d1", "d2", "d3")]
    fast = request("all", 'device.attributes["gpu.example.com"].fast', allocationMode="All")
    wants = claim("second", fast, constraints=[{"matchAttribute": "gpu.example.com/none", "requests": ["all"]}])
    objects = [node("a"), slice_of("a", *devices), claim("first", request(count=2)), wants]
    planner = planner_of("1.37", *objects, using("p", "first", "second"), gates={})
    outcome = planner.step(next(iter(planner.waiting()))).outcome
    text = "cannot add device gpu.example.com/a/d1 because a claim constraint would not be satisfied"
    assert text in outcome.error
