"""kplan binds pods with device claims on a real API server, the scheduler binds their twins: both allocate alike."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import yaml

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


def publish(server: ControlPlane, node: str, model: str, numas: list[int], **fields: Any) -> None:
    """Write the ResourceSlice of a node, as its driver would."""
    devices = [
        {
            "name": f"gpu-{i}",
            "attributes": {"model": {"string": model}, "numa": {"int": numa}, "serial": {"string": f"{node}-{i}"}},
            "capacity": {"memory": {"value": "40Gi" if model == "large" else "16Gi"}},
            **fields,
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


@contextmanager
def driver(server: ControlPlane, *spaces: str, says: str) -> Iterator[None]:
    """Say of each device that was given in some namespaces that it has a condition, as its driver would."""
    stop = threading.Event()

    def work() -> None:
        while not stop.wait(0.3):
            for space in spaces:
                path = f"{DRA}/namespaces/{space}/resourceclaims"
                for item in server.get(path)["items"]:
                    status = item.get("status", {})
                    results = status.get("allocation", {}).get("devices", {}).get("results") or []
                    if not status.get("reservedFor") or status.get("devices"):
                        continue
                    condition = {
                        "type": says, "status": "True", "reason": "Cabled", "message": "", "lastTransitionTime": PAST,
                    }  # fmt: skip
                    told = [
                        {name: one[name] for name in ("driver", "pool", "device")} | {"conditions": [condition]}
                        for one in results
                    ]
                    with suppress(Exception):  # the claim has changed meanwhile: the next round
                        body = {**item, "status": {**status, "devices": told}}
                        server.put(f"{path}/{item['metadata']['name']}/status", body)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


PAST = "2026-01-01T00:00:00Z"
SLOW = {"bindingConditions": ["example.com/attached"], "bindingFailureConditions": ["example.com/failed"]}


def one_slow(world: World, scheduler: str) -> None:
    """A node whose device has to be attached, and a pod that claims it."""
    [node] = world.nodes(1)
    publish(world.server, node, "large", [0], **SLOW)
    path = f"{DRA}/namespaces/{world.name}/resourceclaims"
    world.server.post(path, {"metadata": {"name": "slow"}, "spec": {"devices": {"requests": [request("r")]}}})
    claimed = [{"name": "gpu", "resourceClaimName": "slow"}]
    world.pod("p", "100m", resourceClaims=claimed, schedulerName=scheduler)


def test_both_wait_until_devices_are_attached(world: World, server: ControlPlane, tmp_path: Path) -> None:
    folder = tmp_path / "twin"
    folder.mkdir()
    with bindworld.world_of(server, folder, "slow-twin") as twin:
        one_slow(twin, "default-scheduler")
        one_slow(world, "kplan")
        with driver(server, twin.name, world.name, says="example.com/attached"):
            wait_for(lambda: all(twin.on().values()), what="the scheduler")
            assert world.apply() == 0
        assert world.became() == {"p": "bound"}
        [mine], [theirs] = claims(world).values(), claims(twin).values()
        for item, name in ((mine, world.name), (theirs, twin.name)):
            [result] = item["status"]["allocation"]["devices"]["results"]
            assert (result["pool"], result["bindingConditions"]) == (f"{name}-0", ["example.com/attached"])
            assert item["status"]["allocation"]["allocationTimestamp"]
            assert [user["name"] for user in item["status"]["reservedFor"]] == ["p"]


def test_a_pod_whose_devices_cannot_be_attached_is_not_bound(world: World, server: ControlPlane) -> None:
    one_slow(world, "kplan")
    with driver(server, world.name, says="example.com/failed"):
        assert world.apply() == 1
    [entry] = world.told()["pods"]
    assert (entry["code"], entry["text"]) == (
        "devices-failed", f"devices of claim {world.name}/slow could not be attached: example.com/failed",
    )  # fmt: skip
    [item] = claims(world).values()
    assert not item["status"].get("reservedFor")
    assert world.on() == {"p": ""}


def test_a_manifest_brings_the_template_that_its_claims_are_made_of(world: World) -> None:
    [node] = world.nodes(1)
    publish(world.server, node, "large", [0, 1, 1])
    claimed = {"spec": {"devices": {"requests": [request("r", f"{A}.numa == 1")]}}}
    container = {"name": "main", "image": "i", "resources": {"requests": {"cpu": "100m"}, "claims": [{"name": "gpu"}]}}
    entry = {"name": "gpu", "resourceClaimTemplateName": "each"}
    spec = {
        "schedulerName": "kplan", "nodeSelector": {"world": world.name}, "containers": [container],
        "resourceClaims": [entry],
    }  # fmt: skip
    template = {
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": {"name": "each"},
        "spec": claimed,
    }  # fmt: skip
    pods = [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec} for name in ("a", "b")]
    path = world.folder / "manifest.yaml"
    path.write_text(yaml.safe_dump_all([*pods, template]))
    words = ["-f", str(path), "-n", world.name, "--create", "--apply", "--yes", "-o", f"json={world.result}"]
    assert world.kplan(*words) == 0
    assert world.on() == {"a": node, "b": node}
    by_pod = {
        item["status"]["reservedFor"][0]["name"]: item["status"]["allocation"]["devices"]["results"][0]["device"]
        for item in claims(world).values()
    }
    assert by_pod == {"a": "gpu-1", "b": "gpu-2"}


@pytest.fixture(scope="module")
def counting() -> Iterator[ControlPlane]:
    """A server and a scheduler with the gate by which devices stand for resources of their node."""
    gates = {"DRANodeAllocatableResources": True}
    with bindworld.serving(CONTROLLERS, scheduler=True, feature_gates=gates) as running:
        for name, more in (("gpu", {}), ("served", {"extendedResourceName": RESOURCE})):
            running.post(f"{DRA}/deviceclasses", {"metadata": {"name": name}, "spec": more})
        yield running


def cores(world: World) -> None:
    """A node of five cores whose two devices are two of them each."""
    [node] = world.nodes(1, cpu="5")
    declared = {"status": {"declaredFeatures": ["DRANodeAllocatableResources"]}}
    world.server.patch(f"/api/v1/nodes/{node}/status", declared)
    takes = {"cpu": {"mapping": {"deviceMultiplier": "2"}}, "memory": {"overhead": {"perPod": "64Mi"}}}
    publish(world.server, node, "large", [0, 0], nodeAllocatableResources=takes)


def two_of_two_cores(world: World, scheduler: str) -> None:
    """Two pods with one such device each; no third would fit."""
    cores(world)
    path = f"{DRA}/namespaces/{world.name}/resourceclaims"
    for name in ("p-0", "p-1"):
        body = {"metadata": {"name": name}, "spec": {"devices": {"requests": [request("r")]}}}
        world.server.post(path, body)
        container = {
            "name": "main",
            "image": "i",
            "resources": {"requests": {"cpu": "100m"}, "claims": [{"name": "gpu"}]},
        }
        claimed = [{"name": "gpu", "resourceClaimName": name}]
        world.pod(name, "100m", resourceClaims=claimed, schedulerName=scheduler, containers=[container])


def test_both_write_what_devices_take_of_their_node(counting: ControlPlane, tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("mine", "twin")]
    for folder in folders:
        folder.mkdir()
    with (
        bindworld.world_of(counting, folders[0], "cores") as mine,
        bindworld.world_of(counting, folders[1], "cores-twin") as twin,
    ):
        two_of_two_cores(twin, "default-scheduler")
        wait_for(lambda: all(twin.on().values()), what="the scheduler")
        two_of_two_cores(mine, "kplan")
        assert mine.apply("--feature-gates", "DRANodeAllocatableResources=true") == 0
        assert mine.became() == {"p-0": "bound", "p-1": "bound"}
        mine.check_nothing_lost_or_doubled()
        field = "nodeAllocatableResourceClaimStatuses"
        for name in ("p-0", "p-1"):
            told = mine.get(name)["status"][field]
            assert told == twin.get(name)["status"][field]
            assert told == [{
                "resourceClaimName": name, "containers": ["main"], "mapping": [{"name": "cpu", "quantity": "2"}],
                "overhead": [{"name": "memory", "perPod": "64Mi"}],
            }]  # fmt: skip
        assert [item["status"]["allocation"]["devices"]["results"][0]["device"] for item in claims(mine).values()] == [
            item["status"]["allocation"]["devices"]["results"][0]["device"] for item in claims(twin).values()
        ]


def test_the_server_refuses_what_devices_take_for_an_extended_resource_before_anything_is_written(
    counting: ControlPlane, tmp_path: Path
) -> None:
    """It wants the claim named by the pod, and this one is not; so the scheduler, too, never binds such a pod."""
    with bindworld.world_of(counting, tmp_path, "served-cores") as world:
        cores(world)
        resources = {"requests": {"cpu": "100m", RESOURCE: "1"}, "limits": {RESOURCE: "1"}}
        world.pod(
            "p", "100m", schedulerName="kplan", containers=[{"name": "main", "image": "i", "resources": resources}]
        )
        assert world.apply("--feature-gates", "DRANodeAllocatableResources=true") == 1
        [entry] = world.told()["pods"]
        assert entry["code"] == "refused"
        assert "no mapping found in pod reference" in entry["text"]
        assert claims(world) == {}
        assert world.on() == {"p": ""}
