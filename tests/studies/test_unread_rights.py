"""A right that is missing is a doubt wherever it could change the verdict; part two of the faults, line 5."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kplan.cli.main import main
from kplan.objects.kinds import KINDS
from kplan.sources.live.lists import path_of
from tests.builders import node, pod
from tests.sources.fakeserver import FakeServer, Told, kubeconfig_for, lists_of

BY_NAME = {kind.name: kind for kind in KINDS}
PLAIN = {"containers": [{"name": "c", "image": "i"}]}
CLAIM = {**PLAIN, "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]}
CASES = {
    "quotas": ("ResourceQuota", PLAIN, "no-resourcequotas", "no access to resourcequotas: what a quota would refuse"),
    "limits": ("LimitRange", PLAIN, "no-limitranges", "no access to limitranges: what they would add or refuse"),
    "a priority": (
        "PriorityClass",
        {**PLAIN, "priorityClassName": "gold"},
        "no-priorityclasses",
        "cannot be resolved",
    ),
    "a runtime": ("RuntimeClass", {**PLAIN, "runtimeClassName": "kata"}, "no-runtimeclasses", "their overhead"),
    "pods": ("Pod", PLAIN, "no-pods", "no access to pods: every node counts as empty"),
    "nodes": ("Node", PLAIN, "no-nodes", "no access to nodes: there is nothing to schedule onto"),
    "claims": (
        "PersistentVolumeClaim",
        CLAIM,
        "no-persistentvolumeclaims",
        "a pod with a claim is refused everywhere",
    ),
}


def doubts_of(
    without: str, spec: dict[str, object], folder: Path, capsys: pytest.CaptureFixture[str], command: str
) -> dict[str, str]:
    """What is doubted of a manifest where one kind may not be read."""
    manifest = folder / "pod.json"
    manifest.write_text(json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "new"}, "spec": spec}))
    answers = lists_of(node("a"), pod("run", node="a"))
    for path in [path for path in answers if path == path_of(BY_NAME[without])]:
        answers[path] = Told(403, {"kind": "Status", "message": "forbidden"})
    with FakeServer(lambda asked: answers.get(asked.path)) as running:
        words = [command, str(manifest), "--kubeconfig", kubeconfig_for(running.url, folder), "-o", "json"]
        assert main(words) != 70
    told = json.loads(capsys.readouterr().out)["doubts"]
    return {doubt["code"]: doubt["text"] for doubt in told}


@pytest.mark.parametrize("command", ["simulate", "check"])
@pytest.mark.parametrize("case", CASES)
def test_what_could_not_be_read_is_a_doubt(
    case: str, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kind, spec, code, text = CASES[case]
    assert text in doubts_of(kind, spec, tmp_path, capsys, command)[code]


@pytest.mark.parametrize("kind", ["PriorityClass", "RuntimeClass", "StorageClass", "Deployment"])
def test_what_no_pod_of_the_manifests_names_is_none(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = {**PLAIN, "priorityClassName": "system-node-critical"}
    assert not any(code.startswith("no-") for code in doubts_of(kind, spec, tmp_path, capsys, "simulate"))


@pytest.mark.parametrize(
    ("kind", "words", "told"),
    [
        ("Node", ["drain", "a"], "no node a\nhint: no access to nodes: there is nothing to schedule onto"),
        ("Pod", ["explain", "pod", "run"], "no pod run\nhint: no access to pods: every node counts as empty"),
        ("Deployment", ["nodes", "--scale", "deploy/web=3"], "no Deployment web here\nhint: no access to deployments"),
    ],
)
def test_what_may_not_be_read_is_not_what_is_not_there(
    kind: str, words: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = lists_of(node("a"), pod("run", node="a"))
    answers[path_of(BY_NAME[kind])] = Told(403, {"kind": "Status", "message": "forbidden"})
    with FakeServer(lambda asked: answers.get(asked.path)) as running:
        assert main([*words, "--kubeconfig", kubeconfig_for(running.url, tmp_path)]) == 2
    assert told in capsys.readouterr().err
