"""Workloads of operators that run already: what is new of them, what leaves, what is not known."""

from typing import Any

import pytest

from kplan.objects.models import Object
from tests.admission.manifests import expand_text
from tests.builders import make, pod

LEADERS = """
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: l}
spec: {replicas: REPLICAS, leaderWorkerTemplate: {size: 2, workerTemplate: {spec: {containers: [{name: c, image: i}]}}}}
"""


@pytest.mark.parametrize(
    ("replicas", "verdict", "new", "leaving"),
    [
        (1, "unchanged", [], []),
        (2, "scaled", ["l-1", "l-1-1"], []),
        (0, "scaled", [], ["default/l-0", "default/l-0-1"]),
    ],
)
def test_pods_of_an_operator_that_run_do_not_count_again(
    replicas: int, verdict: str, new: list[str], leaving: list[str]
) -> None:
    def of(kind: str, name: str) -> dict[str, object]:
        owner = {"apiVersion": "v1", "kind": kind, "name": name, "uid": f"{kind} {name}", "controller": True}
        return {"ownerReferences": [owner]}

    there = [
        make("StatefulSet", "l", namespace="default", metadata=of("LeaderWorkerSet", "l")),
        make("Pod", "l-0", namespace="default", metadata=of("StatefulSet", "l")),
        make("StatefulSet", "l-0", namespace="default", metadata=of("Pod", "l-0")),
        make("Pod", "l-0-1", namespace="default", metadata=of("StatefulSet", "l-0")),
    ]
    found = expand_text(LEADERS.replace("REPLICAS", str(replicas)), *there)
    (change,) = found.changes
    assert (change.verdict, change.before, change.after) == (verdict, 2, 2 * replicas)
    assert ([one.pod.name for one in found.pods], list(change.leaving)) == (new, leaving)


def of_operator(kind: str, name: str, pod_name: str, node: str = "n", **more: Any) -> Object:
    owner = {"apiVersion": "v1", "kind": kind, "name": name, "uid": "u", "controller": True}
    return pod(pod_name, node=node, metadata={"ownerReferences": [owner]}, **more)


RAY = """
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: r}
spec:
  headGroupSpec: {template: {spec: {containers: [{name: c, image: i}]}}}
  workerGroupSpecs:
  - groupName: big
    replicas: BIG
    template: {spec: {containers: [{name: c, image: i, resources: {requests: {cpu: CPU}}}]}}
  - {groupName: small, replicas: SMALL, template: {spec: {containers: [{name: c, image: i}]}}}
"""


@pytest.mark.parametrize(
    ("big", "small", "cpu", "new", "leaving", "unsure"),
    [
        pytest.param(2, 1, "1", 0, [], "", id="the same"),
        pytest.param(0, 2, "1", 1, ["default/big-1", "default/big-2"], "", id="each group by itself"),
        pytest.param(
            1, 1, "1", 0, ["default/big-2"],
            "which pods its operator removes is not known: those that a ReplicaSet would first are taken",
            id="one of two: the one without a node",
        ),
        pytest.param(
            2, 1, "2", 0, [],
            "its template changes (cpu 1 -> 2): how its operator replaces pods is not known, those that run stay",
            id="another request",
        ),
    ],
)  # fmt: skip
def test_groups_of_an_operator_shrink_each_by_itself(
    big: int, small: int, cpu: str, new: int, leaving: list[str], unsure: str
) -> None:
    def worker(name: str, group: str, node: str = "n", **requests: str) -> Object:
        labels = {"ray.io/node-type": "worker", "ray.io/group": group, "ray.io/is-ray-node": "yes"}
        containers = [{"name": "c", "image": "i", "resources": {"requests": requests}}]
        return of_operator("RayCluster", "r", name, node, labels=labels, containers=containers)

    head = {"ray.io/node-type": "head", "ray.io/group": "headgroup", "ray.io/is-ray-node": "yes"}
    there = [
        of_operator("RayCluster", "r", "h", labels=head, containers=[{"name": "c", "image": "i"}]),
        worker("big-1", "big", cpu="1"),
        worker("big-2", "big", node="", cpu="1000m"),
        worker("small-1", "small"),
    ]
    text = RAY.replace("BIG", str(big)).replace("SMALL", str(small)).replace("CPU", cpu)
    found = expand_text(text, *there)
    (change,) = found.changes
    assert (len(found.pods), list(change.leaving), change.unsure) == (new, leaving, unsure)
    assert [fleet.leaving for fleet in found.fleets] == ([tuple(leaving)] if leaving else [])


ROLLOUT = """
apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: shop}
spec: {replicas: 1, selector: {matchLabels: {a: b}}, template: {spec: {containers: [{name: c, image: i}]}}}
"""


def test_of_a_rollout_the_pods_leave_that_its_replica_set_removes() -> None:
    owner = {"apiVersion": "v1", "kind": "Rollout", "name": "shop", "uid": "u", "controller": True}
    there = [
        make("ReplicaSet", "shop-x", namespace="default", metadata={"ownerReferences": [owner]}),
        of_operator("ReplicaSet", "shop-x", "crowded-1", "m", containers=[{"name": "c", "image": "i"}]),
        of_operator("ReplicaSet", "shop-x", "crowded-2", "m", containers=[{"name": "c", "image": "i"}]),
        of_operator("ReplicaSet", "shop-x", "alone", "n", containers=[{"name": "c", "image": "i"}]),
    ]
    (change,) = expand_text(ROLLOUT.replace("replicas: 1", "replicas: 2"), *there).changes
    assert (list(change.leaving), change.unsure) == (["default/crowded-1"], "")
