"""Work has bounds that no real cluster reaches, and they are told: what is absurd is refused at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kplan.cli.main import main
from kplan.visible import brief
from tests.hostile.samples import node, of, pod, workload

DEMO = str(Path(__file__).parents[2] / "kplan" / "data" / "demo.yaml")
MOST = 2**31 - 1
ONCE = {"restartPolicy": "Never", "containers": [{"name": "c", "image": "x"}]}


def jobs(**spec: Any) -> bytes:
    value = json.loads(workload("Job", template={"spec": ONCE}, parallelism=MOST, completions=MOST, **spec))
    del value["spec"]["selector"]
    return json.dumps(value).encode()


WORKLOADS = {
    "a Deployment": workload("Deployment", replicas=MOST),
    "a ReplicaSet": workload("ReplicaSet", replicas=MOST),
    "a StatefulSet": workload("StatefulSet", replicas=MOST, serviceName="x"),
    "a Job": jobs(),
    "an indexed Job": jobs(completionMode="Indexed"),
}


@pytest.mark.parametrize("command", ["simulate", "capacity", "check"])
@pytest.mark.parametrize("case", WORKLOADS)
def test_pods_of_manifests(case: str, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "m.json"
    file.write_bytes(WORKLOADS[case])
    assert main([command, str(file), "--snapshot", DEMO]) != 70
    told = " ".join("".join(capsys.readouterr()).split())
    assert "20,000 is the most that kplan makes" in told or "completions" in told


def test_replicas_of_a_flag(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nodes", "--scale", "deploy/shop/web=20001", "--snapshot", DEMO]) == 2
    assert "20,000 replicas are the most that kplan makes" in capsys.readouterr().err


def container(**more: Any) -> dict[str, Any]:
    return {"name": "c", "image": "x", **more}


OBJECTS = {
    "containers": (pod("p", containers=[container()] * 501), "501 elements, and 500 is the most that kplan reads"),
    "volumes": (pod("p", volumes=[{"name": "v"}] * 501), "501 elements"),
    "spread constraints": (pod("p", topologySpreadConstraints=[{"maxSkew": 1}] * 101), "101 elements"),
    "ports": (
        pod("p", containers=[container(ports=[{"containerPort": 1}] * 2001)]),
        "spec.containers[0].ports: 2,001 elements",
    ),
    "requests": (
        pod("p", containers=[container(resources={"requests": {f"x/r{i}": 1 for i in range(501)}})]),
        "spec.containers[0].resources.requests: 501 keys",
    ),
    "containers of a template": (
        {**json.loads(workload("Deployment", replicas=1)), "spec": {"template": {"spec": {"containers": [{}] * 501}}}},
        "spec.template.spec.containers: 501 elements",
    ),
    "resources of a node": (
        node("n3", status={"allocatable": {f"x/r{i}": 1 for i in range(501)}}),
        "status.allocatable: 501 keys",
    ),
    "taints": (
        node("n3", spec={"taints": [{"key": "a", "effect": "NoSchedule"}] * 2001}),
        "spec.taints: 2,001 elements",
    ),
    "labels": (
        node("n3", metadata={"name": "n3", "labels": {f"k{i}": "v" for i in range(20_001)}}),
        "metadata.labels: 20,001 keys",
    ),
    "a name": (pod("p" * 1001), "metadata.name: 1,001 characters"),
    "a label": (
        node("n3", metadata={"name": "n3", "labels": {"k": "v" * 10_001}}),
        "metadata.labels.k: 10,001 characters",
    ),
}


@pytest.mark.parametrize("case", OBJECTS)
def test_what_one_object_holds(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    item, told = OBJECTS[case]
    file = tmp_path / "s.json"
    file.write_bytes(of(item))
    assert main(["nodes", "--snapshot", str(file)]) == 0
    err = capsys.readouterr().err
    assert told in err
    assert "is left out" in err
    assert max(map(len, err.splitlines())) < 2_000  # the note itself is not as long as what it is about


def test_an_object_of_many_megabytes_is_left_out_before_it_is_decoded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "s.json"
    file.write_bytes(of(pod("p", containers=[container()] * 300_000), pod("q")))
    assert main(["nodes", "--snapshot", str(file)]) == 0
    told = "and 8,388,608 is the most that kplan reads; Pod d/p is left out"
    assert told in capsys.readouterr().err


def test_elements_of_lists_that_are_none_of_kubernetes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "s.json"
    file.write_bytes(of(*[{"ab": "cd"}] * 20_001))
    assert main(["nodes", "--snapshot", str(file)]) == 2
    assert "more than 20,000 elements of its lists are not Kubernetes objects" in capsys.readouterr().err


@pytest.mark.parametrize("text", [b'[{"a":[' + b"1," * 8_000_000 + b"1]}]", b"a: [" + b"b," * 8_000_000 + b"b]"])
def test_values_of_a_file(text: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "f"
    file.write_bytes(text)
    assert main(["nodes", "--snapshot", str(file)]) == 2
    told = capsys.readouterr().err
    assert "more than 4,000,00" in told
    assert "values, the most that kplan reads from a file of 16,000,0" in told


def test_keys_of_a_map(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "f"
    file.write_text("kind: X\ndata:\n" + "".join(f"  k{number}: a value of some length\n" for number in range(300_000)))
    assert main(["nodes", "--snapshot", str(file)]) == 2
    assert f"{file}:100003:12: a map of more than 100,000 keys" in capsys.readouterr().err


def test_a_manifest_is_no_dump(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text(
            f"apiVersion: v1\nkind: X\nmetadata: {{name: n}}\n# {'x' * (13 << 20)}\n"
        )
    assert main(["simulate", str(tmp_path), "--snapshot", DEMO]) == 2
    assert "b.yaml: more than 25 MiB of manifests, the most that kplan reads" in capsys.readouterr().err
    assert main(["nodes", "--snapshot", str(tmp_path)]) == 0


@pytest.mark.parametrize("text", ["--- {}\n" * 300_000, "{}\n" * 100_000], ids=["YAML", "JSON"])
def test_documents_that_are_none_of_kubernetes(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "f"
    file.write_text(text)
    assert main(["nodes", "--snapshot", str(file)]) == 2
    assert "more than 1,000 documents in it are not Kubernetes objects" in capsys.readouterr().err


def test_a_word_without_an_end_is_cut_where_people_read_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert brief("a " + "b" * 5000 + " c") == "a " + "b" * 200 + "...(+4,800 characters) c"
    assert brief("a, " * 5000) == "a, " * 5000
    file = tmp_path / "s.json"
    told = {"type": "Ready", "status": "False", "reason": "x", "message": "m" * 2_000_000}
    file.write_bytes(of(node("n3", status={"allocatable": {"cpu": "1"}, "conditions": [told]})))
    assert main(["explain", "node", "n3", "--snapshot", str(file)]) in (0, 1)
    assert len(capsys.readouterr().out) < 20_000
