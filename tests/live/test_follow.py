"""Following a real API server: changes as they come, a past that is forgotten, a server that goes away."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kplan.cli.main import main
from kplan.errors import LiveError
from kplan.sources import load as load_files
from kplan.sources.live import Follower, follow, read
from kplan.sources.live.connection import connect
from kplan.sources.live.load import take
from kplan.sources.snapshot import snapshot_bytes
from tests.live.conftest import PODS, need_assets, pod
from tests.live.controlplane import APISERVER, ControlPlane
from tests.live.test_failures import compact

PATIENCE = 30.0


def changed(following: Follower, wanted: Callable[[], bool]) -> None:
    """Wait until the state is as wanted."""
    end = time.monotonic() + PATIENCE
    while not wanted():
        assert time.monotonic() < end, "it never came"
        following.wait(1)


def waits(following: Follower) -> list[str]:
    return [one.name for one in following.state().pods]


@pytest.fixture
def following(other_server: ControlPlane) -> Iterator[Follower]:
    with follow(kubeconfig=str(other_server.kubeconfig)) as one:
        yield one


def test_what_appears_changes_and_goes_is_followed(other_server: ControlPlane, following: Follower) -> None:
    before = following.state()
    other_server.post(PODS, pod("follow-0"))
    changed(following, lambda: "follow-0" in waits(following))
    other_server.patch(f"{PODS}/follow-0", {"metadata": {"labels": {"team": "red"}}})
    changed(following, lambda: any(one.labels.get("team") == "red" for one in following.state().pods))
    other_server.delete(f"{PODS}/follow-0", {"gracePeriodSeconds": 0})
    changed(following, lambda: "follow-0" not in waits(following))
    after = following.state()
    assert [one.key for one in after.pods] == [one.key for one in before.pods]
    assert after.completeness.counts == before.completeness.counts
    assert int(after.completeness.versions["Pod"]) > int(before.completeness.versions["Pod"])


def test_a_state_that_was_followed_is_the_one_that_is_read(other_server: ControlPlane, following: Follower) -> None:
    other_server.post(PODS, pod("follow-1", cpu="2"))
    try:
        changed(following, lambda: "follow-1" in waits(following))
        listed = read(kubeconfig=str(other_server.kubeconfig))
        followed = json.loads(snapshot_bytes(following.state()))["items"]
        assert followed == json.loads(snapshot_bytes(listed))["items"]
    finally:
        other_server.delete(f"{PODS}/follow-1", {"gracePeriodSeconds": 0})


def test_a_change_that_scheduling_cannot_notice_is_none(other_server: ControlPlane, following: Follower) -> None:
    other_server.patch(f"{PODS}/p-0", {"metadata": {"annotations": {"note": str(time.monotonic_ns())}}})
    assert not following.wait(1.5)
    other_server.patch(f"{PODS}/p-0", {"metadata": {"labels": {"moved": str(time.monotonic_ns())}}})
    assert following.wait(PATIENCE)


def test_a_kind_whose_past_is_forgotten_is_listed_again(other_server: ControlPlane) -> None:
    connection = connect(kubeconfig=str(other_server.kubeconfig))
    before = len(other_server.audit_events())
    with Follower(connection, take(connection), watch_seconds=1) as following:
        compact_after(other_server, "forgotten")
        changed(following, lambda: "forgotten" in waits(following))
        changed(following, lambda: relisted(other_server, before))
        other_server.post(PODS, pod("forgotten-1"))
        changed(following, lambda: "forgotten-1" in waits(following))
    for name in ("forgotten", "forgotten-1"):
        other_server.delete(f"{PODS}/{name}", {"gracePeriodSeconds": 0})


def compact_after(server: ControlPlane, name: str) -> None:
    server.post(PODS, pod(name))
    for number in range(3):
        server.patch(f"{PODS}/{name}", {"metadata": {"labels": {"number": str(number)}}})
    compact(server)


def relisted(server: ControlPlane, before: int) -> bool:
    """Whether some kind of which nothing has happened lately was listed twice, because its watch was too old."""
    events = server.audit_events()[before:]
    lists = [one["objectRef"]["resource"] for one in events if one["verb"] == "list" and "objectRef" in one]
    return lists.count("nodes") > 1 or lists.count("services") > 1


def test_a_server_that_is_killed_ends_it_after_some_tries() -> None:
    need_assets()
    with ControlPlane() as dying:
        connection = connect(kubeconfig=str(dying.kubeconfig))
        with Follower(connection, take(connection), pause=lambda seconds: time.sleep(min(seconds, 0.1))) as following:
            [entry] = [entry for entry in dying._entries if entry["name"] == APISERVER]
            os.kill(entry["pid"], signal.SIGKILL)
            with pytest.raises(LiveError) as caught:
                changed(following, lambda: False)
    assert caught.value.code in ("connection-lost", "unreachable")
    assert caught.value.hint


class Script(threading.Thread):
    """Does one thing after another while a command runs in the main thread, then interrupts it.

    Args:
        steps: what to wait for, and what to do then.
    """

    def __init__(self, *steps: tuple[Callable[[], bool], Callable[[], Any]]) -> None:
        super().__init__(daemon=True)
        self._steps = steps
        self.done = 0

    def run(self) -> None:
        """Go through the steps; a wait that is in vain ends the command, too, and so does a step that fails."""
        try:
            for ready, action in self._steps:
                end = time.monotonic() + PATIENCE
                while not ready() and time.monotonic() < end:
                    time.sleep(0.1)
                action()
                self.done += 1
        finally:
            os.kill(os.getpid(), signal.SIGINT)


def nothing() -> None:
    pass


def interrupted(words: list[str], *steps: tuple[Callable[[], bool], Callable[[], Any]]) -> None:
    """Run a command that goes on until the steps are done."""
    script = Script(*steps)
    script.start()
    assert main(words) == 130
    script.join(PATIENCE)
    assert script.done == len(steps)


def holds(file: Path, text: str) -> Callable[[], bool]:
    """Tell whether a file is there and holds a text."""
    return lambda: file.exists() and text in file.read_text()


def test_a_snapshot_is_kept_current(
    other_server: ControlPlane, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "s.json"
    interrupted(
        ["snapshot", str(file), "--follow", "--kubeconfig", str(other_server.kubeconfig)],
        (file.exists, lambda: other_server.post(PODS, pod("kept-0"))),
        (holds(file, '"kept-0"'), lambda: other_server.delete(f"{PODS}/kept-0", {"gracePeriodSeconds": 0})),
        (lambda: not holds(file, '"kept-0"')(), nothing),
    )
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count(f"kplan: note: wrote {file}: ") == 3
    assert [one.name for one in load_files(file).pods if one.name == "kept-0"] == []
    assert [path.name for path in tmp_path.iterdir()] == ["s.json"]


def test_an_answer_is_given_again_when_the_verdict_changes(
    server: ControlPlane, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def relabel(rack: str) -> None:
        server.patch("/api/v1/nodes/node-1", {"metadata": {"labels": {"example.com/rack": rack}}})

    file = tmp_path / "answer.json"
    source = ["--kubeconfig", str(server.kubeconfig)]
    interrupted(
        ["explain", "pod", "new-3", "--watch", "-q", "-o", "text", "-o", f"json={file}", *source],
        (holds(file, '"PENDING"'), lambda: relabel("r9")),
        (holds(file, '"verdict": "FITS"'), lambda: relabel("r0")),
        (holds(file, '"verdict": "PENDING"'), nothing),
    )
    out, err = capsys.readouterr()
    verdicts = [line.split()[0] for line in out.splitlines() if line[0] in "FP"]
    assert verdicts == ["PENDING?", "FITS?", "PENDING?"]
    assert err.count("the verdict has changed") == 2


def test_a_pod_that_goes_away_is_said_and_waited_for(
    other_server: ControlPlane, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other_server.post(PODS, pod("gone-0"))
    file = tmp_path / "answer.json"
    source = ["--kubeconfig", str(other_server.kubeconfig)]

    def again() -> None:
        time.sleep(2)
        file.unlink()
        other_server.post(PODS, pod("gone-0"))

    interrupted(
        ["explain", "pod", "gone-0", "-w", "-q", "-o", "text", "-o", f"json={file}", *source],
        (file.exists, lambda: other_server.delete(f"{PODS}/gone-0", {"gracePeriodSeconds": 0})),
        (file.exists, again),
        (file.exists, nothing),
    )
    other_server.delete(f"{PODS}/gone-0", {"gracePeriodSeconds": 0})
    out, err = capsys.readouterr()
    assert [line.split()[0] for line in out.splitlines() if line.startswith("PENDING")] == ["PENDING?", "PENDING?"]
    assert err.count(": no pod gone-0 in namespace default\n") == 1


def test_an_interrupt_ends_a_watch_with_130(server: ControlPlane) -> None:
    words = [sys.executable, "-m", "kplan", "explain", "pod", "new-3", "-w", "-q"]
    with subprocess.Popen(
        [*words, "--kubeconfig", str(server.kubeconfig)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline().startswith("PENDING? default/new-3")
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
        assert "Traceback" not in process.stderr.read()
