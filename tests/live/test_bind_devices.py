"""kplan binds pods with device claims on a real API server, the scheduler binds their twins: both allocate alike."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.live import bindworld
from tests.live.bindworld import World, wait_for
from tests.live.controlplane import ControlPlane

CONTROLLERS = ("resourceclaim-controller", "garbage-collector-controller")
DRA = "/apis/resource.k8s.io/v1"
DRIVER, RESOURCE = "gpu.example.com", "example.com/gpu"
FINALIZER = "resource.kubernetes.io/delete-protection"
A = f'device.attributes["{DRIVER}"]'


@pytest.fixture(scope="module")
def server() -> Iterator[ControlPlane]:
    with bindworld.serving(CONTROLLERS, scheduler=True) as running:
        for name, more in (("gpu", {}), ("served", {"extendedResourceName": RESOURCE})):
            selectors = [{"cel": {"expression": f'device.driver == "{DRIVER}"'}}]
            running.post(f"{DRA}/deviceclasses", {"metadata": {"name": name}, "spec": {"selectors": selectors, **more}})
        yield running


@pytest.fixture
def world(server: ControlPlane, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    with bindworld.world_of(server, tmp_path, request.node.name) as made:
        yield made


def publish(server: ControlPlane, node: str, model: str, numas: list[int]) -> None:
    """Write the ResourceSlice of a node, as its driver would."""
    devices = [
        {
            "name": f"gpu-{i}",
            "attributes": {"model": {"string": model}, "numa": {"int": numa}, "serial": {"string": f"{node}-{i}"}},
            "capacity": {"memory": {"value": "40Gi" if model == "large" else "16Gi"}},
        }
        for i, numa in enumerate(numas)
    ]
    spec = {
        "driver": DRIVER,
        "nodeName": node,
        "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
        "devices": devices,
    }
    server.post(f"{DRA}/resourceslices", {"metadata": {"name": f"{node}-{DRIVER}"}, "spec": spec})


def request(name: str, *expressions: str, count: int = 1) -> dict[str, Any]:
    selectors = [{"cel": {"expression": text}} for text in expressions]
    exactly = {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": count, "selectors": selectors}
    return {"name": name, "exactly": exactly}


LARGE = f'device.capacity["{DRIVER}"].memory.compareTo(quantity("40Gi")) >= 0'
SMALL = f'{A}.model == "small"'
CLAIMS: dict[str, dict[str, Any]] = {
    "one": {"requests": [request("r", SMALL)]},
    "pair": {"requests": [request("r", LARGE, count=2)], "constraints": [{"matchAttribute": f"{DRIVER}/numa"}]},
    "two": {"requests": [request("first", SMALL), request("second", SMALL)]},
    "listed": {
        "requests": [
            {
                "name": "r",
                "firstAvailable": [
                    {"name": "huge", **request("x", f'{A}.model == "huge"')["exactly"]},
                    {"name": "large", **request("x", LARGE)["exactly"]},
                ],
            }
        ]
    },
}
"""What is claimed; no node but one has what each asks for, so that nothing is drawn."""


def fill(world: World, scheduler: str) -> None:
    """Make nodes with devices, claims, and pods that claim, in the order of their names."""
    small, large = world.nodes(2)
    publish(world.server, small, "small", [0, 0, 1, 1, 1])
    publish(world.server, large, "large", [0, 1, 1, 0, 0])
    base = f"{DRA}/namespaces/{world.name}"
    for name, devices in CLAIMS.items():
        world.server.post(f"{base}/resourceclaims", {"metadata": {"name": name}, "spec": {"devices": devices}})
    template = {"spec": {"devices": CLAIMS["one"]}}
    world.server.post(f"{base}/resourceclaimtemplates", {"metadata": {"name": "each"}, "spec": template})
    for number, claims in enumerate((["one"], ["pair"], ["two"], ["listed"], ["one"])):
        entries = [{"name": claim, "resourceClaimName": claim} for claim in claims]
        world.pod(f"p-{number}", "100m", resourceClaims=entries, schedulerName=scheduler)
    own = [{"name": "gpu", "resourceClaimTemplateName": "each"}]
    world.pod("p-5", "100m", resourceClaims=own, schedulerName=scheduler)
    wait_for(lambda: world.get("p-5")["status"].get("resourceClaimStatuses"), what="the claim of p-5")
    body = world.pod("p-6", "100m", schedulerName=scheduler, containers=[
        {"name": "main", "image": "i", "resources": {"requests": {RESOURCE: "1"}, "limits": {RESOURCE: "1"}}}
    ], affinity=_on(large))  # fmt: skip
    assert body["metadata"]["name"] == "p-6"


def _on(node: str) -> dict[str, Any]:
    term = {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    return {"nodeAffinity": required}


def claims(world: World) -> dict[str, dict[str, Any]]:
    items = world.server.get(f"{DRA}/namespaces/{world.name}/resourceclaims")["items"]
    return {item["metadata"]["name"]: item for item in items}


def told(world: World) -> dict[str, Any]:
    """What was given and to whom, with the names of this world's nodes, and drawn ones, put aside."""
    found: dict[str, Any] = {}
    for name, claim in claims(world).items():
        status = claim.get("status", {})
        allocation = status.get("allocation") or {}
        drawn = "extended" if "-extended-resources-" in name else "of-template" if name.startswith("p-5-") else name
        found[drawn] = {
            "results": [
                {**result, "pool": result["pool"].removeprefix(world.name)}
                for result in allocation.get("devices", {}).get("results") or ()
            ],
            "nodes": [
                field["values"][0].removeprefix(world.name)
                for term in (allocation.get("nodeSelector") or {}).get("nodeSelectorTerms") or ()
                for field in term.get("matchFields") or ()
            ],
            "stamped": "allocationTimestamp" in allocation,
            "users": sorted(user["name"] for user in status.get("reservedFor") or ()),
            "protected": FINALIZER in (claim["metadata"].get("finalizers") or ()),
            "annotations": sorted(claim["metadata"].get("annotations") or ()),
            "spec": claim["spec"],
        }
    served = world.get("p-6")["status"].get("extendedResourceClaimStatus") or {}
    found["of p-6"] = served.get("requestMappings")
    found["nodes"] = {name: node.removeprefix(world.name) for name, node in world.on().items()}
    return found


def test_both_allocate_alike(world: World, server: ControlPlane, tmp_path: Path) -> None:
    folder = tmp_path / "twin"
    folder.mkdir()
    with bindworld.world_of(server, folder, "twin") as twin:
        fill(twin, "default-scheduler")
        wait_for(lambda: all(twin.on().values()), what="the scheduler")
        fill(world, "kplan")
        assert world.apply() == 0
        assert world.became() == {f"p-{i}": "bound" for i in range(7)}
        world.check_nothing_lost_or_doubled()
        mine, theirs = told(world), told(twin)
        assert mine == theirs
        assert set(mine["nodes"].values()) == {"-0", "-1"}


def test_a_plan_shows_the_devices_that_are_written(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    fill(world, "kplan")
    assert world.kplan("-n", world.name, "-o", "wide") == 0
    world.only_reads()
    out = " ".join(capsys.readouterr().out.split())
    assert f"claim one: {world.name}-0/gpu-0" in out
    assert "reserves claim one" in out
    assert "new claim p-6-extended-resources-" in out
    assert all("allocation" not in claim.get("status", {}) for claim in claims(world).values())


def test_devices_that_are_taken_meanwhile_hold_their_pod_back_and_nothing_is_left(world: World) -> None:
    fill(world, "kplan")
    plan = world.folder / "plan.json"
    assert world.kplan("-n", world.name, "--save-plan", str(plan)) == 0
    claim = claims(world)["two"]
    allocation = {
        "devices": {
            "results": [
                {"request": name, "driver": DRIVER, "pool": f"{world.name}-0", "device": f"gpu-{i}"}
                for i, name in ((0, "first"), (4, "second"))
            ]
        }
    }
    path = f"{DRA}/namespaces/{world.name}/resourceclaims/two/status"
    world.server.put(path, {**claim, "status": {"allocation": allocation}})
    code = world.kplan("--plan", str(plan), "--apply", "--yes", "-o", f"json={world.result}")
    became = {entry["pod"].partition("/")[2]: entry.get("code", "") for entry in world.told()["pods"]}
    assert code == 1
    # p-0 was shown gpu-0, which claim two has by now; p-2 was to allocate that claim itself
    assert became["p-0"] == "devices-changed"
    assert became["p-1"] == ""
    assert "allocation" not in claims(world)["one"].get("status", {})
