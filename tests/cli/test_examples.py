"""Every example in a command's help can be run as it stands there, in a folder that has the files it names."""

import io
import os
import shutil
import sys
from pathlib import Path

import pytest
import yaml

import kplan
from kplan.cli.examples import EXAMPLES
from kplan.cli.main import main

DEMO = str(Path(kplan.__file__).parent / "data" / "demo.yaml")
APP = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: app}
spec:
  replicas: 1
  selector: {matchLabels: {app: app}}
  template:
    metadata: {labels: {app: app}}
    spec:
      containers: [{name: c, image: "example.invalid/c:1", resources: {requests: {cpu: 100m, memory: 64Mi}}}]
"""
SWEEP = {"apiVersion": "kplan.dev/v1", "kind": "Sweep", "axes": [{"drain": ["node-a"]}]}
SCHEDULER = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
LINES = [line for lines in EXAMPLES.values() for line, _ in lines]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that examples name."""
    (tmp_path / "deploy").mkdir()
    for name in ("deploy.yaml", "app.yaml", "deploy/app.yaml"):
        (tmp_path / name).write_text(APP)
    (tmp_path / "scenarios.yaml").write_text(yaml.safe_dump(SWEEP))
    (tmp_path / "scheduler.yaml").write_text(yaml.safe_dump(SCHEDULER))
    for name in ("before.json.gz", "after.json.gz", "cluster.json.gz"):
        shutil.copy(DEMO, tmp_path / "demo.yaml")
        assert main(["snapshot", str(tmp_path / name), "--snapshot", str(tmp_path / "demo.yaml")]) == 0
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(APP.encode())))
    return tmp_path


@pytest.mark.parametrize("line", LINES)
def test_an_example_runs(line: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = line.rpartition(" | ")[2].split()[1:]
    if "--snapshot" not in words and ".json.gz" not in " ".join(words[:2] if words[0] == "diff" else ()):
        words += ["--snapshot", str(folder / "demo.yaml")]
    capsys.readouterr()
    code = main(words)
    told = capsys.readouterr()
    if "--every" in words:
        # a file does not change; tests/live/test_every.py runs it beside a server
        assert (code, "is a file, and does not change" in told.err) == (2, True)
        return
    assert code in (0, 1, 3, 4), told.err
    assert told.out or any(Path(word).exists() for word in words if os.sep in word or "." in word)
