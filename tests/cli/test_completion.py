"""Completion: the scripts are read by the shells, and names are those of the snapshot."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.snapshots import node, pod, write


def completed(line: str, snapshot: str, shell: str = "bash") -> list[str]:
    """What a shell gets for the last word of a line."""
    words = line.split(" ")
    environment = {
        **os.environ,
        "_KPLAN_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
        "KPLAN_SNAPSHOT": snapshot,
        "_TYPER_COMPLETE_ARGS": line,
        "_TYPER_COMPLETE_WORD_TO_COMPLETE": words[-1],
    }
    done = subprocess.run([sys.executable, "-m", "kplan"], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return [line for line in done.stdout.splitlines() if line]


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> str:
    items = [node("a-1"), node("a-2"), node("b-1"), pod("web-1", namespace="shop"), pod("db-1", namespace="data")]
    return write(tmp_path_factory.mktemp("completion"), *items)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("kplan drain a-", ["a-1", "a-2"]),
        ("kplan drain a-1 b", ["b-1"]),
        ("kplan nodes ", ["a-1", "a-2", "b-1"]),
        ("kplan explain node b", ["b-1"]),
        ("kplan explain pod -n ", ["data", "shop"]),
        ("kplan explain pod -n shop ", ["web-1"]),
        ("kplan explain pod s", ["shop/web-1"]),
        ("kplan bind d", ["data/db-1"]),
        ("kplan fail x", []),
    ],
)
def test_names_are_those_of_the_snapshot(snapshot: str, line: str, names: list[str]) -> None:
    assert completed(line, snapshot) == [f"plain,{name}" for name in names]


def test_without_a_cluster_there_are_no_names_and_no_errors(tmp_path: Path) -> None:
    assert completed("kplan drain a", str(tmp_path / "nothing.json")) == []


def test_powershell_is_given_names_as_its_script_reads_them(snapshot: str) -> None:
    assert completed("kplan drain a-", snapshot, "powershell") == ["plain", "a-1", "_", "plain", "a-2", "_"]
    assert completed("kplan dra", snapshot, "powershell") == ["plain", "drain", "Can these nodes go, pod by pod."]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_there_is_a_script_for_each_shell(shell: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "kplan", "completion", shell], capture_output=True, text=True, check=True
    )
    assert "_KPLAN_COMPLETE" in done.stdout
    if shutil.which(shell):
        (tmp_path / "script").write_text(done.stdout)
        subprocess.run([shell, "-n", str(tmp_path / "script")], check=True)


def test_another_shell_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    done = subprocess.run([sys.executable, "-m", "kplan", "completion", "tcsh"], check=False)
    assert done.returncode == 2
    assert "one of: bash, zsh, fish, powershell" in capfd.readouterr().err


def test_the_plugin_of_kubectl_speaks_under_its_name(tmp_path: Path) -> None:
    (tmp_path / "kubectl-plan").write_text("from kplan.__main__ import main\nmain()\n")

    def said(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, str(tmp_path / "kubectl-plan"), *words],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout + done.stderr

    assert said("--help").startswith("Usage: kubectl plan [OPTIONS] COMMAND")
    assert "\nkubectl plan drain --help-all shows" in said("drain", "--help")
    assert "  kplan drain node-a" in said("drain", "--help")
    assert said("drian").startswith("kubectl plan: error: no such command 'drian'\nhint: did you mean")
    assert said("explain", "pod", "--nope").startswith("kubectl plan: error: no such option '--nope'")


@pytest.mark.parametrize("line", ["kplan drain ", "kplan explain pod "], ids=["nodes", "pods"])
def test_names_that_a_shell_or_a_terminal_would_act_on_are_left_out(tmp_path: Path, line: str) -> None:
    evil = ["a;reboot", "$(reboot)", "a`b`", "a b", "a\nb", "a\x1b[2J", "a\u202eb", "a'b", '"', "*"]
    good = [node("good"), pod("good", namespace="d")]
    state = write(tmp_path, *good, *map(node, evil), *(pod(name, namespace="d") for name in evil))
    assert completed(line, state) == [f"plain,{'good' if 'drain' in line else 'd/good'}"]


def test_the_help_says_for_each_shell_where_its_script_goes() -> None:
    words = [sys.executable, "-m", "kplan", "completion", "--help"]
    environment = {**os.environ, "COLUMNS": "80"}
    told = subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()
    at = next(number for number, line in enumerate(told) if line.startswith("  bash:"))
    assert told[at : at + 5] == [
        "  bash:        source <(kplan completion bash)    in ~/.bashrc",
        "  zsh:         source <(kplan completion zsh)     in ~/.zshrc, after compinit",
        "  fish:        kplan completion fish > ~/.config/fish/completions/kplan.fish",
        "  PowerShell:  kplan completion powershell | Out-String | Invoke-Expression",
        "",
    ]
    assert not any("\\b" in line or "\b" in line for line in told)
