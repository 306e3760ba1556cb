"""kplan bind that is killed between any two writes, or interrupted: --resume asks the server and goes on."""

import itertools
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.live import bindworld
from tests.live.bindworld import World, wait_for
from tests.live.controlplane import ControlPlane
from tests.live.faultproxy import Request, any_write, on
from tests.live.test_bind_faults import EVERYTHING, check_everything, everything, world_targets

WRITES = 15
"""Of the world with everything: 1 pod is created, 4 are bound, and 4 events told; 1 volume, 1 claim, 3 nominations, 1
eviction."""


@pytest.fixture(scope="module")
def server() -> Iterator[ControlPlane]:
    with bindworld.serving() as running:
        yield running


@pytest.fixture
def world(server: ControlPlane, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    with bindworld.world_of(server, tmp_path, request.node.name) as made:
        yield made


def killed(world: World, skip: int, when: str) -> None:
    """Run kplan over everything, and kill it at one of its writes.

    Args:
        world: the world.
        skip: writes before.
        when: ``before`` the server sees the write, or ``after`` it has carried it out.
    """
    process: list[subprocess.Popen[str]] = []

    def kill() -> None:
        process[0].kill()
        process[0].wait()

    hook = {when: kill, "reset": when}
    with world.proxy.fault(any_write, skip=skip, **hook):  # type: ignore[arg-type]
        process.append(world.start(*EVERYTHING, *world_targets(world), "--journal", str(world.journal)))
        out, err = process[0].communicate(timeout=bindworld.PATIENCE)
    assert process[0].returncode == -signal.SIGKILL, (out, err)


def killed_before(world: World, which: Callable[[Request], bool], *words: str) -> None:
    """Bind the world's pods with ``words``, and kill kplan before the server sees a write.

    Args:
        world: the world.
        which: matches that write.
        words: further flags.
    """
    process: list[subprocess.Popen[str]] = []
    with world.proxy.fault(which, before=lambda: process[0].kill(), reset="before"):
        process.append(world.start("-n", world.name, "--apply", "--yes", *words, "--journal", str(world.journal)))
        process[0].communicate(timeout=bindworld.PATIENCE)
    assert process[0].returncode == -signal.SIGKILL


@pytest.mark.parametrize(("number", "when"), list(itertools.product(range(1, WRITES + 1), ["before", "after"])))
def test_killed_at_any_write_and_resumed(world: World, number: int, when: str) -> None:
    with (
        bindworld.priority(world.server, f"urgent-{world.name}", 1000),
        bindworld.kubelet(world),
        bindworld.provisioner(world.server),
    ):
        everything(world)
        killed(world, number - 1, when)
        assert world.resume() == 0
    check_everything(world)


def test_killed_twice_and_resumed(world: World) -> None:
    with (
        bindworld.priority(world.server, f"urgent-{world.name}", 1000),
        bindworld.kubelet(world),
        bindworld.provisioner(world.server),
    ):
        everything(world)
        killed(world, 4, "after")
        process: list[subprocess.Popen[str]] = []
        with world.proxy.fault(any_write, skip=2, before=lambda: process[0].kill(), reset="before"):
            process.append(world.start("--resume", str(world.journal), "--yes"))
            process[0].communicate(timeout=bindworld.PATIENCE)
        assert process[0].returncode == -signal.SIGKILL
        assert world.resume() == 0
    check_everything(world)


def test_a_run_that_ended_has_nothing_left_to_resume(world: World) -> None:
    world.nodes(1)
    world.pod("a")
    assert world.apply() == 0
    before = len(world.proxy.writes)
    assert world.resume() == 0
    assert len(world.proxy.writes) == before
    assert world.became() == {"a": "bound"}


def test_a_pod_that_was_bound_and_deleted_since_stays_bound_by_the_run(world: World) -> None:
    world.nodes(2)
    world.pod("a")
    world.pod("b")
    killed_before(world, on_binding_of("b"))
    world.server.delete(world.path("pods", "a"), {"gracePeriodSeconds": 0})
    assert world.resume() == 0
    assert world.became() == {"a": "bound", "b": "bound"}
    assert [entry.get("text", "") for entry in world.told()["pods"]] == ["the pod was deleted", ""]
    assert world.bindings() == ["a", "b"]


def on_binding_of(name: str) -> Callable[[Request], bool]:
    return lambda request: request.writes and request.path.endswith(f"/{name}/binding")


def test_a_run_that_is_resumed_reports_what_was_held_back_before_it_was_killed(world: World) -> None:
    world.nodes(1)
    world.claim("data", bindworld.WAITING)
    world.pod("a", volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}])
    killed_before(world, on("events"), "--events", "--volume-timeout", "1")
    base = f"/apis/events.k8s.io/v1/namespaces/{world.name}/events"
    assert [item for item in world.server.get(base)["items"] if item["reportingController"] == "kplan"] == []
    assert world.resume() == 1
    assert world.became() == {"a": "held-back"}
    [told] = [item for item in world.server.get(base)["items"] if item["reportingController"] == "kplan"]
    assert (told["reason"], told["note"], told["regarding"]["name"]) == (
        "FailedScheduling", f"claim {world.name}/data was not bound within 1 s", "a",
    )  # fmt: skip


def test_a_run_is_not_resumed_under_other_rules(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.nodes(1)
    world.pod("a")
    killed_before(world, any_write)
    gate = "NominatedNodeNameForExpectation=false"
    assert world.kplan("--resume", str(world.journal), "--yes", "--feature-gates", gate, journal=False) == 2
    err = " ".join(capsys.readouterr().err.split())
    assert "the plan was made under other rules: feature gates as by default, now" in err
    assert world.resume() == 0
    assert world.on() == {"a": f"{world.name}-0"}


def test_the_first_interrupt_finishes_the_write_in_flight_and_stops(world: World) -> None:
    world.nodes(3)
    for name in "abc":
        world.pod(name)
    process: list[subprocess.Popen[str]] = []

    def interrupt() -> None:
        process[0].send_signal(signal.SIGINT)
        time.sleep(0.5)

    with world.proxy.fault(lambda r: r.writes and r.path.endswith("/b/binding"), before=interrupt):
        words = ("-n", world.name, "--apply", "--yes", "--journal", str(world.journal), "-o", f"json={world.result}")
        process.append(world.start(*words))
        _, err = process[0].communicate(timeout=bindworld.PATIENCE)
    assert process[0].returncode == 130, err
    assert world.became() == {"a": "bound", "b": "bound", "c": "not-tried"}
    assert [line["kind"] for line in world.lines()].count("before") == 2
    assert world.told()["verdict"] == "STOPPED"
    world.check_nothing_lost_or_doubled()
    assert world.resume() == 0
    assert world.became() == {"a": "bound", "b": "bound", "c": "bound"}


def test_an_interrupt_ends_waiting_for_a_claim(world: World) -> None:
    world.nodes(1)
    world.claim("data", bindworld.WAITING)
    world.pod("a", volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}])
    process = world.start("-n", world.name, "--apply", "--yes", "--journal", str(world.journal))
    wait_for(lambda: len(world.proxy.writes) == 2, what="nomination and claim")
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=bindworld.PATIENCE)
    assert process.returncode == 130
    assert out.startswith(
        "STOPPED  0 of 1 pod; 1 on the way\nBecause  it was asked to stop\nTry      kplan bind --resume"
    )
    with bindworld.provisioner(world.server):
        assert world.resume() == 0
    assert world.on() == {"a": f"{world.name}-0"}


def test_the_second_interrupt_stops_at_once(world: World) -> None:
    world.nodes(1)
    world.pod("a")
    process: list[subprocess.Popen[str]] = []

    with world.proxy.fault(lambda r: r.writes, before=lambda: bindworld.interrupt_twice(process[0]), reset="before"):
        process.append(world.start("-n", world.name, "--apply", "--yes", "--journal", str(world.journal)))
        process[0].communicate(timeout=bindworld.PATIENCE)
    assert process[0].returncode == 130
    assert [line["kind"] for line in world.lines()] == ["start", "before"]
    assert world.resume() == 0
    assert world.on() == {"a": f"{world.name}-0"}


def test_the_second_interrupt_asks_the_server_nothing_more(world: World) -> None:
    """Not even about the nomination, which the resumed run finds."""
    world.nodes(1)
    world.claim("data", bindworld.WAITING)
    world.pod("a", volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}])
    process: list[subprocess.Popen[str]] = []

    with world.proxy.fault(on("data"), before=lambda: bindworld.interrupt_twice(process[0]), reset="before"):
        process.append(world.start("-n", world.name, "--apply", "--yes", "--journal", str(world.journal)))
        process[0].communicate(timeout=bindworld.PATIENCE)
    assert process[0].returncode == 130
    asked = [request for request in world.proxy.requests if request.query.get("watch") != "1"]
    assert (asked[-1].method, asked[-1].path.rsplit("/", 1)[-1]) == ("PUT", "data")
    with bindworld.provisioner(world.server):
        assert world.resume() == 0
    assert world.on() == {"a": f"{world.name}-0"}


def test_a_resumed_run_takes_flags_on_top_of_those_of_its_journal(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.nodes(1)
    world.pod("a")
    killed_before(world, any_write)
    with bindworld.lease(world.server, "kplan"):
        assert world.resume() == 2
        assert "--take-over: a live scheduler answers for schedulerName kplan" in " ".join(
            capsys.readouterr().err.split()
        )
        assert world.kplan("--resume", str(world.journal), "--yes", "--take-over", journal=False) == 0
    assert world.on() == {"a": f"{world.name}-0"}
