"""What is told before anything is imported is what the commands would tell, and nothing is imported for it."""

import subprocess
import sys

import click
import pytest
import typer
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

from kplan.cli import start
from kplan.cli.app import COMMANDS, GROUPS, app
from kplan.cli.exit_codes import ExitCode
from kplan.cli.main import main
from kplan.cli.stored import NARROWEST, completion_text, help_at, help_text

HEAVY = {"numpy", "rich", "kubernetes", "yaml", "urllib3", "cel_expr_python", "distributed", "highspy"}
LINES = [
    *("", "d", "s", "x", "-", "--h", "explain pod --n", "explain -", "explain pod -"),
    *(
        "drain -",
        "drain --",
        "drain n-1 --",
        "drain --find --f",
        "drain -l pool=a --s",
        "drain -l",
        "drain -l ",
        "no --",
    ),
    *(
        "simulate --add-node like=a --a",
        "simulate -f a.yaml -",
        "simulate --nope -",
        "nodes x",
        "--debug dr",
        "bind -A --a",
    ),
]
SHELLS: dict[str, type[ShellComplete]] = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}


def modules(*words: str) -> set[str]:
    """Modules that a command line leaves imported, beyond those of a bare Python."""
    bare = "import os, sys; os._exit = sys.exit; before = set(sys.modules)\n"
    run = f"sys.argv[1:] = {list(words)!r}\n"
    run += "from kplan.__main__ import main\ntry:\n    main()\nexcept SystemExit:\n    pass\n"
    tell = "sys.stderr.write(' '.join(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", bare + run + tell], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def told(monkeypatch: pytest.MonkeyPatch, shell: str, line: str) -> str | None:
    words = f"kplan {line}"
    monkeypatch.setenv("COMP_WORDS", words)
    at = len(words.split()) - (not words.endswith(" "))
    monkeypatch.setenv("COMP_CWORD", "".join(words.split()[at : at + 1]) if shell == "fish" else str(at))
    monkeypatch.setenv(start.VARIABLE, f"complete_{shell}")
    return start._completed()


def test_stored_texts_are_those_of_the_commands() -> None:
    assert start._stored("help.txt") == help_text()
    assert start._stored("completion.txt") == completion_text()


@pytest.mark.parametrize("columns", [*range(NARROWEST, 105), 200])
def test_help_is_laid_out_for_the_terminal(columns: int) -> None:
    assert start._help_of(columns) == help_at(columns)


def test_help_of_a_narrow_terminal_takes_the_long_way() -> None:
    assert start._help_of(NARROWEST - 1) is None


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("line", LINES)
def test_completion_is_that_of_the_parser(monkeypatch: pytest.MonkeyPatch, shell: str, line: str) -> None:
    stored = told(monkeypatch, shell, line)
    made = SHELLS[shell](typer.main.get_command(app), {}, "kplan", start.VARIABLE).complete()
    assert stored is None or stored == made + "\n"


@pytest.mark.parametrize(
    "line", ["d", "drain --", "explain pod --n", "simulate --add-node like=a --a", "drain --find --f"]
)
def test_what_is_typed_most_is_stored(monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    assert told(monkeypatch, "bash", line) is not None


def test_completion_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(monkeypatch, "bash", "d") == "plain,diff\nplain,drain\nplain,demo\n"
    assert told(monkeypatch, "zsh", "drain --ro") == (
        "plain\n--rolling\nEach node is back (uncordoned) before the next is drained.\n"
    )
    assert told(monkeypatch, "bash", "drain --rolling --ro") == "\n"
    assert told(monkeypatch, "bash", "explain ") == "plain,pod\nplain,node\n"


@pytest.mark.parametrize("order", ["bash_source", "source_bash"])
def test_scripts_of_either_order_are_given(order: str) -> None:
    env = {start.VARIABLE: order, "PATH": "/usr/bin:/bin"}
    done = subprocess.run([sys.executable, "-m", "kplan"], env=env, capture_output=True, text=True, check=False)
    assert "_kplan_completion" in done.stdout


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["-h"], ["help"], []])
def test_stored_answers_are_those_of_the_long_way(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(words) == ExitCode.OK
    done = subprocess.run([sys.executable, "-m", "kplan", *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, capsys.readouterr().out, "")


@pytest.mark.parametrize("words", [["--version"], ["--help"]])
def test_stored_answers_import_nothing(words: list[str]) -> None:
    assert modules(*words) == {"gc", "kplan", "kplan.__main__", "kplan.cli", "kplan.cli.start"}


@pytest.mark.parametrize(
    "words", [[name, "-h"] for name in COMMANDS] + [["drian"], ["drain", "--nope"], ["explain", "pod", "-h"]]
)
def test_help_and_usage_errors_import_nothing_heavy(words: list[str]) -> None:
    found = modules(*words)
    assert "typer" in found
    assert not HEAVY & found
    assert not [name for name in found if name.startswith(("kplan.pipeline", "kplan.studies", "kplan.sources.collect"))]


def test_an_answer_from_a_file_needs_no_client_of_a_server() -> None:
    found = modules("nodes", "--snapshot", "kplan/data/demo.yaml")
    assert "numpy" in found
    assert not {"kubernetes", "urllib3", "distributed", "highspy", "cel_expr_python"} & found


def test_every_command_stands_in_a_group_of_help() -> None:
    assert sorted(name for names in GROUPS.values() for name in names) == sorted(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_found_with_its_short_help(name: str) -> None:
    group = typer.main.get_command(app)
    found = group.get_command(click.Context(group), name)  # type: ignore[attr-defined]
    assert found.get_short_help_str() == COMMANDS[name].short
