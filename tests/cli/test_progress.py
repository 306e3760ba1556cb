"""How far a long command has come."""

from pathlib import Path

import pytest

from kplan.cli.main import main
from kplan.cli.progress import progress
from tests.cli.snapshots import node, write


def test_steps_are_counted_on_a_terminal_alone_if_there_are_many_and_wiped_at_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with progress("draining") as tell:
        tell(1, 300)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with progress("draining") as tell:
        tell(1, 20)
        tell(1_200, 3_000)
    assert capsys.readouterr().err == "\r\x1b[Kdraining: 1,200 of 3,000\r\x1b[K"


def test_a_search_for_nodes_to_drain_tells_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    main(["drain", "--find", "-q", "--snapshot", write(tmp_path, *(node(f"n-{n}") for n in range(21)))])
    assert "\r\x1b[Kdraining: 21 of 21\r\x1b[K" in capsys.readouterr().err
