"""What is looked up of a state for each object of manifests: it is worked out once, not for each of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kplan.admission.policies import held
from kplan.errors import SourceError
from kplan.objects.requests import RequestRules
from kplan.objects.state import ClusterState
from kplan.sources import load
from kplan.studies.simulate.landing import land_objects, read_manifests
from tests.hostile.compact import a_node, a_pod

MANY = 12


def files(folder: Path) -> tuple[str, str]:
    """A dump of nodes and pods alone, and manifests of the Deployments that these tell of."""
    items: list[Any] = [a_node(0)]
    deployments = []
    for number in range(MANY):
        labels = {"app": f"w{number}", "pod-template-hash": "5f6c"}
        one = a_pod(number, {"cpu": "10m"})
        owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": f"w{number}-5f6c", "uid": f"u{number}"}
        one["metadata"] |= {"labels": labels, "ownerReferences": [owner | {"controller": True}]}
        one["spec"]["nodeName"] = "n-0"
        items.append(one)
        spec = {
            "replicas": 1,
            "selector": {"matchLabels": {"app": f"w{number}"}},
            "template": {
                "metadata": {"labels": {"app": f"w{number}"}},
                "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "10m"}}}]},
            },
        }
        metadata = {"name": f"w{number}", "namespace": "d"}
        deployments.append({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec})
    there, lands = folder / "there.json", folder / "lands.json"
    there.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    lands.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": deployments}))
    return str(there), str(lands)


def test_pods_are_looked_through_once_for_all_workloads_that_they_tell_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, lands = files(tmp_path)
    made: list[int] = []
    index = ClusterState.pods_by_controller.func  # type: ignore[attr-defined]
    monkeypatch.setattr(ClusterState.pods_by_controller, "func", lambda state: (made.append(1), index(state))[1])
    landed = land_objects(load(there), read_manifests([lands]), RequestRules())
    assert len(made) == 1
    assert len(landed.state.deployments) == MANY, "each runs, as its pods tell"


def test_a_pod_is_found_by_its_controller_and_by_the_deployment_of_its_set(tmp_path: Path) -> None:
    state = load(files(tmp_path)[0])
    by = {key: [pod.name for pod, _ in some] for key, some in state.pods_by_controller.items()}
    assert by["d", "ReplicaSet", "w3-5f6c"] == by["d", "Deployment", "w3"] == ["p-3"]
    assert ("d", "Deployment", "w3-5f6c") not in by
    assert state.owned_names["d", "ReplicaSet", "w3-5f6c"] == (("Pod", "p-3"),)


def test_other_tables_leave_what_is_known_of_pods() -> None:
    state = ClusterState()
    known = state.pods_by_controller
    assert state.with_tables(deployments=()).pods_by_controller is known


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("ResourceQuota", {"hard": {"pods": "1000000"}}),
        ("LimitRange", {"limits": [{"type": "Container", "max": {"cpu": "9"}}]}),
    ],
)
def test_objects_are_held_against_so_many_policies_and_no_more(
    kind: str, spec: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held, "MOST_HELD", 2_000)
    monkeypatch.setattr(held, "FEW", 20)
    there, lands = files(tmp_path)
    for number in range(MANY):  # no pod tells of them: each is new
        Path(lands).write_text(Path(lands).read_text().replace(f'"w{number}"', f'"new-{number}"'))
    policies = [
        {"apiVersion": "v1", "kind": kind, "metadata": {"name": f"q{number}", "namespace": "d"}, "spec": spec}
        for number in range(300)
    ]
    few, many = tmp_path / "few.json", tmp_path / "many.json"
    few.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": policies[:20]}))
    many.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": policies}))
    assert land_objects(load(there), read_manifests([str(few), lands]), RequestRules())
    with pytest.raises(SourceError, match=f"300 {kind}s in namespace d: too many objects would be held against each"):
        land_objects(load(there), read_manifests([str(many), lands]), RequestRules())
