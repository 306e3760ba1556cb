"""What the real API server refuses, kplan refuses in the same words: by validation, LimitRange and ResourceQuota.

Every document of manifests/refused/ is one object that the API server does not take, named after what is wrong with it.
Names that are random, and the order of resources within one message, are no part of the comparison.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from kplan.objects.state import ClusterState
from tests.live.controllers import (
    Json,
    controllers_running,
    documents,
    expanded,
    read_state,
    url_of,
    without_chance,
)
from tests.live.controlplane import ApiError, ControlPlane, wait_for

MANIFESTS = Path(__file__).parent / "manifests"
REFUSED = MANIFESTS / "refused"
ANSWERS: dict[str, str] = yaml.safe_load((REFUSED / "answers.yml").read_text())
"""What the API server said when it was last asked, for tests without one."""


@pytest.fixture(scope="module")
def plane() -> Iterator[ControlPlane]:
    with controllers_running() as running:
        running.add_node("node-1", cpu="64")
        for item in documents(MANIFESTS / "cluster" / "classes.yaml"):
            running.post(url_of(item, ""), item)
        yield running


@pytest.fixture(scope="module")
def state(plane: ControlPlane) -> ClusterState:
    wait_for(lambda: plane.request("GET", "/api/v1/namespaces/default/serviceaccounts/default")[0] == 200)
    return read_state(plane)


def objects(*files: str) -> list[Any]:
    return [
        pytest.param(item, id=f"{item['kind']}-{item['metadata']['name']}")
        for file in files
        for item in documents(REFUSED / file)
    ]


def refusal_of(plane: ControlPlane, item: Json, namespace: str = "default") -> str:
    """The answer of the API server; the object must not be taken."""
    with pytest.raises(ApiError) as caught:
        plane.post(url_of(item, namespace), item)
    return str(caught.value.message)


def planned_refusals(folder: Path, state: ClusterState, item: Json, namespace: str = "default") -> list[str]:
    path = folder / "manifest.yaml"
    path.write_text(yaml.safe_dump(item))
    return [one.why for one in expanded(path, state, namespace).refused]


@pytest.mark.parametrize("item", objects("workloads.yaml", "pods.yaml"))
def test_validation(item: Json, plane: ControlPlane, state: ClusterState, tmp_path: Path) -> None:
    answer = causes(refusal_of(plane, item))
    (told,) = planned_refusals(tmp_path, state, item)
    assert causes(told) == answer
    assert causes(ANSWERS[f"{item['kind']} {item['metadata']['name']}"]) == answer


def causes(message: str) -> list[str]:
    """A refusal without its random names, its causes in a fixed order: those of one map come in any order."""
    head, _, rest = without_chance(message).partition(" is invalid: ")
    return [head, *sorted(re.split(r", (?=(?:spec|metadata)\.)", rest.removeprefix("[").removesuffix("]")))]


@pytest.mark.parametrize("item", objects("undecodable.yaml"))
def test_what_does_not_decode(item: Json, plane: ControlPlane, state: ClusterState, tmp_path: Path) -> None:
    """The words are the decoder's; that it is refused, and for one field, is what counts."""
    (told,) = planned_refusals(tmp_path, state, item)
    assert told
    assert re.search("cannot be handled as|unable to parse quantity|cannot unmarshal", refusal_of(plane, item))


def container(**resources: Json) -> Json:
    return {"name": "main", "image": "example.invalid/m:1", "resources": resources}


def pod(*containers: Json, **spec: Any) -> Json:
    body = {"containers": list(containers) or [container()], **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": body}


def claim(storage: str, **spec: Any) -> Json:
    body = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": storage}}, **spec}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c"}, "spec": body}


def same(message: str) -> list[str]:
    """A message without random names, its parts in a fixed order: Go walks maps in any order."""
    message = re.sub(r'"web-[a-z0-9-]+"', '"web"', message)
    head, _, rest = message.partition("is forbidden: ")
    return [head, *sorted(re.split(r", (?=min|max|cpu|memory|\w+ max limit)", rest.strip("[]")))]


BOUNDS = {"type": "Container", "min": {"cpu": "100m", "memory": "16Mi"}, "max": {"cpu": "2", "memory": "1Gi"}}
RATIO = {"type": "Container", "maxLimitRequestRatio": {"cpu": "2", "memory": "1.5"}}
OF_POD = {"type": "Pod", "max": {"cpu": "3"}, "min": {"memory": "64Mi"}, "maxLimitRequestRatio": {"cpu": "4"}}
OF_CLAIM = {"type": "PersistentVolumeClaim", "min": {"storage": "1Gi"}, "max": {"storage": "5Gi"}}


@dataclass(frozen=True)
class Limited:
    """A LimitRange and an object that it refuses."""

    name: str
    limits: tuple[Json, ...]
    item: Json


LIMITED = [
    Limited("request-below-min", (BOUNDS,), pod(container(requests={"cpu": "50m"}))),
    Limited("limit-below-min", (BOUNDS,), pod(container(requests={"cpu": "50m"}, limits={"cpu": "60m"}))),
    Limited("limit-above-max", (BOUNDS,), pod(container(limits={"memory": "2Gi", "cpu": "500m"}))),
    Limited("request-above-max", (BOUNDS,), pod(container(requests={"cpu": "3"}))),
    Limited("several-bounds", (BOUNDS,), pod(container(requests={"cpu": "1m", "memory": "1Mi"}, limits={"cpu": "9"}))),
    Limited("two-containers", (BOUNDS,), pod(container(requests={"cpu": "1m"}), {**container(), "name": "other"})),
    Limited("init-container", (BOUNDS,), pod(initContainers=[{**container(limits={"cpu": "4"}), "name": "init"}])),
    Limited(
        "ratio", (RATIO,), pod(container(requests={"cpu": "1", "memory": "1Gi"}, limits={"cpu": "4", "memory": "1Gi"}))
    ),
    Limited(
        "ratio-of-a-fraction",
        (RATIO,),
        pod(container(requests={"cpu": "300m", "memory": "1Gi"}, limits={"cpu": "1", "memory": "2Gi"})),
    ),
    Limited("ratio-without-a-limit", (RATIO,), pod(container(requests={"cpu": "1", "memory": "1Gi"}))),
    Limited("ratio-without-anything", (RATIO,), pod()),
    Limited(
        "pod-above-max",
        (OF_POD,),
        pod(*[{**container(limits={"cpu": "2", "memory": "64Mi"}), "name": n} for n in "ab"]),
    ),
    Limited("pod-without-a-limit", (OF_POD,), pod(container(requests={"cpu": "1", "memory": "64Mi"}))),
    Limited("pod-below-min", (OF_POD,), pod(container(limits={"cpu": "1", "memory": "32Mi"}))),
    Limited("pod-level", (OF_POD,), pod(resources={"limits": {"cpu": "4", "memory": "1Gi"}})),
    Limited(
        "pod-with-a-large-init-container",
        (OF_POD,),
        pod(
            container(limits={"cpu": "1", "memory": "64Mi"}),
            initContainers=[{**container(limits={"cpu": "8", "memory": "64Mi"}), "name": "init"}],
        ),
    ),
    Limited("container-and-pod", (BOUNDS, OF_POD), pod(container(requests={"cpu": "50m"}, limits={"cpu": "4"}))),
    Limited("claim-below-min", (OF_CLAIM,), claim("1Mi")),
    Limited("claim-above-max", (OF_CLAIM,), claim("5.5Gi")),
]


@pytest.mark.parametrize("case", LIMITED, ids=lambda case: case.name)
def test_limit_range(case: Limited, plane: ControlPlane, tmp_path: Path) -> None:
    space = f"limit-{case.name}"
    plane.create_namespace(space)
    wait_for(lambda: plane.request("GET", f"/api/v1/namespaces/{space}/serviceaccounts/default")[0] == 200)
    plane.post(
        f"/api/v1/namespaces/{space}/limitranges", {"metadata": {"name": "l"}, "spec": {"limits": list(case.limits)}}
    )
    (told,) = planned_refusals(tmp_path, read_state(plane), case.item, space)
    assert same(told) == same(refusal_of(plane, case.item, space))


@dataclass(frozen=True)
class Quota:
    """A quota, a pod template of which there are to be four, and how many of them it lets in."""

    name: str
    spec: Json
    pod: Json
    admitted: int


def scoped(hard: Json, scope: str = "", **more: Json) -> Json:
    return {"hard": hard, **({"scopes": [scope]} if scope else {}), **more}


def classes(*names: str, operator: str = "In") -> Json:
    expression: Json = {"scopeName": "PriorityClass", "operator": operator}
    return {"scopeSelector": {"matchExpressions": [{**expression, **({"values": list(names)} if names else {})}]}}


SMALL = container(requests={"cpu": "400m"}, limits={"cpu": "1", "memory": "512Mi"})
NEXT_DOOR = {
    "podAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {
                "topologyKey": "kubernetes.io/hostname",
                "namespaces": ["default"],
                "labelSelector": {"matchLabels": {"a": "b"}},
            }
        ]
    }
}

QUOTAS = [
    Quota("pods", scoped({"pods": "2"}), pod(), 2),
    Quota("count-of-pods", scoped({"count/pods": "3"}), pod(), 3),
    Quota("none-at-all", scoped({"pods": "0"}), pod(), 0),
    Quota("requests-and-limits", scoped({"requests.cpu": "1", "limits.memory": "2Gi"}), pod(SMALL), 2),
    Quota("both-at-once", scoped({"requests.cpu": "1", "limits.cpu": "2"}), pod(SMALL), 2),
    Quota("nothing-is-said", scoped({"cpu": "1"}), pod(), 0),
    Quota(
        "several-are-not-said",
        scoped({"cpu": "1", "limits.memory": "1Gi"}),
        pod(container(), {**container(), "name": "o"}),
        0,
    ),
    Quota("memory", scoped({"memory": "1Gi", "count/pods": "10"}), pod(container(requests={"memory": "300Mi"})), 3),
    Quota("megabytes", scoped({"requests.memory": "1G"}), pod(container(requests={"memory": "400Mi"})), 2),
    Quota(
        "storage-of-the-node",
        scoped({"requests.ephemeral-storage": "3Gi"}),
        pod(container(requests={"ephemeral-storage": "2Gi"})),
        1,
    ),
    Quota("devices", scoped({"requests.example.com/gpu": "2"}), pod(container(limits={"example.com/gpu": "1"})), 2),
    Quota(
        "huge-pages",
        scoped({"requests.hugepages-2Mi": "8Mi"}),
        pod(container(limits={"cpu": "1", "hugepages-2Mi": "4Mi"})),
        2,
    ),
    Quota("best-effort", scoped({"pods": "1"}, "BestEffort"), pod(), 1),
    Quota("not-of-best-effort", scoped({"pods": "1"}, "BestEffort"), pod(SMALL), 4),
    Quota("not-best-effort", scoped({"requests.cpu": "1"}, "NotBestEffort"), pod(SMALL), 2),
    Quota(
        "not-terminating",
        scoped({"requests.memory": "1Gi"}, "NotTerminating"),
        pod(container(requests={"memory": "400Mi"})),
        2,
    ),
    Quota("terminating", scoped({"pods": "1"}, "Terminating"), pod(), 4),
    Quota("a-priority-class", scoped({"pods": "1"}, **classes("high")), pod(priorityClassName="high"), 1),
    Quota("another-priority-class", scoped({"pods": "1"}, **classes("high")), pod(priorityClassName="polite"), 4),
    Quota(
        "any-priority-class", scoped({"pods": "2"}, **classes(operator="Exists")), pod(priorityClassName="polite"), 2
    ),
    Quota("no-priority-class", scoped({"pods": "2"}, **classes(operator="Exists")), pod(), 4),
    Quota("across-namespaces", scoped({"pods": "1"}, "CrossNamespacePodAffinity"), pod(affinity=NEXT_DOOR), 1),
    Quota(
        "overhead",
        scoped({"requests.cpu": "1"}),
        pod(container(requests={"cpu": "100m"}), runtimeClassName="sandbox"),
        2,
    ),
    Quota(
        "init-containers",
        scoped({"requests.cpu": "2"}),
        pod(SMALL, initContainers=[{**container(requests={"cpu": "900m"}), "name": "i"}]),
        2,
    ),
    Quota(
        "sidecars",
        scoped({"requests.cpu": "2"}),
        pod(SMALL, initContainers=[{**container(requests={"cpu": "300m"}), "name": "i", "restartPolicy": "Always"}]),
        2,
    ),
    Quota("pod-level", scoped({"requests.cpu": "2"}), pod(resources={"requests": {"cpu": "900m"}}), 2),
]


def replica_set(item: Json) -> Json:
    template = {"metadata": {"labels": {"app": "web"}}, "spec": item["spec"]}
    body = {"replicas": 4, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"}, "spec": body}


@pytest.fixture(scope="module")
def quotas(plane: ControlPlane) -> ClusterState:
    """The state with a namespace and a quota for each case."""
    for case in QUOTAS:
        space = f"quota-{case.name}"
        plane.create_namespace(space)
        plane.post(f"/api/v1/namespaces/{space}/resourcequotas", {"metadata": {"name": "q"}, "spec": case.spec})
    for case in QUOTAS:
        path = f"/api/v1/namespaces/quota-{case.name}"
        wait_for(lambda at=path: "used" in plane.get(f"{at}/resourcequotas/q").get("status", {}))
        wait_for(lambda at=path: plane.request("GET", f"{at}/serviceaccounts/default")[0] == 200)
    return read_state(plane)


@pytest.mark.parametrize("case", QUOTAS, ids=lambda case: case.name)
def test_quota(case: Quota, plane: ControlPlane, quotas: ClusterState, tmp_path: Path) -> None:
    """The controller says in an event why it cannot make more pods."""
    space = f"quota-{case.name}"
    path = tmp_path / "manifest.yaml"
    path.write_text(yaml.safe_dump(replica_set(case.pod)))
    found = expanded(path, quotas, space)
    plane.post(f"/apis/apps/v1/namespaces/{space}/replicasets", replica_set(case.pod))

    def events() -> set[str]:
        items = plane.get(f"/api/v1/namespaces/{space}/events")["items"]
        return {one["message"].removeprefix("Error creating: ") for one in items if one["reason"] == "FailedCreate"}

    def made() -> int:
        return len(plane.get(f"/api/v1/namespaces/{space}/pods")["items"])

    wait_for(lambda: made() == case.admitted and (case.admitted == 4 or events()), 20, what="pods and refusals")
    assert len(found.pods) == case.admitted
    told = {one.why.partition("pods: ")[2] for one in found.refused}
    assert {tuple(same(one)) for one in told} == {tuple(same(one)) for one in events()}


def test_a_deployment_is_taken_though_its_pods_are_refused(plane: ControlPlane, tmp_path: Path) -> None:
    """Its ReplicaSet is told, again and again; the Deployment itself was accepted."""
    space = "pods-refused"
    plane.create_namespace(space)
    wait_for(lambda: plane.request("GET", f"/api/v1/namespaces/{space}/serviceaccounts/default")[0] == 200)
    item = {**replica_set(pod(priorityClassName="nobody")), "kind": "Deployment"}
    path = tmp_path / "manifest.yaml"
    path.write_text(yaml.safe_dump(item))
    (told,) = expanded(path, read_state(plane), space).refused
    plane.post(f"/apis/apps/v1/namespaces/{space}/deployments", item)

    def events() -> set[tuple[str, str]]:
        items = plane.get(f"/api/v1/namespaces/{space}/events")["items"]
        return {
            (one["involvedObject"]["kind"], one["message"].removeprefix("Error creating: "))
            for one in items
            if one["reason"] == "FailedCreate"
        }

    wait_for(events, 20, what="a refusal")
    assert told.pods == 4
    # its class is looked up before the pod has the end of its name
    words = without_chance(told.why.removeprefix("4 of 4 pods: ")).replace("-SUFFIX", "-")
    assert {(kind, without_chance(text)) for kind, text in events()} == {("ReplicaSet", words)}


CLAIMS = [
    ("how-many", {"persistentvolumeclaims": "0"}, claim("1Gi")),
    ("how-large", {"requests.storage": "1Gi"}, claim("1.5Gi")),
    ("of-a-class", {"fast.storageclass.storage.k8s.io/requests.storage": "1Gi"}, claim("2Gi", storageClassName="fast")),
    (
        "how-many-of-a-class",
        {"fast.storageclass.storage.k8s.io/persistentvolumeclaims": "0"},
        claim("2Gi", storageClassName="fast"),
    ),
]


@pytest.mark.parametrize(("name", "hard", "item"), CLAIMS, ids=[name for name, *_ in CLAIMS])
def test_quota_of_claims(name: str, hard: Json, item: Json, plane: ControlPlane, tmp_path: Path) -> None:
    space = f"claims-{name}"
    plane.create_namespace(space)
    path = f"/api/v1/namespaces/{space}/resourcequotas"
    plane.post(path, {"metadata": {"name": "q"}, "spec": {"hard": hard}})
    wait_for(lambda: "used" in plane.get(f"{path}/q").get("status", {}))
    assert planned_refusals(tmp_path, read_state(plane), item, space) == [refusal_of(plane, item, space)]
