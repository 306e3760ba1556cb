"""What is refused is said once of each object: those that share a generateName, and kinds of pods of one object."""

import json
from pathlib import Path
from typing import Any

import pytest

from kplan.cli.main import main
from tests.cli.snapshots import node, pod, write

IT = "the API server refuses it"


def job(cpu: str = "", restart: str = "Never", **metadata: str) -> dict[str, Any]:
    container = {"name": "c", "image": "e/x:1", "resources": {"requests": {"cpu": cpu}} if cpu else {}}
    spec = {"template": {"spec": {"restartPolicy": restart, "containers": [container]}}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata or {"generateName": "mig-"}, "spec": spec}


def job_set(*classes: str) -> dict[str, Any]:
    """A set with two jobs of each class of priority, of one pod each."""
    replicated = []
    for number, name in enumerate(classes):
        spec = {"restartPolicy": "Never", "priorityClassName": name, "containers": [{"name": "c", "image": "e/x:1"}]}
        template = {"spec": {"parallelism": 1, "completions": 1, "template": {"spec": spec}}}
        replicated.append({"name": f"g{number}", "replicas": 2, "template": template})
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "set"},
        "spec": {"replicatedJobs": replicated},
    }


def rows(tmp_path: Path, capsys: pytest.CaptureFixture[str], *objects: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Object, change and result of each row of a check; held against the other formats: none says a thing twice."""
    (tmp_path / "m.json").write_text(json.dumps(list(objects)))
    words = ["check", str(tmp_path / "m.json"), "--snapshot", write(tmp_path, node("a"), pod("runs", on="a"))]
    for form in ("text", "wide", "markdown", "github", "junit", "sarif", "html", "json"):
        assert main([*words, "-o", form]) == 1
        out = " ".join(capsys.readouterr().out.split())
        assert f"{IT}; {IT}" not in out
    answer = json.loads(out)
    for row in answer["objects"]:
        phrases = row["result"].split("; ")
        assert len(set(phrases)) == len(phrases), row
    return [(row["object"], row["change"], row["result"]) for row in answer["objects"]]


def test_jobs_of_one_generate_name_are_refused_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = rows(tmp_path, capsys, job(restart="Always"), job(restart="Always"))
    assert (one[1:], other[1:]) == (("refused", IT), ("refused", IT))
    assert one[0] != other[0]  # each has a name of its own, as the server would give it
    assert one[0].startswith("Job default/mig-")
    assert other[0].startswith("Job default/mig-")


def test_jobs_of_one_generate_name_fare_each_for_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fails, lands = rows(tmp_path, capsys, job("90"), job("1"))
    assert (fails[1:], lands[1:]) == (("new, 1 pod", "its pod fits no node"), ("new, 1 pod", "placed: a"))


@pytest.mark.parametrize("kind", ["Pod", "Job", "Deployment", "StatefulSet", "ReplicaSet"])
def test_what_has_a_generate_name_alone_is_not_passed_unseen(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    large: dict[str, Any] = {"containers": [{"name": "c", "image": "e/x:1", "resources": {"requests": {"cpu": "90"}}}]}
    labels = {"a": "b"}
    spec: dict[str, Any] = {"template": {"metadata": {"labels": labels}, "spec": large}}
    if kind == "Job":
        large["restartPolicy"] = "Never"
    else:
        spec |= {"selector": {"matchLabels": labels}, "serviceName": "s"} if kind == "StatefulSet" else {}
        spec["selector"] = {"matchLabels": labels}
    group = {"Pod": "v1", "Job": "batch/v1"}.get(kind, "apps/v1")
    item = {"apiVersion": group, "kind": kind, "metadata": {"generateName": "x-"}}
    [(name, change, result)] = rows(tmp_path, capsys, item | {"spec": large if kind == "Pod" else spec})
    assert (change, result) == ("new, 1 pod", "its pod fits no node")
    assert name.rpartition("/")[2].startswith("x-")


def test_kinds_of_pods_that_are_refused_are_one_row_with_all_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = rows(tmp_path, capsys, job_set("nope", "neither"))
    assert told == [("jobset/default/set", "4 pods refused", "the API server refuses 4 pods of it")]


def test_a_kind_of_pods_that_is_refused_beside_one_that_is_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [(_, change, result)] = rows(tmp_path, capsys, job_set("nope", "system-cluster-critical", "neither"))
    assert (change, result) == ("new, 2 pods", "the API server refuses 4 pods of it")
