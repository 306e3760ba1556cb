"""What may not be changed in an object that runs, the real API server and kplan refuse for the same fields.

Each object is made and changed by a strategic patch, as by ``kubectl apply``; kplan gets it as it would be written.
"""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.live.controllers import Json, controllers_running, expanded, read_state, url_of
from tests.live.controlplane import ControlPlane

CONTAINERS = [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "100m"}, "limits": {"cpu": "1"}}}]
LABELS = {"a": "b"}
TEMPLATE = {"metadata": {"labels": LABELS}, "spec": {"containers": CONTAINERS}}
SELECTOR = {"matchLabels": LABELS}
CLAIM = {
    "metadata": {"name": "d"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
}
ONCE = {"spec": {"restartPolicy": "Never", "containers": CONTAINERS}}

OBJECTS: dict[str, tuple[str, Json]] = {
    "Deployment": ("apps/v1", {"replicas": 1, "selector": SELECTOR, "template": TEMPLATE}),
    "DaemonSet": ("apps/v1", {"selector": SELECTOR, "template": TEMPLATE}),
    "ReplicaSet": ("apps/v1", {"replicas": 1, "selector": SELECTOR, "template": TEMPLATE}),
    "StatefulSet": (
        "apps/v1",
        {
            "replicas": 1,
            "serviceName": "s",
            "selector": SELECTOR,
            "template": TEMPLATE,
            "volumeClaimTemplates": [CLAIM],
        },
    ),
    "Job": ("batch/v1", {"parallelism": 1, "completions": 2, "template": ONCE}),
    "Pod": ("v1", {"containers": CONTAINERS, "nodeSelector": {"pool": "one"}}),
}

OTHER = {"selector": {"matchLabels": {"a": "c"}}, "template": {"metadata": {"labels": {"a": "c"}}}}
LARGER = {**CLAIM, "spec": {**CLAIM["spec"], "resources": {"requests": {"storage": "2Gi"}}}}  # type: ignore[dict-item]
MORE_CPU = [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "200m"}}}]


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        pytest.param("Deployment", {"replicas": 2}, id="a Deployment: replicas"),
        pytest.param("Deployment", OTHER, id="a Deployment: selector"),
        pytest.param("DaemonSet", OTHER, id="a DaemonSet: selector"),
        pytest.param("ReplicaSet", OTHER, id="a ReplicaSet: selector"),
        pytest.param("StatefulSet", {"replicas": 3, "minReadySeconds": 3}, id="a StatefulSet: replicas"),
        pytest.param("StatefulSet", {"serviceName": "other"}, id="a StatefulSet: service"),
        pytest.param("StatefulSet", {"podManagementPolicy": "Parallel"}, id="a StatefulSet: policy"),
        pytest.param("StatefulSet", {"volumeClaimTemplates": [LARGER]}, id="a StatefulSet: claims"),
        pytest.param("Job", {"parallelism": 2}, id="a Job: parallelism"),
        pytest.param("Job", {"completions": 3}, id="a Job: completions"),
        pytest.param("Job", {"template": {"spec": {"containers": MORE_CPU}}}, id="a Job: template"),
        pytest.param("Pod", {"containers": [{"name": "c", "image": "other"}]}, id="a Pod: image"),
        pytest.param("Pod", {"containers": MORE_CPU}, id="a Pod: request"),
        pytest.param("Pod", {"nodeSelector": {"pool": "two"}}, id="a Pod: selector"),
    ],
)
def test_the_same_fields_are_refused(kind: str, change: Json, plane: ControlPlane, tmp_path: Path) -> None:
    version, spec = OBJECTS[kind]
    item = {"apiVersion": version, "kind": kind, "metadata": {"name": "x"}, "spec": spec}
    url = url_of(item, "default")
    status, _ = plane.request("GET", f"{url}/x")
    if status == 404:
        plane.post(url, item)
    state = read_state(plane)
    status, answer = plane.request(
        "PATCH",
        f"{url}/x",
        json.dumps({"spec": change}),
        query={"dryRun": "All"},
        content_type="application/strategic-merge-patch+json",
    )
    written = tmp_path / "x.yaml"
    written.write_text(yaml.safe_dump({**item, "spec": merged(copy.deepcopy(spec), change)}))
    told = [one for left in expanded(written, state, "default").refused for one in left.problems]
    causes = answer["details"]["causes"] if status == 422 else []
    assert status in (200, 422), answer
    assert sorted(one.path for one in told) == sorted(cause["field"] for cause in causes)
    for one in told:
        said = next(cause["message"] for cause in causes if cause["field"] == one.path)
        assert said.startswith(one.text.partition(":")[0])
        assert one.text.rpartition(": ")[2] in said


def merged(into: Any, change: Any) -> Any:
    """Merge maps as a patch does, lists of containers by their one name."""
    if not isinstance(into, dict) or not isinstance(change, dict):
        return change
    for key, value in change.items():
        into[key] = merged(into.get(key), value)
    return into


@pytest.fixture(scope="module")
def plane() -> Iterator[ControlPlane]:
    with controllers_running() as running:
        running.add_node("node-1", cpu="64")
        yield running
