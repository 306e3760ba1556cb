"""The plugin that keeps what tests show: what a command and a study propose is kept, whole, and carried out."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.questions.shown import main

ROOT = Path(__file__).parents[2]
SHOW = [
    "tests/questions/test_woken.py::test_the_answer_is_right[where none waits one is enough]",
    "tests/studies/test_explain.py::test_nodes_without_a_device_are_not_the_cause",
]


def test_what_tests_propose_is_kept_and_carried_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-p", "tests.questions.shown"]
    done = subprocess.run(
        [sys.executable, *argv, "--shown", str(tmp_path), *SHOW], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert main(tmp_path) == 0
    told = capsys.readouterr().out
    assert told.splitlines() == ["4 of 4 carried out"]
