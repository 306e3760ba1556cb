"""Every command on a cluster whose devices are all in use or half of them: answers follow the claims of pods."""

import json
from pathlib import Path
from typing import Any

import pytest

from kplan.cli.main import main

COMPLAINTS = Path(__file__).parents[2] / "fixtures" / "complaints"
OF_DEVICES = sorted(path for path in COMPLAINTS.glob("[5-7]*.yaml") if path.stem >= "54")


def pods_of(image: str = "x:1") -> dict[str, Any]:
    container = {"name": "main", "image": image, "resources": {"requests": {"cpu": "1"}, "claims": [{"name": "gpu"}]}}
    return {"containers": [container], "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "one"}]}


def workload(kind: str, name: str, replicas: int, image: str = "x:1", **spec: Any) -> dict[str, Any]:
    labels = {"app": name}
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name, "namespace": "ml", "uid": f"{kind}-{name}"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pods_of(image)},
            **spec,
        },
    }


def cluster(running: int) -> list[dict[str, Any]]:
    """Two nodes of four GPUs and one without; the pods of a StatefulSet, of which each has one."""
    one = {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu"}}]}}
    dra = "resource.k8s.io/v1"
    items: list[dict[str, Any]] = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ml"}},
        {"apiVersion": dra, "kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {}},
        {
            "apiVersion": dra,
            "kind": "ResourceClaimTemplate",
            "metadata": {"name": "one", "namespace": "ml"},
            "spec": {"spec": one},
        },
        workload("StatefulSet", "st", running),
    ]
    for name in ("a", "b", "c"):
        amounts = {"cpu": "16", "memory": "64Gi", "pods": "110"}
        labels = {"kubernetes.io/hostname": name}
        items.append(
            {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {"name": name, "labels": labels},
                "status": {"allocatable": amounts, "conditions": [{"type": "Ready", "status": "True"}]},
            }
        )
    for name in ("a", "b"):
        pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
        devices = [{"name": f"gpu-{number}"} for number in range(4)]
        spec = {"driver": "gpu.example.com", "nodeName": name, "pool": pool, "devices": devices}
        items.append({"apiVersion": dra, "kind": "ResourceSlice", "metadata": {"name": f"{name}-x"}, "spec": spec})
    for number in range(running):
        pod, at = f"st-{number}", "ab"[number % 2]
        owner = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "st", "uid": "StatefulSet-st"}
        labels = {"app": "st", "controller-revision-hash": "st-1"}
        items.append(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {
                    "name": pod,
                    "namespace": "ml",
                    "uid": pod,
                    "labels": labels,
                    "ownerReferences": [{**owner, "controller": True}],
                },
                "spec": {**pods_of(), "nodeName": at},
                "status": {
                    "phase": "Running",
                    "resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": f"{pod}-gpu-x"}],
                },
            }
        )
        result = {"request": "r", "driver": "gpu.example.com", "pool": at, "device": f"gpu-{number // 2}"}
        field = {"key": "metadata.name", "operator": "In", "values": [at]}
        owner = {"apiVersion": "v1", "kind": "Pod", "name": pod, "uid": pod}
        items.append(
            {
                "apiVersion": dra,
                "kind": "ResourceClaim",
                "metadata": {
                    "name": f"{pod}-gpu-x",
                    "namespace": "ml",
                    "uid": f"claim-{pod}",
                    "ownerReferences": [{**owner, "controller": True}],
                },
                "spec": one,
                "status": {
                    "allocation": {
                        "devices": {"results": [result]},
                        "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [field]}]},
                    },
                    "reservedFor": [{"resource": "pods", "name": pod, "uid": pod}],
                },
            }
        )
    return items


def write(path: Path, *items: dict[str, Any]) -> str:
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    return str(path)


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    main([*words, "-o", "json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize(
    ("running", "words", "sentence"),
    [
        (2, "simulate -f new", "6 of 8 pods are placed, 2 not, for 1 cause"),
        (2, "simulate -f new --delete sts/st", "all 8 pods are placed"),
        (2, "simulate -f new --add-node like=a", "all 8 pods are placed"),
        (2, "simulate -f new --remove-node b", "2 of 8 pods are placed, 6 not, for 1 cause"),
        (2, "capacity -f new", "ml/new: 6 of the 8 it asks for fit (0 run)"),
        (2, "capacity sts/st", "ml/st: 6 more replicas fit (2 run)"),
        (8, "capacity sts/st", "ml/st: no more replicas fit (8 run)"),
        (2, "fail a", "a is lost: its pod is placed again"),
        (8, "fail a", "a is lost: 0 of 4 pods placed again, 4 Pending (ml/st-0, +3)"),
        (2, "drain a", "a can be drained: 1 pod evicted, 1 placed again"),
        (
            8,
            "drain a",
            "a: 1 of its 4 pods would have nowhere to go, ml/st-0; 3 of its 4 pods are not made again, ml/st-2",
        ),
        (8, "simulate -f st", "the rollout of ml/st goes through: all 8 pods are replaced"),
        (8, "check -f new", "deploy/ml/new fails"),
    ],
)
def test_answers_follow_the_claims_of_pods(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], running: int, words: str, sentence: str
) -> None:
    files = {
        "new": write(tmp_path / "new.json", workload("Deployment", "new", 8)),
        "st": write(tmp_path / "st.json", workload("StatefulSet", "st", running, "x:2")),
    }
    command = [files.get(word, word) for word in words.split()]
    snapshot = write(tmp_path / "cluster.json", *cluster(running))
    found = asked(capsys, *command, "--snapshot", snapshot)
    assert found["sentence"] == sentence, found


def test_each_case_of_a_sweep_has_its_own_devices(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new = write(tmp_path / "new.json", workload("Deployment", "new", 1))
    snapshot = write(tmp_path / "cluster.json", *cluster(2))
    found = asked(capsys, "sweep", "-f", new, "--fail-each", "node", "-j", "1", "--snapshot", snapshot)
    assert [case["fits"] for case in found["outcomes"]] == [2, 2, 6]


def test_a_claim_of_a_pod_that_is_tried_goes_by_its_entry(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    snapshot = write(tmp_path / "cluster.json", *cluster(8))
    for words in (["capacity", "sts/st"], ["drain", "a"], ["fail", "a"]):
        text = asked(capsys, *words, "--snapshot", snapshot)["because"]["text"]
        assert "the claim of its entry gpu wants 1 of gpu: " in text


def codes(capsys: pytest.CaptureFixture[str], snapshot: str) -> list[tuple[str, str]]:
    """All codes and verdicts of an answer, in their order."""

    def within(item: Any) -> list[tuple[str, str]]:
        if isinstance(item, list):
            return [found for one in item for found in within(one)]
        if not isinstance(item, dict):
            return []
        own = [(key, str(item[key])) for key in ("code", "verdict", "feasible") if key in item]
        return [*own, *(found for one in item.values() for found in within(one))]

    return within(asked(capsys, "explain", "pod", "-A", "--snapshot", snapshot))


@pytest.mark.parametrize("path", OF_DEVICES, ids=lambda path: path.stem)
def test_under_false_names_the_cause_is_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], path: Path
) -> None:
    redacted = str(tmp_path / "redacted.json")
    assert main(["snapshot", redacted, "--snapshot", str(path), "--redact"]) == 0
    capsys.readouterr()
    assert codes(capsys, redacted) == codes(capsys, str(path))
