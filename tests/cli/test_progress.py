"""How far a long command has come, and how it ends when it is interrupted."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kplan.cli import progress as seen
from kplan.cli.main import main
from kplan.cli.notes import note_now
from kplan.cli.progress import Activity
from tests.cli.snapshots import node, write

STOPPED = """
import os, signal, sys
from kplan.cli import versions
from kplan.cli.progress import ACTIVITY
def imagined(session, ask, namespace, **more):
    ACTIVITY.begin("failing")
    ACTIVITY.tell(3, 40)
    os.kill(os.getpid(), signal.SIGINT)
    raise AssertionError("it went on")
versions.imagined = imagined
from kplan.__main__ import main
sys.argv[1:] = ["fail", "--each", "node", "--snapshot", sys.argv[1]]
main()
"""


class Clock:
    """Seconds that pass when told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def activity(clock: Clock) -> Activity:
    """One that draws when it is asked to, not by itself."""
    return Activity(clock)


def test_the_line_says_what_how_far_how_long_and_how_long_still() -> None:
    clock = Clock()
    one = activity(clock)
    one.begin("reading")
    clock.now += 2
    assert one.line() == "reading, 2 s"
    one.begin("failing")
    one.tell(10, 3_000)
    clock.now += 3
    assert one.line() == "failing: 10 of 3,000, 5 s"
    one.tell(1_000, 3_000)
    assert one.line() == "failing: 1,000 of 3,000, 5 s, about 6 s to go"
    one.tell(3_000, 3_000)
    assert one.line() == "failing: 3,000 of 3,000, 5 s"


def test_it_is_drawn_in_place_wiped_once_and_not_drawn_after_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    one = activity(Clock())
    one.begin("planning")
    one.draw()
    one.wipe()
    one.wipe()
    one.draw()
    one.end()
    one.draw()
    assert capsys.readouterr().err == "\r\x1b[Kplanning, 0 s\r\x1b[K" * 2


@pytest.mark.parametrize(("terminal", "drawn"), [(True, True), (False, False)])
def test_only_a_terminal_has_a_thread_that_draws(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], terminal: bool, drawn: bool
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal)
    monkeypatch.setattr(seen, "AFTER", 0)
    one = activity(Clock())
    reached = seen.threading.Event()
    monkeypatch.setattr(one, "draw", reached.set)
    one.begin("planning")
    assert reached.wait(20 if drawn else 0.2) == drawn
    one.end()


def test_a_note_is_written_on_a_line_of_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen.ACTIVITY.begin("planning")
    seen.ACTIVITY.draw()
    note_now("three nodes")
    seen.ACTIVITY.end()
    assert capsys.readouterr().err.endswith(" s\r\x1b[Kkplan: note: three nodes\n")


@pytest.mark.parametrize("words", [["drain", "--find", "-q"], ["fail", "--each", "node"], ["nodes"], ["explain", "x"]])
def test_nothing_is_left_to_draw_when_a_command_has_ended(words: list[str], tmp_path: Path) -> None:
    main([*words, "--snapshot", write(tmp_path, *(node(f"n-{n}") for n in range(3)))])
    assert seen.ACTIVITY._ended is None


def test_an_interrupt_ends_the_process_there_with_what_is_known(tmp_path: Path) -> None:
    path = write(tmp_path, *(node(f"n-{n}") for n in range(3)))
    done = subprocess.run([sys.executable, "-c", STOPPED, path], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr.startswith("kplan: interrupted: failing: 3 of 40, ")
    assert done.stderr.count("\n") == 1


CUT = """
import os, signal, sys
from kplan.cli.progress import Activity
told = Activity.tell
def tell(self, done, total):
    told(self, done, total)
    if total == 3 and done == 2:
        os.kill(os.getpid(), signal.SIGINT)
        raise AssertionError("it went on")
Activity.tell = tell
from kplan.__main__ import main
main()
"""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["fail", "--each", "node"], "cut short: 2 of 3 nodes were lost, the others were not tried"),
        (["drain", "--find"], "cut short: 2 of 3 nodes were tried"),
    ],
)
@pytest.mark.parametrize("form", ["text", "json"])
def test_an_interrupt_writes_the_rows_so_far_and_says_that_it_was_cut_short(
    words: list[str], told: str, form: str, tmp_path: Path
) -> None:
    path = write(tmp_path, *(node(f"n-{n}") for n in range(3)))
    argv = [sys.executable, "-c", CUT, *words, "--snapshot", path, "-o", form]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert told in " ".join(done.stdout.split())
    assert ("n-0" in done.stdout, "n-1" in done.stdout, "n-2" in done.stdout) == (True, True, False)
    assert ": 2 of 3, " in done.stderr


def test_python_s_own_way_is_back_afterwards_and_stays_in_other_processes() -> None:
    one = activity(Clock())
    before = signal.getsignal(signal.SIGINT)
    with one.stopped_at_once():
        assert signal.getsignal(signal.SIGINT) is before
    one.own = True
    with one.stopped_at_once():
        assert signal.getsignal(signal.SIGINT) == one._stop
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)


READING = """
import os, signal, sys
from kplan.sources import loading
def load(path, at=""):
    os.kill(os.getpid(), signal.SIGINT)
    raise AssertionError("it went on")
loading.load = load
from kplan.__main__ import main
main()
"""


@pytest.mark.parametrize("words", [["nodes"], ["explain", "-A"], ["simulate"], ["sweep"], ["fail", "--each", "node"]])
def test_an_interrupt_while_a_file_is_read_ends_the_process_there(words: list[str], tmp_path: Path) -> None:
    argv = [sys.executable, "-c", READING, *words, "--no-cache", "--snapshot", write(tmp_path, node("n-0"))]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr.startswith("kplan: interrupted: reading, ")


COUNTED = """
import os, signal, sys
from kplan.cli.progress import Activity
told = Activity.tell
def tell(self, done, total):
    told(self, done, total)
    if (done, total) == (3, 0):
        os.kill(os.getpid(), signal.SIGINT)
        raise AssertionError("it went on")
Activity.tell = tell
from kplan.__main__ import main
main()
"""


@pytest.mark.parametrize("form", ["text", "json"])
def test_an_interrupt_of_a_count_tells_how_many_were_placed(form: str, tmp_path: Path) -> None:
    web = tmp_path / "web.yaml"
    web.write_text(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: a}\n"
        "spec: {containers: [{name: m, image: x, resources: {requests: {cpu: 100m}}}]}\n"
    )
    argv = [sys.executable, "-c", COUNTED, "capacity", str(web), "-o", form]
    done = subprocess.run(
        [*argv, "--snapshot", write(tmp_path, node("n-0"))], capture_output=True, text=True, check=False
    )
    assert done.returncode == 130
    text = " ".join(done.stdout.split())
    assert "web: at least 3 more replicas fit (0 run)" in text
    assert "cut short: 3 were placed, whether more fit was not tried" in text
    assert ": 3 so far, " in done.stderr
