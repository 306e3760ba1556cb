"""Options that commands share come from dataclasses, and help shows them in sections."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from kplan.cli.app import app as kplan
from kplan.cli.command import CLUSTER, OUTPUT, OWN, RULES, WHAT_IF, Command, spread
from kplan.cli.main import main
from tests.cli.snapshots import node, owned, pod, write

TOLD: list[object] = []


@dataclass(frozen=True)
class Paint:
    colour: Annotated[str, typer.Option("--colour", "-c", rich_help_panel=OUTPUT)] = "red"
    coats: Annotated[list[int], typer.Option()] = field(default_factory=list)
    mixed: str = "no option"


def brush(wall: Annotated[str, typer.Argument()], wide: bool = False, *, paint: Paint) -> None:
    """Paint a wall."""
    TOLD.append((wall, wide, paint))


@pytest.fixture
def run() -> object:
    TOLD.clear()
    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    app.command(cls=Command)(spread(brush))
    return lambda *words: CliRunner().invoke(app, words)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["north"], ("north", False, Paint("red", []))),
        (["north", "--wide", "-c", "blue"], ("north", True, Paint("blue", []))),
        (["--coats", "1", "north", "--coats", "2"], ("north", False, Paint("red", [1, 2]))),
    ],
    ids=["nothing given: the defaults of the dataclass", "a short name", "a list, in any place"],
)
def test_a_group_is_given_as_one(run, words: list[str], told: object) -> None:
    assert run(*words).exit_code == 0
    assert [told] == TOLD


def test_a_list_is_never_that_of_the_last_call(run) -> None:
    run("north")
    run("south")
    assert TOLD[0][2].coats is not TOLD[1][2].coats


def test_a_field_without_an_option_is_none(run) -> None:
    assert run("north", "--mixed", "x").exit_code == 2
    assert run("--help").stdout.index("Paint a wall.") >= 0


@pytest.mark.parametrize(
    "command", ["explain pod", "explain node", "nodes", "simulate", "capacity", "drain", "fail", "check"]
)
def test_help_is_in_sections(command: str) -> None:
    text = CliRunner().invoke(kplan, [*command.split(), "--help"]).stdout
    heads = [text.index(f"\n{title}:\n") for title in (OWN, WHAT_IF, OUTPUT, CLUSTER, RULES)]
    assert heads == sorted(heads)
    assert text.index("--drain") < text.index("\nOutput:") < text.index("--debug") < text.index("--snapshot")


def test_a_command_line_of_kubectl_drain_is_taken_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path, node("a"), node("b"), owned(pod("web-1", on="a"), "ReplicaSet", "web"))
    theirs = ["a", "--ignore-daemonsets", "--delete-emptydir-data", "--force", "--disable-eviction", "--timeout=60s"]
    more = ["--grace-period=30", "--skip-wait-for-delete-timeout=5", "--chunk-size=100", "--dry-run=server"]
    assert main(["drain", *theirs, *more, "--pod-selector=app!=db", "--snapshot", file]) == 0
    assert capsys.readouterr().out.startswith("FITS     ")


def test_rolling_and_together_exclude_each_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drain", "a", "--rolling", "--together", "--snapshot", write(tmp_path, node("a"))]) == 2
    assert "--rolling and --together exclude each other" in capsys.readouterr().err
