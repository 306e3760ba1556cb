"""Notes on standard error stand behind the answer that they are about, each one line of a terminal."""

from __future__ import annotations

import contextlib
import fcntl
import io
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from kplan.cli import notes
from kplan.cli.main import main
from tests.hostile.samples import node, pod
from tests.hostile.test_output import DEMO, commands

LONG = "master-0.ci-ln-0000000-00000.origin-ci-int-aws.example.com"
NAMES = [f"dns-default-of-a-long-name-{number}" for number in range(5)]


@pytest.fixture
def state(tmp_path: Path) -> str:
    """A cluster with much to note: pods that stand twice, one on a node that is missing, a broken one."""
    twice = [pod(name, "n0") for name in NAMES]
    broken = pod("broken", priority="no number")
    file = tmp_path / "state.json"
    file.write_text(json.dumps([node(), node("n1"), *twice, *twice, pod("far", LONG), broken, pod("waits")]))
    return str(file)


def both(words: list[str]) -> tuple[int, list[str]]:
    """The exit code, and the lines of both streams in the order in which they were written."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        code = main(words)
    return code, out.getvalue().splitlines()


def test_every_command_answers_before_it_notes_anything(state: str, tmp_path: Path) -> None:
    manifest = tmp_path / "m.json"
    manifest.write_text(json.dumps(pod("new")))
    noted = 0
    for words in [*commands(state, str(manifest)), ["snapshot", "-", "--snapshot", state]]:
        for form in ([], ["-o", "json"]) if words[0] not in ("config", "snapshot") else ([],):
            code, lines = both([*words, *form])
            assert code in (0, 1, 4), lines
            told = [line.startswith("kplan: note: ") for line in lines]
            assert told == sorted(told), words  # the answer, then notes, and nothing behind them
            assert not told[0], words
            noted += any(told)
    assert noted > 30


def test_an_error_is_what_is_read_last(state: str) -> None:
    code, lines = both(["explain", "pod", "nobody", "--snapshot", state])
    assert code == 2
    heads = [line.partition(": ")[2].partition(":")[0] for line in lines if line.startswith("kplan: ")]
    assert heads == ["note"] * (len(heads) - 1) + ["error"]
    assert len(heads) > 2


def in_a_terminal(words: list[str], columns: int = 80) -> list[str]:
    """Run a command with both streams in a terminal; its lines."""
    here, there = pty.openpty()
    fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {**os.environ, "NO_COLOR": "1"}
    environment.pop("COLUMNS", None)
    with subprocess.Popen([sys.executable, "-m", "kplan", *words], stdout=there, stderr=there, env=environment) as run:
        os.close(there)
        told = b""
        with contextlib.suppress(OSError):  # Linux ends a terminal that nobody holds any more so
            while part := os.read(here, 65536):
                told += part
        run.wait()
    os.close(here)
    progress = r"\r\x1b\[K[^\r\n]*(?=\r\x1b\[K)|\r\x1b\[K"  # drawn where it takes more than a second
    return re.sub(progress, "", told.decode()).splitlines()


def test_a_note_is_one_line_of_a_terminal(state: str) -> None:
    lines = in_a_terminal(["explain", "pod", "-A", "--snapshot", state])
    assert lines[0].startswith("FITS")
    told = [line for line in lines if line.startswith("kplan: note: ")]
    assert lines[-len(told) :] == told
    assert max(map(len, told)) <= 80
    assert [line.endswith(" ... (all: --debug)") for line in told].count(True) == 3
    assert not any(LONG in line for line in told)


def test_all_of_it_is_told_with_debug(state: str) -> None:
    text = "\n".join(in_a_terminal(["explain", "pod", "-A", "--snapshot", state, "--debug"]))
    assert LONG in text
    assert "(all: --debug)" not in text


def test_a_log_has_each_note_whole(state: str) -> None:
    _, lines = both(["explain", "pod", "-A", "--snapshot", state])
    assert any(line.startswith("kplan: note: ") and LONG in line for line in lines)


SHORT = {
    ("kplan: note: three nodes", 40): "kplan: note: three nodes",
    ("kplan: note: one two three four five sixs", 41): "kplan: note: one two three four five sixs",
    ("kplan: note: one two, three four five six", 40): "kplan: note: one two ... (all: --debug)",
    (f"kplan: note: {'x' * 40}", 40): f"kplan: note: {'x' * 8} ... (all: --debug)",
    (f"kplan: note: {'漢' * 20}", 40): f"kplan: note: {'漢' * 4} ... (all: --debug)",
}


def test_a_line_ends_between_words_where_it_can() -> None:
    def short(line: str, width: int) -> str:
        head, text = line[:13].replace(" ", notes._KEPT), line[13:]
        return notes._short(head + text, width).replace(notes._KEPT, " ")

    assert {(line, width): short(line, width) for line, width in SHORT} == SHORT


def test_notes_of_a_command_that_was_cut_off_are_not_told_with_the_next(
    capsys: pytest.CaptureFixture[str],
) -> None:
    notes.note("of another")
    assert main(["nodes", "--snapshot", str(DEMO)]) == 0
    assert "of another" not in capsys.readouterr().err
