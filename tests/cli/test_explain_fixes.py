"""``kplan explain pod --fix N`` prints the commands of one remedy and runs nothing."""

import re
from pathlib import Path

import pytest

from kplan.cli.main import main
from tests.cli.snapshots import node, pod, write


@pytest.fixture
def snapshot(tmp_path: Path) -> str:
    return write(
        tmp_path,
        node("n-1"),
        node("n-2", unschedulable=True),
        pod("load-1", cpu="3", on="n-1"),
        pod("big-1", cpu="2"),
    )


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["explain", "pod", *words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_one_remedy_is_comments_and_commands(capsys: pytest.CaptureFixture[str], snapshot: str) -> None:
    assert run(capsys, "big-1", "--fix", "2", "--snapshot", snapshot) == (
        0,
        "# uncordon n-2 -> n-2\nkubectl uncordon n-2\n",
        "",
    )


def test_each_remedy_shown_has_commands(capsys: pytest.CaptureFixture[str], snapshot: str) -> None:
    _, shown, _ = run(capsys, "big-1", "--all-fixes", "--snapshot", snapshot)
    numbers = re.findall(r"^ {9}(\d)  ", shown, re.MULTILINE)
    assert numbers == ["1", "2", "3", "4", "5"]
    for number in numbers:
        code, out, err = run(capsys, "big-1", "--fix", number, "--snapshot", snapshot)
        assert (code, err) == (0, "")
        assert out.startswith("# ")
        assert len(out.splitlines()) >= 2


def test_a_remedy_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str], snapshot: str) -> None:
    code, out, err = run(capsys, "big-1", "--fix", "9", "--snapshot", snapshot)
    assert (code, out) == (2, "")
    assert err == "kplan: error: --fix 9: there is no such remedy\nhint: there are 5\n"


def test_a_remedy_is_one_pods(capsys: pytest.CaptureFixture[str], snapshot: str) -> None:
    code, _, err = run(capsys, "--fix", "1", "--snapshot", snapshot)
    assert code == 2
    assert "name one pod" in err


def test_the_snapshot_is_not_changed(capsys: pytest.CaptureFixture[str], snapshot: str) -> None:
    before = Path(snapshot).read_bytes()
    run(capsys, "big-1", "--fix", "1", "--snapshot", snapshot)
    assert Path(snapshot).read_bytes() == before
