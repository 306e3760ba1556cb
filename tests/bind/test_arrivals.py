"""Pods that controllers make: whose they are, which planned pod each stands for, and which never come."""

from typing import Any

import pytest

from kplan.bind.plan.fields import changed, planned_fields
from kplan.bind.run.arrivals import Arrivals, as_real
from kplan.bind.wire.client import Reply
from kplan.objects.models import Pod
from kplan.result.document_bind import BindClaim, BindPod
from tests.bind.fakes import FakeClient, answer
from tests.builders import pod

HASH = "pod-template-hash"


def planned(name: str, owner: str, slot: str = "", result: str = "bind", after: str = "") -> BindPod:
    return BindPod(pod=f"shop/{name}", result=result, owner=owner, slot=slot, after=after)


def real(name: str, kind: str, uid: str, owner: str = "web", **metadata: Any) -> Pod:
    reference = {"apiVersion": "apps/v1", "kind": kind, "name": owner, "uid": uid, "controller": True}
    return pod(name, namespace="shop", metadata={"uid": f"uid of {name}", "ownerReferences": [reference], **metadata})


def replica_sets(*request: Any) -> Reply:
    """A server with the ReplicaSet web-1, which is that of the Deployment with the uid d1."""
    if request[1].endswith("/replicasets/web-1"):
        return answer(200, {"metadata": {"ownerReferences": [{"kind": "Deployment", "uid": "d1", "controller": True}]}})
    if request[1] == "/apis/apps/v1/namespaces/shop/deployments/web":
        message = 'pods "web-1-x" is forbidden: exceeded quota: small'
        return answer(200, {"status": {"conditions": [{"type": "ReplicaFailure", "message": message}]}})
    return answer(404)


def arrivals(*pods: BindPod, clock: list[float] | None = None) -> Arrivals:
    now = clock or [0.0]
    return Arrivals(FakeClient(replica_sets), pods, clock=lambda: now[0])


def test_pods_of_a_deployment_come_over_its_replica_set_and_any_planned_one_is_theirs() -> None:
    found = arrivals(planned("a", "deploy/shop/web"), planned("b", "deploy/shop/web"))
    found.made("deploy/shop/web", "d1", "/apis/apps/v1/namespaces/shop/deployments/web")
    assert found.match(real("web-1-x", "ReplicaSet", "r1", owner="web-1")) == planned("a", "deploy/shop/web")
    assert found.match(real("web-1-x", "ReplicaSet", "r1", owner="web-1")) is None  # seen before
    assert found.match(real("web-1-y", "ReplicaSet", "r1", owner="web-1")) == planned("b", "deploy/shop/web")
    assert found.match(real("web-1-z", "ReplicaSet", "r1", owner="web-1")) is None
    assert found.more == {"deploy/shop/web": 1}
    assert found.awaited == []


def test_pods_of_others_are_nobodys() -> None:
    found = arrivals(planned("a", "deploy/shop/web"))
    found.made("deploy/shop/web", "d1", "")
    assert found.match(real("other-x", "ReplicaSet", "r9", owner="other")) is None
    assert found.match(real("sum-x", "Job", "j9", owner="sum")) is None
    assert found.match(pod("bare", namespace="shop")) is None
    assert found.more == {}


@pytest.mark.parametrize(
    ("owner", "uid", "one", "slot"),
    [
        ("sts/shop/db", "s1", real("db-1", "StatefulSet", "s1", owner="db"), "db-1"),
        (
            "job/shop/sum", "j1",
            real("sum-1-x", "Job", "j1", owner="sum", labels={"batch.kubernetes.io/job-completion-index": "1"}), "1",
        ),
    ],
    ids=["ordinal", "index"],
)  # fmt: skip
def test_pods_that_are_not_equal_are_matched_by_what_tells_them_apart(
    owner: str, uid: str, one: Pod, slot: str
) -> None:
    others = [planned("x", owner, slot="db-0"), planned("y", owner, slot="0"), planned("z", owner, slot=slot)]
    found = arrivals(*others)
    found.made(owner, uid, "")
    assert found.match(one) == planned("z", owner, slot=slot)


def test_pods_that_are_bound_come_before_those_that_fit_nowhere() -> None:
    waits, fits = planned("a", "rs/shop/web", result="pending"), planned("b", "rs/shop/web")
    found = arrivals(waits, fits)
    found.made("rs/shop/web", "r1", "")
    assert found.match(real("web-x", "ReplicaSet", "r1")) == fits
    assert found.match(real("web-y", "ReplicaSet", "r1")) == waits


def test_a_pod_that_does_not_come_in_time_is_given_up_with_its_controllers_words() -> None:
    clock = [0.0]
    found = arrivals(planned("a", "deploy/shop/web"), planned("b", "deploy/shop/web"), clock=clock)
    found.made("deploy/shop/web", "d1", "/apis/apps/v1/namespaces/shop/deployments/web")
    clock[0] = 9.0
    assert found.match(real("web-1-x", "ReplicaSet", "r1", owner="web-1")) is not None
    clock[0] = 18.0
    assert list(found.late(10, ())) == []  # the last one came at 9
    clock[0] = 19.0
    [(shown, text)] = list(found.late(10, ()))
    assert shown.pod == "shop/b"
    assert text == (
        'deploy/shop/web made no pod for it within 10 s: pods "web-1-x" is forbidden: exceeded quota: small'
    )
    assert found.awaited == []


def test_nothing_comes_after_a_pod_that_was_held_back() -> None:
    found = arrivals(planned("db-1", "sts/shop/db", slot="db-1", after="shop/db-0"))
    found.made("sts/shop/db", "s1", "")
    [(shown, text)] = list(found.late(10, {"shop/db-0"}))
    assert shown.pod == "shop/db-1"
    assert text == "sts/shop/db makes it only once shop/db-0 is ready, which was held back"


def test_a_planned_pod_gets_the_real_name_and_so_do_the_claims_that_are_named_after_it() -> None:
    claims = (BindClaim(claim="shop/a-scratch"), BindClaim(claim="shop/data"))
    found = as_real(BindPod(pod="shop/a", result="bind", claims=claims), "shop/web-1-x", "u1")
    assert (found.pod, found.uid) == ("shop/web-1-x", "u1")
    assert [claim.claim for claim in found.claims] == ["shop/web-1-x-scratch", "shop/data"]


def spread(stamp: str) -> dict[str, Any]:
    expression = {"key": HASH, "operator": "In", "values": [stamp]}
    selector = {"matchLabels": {"app": "web"}, "matchExpressions": [expression]}
    return {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector}


TOKEN = {"name": "kube-api-access-x7xkp", "projected": {}}
MOUNTED = [{"name": "main", "volumeMounts": [{"name": "kube-api-access-x7xkp", "mountPath": "/var/run"}]}]


@pytest.mark.parametrize(
    ("one", "other", "differs"),
    [
        ({"labels": {"app": "web", HASH: "1"}}, {"labels": {"app": "web", HASH: "2"}}, []),
        ({"labels": {"app": "web"}}, {"labels": {"app": "db"}}, ["labels"]),
        ({"requests": {"cpu": "1000m"}}, {"requests": {"cpu": "1"}}, []),
        ({"requests": {}}, {"requests": {"cpu": "250m"}}, ["containers[0].resources"]),
        ({"containers": [{"name": "main"}]}, {"containers": MOUNTED, "volumes": [TOKEN]}, []),
        (
            {"labels": {HASH: "1"}, "topologySpreadConstraints": [spread("1")]},
            {"labels": {HASH: "2"}, "topologySpreadConstraints": [spread("2")]}, [],
        ),
        (
            {"labels": {HASH: "1"}, "topologySpreadConstraints": [spread("1")]},
            {"labels": {HASH: "2"}, "topologySpreadConstraints": [spread("other")]}, ["topologySpreadConstraints"],
        ),
        ({}, {"tolerations": [{"key": "gpu", "operator": "Exists"}]}, ["tolerations"]),
        ({"node": ""}, {"node": "node-a"}, []),
    ],
    ids=[
        "hashes of templates differ always", "labels", "an amount in another unit", "requests from a LimitRange",
        "the token of a service account", "matchLabelKeys with each one's own hash", "a selector of another hash",
        "a toleration more", "the node itself",
    ],
)  # fmt: skip
def test_what_nobody_can_plan_does_not_count_and_all_else_does(
    one: dict[str, Any], other: dict[str, Any], differs: list[str]
) -> None:
    assert changed(planned_fields(pod("a", **one)), planned_fields(pod("a", **other))) == differs
