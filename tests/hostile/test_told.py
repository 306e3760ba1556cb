"""What is told after an attack on a cluster has gone wrong: the true cause, and all of the rights."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from kplan.cli.main import main
from tests.hostile.samples import node, pod

CORDON = {"unschedulable": True, "taints": [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]}
CLASS = {
    "apiVersion": "storage.k8s.io/v1",
    "kind": "StorageClass",
    "metadata": {"name": "wait"},
    "provisioner": "csi.example.com",
    "volumeBindingMode": "WaitForFirstConsumer",
}
CLAIM = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {
        "name": "data",
        "namespace": "d",
        "uid": "u",
        "annotations": {"volume.kubernetes.io/selected-node": "n0"},
    },
    "spec": {
        "storageClassName": "wait",
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
        "volumeMode": "Filesystem",
    },
    "status": {"phase": "Pending"},
}


def test_a_claim_given_to_a_cordoned_node_is_told_as_that(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    waits = pod("p", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}])
    file = tmp_path / "s.json"
    file.write_text(json.dumps([node("n0", spec=CORDON), node("n1"), CLASS, CLAIM, waits]))
    assert main(["explain", "pod", "p", "-n", "d", "--snapshot", str(file)]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "Because n0 is cordoned" in told
    assert "clear selected-node n0 of claim data -> n1 fits" in told
    assert "provisions no volume" not in told


def test_each_role_that_is_printed_comes_with_its_binding(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bind", "--print-rbac"]) == 0
    text = capsys.readouterr().out
    roles = [(role["kind"], role["metadata"].get("namespace", "")) for role in yaml.safe_load_all(text)]
    assert roles == [("ClusterRole", ""), ("Role", "kube-system")]
    bindings = [line.removeprefix("#   ") for line in text.splitlines() if line.startswith("#   kubectl create ")]
    assert bindings == [
        "kubectl create clusterrolebinding kplan-binder --clusterrole=kplan-binder --user=NAME",
        "kubectl create rolebinding kplan-binder --role=kplan-binder --user=NAME -n kube-system",
    ]
