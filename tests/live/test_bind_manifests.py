"""kplan bind of manifests against real controllers: pods are awaited, compared, and bound where they were shown."""

import itertools
import json
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from kplan.cli.main import main
from tests.live import bindworld
from tests.live.bindworld import WAITING, World
from tests.live.controllers import FAST
from tests.live.controlplane import CONTROLLERS, SCHEDULER, ControlPlane
from tests.live.faultproxy import READS, any_write, on


@pytest.fixture(scope="module")
def server() -> Iterator[ControlPlane]:
    options = {"controller_manager_args": FAST, "service_account_admission": True}
    with bindworld.serving((*CONTROLLERS, "ephemeral-volume-controller"), **options) as running:
        yield running


@pytest.fixture
def world(server: ControlPlane, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    with bindworld.world_of(server, tmp_path, request.node.name) as made:
        yield made


def template(world: World, name: str, cpu: str = "1", **spec: Any) -> dict[str, Any]:
    requests = {"requests": {"cpu": cpu}} if cpu else {}
    container = {"name": "main", "image": "app:1", "resources": requests}
    body = {"schedulerName": "kplan", "nodeSelector": {"world": world.name}, "containers": [container], **spec}
    return {"metadata": {"labels": {"app": name}}, "spec": body}


def workload(world: World, kind: str, name: str, cpu: str = "1", pod: dict[str, Any] | None = None, **spec: Any) -> Any:
    selector = {} if kind == "Job" else {"selector": {"matchLabels": {"app": name}}}
    return {
        "apiVersion": "batch/v1" if kind == "Job" else "apps/v1",
        "kind": kind,
        "metadata": {"name": name},
        "spec": {"template": template(world, name, cpu, **(pod or {})), **selector, **spec},
    }


def write(world: World, *objects: Any) -> list[str]:
    """Write a manifest; returns the words that name it."""
    path = world.folder / "manifest.yaml"
    path.write_text(yaml.safe_dump_all(objects))
    return ["-f", str(path), "-n", world.name]


def create(world: World, *words: str) -> int:
    return world.kplan(*words, "--create", "--apply", "--yes", "-o", f"json={world.result}")


def shown(world: World, *words: str) -> list[tuple[str, str]]:
    """Owner and node of each pod of the plan."""
    plan = world.folder / "shown.json"
    world.kplan(*words, "--create", "-o", f"json={plan}")
    return [(pod.get("owner", ""), pod.get("node", "")) for pod in json.loads(plan.read_text())["pods"]]


def nodes_of(world: World) -> Counter[str]:
    """How many pods are on each node."""
    return Counter(world.on().values())


def test_a_deployment_is_created_and_its_pods_are_bound_where_they_were_shown(world: World) -> None:
    names = world.nodes(3, cpu="2")
    words = write(world, workload(world, "Deployment", "web", replicas=4))
    told = shown(world, *words)
    assert world.proxy.writes == []
    assert create(world, *words) == 0
    assert nodes_of(world) == Counter(node for _, node in told)
    assert set(nodes_of(world)) == set(names)
    result = world.told()
    assert result["objects"] == [{"object": f"deploy/{world.name}/web", "result": "created"}]
    assert {entry["real"].partition("/")[2] for entry in result["pods"]} == set(world.on())
    assert all(entry["confirmed"] for entry in result["pods"])
    world.check_nothing_lost_or_doubled()
    kinds = [(line["kind"], line.get("write", "")) for line in world.lines()]
    assert kinds[:3] == [("start", ""), ("before", "create"), ("after", "")]
    assert kinds.count(("match", "")) == 4
    assert kinds.count(("before", "bind")) == 4


def test_a_stateful_sets_pods_get_the_places_of_their_ordinals_one_after_the_other(world: World) -> None:
    names = world.nodes(3)
    claim = {
        "metadata": {"name": "data"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": WAITING,
            "resources": {"requests": {"storage": "1Gi"}},
        },
    }
    term = {"labelSelector": {"matchLabels": {"app": "db"}}, "topologyKey": "kubernetes.io/hostname"}
    apart = {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}
    words = write(world, workload(world, "StatefulSet", "db", pod=apart, replicas=3, volumeClaimTemplates=[claim]))
    told = shown(world, *words)
    with bindworld.kubelet(world), bindworld.provisioner(world.server):
        assert create(world, *words) == 0
    assert world.on() == {f"db-{number}": node for number, (_, node) in enumerate(told)}
    assert set(world.on().values()) == set(names)
    assert all(world.get(f"data-db-{i}", "persistentvolumeclaims")["status"]["phase"] == "Bound" for i in range(3))
    world.check_nothing_lost_or_doubled()


def test_jobs_daemon_sets_replica_sets_and_what_their_pods_need(world: World) -> None:
    names = world.nodes(2)
    high = f"high-{world.name}"
    volume = [{"name": "c", "configMap": {"name": "settings"}}]
    objects = [
        workload(world, "ReplicaSet", "rs", "500m", pod={"volumes": volume}, replicas=2),
        workload(world, "DaemonSet", "log", "100m", pod={"serviceAccountName": "logger"}),
        workload(
            world, "Job", "sum", "200m", pod={"restartPolicy": "Never", "priorityClassName": high},
            completionMode="Indexed", completions=3, parallelism=3,
        ),
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"a": "b"}},
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "logger"}},
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": high}, "value": 10},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "bare"}, "spec": template(world, "bare")["spec"]},
    ]  # fmt: skip
    words = write(world, *objects)
    told = shown(world, *words)
    assert create(world, *words) == 0
    space = world.name
    assert [item["object"] for item in world.told()["objects"]] == [
        f"priorityclass/{high}", f"serviceaccount/{space}/logger", f"configmap/{space}/settings",
        f"rs/{space}/rs", f"ds/{space}/log", f"job/{space}/sum",
    ]  # fmt: skip
    assert nodes_of(world) == Counter(node for _, node in told)
    pods = world.server.get(world.path("pods"))["items"]
    assert {p["spec"]["nodeName"] for p in pods if p["metadata"]["name"].startswith("log-")} == set(names)
    by_index = {
        p["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"]: p["spec"]["nodeName"]
        for p in pods
        if p["metadata"]["name"].startswith("sum-")
    }
    assert by_index == {str(i): node for i, node in enumerate(n for owner, n in told if owner == f"job/{space}/sum")}
    world.check_nothing_lost_or_doubled()


def test_a_namespace_is_created_with_what_is_in_it(world: World) -> None:
    names = world.nodes(1)
    space = f"{world.name}-new"
    bare = {"metadata": {"name": "bare", "namespace": space}, "spec": template(world, "bare")["spec"]}
    web = workload(world, "Deployment", "web", replicas=2)
    web["metadata"]["namespace"] = space
    words = write(world, web, {"apiVersion": "v1", "kind": "Pod", **bare},
                  {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": space}})  # fmt: skip
    assert create(world, *words) == 0
    pods = world.server.get(f"/api/v1/namespaces/{space}/pods")["items"]
    assert [pod["spec"]["nodeName"] for pod in pods] == [names[0]] * 3
    assert [item["object"] for item in world.told()["objects"]] == [f"namespace/{space}", f"deploy/{space}/web"]


def test_what_is_there_as_the_manifest_says_is_left_alone_and_its_pods_are_bound(world: World) -> None:
    names = world.nodes(1)
    web = workload(world, "Deployment", "web", replicas=2)
    words = write(world, web)
    world.server.post(f"/apis/apps/v1/namespaces/{world.name}/deployments", web)
    bindworld.wait_for(lambda: len(world.on()) == 2, what="the pods")
    assert create(world, *words) == 0
    assert world.told()["objects"] == [{"object": f"deploy/{world.name}/web", "result": "there"}]
    assert nodes_of(world) == Counter({names[0]: 2})
    assert {request.path.rsplit("/", 1)[-1] for request in world.proxy.writes} == {"binding"}


def test_what_is_there_and_differs_is_refused_and_nothing_is_written(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.nodes(1)
    there = workload(world, "Deployment", "web", replicas=1)
    world.server.post(f"/apis/apps/v1/namespaces/{world.name}/deployments", there)
    words = write(world, workload(world, "Deployment", "web", "2", replicas=1), workload(world, "StatefulSet", "db"))
    assert create(world, *words) == 2
    err = " ".join(capsys.readouterr().err.split())
    field = "spec.template.spec.containers[0].resources.requests.cpu"
    assert f"deploy/{world.name}/web: it exists and differs in {field}: kubectl apply it" in err
    assert world.proxy.writes == []


def limit_range(world: World) -> None:
    """Let the server give pods without requests some, as of now."""
    limits = [{"type": "Container", "defaultRequest": {"cpu": "250m"}}]
    world.server.post(world.path("limitranges"), {"metadata": {"name": "late"}, "spec": {"limits": limits}})


def test_pods_that_the_server_made_otherwise_than_planned_are_held_back_with_the_field(world: World) -> None:
    world.nodes(1)
    bare = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "bare"}, "spec": template(world, "b", "")["spec"]}
    words = write(world, workload(world, "Deployment", "web", "", replicas=1), bare)
    plan = str(world.folder / "plan.json")
    assert world.kplan(*words, "--create", "--save-plan", plan) == 0
    limit_range(world)
    assert world.kplan("--plan", plan, "--create", "--apply", "--yes", "-o", f"json={world.result}") == 1
    held = world.told()["pods"]
    assert [(entry["result"], entry["code"]) for entry in held] == [("held-back", "pod-differs")] * 2
    assert {entry["text"] for entry in held} == {"the pod is not as it was planned: containers[0].resources"}
    assert set(world.on().values()) == {""}
    assert [entry.get("kept") for entry in held if entry["pod"].endswith("/bare")] == [[f"create {world.name}/bare"]]


def test_pods_that_their_controller_cannot_make_are_said_with_its_words(world: World) -> None:
    names = world.nodes(1)
    words = write(world, workload(world, "ReplicaSet", "rs", replicas=2))
    plan = str(world.folder / "plan.json")
    assert world.kplan(*words, "--create", "--save-plan", plan) == 0
    quota = {"metadata": {"name": "one"}, "spec": {"hard": {"pods": "1"}}, "status": {"hard": {"pods": "1"}}}
    world.server.post(world.path("resourcequotas"), quota)
    world.server.patch(
        world.path("resourcequotas", "one/status"), {"status": {"hard": {"pods": "1"}, "used": {"pods": "0"}}}
    )
    words = ("--plan", plan, "--create", "--apply", "--yes", "--create-timeout", "3", "-o", f"json={world.result}")
    assert world.kplan(*words) == 1
    result = world.told()
    assert sorted(entry["result"] for entry in result["pods"]) == ["bound", "held-back"]
    [held] = [entry for entry in result["pods"] if entry["result"] == "held-back"]
    assert held["code"] == "not-made"
    assert held["text"].startswith(f"rs/{world.name}/rs made no pod for it within 3 s: ")
    assert "exceeded quota: one" in held["text"]
    assert nodes_of(world) == Counter({names[0]: 1})


def test_an_object_that_appears_otherwise_meanwhile_leaves_the_rest_uncreated(world: World) -> None:
    world.nodes(1)
    settings = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"a": "b"}}
    words = write(world, workload(world, "Deployment", "web", replicas=1), settings)

    def rival() -> None:
        world.server.post(world.path("configmaps"), {**settings, "data": {"a": "other"}})

    with world.proxy.fault(on("configmaps"), before=rival):
        assert create(world, *words) == 1
    result = world.told()
    text = f"configmap/{world.name}/settings exists now and differs in data.a"
    assert [(item["result"], item.get("text", "")) for item in result["objects"]] == [
        ("held-back", text), ("not-tried", ""),
    ]  # fmt: skip
    [held] = result["pods"]
    assert (held["code"], held["text"]) == (
        "not-created", f"configmap/{world.name}/settings was not created: {text}"
    )  # fmt: skip
    assert world.server.get(f"/apis/apps/v1/namespaces/{world.name}/deployments")["items"] == []


def test_pods_of_a_live_scheduler_are_created_only_if_they_are_taken_over(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    names = world.nodes(1)
    web = workload(world, "Deployment", "web", pod={"schedulerName": "default-scheduler"}, replicas=1)
    words = write(world, web)
    with bindworld.lease(world.server, "kube-scheduler"):
        assert create(world, *words, "--accept-doubt", "all") == 2
        assert "--take-over: a live scheduler answers for schedulerName default-scheduler" in " ".join(
            capsys.readouterr().err.split()
        )
        assert world.proxy.writes == []
        assert create(world, *words, "--accept-doubt", "all", "--take-over") == 0
    assert nodes_of(world) == Counter({names[0]: 1})


def test_a_real_scheduler_that_is_faster_doubles_nothing(world: World) -> None:
    world.nodes(3)
    web = workload(world, "Deployment", "web", pod={"schedulerName": "default-scheduler"}, replicas=6)
    words = write(world, web)
    world.server.start_scheduler()
    try:
        assert create(world, *words, "--accept-doubt", "all", "--take-over") in (0, 1)
    finally:
        world.server.stop_component(SCHEDULER)
    accepted = world.bindings()
    assert len(accepted) == len(set(accepted))
    on = world.on()
    assert len(on) == 6
    for entry in world.told()["pods"]:
        if entry["result"] == "bound":
            assert on[entry["real"].partition("/")[2]] == entry["node"]
        else:
            assert entry["code"] in ("bound-by-another", "bound-already")


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_connection_reset_around_a_creation(world: World, when: str) -> None:
    world.nodes(1)
    words = write(world, workload(world, "Deployment", "web", replicas=2))
    with world.proxy.fault(on("deployments"), reset=when) as fault:
        assert create(world, *words) == 0
    assert fault.hits == 1
    assert len(world.server.get(f"/apis/apps/v1/namespaces/{world.name}/deployments")["items"]) == 1
    world.check_nothing_lost_or_doubled()


@pytest.mark.parametrize(("status", "headers"), [(429, {"Retry-After": "1"}), (500, {}), (503, {})])
def test_a_creation_that_the_server_puts_off_is_tried_again(world: World, status: int, headers: dict[str, str]) -> None:
    world.nodes(1)
    words = write(world, workload(world, "Deployment", "web", replicas=1))
    with world.proxy.fault(on("deployments"), status=status, headers=headers) as fault:
        assert create(world, *words) == 0
    assert fault.hits == 1
    world.check_nothing_lost_or_doubled()


WRITES = 5
"""A ConfigMap and a Deployment are created, and three pods bound."""


@pytest.mark.parametrize(("number", "when"), list(itertools.product(range(1, WRITES + 1), ["before", "after"])))
def test_killed_at_any_write_and_resumed(world: World, number: int, when: str) -> None:
    world.nodes(3, cpu="1")
    settings = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"a": "b"}}
    words = write(world, workload(world, "Deployment", "web", replicas=3), settings)
    process: list[subprocess.Popen[str]] = []

    def kill() -> None:
        process[0].kill()
        process[0].wait()

    hook: dict[str, Any] = {when: kill, "reset": when}
    with world.proxy.fault(any_write, skip=number - 1, **hook):
        process.append(world.start(*words, "--create", "--apply", "--yes", "--journal", str(world.journal)))
        out, err = process[0].communicate(timeout=bindworld.PATIENCE)
    assert process[0].returncode == -signal.SIGKILL, (out, err)
    assert world.resume() == 0
    assert nodes_of(world) == Counter({f"{world.name}-{i}": 1 for i in range(3)})
    assert set(world.became().values()) == {"bound"}
    assert [item["result"] for item in world.told()["objects"]] == ["created", "created"]
    world.check_nothing_lost_or_doubled()
    before = len(world.proxy.writes)
    assert world.resume() == 0
    assert len(world.proxy.writes) == before


def test_the_rights_that_are_printed_for_a_manifest_suffice(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    from importlib import resources

    names = world.nodes(1)
    settings = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"a": "b"}}
    words = write(world, workload(world, "Deployment", "web", replicas=1), settings)
    assert main(["bind", *words, "--create", "--print-rbac"]) == 0
    cluster_role, role = yaml.safe_load_all(capsys.readouterr().out)
    reader = next(yaml.safe_load_all(resources.files("kplan").joinpath("data", "rbac.yaml").read_text()))
    with bindworld.only_rights(world, [*reader["rules"], *cluster_role["rules"]], role["rules"]):
        assert create(world, *words) == 0
    assert [r.path for r in world.proxy.requests if r.status == 403 and r.method not in READS] == []
    assert nodes_of(world) == Counter({names[0]: 1})
