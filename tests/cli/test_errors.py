"""Every error is words with a place and a hint, an exit code, and nothing on standard output."""

import os
from pathlib import Path

import pytest

from kplan.cli import explain
from kplan.cli.main import main
from tests.cli.snapshots import node, pod, write


@pytest.fixture(autouse=True)
def no_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing in the environment names a source."""
    for name in ("KUBECONFIG", "KPLAN_SNAPSHOT", "KUBERNETES_SERVICE_HOST"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def snapshot(tmp_path: Path) -> str:
    return write(tmp_path, node("n-1"), pod("web-1"), pod("web-2"), pod("else", schedulerName="volcano"))


TABLE = {
    "no source": (
        [],
        "no cluster to read: there is no kubeconfig (~/.kube/config), and no snapshot is named",
        "--snapshot PATH or KPLAN_SNAPSHOT=PATH reads a file, --kubeconfig FILE a cluster; ",
    ),
    "a kubeconfig that is not there": (
        ["web-1", "--kubeconfig", "/no/file"],
        "no cluster to read: /no/file does not exist",
        "name another with --kubeconfig, or read a file instead: --snapshot PATH",
    ),
    "a context without a kubeconfig": (
        ["web-1", "--context", "prod"],
        "no cluster to read: there is no kubeconfig (~/.kube/config)",
        "--snapshot PATH",
    ),
    "a watch of a file": (["web-1", "--watch", "-s"], "", "leave out --watch, --follow"),
    "no such pod": (["api", "-s"], "no pod api", "kplan explain pod -A lists every pod that waits"),
    "a pod misspelled": (["wed-1", "-s"], "no pod wed-1", "did you mean default/web-1"),
    "a prefix of several": (["web", "-s"], "web means 2 pods", "one of: default/web-1, default/web-2"),
    "an owner of nothing": (["deploy/x", "-s"], "deploy/x owns no pod here", "kplan explain pod -A lists what waits"),
    "no such node": (["web-1", "--node", "n-3", "-s"], "no node n-3", "did you mean n-1?"),
    "another scheduler": (["else", "-s"], "no scheduler here answers for schedulerName volcano", "profiles: default-"),
    "an unknown format": (["web-1", "-o", "xml", "-s"], "-o xml: no such format", "one of: text, wide, json, yaml"),
    "two outputs in one place": (["web-1", "-o", "json", "-o", "text", "-s"], "two outputs on standard output", "name"),
    "an unknown option": (
        ["--nope"],
        "no such option '--nope'",
        "did you mean one of: '--add-node', '--no-cache', '--node'?",
    ),
    "a version that is none": (["web-1", "--k8s-version", "x", "-s"], "'x' is not a Kubernetes version", "write it as"),
    "a gate that is none": (["web-1", "--feature-gates", "A=1", "-s"], "--feature-gates: 'A=1'", "write Name=true"),
    "a selector that is none": (["-l", "a=(", "-s"], "-l a=(: not a label selector", "write a=b"),
    "a configuration that is not there": (
        ["web-1", "--config", "/no/file", "-s"],
        "/no/file: cannot be read: No s",
        "",
    ),
    "a snapshot that is not there": (["web-1", "--snapshot", "/no/file"], "/no/file", ""),
}


@pytest.mark.parametrize("case", TABLE)
def test_errors(case: str, capsys: pytest.CaptureFixture[str], snapshot: str) -> None:
    words, message, hint = TABLE[case]
    words = [*words[:-1], "--snapshot", snapshot] if words[-1:] == ["-s"] else words
    code = main(["explain", "pod", *words])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert err.startswith(f"kplan: error: {message}")
    assert f"\nhint: {hint}" in err or not hint


def test_a_broken_file_is_named_with_its_place(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "broken.json"
    file.write_text('{"apiVersion": "v1",\n "kind": ]}')
    assert main(["explain", "pod", "--snapshot", str(file)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"kplan: error: {file}:2:")


def test_a_bug_is_70_with_what_to_report(
    capsys: pytest.CaptureFixture[str], snapshot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("it broke")

    monkeypatch.setattr(explain, "answer", broken)
    assert main(["explain", "pod", "--snapshot", snapshot]) == 70
    assert capsys.readouterr().err.startswith("kplan: error: internal error in test_errors.py:")
    assert main(["explain", "pod", "--debug", "--snapshot", snapshot]) == 70
    assert "Traceback (most recent call last)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        pytest.param(["drain", "--timeout"], "option '--timeout' requires an argument", "kplan drain -h", id="a value"),
        pytest.param(
            ["explain", "pod", "--node"], "option '--node' requires an argument", "kplan explain pod -h", id="of two"
        ),
        pytest.param(["nodes", "--zzz"], "no such option '--zzz'", "kplan nodes -h", id="an option"),
        pytest.param(
            ["drain", "--grace-period", "x"],
            "invalid value for '--grace-period': 'x' is not a valid integer",
            "kplan drain -h",
            id="a number",
        ),
        pytest.param(["--nope"], "no such option '--nope'", "kplan -h", id="of no command"),
    ],
)
def test_usage_errors_point_to_the_help_of_the_command(
    capsys: pytest.CaptureFixture[str], words: list[str], message: str, hint: str
) -> None:
    assert main(words) == 2
    assert capsys.readouterr() == ("", f"kplan: error: {message}\nhint: {hint}\n")


NO_CLUSTER = (
    "kplan: error: no cluster to read: there is no kubeconfig (~/.kube/config), and no snapshot is named",
    "hint: --snapshot PATH or KPLAN_SNAPSHOT=PATH reads a file, --kubeconfig FILE a cluster; a file comes from kplan"
    " snapshot, or from: kubectl get nodes,pods,pv,pvc,sc,csinode,pdb,priorityclass,ns -A -o json > PATH",
)


def test_a_message_is_one_line_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nodes"]) == 2
    assert tuple(capsys.readouterr().err.splitlines()) == NO_CLUSTER


def test_a_message_is_wrapped_between_words_in_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.get_terminal_size", lambda _: os.terminal_size((60, 24)))
    monkeypatch.setattr("sys.stderr.fileno", lambda: 2)
    path = "/no/such/folder/" + "deep/" * 14 + "made-up.json"
    assert main(["nodes", "--snapshot", path]) == 2
    assert capsys.readouterr().err.splitlines()[0] == f"kplan: error: {path}:"
    assert main(["nodes"]) == 2
    assert capsys.readouterr().err.splitlines()[:2] == [
        "kplan: error: no cluster to read: there is no kubeconfig",
        "  (~/.kube/config), and no snapshot is named",
    ]


def test_an_interrupt_is_130(
    capsys: pytest.CaptureFixture[str], snapshot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(explain, "answer", interrupted)
    assert main(["explain", "pod", "--snapshot", snapshot]) == 130
    assert capsys.readouterr() == ("", "")
