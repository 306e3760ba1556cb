"""A server may say anything, or what answers in its place: a run says so and ends; nothing is taken for a success."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kplan.cli.main import main
from tests.hostile.samples import DIGITS
from tests.hostile.test_secrets import secret_pod
from tests.hostile.test_secrets_bound import Bound
from tests.sources.fakeserver import Asked, FakeServer, Told, kubeconfig_for

PLACES = {
    "the version": "/version",
    "the cluster's identity": "/api/v1/namespaces/kube-system",
    "the nodes": "/api/v1/nodes",
    "the pods": "/api/v1/pods",
    "a node": "/api/v1/nodes/n0",
    "a pod": "/api/v1/namespaces/d/pods/one",
    "the lease": "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kplan",
    "a right": "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    "the budgets": "/apis/policy/v1/poddisruptionbudgets",
}
SAID: dict[str, Any] = {
    "a list": [1],
    "a text": "x",
    "nothing": None,
    "an empty map": {},
    "metadata that are a list": {"metadata": [1], "items": [], "status": {}},
    "a uid that is a number": {
        "metadata": {"uid": 7, "resourceVersion": 7},
        "items": 7,
        "status": [1],
        "gitVersion": 7,
    },
    "parts of the wrong types": {
        "metadata": {"uid": "u", "name": "one", "namespace": "d", "finalizers": 7, "annotations": [1]},
        "spec": [1],
        "status": {"allowed": "x", "conditions": 7},
        "items": [7, {"metadata": {"name": [1]}}],
    },
    "parts of parts of the wrong types": {
        "metadata": {"uid": "u-one", "name": "one", "namespace": "d"},
        "spec": {"containers": 7, "leaseDurationSeconds": "x", "holderIdentity": [1], "nodeName": {"a": 1}},
        "status": {"phase": [1], "allocatable": "x", "message": "a\x1b[31m\n::error::x"},
    },
    "nested deeply": msgspec.Raw(b"[" * 100_000),
    "nested deeply where it is not read": msgspec.Raw(b'{"metadata":{"uid":"u","x":' + b"[" * 100_000),
    "a number of 5,000 digits": {
        "metadata": {"uid": "u", "generation": DIGITS},
        "status": {"allowed": True, "x": DIGITS},
    },
}


@pytest.mark.parametrize("place", PLACES)
def test_no_answer_of_a_server_breaks_a_run(place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for case, said in SAID.items():
        bound, asked_for = Bound(secret_pod("one")), []

        def answers(
            asked: Asked, bound: Bound = bound, said: Any = said, asked_for: list[str] = asked_for
        ) -> Told | None:
            if asked.path == PLACES[place] and not asked.watches:
                asked_for.append(asked.method)
                return Told(200, said)
            return bound(asked)

        with FakeServer(answers) as server:
            journal = tmp_path / f"{case}.jsonl"
            words = ["bind", "-A", "--apply", "--yes", "--qps", "0", "--journal", str(journal)]
            code = main([*words, "--kubeconfig", kubeconfig_for(server.url, tmp_path), "-o", "json"])
        out, err = capsys.readouterr()
        assert code in (0, 1, 2, 5), (case, code, err)
        assert asked_for, case
        assert "\x1b" not in out + err
        assert not any(line.startswith("::") for line in (out + err).splitlines())
        if code == 0 and json.loads(out)["kind"] == "BindResult" and json.loads(out)["pods"]:
            assert bound.objects["/api/v1/namespaces/d/pods/one"]["spec"].get("nodeName"), case
