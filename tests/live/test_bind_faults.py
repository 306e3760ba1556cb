"""kplan bind when things go wrong: nothing is lost and nothing doubled, on the server and in the journal."""

import threading
import time
from collections.abc import Callable, Iterator
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from tests.live import bindworld
from tests.live.bindworld import STATIC, World
from tests.live.controlplane import ControlPlane
from tests.live.faultproxy import Request, on


@pytest.fixture(scope="module")
def server() -> Iterator[ControlPlane]:
    with bindworld.serving() as running:
        yield running


@pytest.fixture
def world(server: ControlPlane, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    with bindworld.world_of(server, tmp_path, request.node.name) as made:
        yield made


def three_pods(world: World) -> None:
    world.nodes(3)
    for name in "abc":
        world.pod(name)


def binding_of(name: str, *, dry: bool = False) -> Callable[[Request], bool]:
    return lambda r: r.path.endswith(f"/{name}/binding") and r.dry == dry


def after_lines(world: World, text: str) -> list[tuple[str, int]]:
    """Results and statuses of the writes with that text."""
    lines = world.lines()
    numbers = {line["n"] for line in lines if line["kind"] == "before" and line["text"].startswith(text)}
    return [
        (line["result"], line.get("status", 0)) for line in lines if line["kind"] == "after" and line["n"] in numbers
    ]


def all_bound(world: World) -> None:
    assert set(world.became().values()) == {"bound"}
    world.check_nothing_lost_or_doubled()
    assert sorted(world.bindings()) == ["a", "b", "c"]


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_server_error_before_the_write_is_carried_out_is_asked_about_and_tried_again(
    world: World, status: int
) -> None:
    three_pods(world)
    with world.proxy.fault(binding_of("b"), status=status) as fault:
        assert world.apply() == 0
    assert fault.hits == 1
    assert after_lines(world, f"bind {world.name}/b") == [("open", status), ("done", 201)]
    all_bound(world)


def test_a_server_error_that_stays_holds_the_pod_back_and_no_other(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kplan.bind.run.perform._LONGEST_PAUSE", 0.2)
    three_pods(world)
    with world.proxy.fault(binding_of("b"), status=500, times=99):
        assert world.apply() == 1
    assert world.became() == {"a": "bound", "b": "held-back", "c": "bound"}
    assert world.told()["pods"][1]["code"] == "server-failed"
    world.check_nothing_lost_or_doubled()


def test_too_many_requests_are_waited_for_as_long_as_the_server_says(world: World) -> None:
    three_pods(world)
    began = time.monotonic()
    with world.proxy.fault(binding_of("b"), status=429, headers={"Retry-After": "2"}, times=2):
        assert world.apply() == 0
    assert time.monotonic() - began >= 4
    assert after_lines(world, f"bind {world.name}/b") == [("later", 429), ("later", 429), ("done", 201)]
    all_bound(world)


def test_a_conflict_over_a_change_that_does_not_matter_is_read_again(world: World) -> None:
    three_pods(world)

    def touch() -> None:
        world.server.patch(world.path("pods", "b"), {"metadata": {"annotations": {"touched": "yes"}}})

    with world.proxy.fault(binding_of("b"), before=touch):
        assert world.apply() == 0
    assert after_lines(world, f"bind {world.name}/b") == [("refused", 409), ("done", 201)]
    all_bound(world)


def test_a_pod_that_is_touched_while_its_binding_is_tried_as_a_dry_run_is_read_again(world: World) -> None:
    three_pods(world)

    def touch() -> None:
        world.server.patch(world.path("pods", "b"), {"metadata": {"annotations": {"touched": "yes"}}})

    with world.proxy.fault(binding_of("b", dry=True), before=touch):
        assert world.apply() == 0
    all_bound(world)


def test_a_conflict_over_a_change_that_matters_holds_the_pod_back(world: World) -> None:
    three_pods(world)

    def relabel() -> None:
        world.server.patch(world.path("pods", "b"), {"metadata": {"labels": {"app": "other"}}})

    with world.proxy.fault(binding_of("b"), before=relabel):
        assert world.apply() == 1
    assert world.became()["b"] == "held-back"
    assert world.told()["pods"][1]["text"] == "the pod has changed since it was shown: labels"
    world.check_nothing_lost_or_doubled()


def test_a_conflict_on_a_volume_is_read_again(world: World) -> None:
    names = world.nodes(1)
    pv = f"{world.name}-pv"
    world.volume(pv, names[0])
    world.claim("data", STATIC)
    world.pod("a", volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}])

    def touch() -> None:
        world.server.patch(f"/api/v1/persistentvolumes/{pv}", {"metadata": {"annotations": {"touched": "yes"}}})

    with world.proxy.fault(on(pv), before=touch):
        assert world.apply() == 0
    assert after_lines(world, "give volume") == [("refused", 409), ("done", 200)]
    assert world.server.get(f"/api/v1/persistentvolumes/{pv}")["metadata"]["annotations"]["touched"] == "yes"
    world.check_nothing_lost_or_doubled()


def test_a_connection_reset_before_the_server_saw_the_write(world: World) -> None:
    three_pods(world)
    with world.proxy.fault(binding_of("b"), reset="before"):
        assert world.apply() == 0
    assert after_lines(world, f"bind {world.name}/b") == [("open", 0), ("done", 201)]
    all_bound(world)


def test_a_connection_reset_after_the_server_carried_the_write_out(world: World) -> None:
    three_pods(world)
    with world.proxy.fault(binding_of("b"), reset="after"):
        assert world.apply() == 0
    assert after_lines(world, f"bind {world.name}/b") == [("done", 0)]
    all_bound(world)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(
    "kind", ["persistentvolumes", "persistentvolumeclaims", "status", "eviction", "pods", "events"]
)
def test_a_connection_reset_around_any_other_write(world: World, kind: str, when: str) -> None:

    def match(request: Request) -> bool:
        parts = request.path.split("/")
        return request.writes and kind in (parts[-1], parts[-2])

    with (
        bindworld.priority(world.server, f"urgent-{world.name}", 1000),
        bindworld.kubelet(world),
        bindworld.provisioner(world.server),
        world.proxy.fault(match, reset=when) as fault,
    ):
        everything(world)
        assert world.kplan(*EVERYTHING, *world_targets(world), "-o", f"json={world.result}") == 0
    assert fault.hits == 1
    check_everything(world)


EVERYTHING = ("--apply", "--yes", "--preempt", "--create", "--events")


def everything(world: World) -> None:
    """Pods that take every kind of write there is."""
    names = world.nodes(2, cpu="4")
    world.volume(f"{world.name}-pv", names[0])
    world.claim("static", STATIC)
    world.claim("made", bindworld.WAITING)
    world.running("keeper", names[0], "1", priorityClassName=f"urgent-{world.name}")
    world.running("low", names[1], "4")
    world.pod("urgent", "4", priorityClassName=f"urgent-{world.name}")
    for name, claim in (("static", "static"), ("waits", "made")):
        world.pod(name, "500m", volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": claim}}])
    (world.folder / "new.yaml").write_text(
        f"apiVersion: v1\nkind: Pod\nmetadata: {{name: new, namespace: {world.name}}}\nspec:\n"
        f"  schedulerName: kplan\n  nodeSelector: {{world: {world.name}}}\n"
        "  containers: [{name: main, image: app, resources: {requests: {cpu: 500m}}}]\n"
    )


def world_targets(world: World) -> tuple[str, ...]:
    names = tuple(f"{world.name}/{name}" for name in ("static", "waits", "urgent"))
    return (*names, "-f", str(world.folder / "new.yaml"))


def check_everything(world: World) -> None:
    names = [f"{world.name}-{i}" for i in range(2)]
    assert world.on() == dict.fromkeys(("keeper", "static", "waits", "new"), names[0]) | {"urgent": names[1]}
    assert set(world.became().values()) == {"bound"}
    world.check_nothing_lost_or_doubled()
    volumes = world.server.get("/api/v1/persistentvolumes")["items"]
    mine = [v for v in volumes if (v["spec"].get("claimRef") or {}).get("namespace") == world.name]
    assert len(mine) == 2
    assert all(v["status"]["phase"] == "Bound" for v in mine)
    events = world.server.get(f"/apis/events.k8s.io/v1/namespaces/{world.name}/events")["items"]
    told = sorted(e["regarding"]["name"] for e in events if e["reason"] == "Scheduled")
    assert told == ["new", "static", "urgent", "waits"]


def test_an_apiserver_that_is_killed_and_comes_back(world: World) -> None:
    three_pods(world)
    command: list[str] = []
    threads: list[threading.Thread] = []

    def kill() -> None:
        command.extend(bindworld.kill_apiserver(world.server))
        threads.append(threading.Thread(target=bindworld.start_apiserver, args=(world.server, command, 2.0)))
        threads[0].start()

    with world.proxy.fault(binding_of("b"), before=kill):
        assert world.apply() == 0
    threads[0].join()
    all_bound(world)


def test_an_apiserver_that_does_not_come_back_stops_the_run_which_can_be_resumed(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("kplan.bind.wire.client.PATIENCE", 2.0)
    three_pods(world)
    command: list[str] = []

    def kill() -> None:
        command.extend(bindworld.kill_apiserver(world.server))

    with world.proxy.fault(binding_of("b"), after=kill, reset="after"):
        assert world.apply() == 5
    told = world.told()
    again = f"kplan bind --resume {world.journal} --kubeconfig {world.kubeconfig}"
    assert (told["verdict"], told["try"]) == ("STOPPED", again)
    assert world.became() == {"a": "bound", "b": "open", "c": "not-tried"}
    bindworld.start_apiserver(world.server, command)
    assert world.resume() == 0
    all_bound(world)


def test_a_rival_that_binds_the_same_pod_first(world: World) -> None:
    three_pods(world)
    names = [f"{world.name}-{i}" for i in range(3)]

    def rival() -> None:
        target = {"apiVersion": "v1", "kind": "Node", "name": names[0]}
        world.server.post(world.path("pods", "b/binding"), {"metadata": {"name": "b"}, "target": target})

    with world.proxy.fault(binding_of("b"), before=rival):
        assert world.apply() == 1
    assert world.became() == {"a": "bound", "b": "held-back", "c": "bound"}
    held = world.told()["pods"][1]
    assert (held["code"], held["text"]) == ("bound-by-another", f"another scheduler bound it to {names[0]}")
    assert world.on()["b"] == names[0]
    world.check_nothing_lost_or_doubled()


def test_a_node_that_is_deleted_between_plan_and_binding(world: World) -> None:
    three_pods(world)
    gone = f"{world.name}-1"
    with world.proxy.fault(binding_of("a"), after=lambda: world.server.delete(f"/api/v1/nodes/{gone}")):
        assert world.apply() == 1
    held = [entry for entry in world.told()["pods"] if entry["result"] == "held-back"]
    assert [(entry["node"], entry["text"]) for entry in held] == [(gone, f"node {gone} was deleted after the plan")]
    world.check_nothing_lost_or_doubled()


def test_a_node_that_is_cordoned_between_plan_and_binding(world: World) -> None:
    three_pods(world)
    node = f"{world.name}-1"
    with world.proxy.fault(binding_of("a"), after=lambda: bindworld.cordon(world.server, node)):
        assert world.apply() == 1
    held = [entry for entry in world.told()["pods"] if entry["result"] == "held-back"]
    assert [(entry["node"], entry["text"]) for entry in held] == [(node, f"node {node} was cordoned after the plan")]


def again(world: World, name: str) -> None:
    """Delete a pod and make it again under the same name."""
    world.server.delete(world.path("pods", name), {"gracePeriodSeconds": 0})
    world.pod(name)


@pytest.mark.parametrize("moment", ["between plan and its turn", "just before its binding"])
def test_a_pod_that_is_deleted_and_made_again_is_another_pod(world: World, moment: str) -> None:
    three_pods(world)
    where = binding_of("a") if moment.startswith("between") else binding_of("b")
    with world.proxy.fault(where, before=lambda: again(world, "b")):
        assert world.apply() == 1
    assert world.became() == {"a": "bound", "b": "held-back", "c": "bound"}
    held = world.told()["pods"][1]
    assert (held["code"], held["text"]) == ("recreated", "the pod was deleted and made again under the same name")
    world.check_nothing_lost_or_doubled()


def test_a_volume_that_is_taken_by_another_claim(world: World) -> None:
    names = world.nodes(1)
    pv = f"{world.name}-pv"
    world.volume(pv, names[0])
    world.claim("data", STATIC)
    thief = world.claim("thief", STATIC)
    world.pod("a", volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}])

    def steal() -> None:
        ref = {
            "namespace": world.name,
            "name": "thief",
            "uid": thief["metadata"]["uid"],
            "kind": "PersistentVolumeClaim",
        }
        world.server.patch(f"/api/v1/persistentvolumes/{pv}", {"spec": {"claimRef": ref}})

    with world.proxy.fault(on(pv), before=steal):
        assert world.apply() == 1
    [held] = world.told()["pods"]
    assert held["text"] == f"volume {pv} belongs to claim {world.name}/thief now"
    assert world.on() == {"a": ""}


def test_a_server_whose_clock_is_hours_ahead(world: World) -> None:
    three_pods(world)
    date = formatdate(time.time() + 5 * 3600, usegmt=True)
    with world.proxy.fault(lambda r: True, times=10**6, date=date):
        assert world.apply() == 0
    all_bound(world)


@pytest.mark.parametrize("hours", [-3, 3])
def test_a_scheduler_whose_clock_is_hours_off_still_holds_its_lease(
    world: World, hours: int, capsys: pytest.CaptureFixture[str]
) -> None:
    three_pods(world)
    with bindworld.lease(world.server, "kplan", renewed=time.time() + hours * 3600, renew=True):
        assert world.kplan(f"{world.name}/a", "--apply", "--yes") == 2
    assert "--take-over: a live scheduler answers for schedulerName kplan" in " ".join(capsys.readouterr().err.split())


def test_a_lease_that_nobody_renews_any_more_holds_nobody(world: World) -> None:
    three_pods(world)
    with bindworld.lease(world.server, "kplan", renewed=time.time() - 3600):
        assert world.apply() == 0
    all_bound(world)


def test_a_watch_that_breaks_off_goes_on(world: World) -> None:
    three_pods(world)
    with world.proxy.fault(lambda r: r.query.get("watch") == "1", times=3, reset="before"):
        assert world.apply() == 0
    assert all(entry["confirmed"] for entry in world.told()["pods"])


def test_a_watch_whose_version_is_forgotten_begins_again_with_a_list(world: World) -> None:
    three_pods(world)
    with world.proxy.fault(lambda r: r.query.get("watch") == "1", times=1, status=410):
        assert world.apply() == 0
    assert all(entry["confirmed"] for entry in world.told()["pods"])


def test_a_binding_that_never_arrives_is_asked_for_in_the_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kplan.bind.run.run.CONFIRM_WITHIN", 1.0)
    three_pods(world)
    with world.proxy.fault(lambda r: r.query.get("watch") == "1", times=99, reset="before"):
        assert world.apply() == 0
    all_bound(world)


def test_an_assumption_that_is_not_confirmed_is_dropped_and_said(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kplan.bind.run.run.CONFIRM_WITHIN", 1.0)
    three_pods(world)

    def lie(body: Any = None) -> None:
        pass

    with (
        world.proxy.fault(lambda r: r.query.get("watch") == "1", times=99, reset="before"),
        world.proxy.fault(binding_of("b"), status=201, body={"kind": "Status", "status": "Success"}, before=lie),
    ):
        assert world.apply() == 1
    held = world.told()["pods"][1]
    assert (held["result"], held["code"]) == ("held-back", "unconfirmed")
    assert "did not arrive within 1 s" in held["text"]
    world.check_nothing_lost_or_doubled()


def test_no_more_requests_a_second_than_allowed(world: World) -> None:
    three_pods(world)
    began = time.monotonic()
    assert world.apply("--qps", "10", "--burst", "1") == 0
    assert len(world.proxy.requests) / (time.monotonic() - began) < 22  # reading and writing, each at most 10
    all_bound(world)


def test_at_most_so_many_pods(world: World) -> None:
    three_pods(world)
    assert world.apply("--max-pods", "2") == 0
    assert world.bindings() == ["a", "b"]
    assert world.on()["c"] == ""
