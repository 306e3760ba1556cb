"""Jobs that are changed while they run: how many pods are made or leave, and of which indexes, as the controller does.

Pods are bound, and reported as running or done, by hand; what is deleted stays Terminating, as no kubelet lets it go.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests.live.controllers import Json, Watch, apply, controllers_running, expanded, read_state
from tests.live.controlplane import ControlPlane, wait_for

INDEX = "batch.kubernetes.io/job-completion-index"
INDEXED = {"completionMode": "Indexed", "completions": 8}


@dataclass(frozen=True)
class Case:
    """A Job that is changed.

    Attributes:
        namespace: of its own.
        before: its spec at first.
        after: what of that is changed.
        done: how many of its first pods are done by then.
        going: how many are deleted by then, and stay Terminating.
    """

    namespace: str
    before: Json
    after: Json
    done: int = 0
    going: int = 0


CASES = [
    Case("grows", {"parallelism": 2, "completions": 9}, {"parallelism": 4}),
    Case("grows-to-what-is-left", {"parallelism": 2, "completions": 5}, {"parallelism": 4}, done=2),
    Case("grows-no-more", {"parallelism": 1, "completions": 3}, {"parallelism": 3}, done=2),
    Case("shrinks", {"parallelism": 4, "completions": 9}, {"parallelism": 1}),
    Case("shrinks-to-none", {"parallelism": 3, "completions": 9}, {"parallelism": 0}),
    Case("is-suspended", {"parallelism": 3, "completions": 9}, {"suspend": True}, done=1),
    Case("goes-on", {"parallelism": 3, "completions": 4, "suspend": True}, {"suspend": False}),
    Case("a-work-queue-grows", {"parallelism": 2}, {"parallelism": 5}),
    Case("a-work-queue-that-has-an-end", {"parallelism": 3}, {"parallelism": 5}, done=1),
    Case("indexes", {"parallelism": 2, **INDEXED}, {"parallelism": 5}, done=2),
    Case("indexes-shrink", {"parallelism": 4, **INDEXED}, {"parallelism": 2}, done=1),
    Case("indexes-grow-elastic", {"parallelism": 2, **INDEXED, "completions": 2},
         {"parallelism": 4, "completions": 4}),
    Case("terminating-does-not-count", {"parallelism": 2, "completions": 9}, {"parallelism": 4}, going=1),
    Case("terminating-counts", {"parallelism": 2, "completions": 9, "podReplacementPolicy": "Failed"},
         {"parallelism": 4}, going=1),
]  # fmt: skip


def job(case: Case, *, changed: bool = False) -> Json:
    template = {"spec": {"schedulerName": "by-hand", "restartPolicy": "Never",
                         "containers": [{"name": "main", "image": "example.invalid/m:1"}]}}  # fmt: skip
    spec = {**case.before, **(case.after if changed else {}), "template": template}
    metadata = {"name": "work", "namespace": case.namespace}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}


@dataclass(frozen=True)
class Found:
    """What became of a Job: indexes (or empty texts) of pods that were made, and names of those that left.

    Attributes:
        planned: as kplan expands the manifest.
        leaving: as kplan says.
        made: by the controller.
        left: likewise.
    """

    planned: list[str]
    leaving: set[str]
    made: list[str]
    left: set[str]


def arrange(plane: ControlPlane, watch: Watch, case: Case) -> None:
    """Bind all pods that are there, and let some of them be done or deleted."""
    first = sorted(watch.in_namespace(case.namespace), key=lambda pod: (index_of(pod), pod["metadata"]["name"]))
    for number, pod in enumerate(first):
        bind(plane, pod)
        name = pod["metadata"]["name"]
        path = f"/api/v1/namespaces/{case.namespace}/pods/{name}"
        plane.set_pod_running(case.namespace, name)
        if number < case.done:
            plane.patch(f"{path}/status", {"status": {"phase": "Succeeded"}})
        elif number < case.done + case.going:
            plane.request("DELETE", path)


def bind(plane: ControlPlane, pod: Json) -> None:
    meta = pod["metadata"]
    if pod["spec"].get("nodeName"):
        return
    path = f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}/binding"
    plane.post(path, {"metadata": {"name": meta["name"]}, "target": {"kind": "Node", "name": "node-1"}})


def index_of(pod: Json) -> str:
    return str(pod["metadata"].get("annotations", {}).get(INDEX, ""))


def active(watch: Watch, space: str) -> dict[str, Json]:
    pods = watch.in_namespace(space)
    return {pod["metadata"]["name"]: pod for pod in pods if pod["status"].get("phase") not in ("Succeeded", "Failed")}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Found]]:
    folder = tmp_path_factory.mktemp("jobs")
    with controllers_running() as plane:
        plane.add_node("node-1", cpu="64")
        with Watch(plane) as watch:
            yield change_all(plane, watch, folder)


def change_all(plane: ControlPlane, watch: Watch, folder: Path) -> dict[str, Found]:
    for case in CASES:
        plane.create_namespace(case.namespace)
    time.sleep(1)  # for their service accounts
    for case in CASES:
        apply(plane, job(case), case.namespace)
    wait_for(lambda: watch.quiet_for() > 2, 60)
    for case in CASES:
        arrange(plane, watch, case)
    wait_for(lambda: watch.quiet_for() > 14, 90)  # a pod that was deleted is replaced after a pause
    for case in CASES:
        for pod in active(watch, case.namespace).values():
            bind(plane, pod)
            plane.set_pod_running(case.namespace, pod["metadata"]["name"])
    wait_for(lambda: watch.quiet_for() > 2, 60)
    state, before, planned = read_state(plane), {}, {}
    for case in CASES:
        path = folder / f"{case.namespace}.yaml"
        path.write_text(yaml.safe_dump(job(case, changed=True)))
        expansion = expanded(path, state, case.namespace)
        before[case.namespace] = active(watch, case.namespace)
        gone = {key.partition("/")[2] for change in expansion.changes for key in change.leaving}
        indexes = sorted(entry.pod.annotations.get(INDEX, "") for entry in expansion.pods)
        planned[case.namespace] = indexes, gone
    for case in CASES:
        apply(plane, job(case, changed=True), case.namespace)
    wait_for(lambda: watch.quiet_for() > 3, 60)
    every = {}
    for space, (indexes, leaving) in planned.items():
        now = active(watch, space)
        made = sorted(index_of(pod) for name, pod in now.items() if name not in before[space])
        left = {name for name in before[space] if name not in now}
        every[space] = Found(indexes, leaving, made, left)
    return every


@pytest.mark.parametrize("name", [case.namespace for case in CASES])
def test_pods_that_are_made_and_that_leave(name: str, found: dict[str, Found]) -> None:
    one = found[name]
    assert one.planned == one.made
    assert len(one.leaving) == len(one.left)  # which of equal ones goes is chance


def test_something_moves_in_most_cases(found: dict[str, Found]) -> None:
    assert sum(bool(one.made or one.left) for one in found.values()) == len(CASES) - 1
