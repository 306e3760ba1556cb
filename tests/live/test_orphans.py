"""What stands in the way of real controllers, or comes their way: foreign pods, orphans, quotas on what they make."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.live.controllers import Json, Watch, controllers_running, expanded, read_state, url_of, without_chance
from tests.live.controlplane import ControlPlane, wait_for

LABELS = {"a": "b"}
SPEC = {"schedulerName": "by-hand", "containers": [{"name": "c", "image": "example.invalid/m:1"}]}
TEMPLATE = {"metadata": {"labels": LABELS}, "spec": SPEC}


def pod(name: str, labels: dict[str, str]) -> Json:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels}, "spec": SPEC}


def quota(**hard: str) -> Json:
    spec = {"hard": {name.replace("__", "/").replace("_", "."): amount for name, amount in hard.items()}}
    return {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": spec}


def workload(kind: str, replicas: int, **more: object) -> Json:
    spec = {"replicas": replicas, "selector": {"matchLabels": LABELS}, "template": TEMPLATE, **more}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "web"}, "spec": spec}


PARALLEL = {"podManagementPolicy": "Parallel"}
ONCE = {"template": {"spec": {**SPEC, "restartPolicy": "Never"}}}

CASES: dict[str, tuple[list[Json], Json, list[str]]] = {
    "a-set-stops-at-a-foreign-pod": ([pod("web-0", {"x": "y"})], workload("StatefulSet", 3), []),
    "a-set-in-parallel-stops-after-a-batch": (
        [pod("web-1", {"x": "y"})], workload("StatefulSet", 6, **PARALLEL), ["web-0", "web-2"],
    ),
    "a-set-adopts-the-pod-of-its-name": (
        [pod("web-0", LABELS)], workload("StatefulSet", 2, **PARALLEL, updateStrategy={"type": "OnDelete"}), ["web-1"],
    ),
    "a-replica-set-adopts-any-pod": ([pod("alone", LABELS)], workload("ReplicaSet", 3), ["web-*"] * 2),
    "a-replica-set-leaves-pods-of-other-labels": ([pod("alone", {"a": "c"})], workload("ReplicaSet", 1), ["web-*"]),
    "a-quota-on-replica-sets": ([quota(count__replicasets_apps="0")], workload("Deployment", 2), []),
    "a-quota-on-replica-sets-with-room": ([quota(count__replicasets_apps="1")], workload("Deployment", 1), ["web-*"]),
    "a-quota-on-jobs": (
        [quota(count__jobs_batch="0")],
        {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "web"}, "spec": ONCE}, [],
    ),
    "a-quota-on-node-ports": (
        [quota(services_nodeports="1")],
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"},
         "spec": {"type": "NodePort", "ports": [{"name": "a", "port": 80}, {"name": "b", "port": 81}]}}, [],
    ),
    "a-quota-on-config-maps": (
        [quota(configmaps="1")], {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web"}}, [],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_as_the_controllers_do(name: str, outcomes: dict[str, tuple[list[str], str]], planned: dict[str, Json]) -> None:
    made, refused = outcomes[name]
    assert made == CASES[name][2]
    assert planned[name]["made"] == made
    assert refused in planned[name]["refused"] if refused else True


@pytest.fixture(scope="module")
def planned() -> dict[str, Json]:
    return {}


@pytest.fixture(scope="module")
def outcomes(
    planned: dict[str, Json], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, tuple[list[str], str]]]:
    """Names of the pods that were made in each namespace, and what the server said of the object."""
    folder = tmp_path_factory.mktemp("orphans")
    with controllers_running() as plane, Watch(plane) as watch:
        for name, (before, _, _) in CASES.items():
            plane.create_namespace(name)
            for item in before:
                plane.post(url_of(item, name), item)
        time.sleep(1)  # for their service accounts
        for name in CASES:
            at = f"/api/v1/namespaces/{name}/resourcequotas"
            wait_for(lambda at=at: all("used" in one.get("status", {}) for one in plane.get(at)["items"]), 30, what=at)
        said = {}
        for name, (_, item, _) in CASES.items():
            planned[name] = plan(plane, folder / f"{name}.yaml", name, item)
            status, answer = plane.request("POST", url_of(item, name), item)
            said[name] = "" if status < 300 else str(answer["message"])
        wait_for(lambda: watch.quiet_for() > 3, 60)
        yield {name: (made_in(watch, name), said[name]) for name in CASES}


def plan(plane: ControlPlane, path: Path, namespace: str, item: Json) -> Json:
    path.write_text(yaml.safe_dump(item))
    found = expanded(path, read_state(plane), namespace)
    names = sorted(short(one.pod.name) for one in found.pods)
    return {"made": names, "refused": " ".join(left.why for left in found.refused)}


def made_in(watch: Watch, namespace: str) -> list[str]:
    there = {item["metadata"]["name"] for item in CASES[namespace][0]}
    names = {one["metadata"]["name"] for one in watch.created(namespace)}
    return sorted(short(name) for name in names - there)


def short(name: str) -> str:
    return name if name.rpartition("-")[2].isdecimal() else without_chance(name).partition("-")[0] + "-*"
