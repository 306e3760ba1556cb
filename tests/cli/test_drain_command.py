"""``kplan drain``: the flags of ``kubectl drain`` that change no placement are held to its rules, too."""

from pathlib import Path

import pytest

from kplan.cli.main import main
from tests.cli.snapshots import node, owned, pod, write


@pytest.fixture
def cluster(tmp_path: Path) -> str:
    return write(tmp_path, node("a"), node("b"), owned(pod("web-1", on="a"), "ReplicaSet", "web"), pod("bare", on="b"))


@pytest.mark.parametrize(
    "words",
    [
        ["--timeout", "5m"],
        ["--timeout=1h30m0.5s"],
        ["--timeout", "0"],
        ["--timeout=-1s"],
        ["--dry-run=client"],
        ["--dry-run", "server"],
        ["--dry-run=none"],
        ["--dry-run=true"],
        ["--grace-period=-1", "--chunk-size=0", "--skip-wait-for-delete-timeout", "10"],
        ["--ignore-daemonsets=true", "--delete-emptydir-data=false"],
    ],
    ids=" ".join,
)
def test_what_kubectl_takes(capsys: pytest.CaptureFixture[str], cluster: str, words: list[str]) -> None:
    assert main(["drain", "a", "-q", *words, "--snapshot", cluster]) == 0
    assert capsys.readouterr().out.startswith("FITS?    a can be drained")


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (["--timeout", "abc"], '--timeout abc: invalid duration "abc"', "as in 5m, 90s or 1h30m; 0s waits without end"),
        (
            ["--timeout", "5"],
            '--timeout 5: missing unit in duration "5"',
            "as in 5m, 90s or 1h30m; 0s waits without end",
        ),
        (["--dry-run=xyz"], "--dry-run xyz: no such choice", "--dry-run=client, or one of: none, client, server"),
        (["--pod-selector", "a=("], "--pod-selector a=(: not a label selector", "write a=b,c!=d,e in (f, g)"),
        (["--force=maybe"], "option '--force' does not take a value", "kplan drain -h"),
    ],
    ids=["a duration", "one without a unit", "a choice", "a selector", "a switch"],
)
def test_what_kubectl_refuses(
    capsys: pytest.CaptureFixture[str], cluster: str, words: list[str], message: str, hint: str
) -> None:
    assert main(["drain", "a", *words, "--snapshot", cluster]) == 2
    assert capsys.readouterr() == ("", f"kplan: error: {message}\nhint: {hint}\n")


@pytest.mark.parametrize(
    ("flag", "code"), [("--force", 0), ("--force=true", 0), ("--force=1", 0), ("--force=false", 1)]
)
def test_a_switch_may_have_a_value_as_in_go(cluster: str, flag: str, code: int) -> None:
    assert main(["drain", "b", "-q", flag, "--snapshot", cluster]) == code
