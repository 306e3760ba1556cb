"""Manifests land: their pods are tried after those that wait, nothing is dropped silently."""

import json
from pathlib import Path

import pytest

from kplan.cli.main import main
from tests.cli.snapshots import node, pod, write

MANIFEST = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: main, image: web, resources: {requests: {cpu: "1"}}}]
---
apiVersion: example.com/v1
kind: Gadget
metadata: {name: odd, namespace: default}
"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    manifest = tmp_path / "web.yaml"
    manifest.write_text(MANIFEST)
    snapshot = write(tmp_path, node("n-1", cpu="2"), pod("waits", cpu="1"))
    return snapshot, str(manifest)


def plan(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, object]]:
    code = main(["simulate", "-o", "json", *words])
    answer: dict[str, object] = json.loads(capsys.readouterr().out)
    return code, answer


def test_what_waits_is_tried_first(capsys: pytest.CaptureFixture[str], files: tuple[str, str]) -> None:
    snapshot, manifest = files
    code, answer = plan(capsys, manifest, "--snapshot", snapshot)
    steps = answer["steps"]
    assert isinstance(steps, list)
    assert [step["owner"] for step in steps] == ["pod/default/waits", "deploy/default/web", "deploy/default/web"]
    assert [step["result"] for step in steps] == ["placed", "placed", "pending"]
    assert (code, answer["verdict"]) == (1, "PARTLY")


def test_the_queue_can_be_left_out(capsys: pytest.CaptureFixture[str], files: tuple[str, str]) -> None:
    snapshot, manifest = files
    code, answer = plan(capsys, "-f", manifest, "--queue", "manifests", "--snapshot", snapshot)
    assert (code, answer["verdict"]) == (0, "FITS")
    assert answer["totals"] == {"pods": 2, "placed": 2, "notPlaced": 0, "gated": 0}


def test_what_is_not_expanded_is_listed(capsys: pytest.CaptureFixture[str], files: tuple[str, str]) -> None:
    snapshot, manifest = files
    _, answer = plan(capsys, manifest, "--snapshot", snapshot)
    change = answer["change"]
    assert isinstance(change, list)
    assert [(entry["object"].split()[0], entry.get("expanded", True)) for entry in change] == [
        ("deploy/default/web", True),
        ("Gadget", False),
    ]
