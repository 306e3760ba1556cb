"""kplan bind that is killed between any two writes, or interrupted: --resume asks the server and goes on."""

import itertools
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live import bindworld
from tests.live.bindworld import World
from tests.live.controlplane import ControlPlane, wait_for
from tests.live.faultproxy import any_write
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
        out, err = process[0].communicate(timeout=60)
    assert process[0].returncode == -signal.SIGKILL, (out, err)


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
            process[0].communicate(timeout=60)
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
        _, err = process[0].communicate(timeout=60)
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
    out, _ = process.communicate(timeout=10)
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

    def interrupt() -> None:
        for _ in range(2):
            process[0].send_signal(signal.SIGINT)
            time.sleep(0.3)
        process[0].wait(5)

    with world.proxy.fault(lambda r: r.writes, before=interrupt, reset="before"):
        process.append(world.start("-n", world.name, "--apply", "--yes", "--journal", str(world.journal)))
        process[0].communicate(timeout=60)
    assert process[0].returncode == 130
    assert [line["kind"] for line in world.lines()] == ["start", "before"]
    assert world.resume() == 0
    assert world.on() == {"a": f"{world.name}-0"}
