"""Drain and fail on a real control plane: what is evicted, what a budget holds back, what finds a place again.

The pods are placed by the real scheduler, the node with the most of them is drained as ``kubectl drain`` does
(cordon, evict in order, try again what a budget held back) or lost, real controllers make others, and the real
scheduler places them. Which of several equal nodes a pod gets is chance, so what is compared is who is evicted, who
is held back, and how many pods of each workload run and wait in the end.
"""

import json
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from kplan.api import Scheduler
from kplan.cli.main import main
from kplan.course.drains.drain import DrainRun, run_drain
from kplan.scenario import parse_step
from kplan.scenario.drain import DrainOptions
from kplan.studies.what_ifs import run
from tests.live.controllers import Json, Watch, apply, controllers_running, is_going, is_ready, read_state, serve
from tests.live.controlplane import KUBE_VERSION, ControlPlane, wait_for

SCHEDULER = Scheduler.of(KUBE_VERSION)


@dataclass(frozen=True)
class Case:
    """A few nodes and what runs on them.

    Attributes:
        name: of the namespace, and of the label its nodes have.
        cpus: of each node.
        web: replicas of a Deployment that asks for one cpu each.
        db: replicas of a StatefulSet that asks for one cpu each.
        daemon: whether a DaemonSet runs on every node.
        bare: pods that nothing owns.
        budget: of the Deployment's pods.
        fits: whether everything finds a place again.
    """

    name: str
    cpus: tuple[int, ...]
    web: int = 0
    db: int = 0
    daemon: bool = False
    bare: int = 0
    budget: dict[str, Any] = field(default_factory=dict)
    fits: bool = True


DRAINS = (
    Case("room", (4, 4, 4), web=4, db=2, daemon=True),
    Case("tight", (2, 2), web=4, fits=False),
    Case("budget-none", (4, 4), web=2, budget={"minAvailable": 2}, fits=False),
    Case("budget-one-by-one", (4, 4), web=4, budget={"maxUnavailable": 1}),
    Case("budget-used-up", (2, 2), web=4, budget={"maxUnavailable": 1}, fits=False),
    Case("bare", (3, 3), web=2, bare=2),
)
LOSSES = (Case("lost-room", (4, 4, 4), web=3, db=2, daemon=True), Case("lost-tight", (2, 2), web=3, db=1, fits=False))


@pytest.fixture(scope="module")
def plane() -> Iterator[ControlPlane]:
    with controllers_running(scheduler=True) as running:
        yield running


@pytest.fixture(scope="module")
def watch(plane: ControlPlane) -> Iterator[Watch]:
    with Watch(plane) as watching:
        yield watching


def template(case: Case, app: str, cpu: str = "1") -> Json:
    container = {"name": "main", "image": "main:1", "resources": {"requests": {"cpu": cpu}}}
    spec = {"nodeSelector": {"case": case.name}, "containers": [container], "terminationGracePeriodSeconds": 0}
    return {"metadata": {"labels": {"app": app}}, "spec": spec}


def objects(case: Case) -> Iterator[Json]:
    def workload(kind: str, app: str, cpu: str = "1", **more: Any) -> Json:
        spec = {"selector": {"matchLabels": {"app": app}}, "template": template(case, app, cpu), **more}
        return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": app}, "spec": spec}

    if case.web:
        yield workload("Deployment", "web", replicas=case.web)
    if case.db:
        yield workload("StatefulSet", "db", replicas=case.db, serviceName="db", podManagementPolicy="Parallel")
    if case.daemon:
        yield workload("DaemonSet", "log", "100m")
    for number in range(case.bare):
        yield {"apiVersion": "v1", "kind": "Pod", **template(case, "bare"), **_named(f"bare-{number}", "bare")}
    if case.budget:
        spec = {"selector": {"matchLabels": {"app": "web"}}, **case.budget}
        yield {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "web"}, "spec": spec}


def _named(name: str, app: str) -> Json:
    return {"metadata": {"name": name, "labels": {"app": app}}}


def start(plane: ControlPlane, watch: Watch, case: Case) -> str:
    """Make a case's nodes and pods, wait until all run; return the node with most pods, the first by name."""
    plane.create_namespace(case.name)
    for number, cpu in enumerate(case.cpus):
        plane.add_node(f"{case.name}-{number}", cpu=f"{cpu * 1000 + 200}m", labels={"case": case.name})
    for item in objects(case):
        apply(plane, item, case.name)
    wanted = case.web + case.db + case.bare + (len(case.cpus) if case.daemon else 0)

    def running() -> bool:
        serve(plane, watch, lambda pod: pod["metadata"]["namespace"] == case.name)
        return sum(map(is_ready, watch.in_namespace(case.name))) == wanted

    wait_for(running, timeout=60, what=f"the pods of {case.name}")
    if case.budget:
        settled(plane, watch, case)
    on = Counter(pod["spec"]["nodeName"] for pod in watch.in_namespace(case.name))
    return min(on, key=lambda name: (-on[name], name))


def settled(plane: ControlPlane, watch: Watch, case: Case) -> None:
    """Wait until every pod runs or was refused by the scheduler, and the budget has counted them."""

    def quiet() -> bool:
        mine = lambda pod: pod["metadata"]["namespace"] == case.name  # noqa: E731
        if serve(plane, watch, mine):
            return False
        pods = watch.in_namespace(case.name)
        counts = Counter(pod["metadata"]["labels"]["app"] for pod in pods)
        if counts["web"] != case.web or counts["db"] != case.db:
            return False
        if any(is_going(pod) for pod in watch.items.values() if mine(pod)):
            return False
        if not all(is_ready(pod) or refused(pod) for pod in pods):
            return False
        return not case.budget or counted(plane, case, sum(is_ready(p) for p in pods if app_of(p) == "web"))

    wait_for(quiet, timeout=60, what=f"{case.name} to settle")
    time.sleep(0.3)
    wait_for(quiet, timeout=60, what=f"{case.name} to stay settled")


def counted(plane: ControlPlane, case: Case, healthy: int) -> bool:
    budget = plane.get(f"/apis/policy/v1/namespaces/{case.name}/poddisruptionbudgets/web")
    status = budget.get("status", {})
    seen = status.get("observedGeneration") == budget["metadata"]["generation"] and not status.get("disruptedPods")
    return seen and status.get("currentHealthy") == healthy


def app_of(pod: Json) -> str:
    return str(pod["metadata"]["labels"]["app"])


def refused(pod: Json) -> bool:
    conditions = pod.get("status", {}).get("conditions") or ()
    return any(one["type"] == "PodScheduled" and one.get("reason") == "Unschedulable" for one in conditions)


def outcome(watch: Watch, case: Case) -> dict[str, tuple[int, int]]:
    """By workload, how many pods run and how many wait."""
    found: dict[str, tuple[int, int]] = {}
    for pod in watch.in_namespace(case.name):
        runs, waits = found.get(app_of(pod), (0, 0))
        placed = bool(pod["spec"].get("nodeName"))
        found[app_of(pod)] = (runs + placed, waits + (not placed))
    return found


def predicted(cluster: Any, case: Case) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for pod in cluster.pods:
        if pod.gone or pod.namespace != case.name:
            continue
        runs, waits = found.get(pod.labels["app"], (0, 0))
        found[pod.labels["app"]] = (runs + pod.bound, waits + (not pod.bound))
    return found


@pytest.mark.parametrize("case", DRAINS, ids=lambda case: case.name)
def test_a_drain_goes_as_planned(plane: ControlPlane, watch: Watch, case: Case) -> None:
    node = start(plane, watch, case)
    planner = SCHEDULER.planner(read_state(plane), everything=False)
    plan: DrainRun[None] = run_drain(planner, [node], DrainOptions(True, True, force=True))
    evicted = [gone.pod.name for gone in sorted(plan.pods, key=lambda gone: gone.number) if gone.number]
    held = {gone.pod.name for gone in plan.pods if gone.what.fate == "evict" and not gone.number}
    assert (not plan.left) == case.fits

    plane.patch(f"/api/v1/nodes/{node}", {"spec": {"unschedulable": True}})
    waiting = [gone.pod.name for gone in plan.pods if gone.what.fate == "evict"]
    really: list[str] = []
    while waiting:
        left = []
        for name in waiting:
            path = f"/api/v1/namespaces/{case.name}/pods/{name}"
            body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": case.name}}
            status, answer = plane.request("POST", f"{path}/eviction", body)
            assert status in (201, 429), answer
            if status == 429:
                left.append(name)
                continue
            really.append(name)
            wait_for(lambda path=path: plane.request("GET", path)[0] == 404 or _again(plane, path, watch), timeout=30)
            settled(plane, watch, case)
        if len(left) == len(waiting):
            break
        waiting = left
    assert really == evicted
    assert set(waiting if held else []) == held
    assert outcome(watch, case) == predicted(planner.cluster, case)


def _again(plane: ControlPlane, path: str, watch: Watch) -> bool:
    """Whether a StatefulSet has made the pod anew, under its name."""
    serve(plane, watch)
    status, pod = plane.request("GET", path)
    return status == 200 and not is_going(pod) and pod["spec"].get("nodeName", "") != ""


@pytest.mark.parametrize("case", LOSSES, ids=lambda case: case.name)
def test_a_node_is_lost_as_planned(plane: ControlPlane, watch: Watch, case: Case) -> None:
    node = start(plane, watch, case)
    planner = SCHEDULER.planner(read_state(plane), everything=False)
    (step,) = run(planner, [parse_step("fail", node)])
    assert all(move.node for move in step.moves) == case.fits

    gone = [pod for pod in watch.in_namespace(case.name) if pod["spec"].get("nodeName") == node]
    plane.delete(f"/api/v1/nodes/{node}")
    for pod in gone:  # what the pod garbage collector does once the node is gone
        path = f"/api/v1/namespaces/{case.name}/pods/{pod['metadata']['name']}"
        plane.request("DELETE", path, {"gracePeriodSeconds": 0, "preconditions": {"uid": pod["metadata"]["uid"]}})
    settled(plane, watch, case)
    assert outcome(watch, case) == predicted(planner.cluster, case)


@dataclass(frozen=True)
class Still:
    """A rule of placement, and whether a lost node that is still there keeps the next pod from its place.

    Attributes:
        name: of the namespace, and of the label its nodes have.
        rule: fields of the pod's spec.
        zones: of its nodes, one each.
        replicas: one fits on each node or zone.
        waits: whether the pod made in place of the lost one has no node until the lost node is deleted.
    """

    name: str
    rule: Json
    zones: str
    replicas: int
    waits: bool


def spread(key: str, **more: str) -> Json:
    rule = {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule", **more}
    return {"topologySpreadConstraints": [{**rule, "labelSelector": {"matchLabels": {"app": "web"}}}]}


def apart(key: str) -> Json:
    term = {"topologyKey": key, "labelSelector": {"matchLabels": {"app": "web"}}}
    return {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}


HOST, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
STILL_THERE = (
    Still("still-hosts", spread(HOST), "abc", 3, waits=True),
    Still("still-honor", spread(HOST, nodeTaintsPolicy="Honor"), "abc", 3, waits=False),
    Still("still-zones", spread(ZONE), "abc", 3, waits=True),
    Still("still-apart", apart(ZONE), "aab", 2, waits=True),
    Still("still-apart-hosts", apart(HOST), "abc", 2, waits=False),
)


@pytest.mark.parametrize("case", STILL_THERE, ids=lambda case: case.name)
def test_a_lost_node_that_is_still_there_is_in_the_way_as_told(
    plane: ControlPlane, watch: Watch, case: Still, capsys: pytest.CaptureFixture[str]
) -> None:
    space = case.name
    plane.create_namespace(space)
    for number, zone in enumerate(case.zones):
        plane.add_node(f"{space}-{number}", cpu="4", labels={"case": space, ZONE: f"{space}-{zone}"})
    container = {"name": "main", "image": "main:1", "resources": {"requests": {"cpu": "1"}}}
    pods = {"nodeSelector": {"case": space}, "containers": [container], **case.rule}
    spec = {
        "replicas": case.replicas,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": pods},
    }
    apply(plane, {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}, space)

    def running() -> bool:
        serve(plane, watch, lambda pod: pod["metadata"]["namespace"] == space)
        return sum(map(is_ready, watch.in_namespace(space))) == case.replicas

    wait_for(running, timeout=60, what=f"the pods of {space}")
    lost = min(pod["spec"]["nodeName"] for pod in watch.in_namespace(space))
    assert main(["fail", lost, "-o", "json", "--kubeconfig", str(plane.kubeconfig)]) == 0
    report = json.loads(capsys.readouterr().out)
    [told] = [pod for pod in report["pods"] if pod["pod"].startswith(f"{space}/")]
    assert ("waitsForDeletion" in told, bool(told["landsOn"])) == (case.waits, True)

    taints = [{"key": "node.kubernetes.io/unreachable", "effect": effect} for effect in ("NoExecute", "NoSchedule")]
    plane.patch(f"/api/v1/nodes/{lost}", {"spec": {"taints": taints}})
    path = f"/api/v1/namespaces/{space}/pods/{told['pod'].partition('/')[2]}"
    plane.request("DELETE", path, {})  # no kubelet answers: it stays, Terminating

    def tried() -> list[Json]:
        fresh = [pod for pod in watch.in_namespace(space) if not is_ready(pod) and not is_going(pod)]
        return [pod for pod in fresh if pod["spec"].get("nodeName") or refused(pod)]

    wait_for(lambda: len(tried()) == 1, timeout=60, what=f"the next pod of {space}")
    [fresh] = tried()
    assert bool(fresh["spec"].get("nodeName")) != case.waits
    plane.delete(f"/api/v1/nodes/{lost}")
    plane.request("DELETE", path, {"gracePeriodSeconds": 0})  # as the pod garbage collector does
    wait_for(lambda: all(pod["spec"].get("nodeName") for pod in tried()), timeout=60, what="a node for it")
