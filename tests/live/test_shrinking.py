"""Which pods leave when a workload shrinks: those that the real controllers of ReplicaSets and Jobs rank first.

The pods are bound and reported ready by hand. Only as many are taken away as the ranks decide: where pods are equal in
all that the controller compares, which of them goes is chance.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.live.controllers import (
    Json,
    Watch,
    apply,
    controllers_running,
    expanded,
    is_going,
    read_state,
    tell,
)
from tests.live.controlplane import ControlPlane, wait_for

HOUR, MINUTE = 3600, 60
COST = "controller.kubernetes.io/pod-deletion-cost"


@dataclass(frozen=True)
class Pod:
    """What a pod is like before its workload shrinks.

    Attributes:
        node: where it is bound; empty for nowhere.
        ready: seconds for which it is ready; None for not ready.
        running: whether it runs at all.
        cost: deletion cost.
        goes: whether it has to leave.
    """

    node: str = "node-1"
    ready: int | None = HOUR
    running: bool = True
    cost: str = ""
    goes: bool = False


@dataclass(frozen=True)
class Shrink:
    """A workload of pods, of which those that go are taken away."""

    namespace: str
    pods: tuple[Pod, ...]
    kind: str = "ReplicaSet"


@dataclass(frozen=True)
class Left:
    """Names of pods.

    Attributes:
        goes: those that have to leave.
        planned: those that kplan's comparison of the manifest takes away.
        told: those that ``kplan simulate`` tells of.
        gone: those that the controller took away.
    """

    goes: set[str]
    planned: set[str]
    told: set[str]
    gone: set[str]


def on(node: str, *, goes: bool = False) -> Pod:
    return Pod(node, goes=goes)


CASES = [
    Shrink("without-a-node", (on("node-1"), *[Pod("", None, False, goes=True)] * 2, on("node-2"))),
    Shrink("pending-before-running", (on("node-1"), Pod("node-2", None, False, goes=True), Pod("node-3", None))),
    Shrink("not-ready-before-ready", (on("node-1"), Pod("node-2", None, goes=True), on("node-3"))),
    Shrink(
        "cheap-before-dear",
        (Pod(cost="9"), Pod("node-2", cost="-5", goes=True), on("node-3", goes=True), Pod("node-4", cost="7")),
    ),
    Shrink("not-ready-before-cheap", (Pod(cost="-100"), Pod("node-2", None, cost="100", goes=True), on("node-3"))),
    Shrink(
        "costs-that-are-no-numbers", (Pod(cost="dear"), Pod("node-2", cost="-1", goes=True), Pod("node-3", cost="+5"))
    ),
    Shrink("crowded-before-alone", (*[on("node-1", goes=True)] * 3, on("node-2"), on("node-3")), "Deployment"),
    Shrink("more-crowded-first", (*[on("node-1", goes=True)] * 3, *[on("node-2")] * 2), "Deployment"),
    Shrink("just-ready-before-long-ready", (on("node-1"), Pod("node-2", MINUTE, goes=True), on("node-3"))),
    Shrink("crowded-before-just-ready", (*[on("node-1", goes=True)] * 2, Pod("node-2", MINUTE)), "Deployment"),
    Shrink("crowds-do-not-matter-without-an-owner", (*[on("node-1")] * 2, Pod("node-2", MINUTE, goes=True))),
    Shrink("cheap-before-crowded", (*[on("node-1")] * 2, Pod("node-2", cost="-1", goes=True)), "Deployment"),
    Shrink("both", (*[on("node-1", goes=True)] * 2, Pod("node-2", None, goes=True), on("node-3")), "Deployment"),
    Shrink("a-replication-controller", (on("node-1"), Pod("", None, False, goes=True)), "ReplicationController"),
    Shrink("a-job", (on("node-1"), Pod("", None, False, goes=True), Pod("node-2", None, goes=True)), "Job"),
    Shrink("a-job-by-age", (Pod("node-1", MINUTE, goes=True), on("node-2"), on("node-3")), "Job"),
    Shrink("a-job-does-not-look-at-costs", (Pod(cost="-9"), Pod("node-2", None, goes=True, cost="9")), "Job"),
]


def workload(case: Shrink, replicas: int) -> Json:
    body: Json = {
        "replicas": replicas,
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"schedulerName": "by-hand", "containers": [{"name": "main", "image": "example.invalid/m:1"}]},
        },
    }
    if case.kind == "Job":
        body["template"]["spec"]["restartPolicy"] = "Never"
        spec = {"parallelism": replicas, "template": body["template"]}
        return {"apiVersion": "batch/v1", "kind": case.kind, "metadata": {"name": "web"}, "spec": spec}
    if case.kind == "ReplicationController":
        return {"apiVersion": "v1", "kind": case.kind, "metadata": {"name": "web"}, "spec": body}
    body["selector"] = {"matchLabels": {"app": "web"}}
    return {"apiVersion": "apps/v1", "kind": case.kind, "metadata": {"name": "web"}, "spec": body}


def arrange(plane: ControlPlane, case: Shrink, found: list[Json]) -> set[str]:
    """Make the pods what the case says; return the names of those that have to leave."""
    for pod, item in zip(case.pods, found, strict=True):
        name = item["metadata"]["name"]
        path = f"/api/v1/namespaces/{case.namespace}/pods/{name}"
        if pod.cost:
            # the API server refuses a cost that is no number, on a pod that has none as well
            plane.request("PATCH", path, {"metadata": {"annotations": {COST: pod.cost}}},
                          content_type="application/merge-patch+json")  # fmt: skip
        if pod.node:
            plane.post(f"{path}/binding", {"metadata": {"name": name}, "target": {"kind": "Node", "name": pod.node}})
        if pod.running:
            since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - (pod.ready or 0)))
            state = "False" if pod.ready is None else "True"
            ready = {"type": "Ready", "status": state, "lastTransitionTime": since}
            plane.patch(f"{path}/status", {"status": {"phase": "Running", "conditions": [ready]}})
    return {item["metadata"]["name"] for pod, item in zip(case.pods, found, strict=True) if pod.goes}


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Left]]:
    """What left each namespace."""
    folder = tmp_path_factory.mktemp("shrinking")
    with controllers_running() as plane:
        for number in range(1, 5):
            plane.add_node(f"node-{number}", cpu="64")
        with Watch(plane) as watch:
            yield shrink_all(plane, watch, folder)


def shrink_all(plane: ControlPlane, watch: Watch, folder: Path) -> dict[str, Left]:
    for case in CASES:
        plane.create_namespace(case.namespace)
    time.sleep(1)  # for their service accounts
    for case in CASES:
        apply(plane, workload(case, len(case.pods)), case.namespace)
    wait_for(lambda: all(len(watch.in_namespace(case.namespace)) == len(case.pods) for case in CASES), 60)
    goes = {case.namespace: arrange(plane, case, watch.in_namespace(case.namespace)) for case in CASES}
    wait_for(lambda: watch.quiet_for() > 1, 30)
    state = read_state(plane)
    planned = {}
    for case in CASES:
        smaller = workload(case, len(case.pods) - len(goes[case.namespace]))
        path = folder / f"{case.namespace}.yaml"
        path.write_text(yaml.safe_dump(smaller))
        (change,) = expanded(path, state, case.namespace).changes
        planned[case.namespace] = {key.partition("/")[2] for key in change.leaving}
        smaller["metadata"]["namespace"] = case.namespace
        path.write_text(yaml.safe_dump(smaller))
    told = tell(state, folder, sorted(folder.glob("*.yaml")))
    for case in CASES:
        smaller = workload(case, len(case.pods) - len(goes[case.namespace]))
        apply(plane, smaller, case.namespace)
    wait_for(lambda: watch.quiet_for() > 2, 30)

    def gone(namespace: str) -> set[str]:
        names = {pod["metadata"]["name"] for kind, pod in watch.events
                 if pod["metadata"]["namespace"] == namespace and (kind == "DELETED" or is_going(pod))}  # fmt: skip
        return names

    def tells(space: str) -> set[str]:
        return {one["pod"].partition("/")[2] for step in told[space]["steps"] for one in step.get("leaves", ())}

    return {space: Left(goes[space], planned[space], tells(space), gone(space)) for space in goes}


named: Callable[[Any], Any] = pytest.mark.parametrize("name", [case.namespace for case in CASES])


@named
def test_who_leaves(name: str, left: dict[str, Left]) -> None:
    found = left[name]
    assert found.gone == found.goes
    assert found.planned == found.goes
    assert found.told == found.goes
