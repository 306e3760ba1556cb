"""Quotas let in as many pods as a real API server does, and refuse the rest in its words (1.37.2)."""

from typing import Any

import pytest

from kplan.admission import Expansion
from kplan.objects.models import Object
from tests.admission.manifests import deployment, expand_text
from tests.builders import make, pod


def quota(hard: dict[str, str], **spec: Any) -> Object:
    zero = dict.fromkeys(hard, "0")
    status = {"hard": hard, "used": {**zero, **spec.pop("used", {})}}
    return make("ResourceQuota", "quota", namespace="default", spec={"hard": hard, **spec}, status=status)


def web(resources: str, count: int = 4) -> str:
    return deployment(count).replace("image: a", f"image: a, resources: {resources}")


@pytest.mark.parametrize(
    ("resources", "item", "let_in", "message"),
    [
        pytest.param(
            "{}", quota({"pods": "2"}), 2,
            "exceeded quota: quota, requested: pods=1, used: pods=2, limited: pods=2", id="pods",
        ),
        pytest.param(
            "{}", quota({"pods": "2"}, used={"pods": "1"}), 1,
            "exceeded quota: quota, requested: pods=1, used: pods=2, limited: pods=2", id="some are used",
        ),
        pytest.param(
            "{requests: {cpu: 400m}, limits: {cpu: 1, memory: 512Mi}}",
            quota({"requests.cpu": "1", "limits.memory": "2Gi"}), 2,
            "exceeded quota: quota, requested: requests.cpu=400m, used: requests.cpu=800m, limited: requests.cpu=1",
            id="requests",
        ),
        pytest.param("{}", quota({"cpu": "1"}), 0, "failed quota: quota: must specify cpu for: main", id="none given"),
        pytest.param(
            "{limits: {example.com/gpu: 1}}", quota({"requests.example.com/gpu": "2"}), 2,
            "exceeded quota: quota, requested: requests.example.com/gpu=1, used: requests.example.com/gpu=2, "
            "limited: requests.example.com/gpu=2",
            id="an extended resource",
        ),
        pytest.param(
            "{requests: {memory: 400Mi}}", quota({"requests.memory": "1G"}, scopes=["NotTerminating"]), 2,
            "exceeded quota: quota, requested: requests.memory=400Mi, used: requests.memory=800Mi, "
            "limited: requests.memory=1G",
            id="in its scope, amounts as they were written",
        ),
        pytest.param("{requests: {cpu: 1}}", quota({"pods": "1"}, scopes=["BestEffort"]), 4, "", id="not best effort"),
        pytest.param(
            "{}", quota({"pods": "1"}, scopes=["BestEffort"]), 1,
            "exceeded quota: quota, requested: pods=1, used: pods=1, limited: pods=1", id="best effort",
        ),
        pytest.param(
            "{}",
            quota({"pods": "1"}, scopeSelector={"matchExpressions": [
                {"scopeName": "PriorityClass", "operator": "In", "values": ["high"]}]}), 4, "",
            id="for another priority class",
        ),
    ],
)  # fmt: skip
def test_pods(resources: str, item: Object, let_in: int, message: str) -> None:
    found = expand_text(web(resources), item)
    assert len(found.pods) == let_in
    assert [line.why.partition(" is forbidden: ")[2] for line in found.refused] == ([message] if message else [])
    if message and let_in < 4:
        assert f'{4 - let_in} of 4 pods: pods "web-' in found.refused[0].why


def test_a_quota_says_what_it_would_count() -> None:
    found = expand_text(web("{requests: {cpu: 400m}}"), quota({"requests.cpu": "1", "services": "5"}))
    (use,) = found.quotas
    assert [(r.resource, r.used, r.added, r.hard) for r in use.resources] == [
        ("requests.cpu", "0", "800m", "1"),
        ("services", "0", "0", "5"),
    ]
    assert use.refused == 2


def test_a_quota_without_a_status_counts_what_is_there() -> None:
    item = make("ResourceQuota", "quota", namespace="default", spec={"hard": {"pods": "3"}})
    running, done = pod("a", node="n"), pod("b", node="n", status={"phase": "Succeeded"})
    found = expand_text(web("{}"), item, running, done)
    assert len(found.pods) == 2


CLAIM = """
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: NAME}
spec: {accessModes: [ReadWriteOnce], storageClassName: fast, resources: {requests: {storage: 3Gi}}}
"""


def _claims(hard: dict[str, str]) -> Expansion:
    return expand_text("---".join(CLAIM.replace("NAME", name) for name in "ab"), quota(hard))


@pytest.mark.parametrize(
    ("hard", "let_in"),
    [
        pytest.param({"persistentvolumeclaims": "1"}, 1, id="number"),
        pytest.param({"requests.storage": "5Gi"}, 1, id="storage"),
        pytest.param({"fast.storageclass.storage.k8s.io/requests.storage": "1Gi"}, 0, id="storage of the class"),
        pytest.param({"slow.storageclass.storage.k8s.io/requests.storage": "1Gi"}, 2, id="of another class"),
    ],
)
def test_claims(hard: dict[str, str], let_in: int) -> None:
    found = _claims(hard)
    assert (len(found.objects), len(found.refused)) == (let_in, 2 - let_in)
