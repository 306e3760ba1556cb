"""Options that commands share come from dataclasses, and help shows them in sections."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from kplan.cli.app import app as kplan
from kplan.cli.command import CLUSTER, OUTPUT, OWN, RULES, WHAT_IF, Command, spread
from kplan.cli.examples import EXAMPLES
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
    assert text.index("--drain") < text.index("\nOutput:") < text.index("--debug") < text.rindex("--snapshot")


def test_a_command_line_of_kubectl_drain_is_taken_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path, node("a"), node("b"), owned(pod("web-1", on="a"), "ReplicaSet", "web"))
    theirs = ["a", "--ignore-daemonsets", "--delete-emptydir-data", "--force", "--disable-eviction", "--timeout=60s"]
    more = ["--grace-period=30", "--skip-wait-for-delete-timeout=5", "--chunk-size=100", "--dry-run=server"]
    assert main(["drain", *theirs, *more, "--pod-selector=app!=db", "--snapshot", file]) == 0
    assert capsys.readouterr().out.startswith("FITS     ")


def test_rolling_and_together_exclude_each_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drain", "a", "--rolling", "--together", "--snapshot", write(tmp_path, node("a"))]) == 2
    assert "--rolling and --together exclude each other" in capsys.readouterr().err


def test_find_drains_one_node_at_a_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drain", "--find", "--rolling", "--snapshot", write(tmp_path, node("a"))]) == 2
    assert "--find and --rolling exclude each other" in capsys.readouterr().err


@pytest.fixture
def cluster(tmp_path: Path) -> str:
    running = owned(pod("web-1", on="a"), "ReplicaSet", "web")
    return write(tmp_path, node("a"), node("b"), running, pod("new", cpu="3"), pod("big", cpu="9"))


@pytest.mark.parametrize(
    ("words", "first"),
    [
        (["explain"], "PENDING  1 of 2 waiting pods fits no node"),
        (["explain", "-n", "shop"], "NOTHING  no pod waits"),
        (["explain", "new"], "FITS     default/new goes to "),
        (["explain", "rs/web"], "FITS     default/web-1 "),
        (["explain", "pods", "big"], "PENDING  default/big "),
        (["explain", "po", "big"], "PENDING  default/big "),
        (["explain", "pod/big"], "PENDING  default/big "),
        (["explain", "no/a"], "LOSES    a: "),
        (["explain", "nodes", "a"], "LOSES    a: "),
        (["node"], "NODES    2 nodes"),
        (["no", "a"], "NODES    1 node"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_kubectl_calls_it_works(
    capsys: pytest.CaptureFixture[str], cluster: str, words: list[str], first: str
) -> None:
    assert main([*words, "--snapshot", cluster]) == 0
    assert capsys.readouterr().out.startswith(first)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["big", "--fix", "99"], "--fix 99: there is no such remedy"),
        (["big", "--group", "9"], "--group 9: there is no such group of nodes"),
        (["--group", "1"], "--group 1: there is no such group of nodes"),
    ],
    ids=["a remedy", "a group", "a group of many pods"],
)
def test_a_number_that_there_is_not(
    capsys: pytest.CaptureFixture[str], cluster: str, words: list[str], error: str
) -> None:
    assert main(["explain", "pod", *words, "--snapshot", cluster]) == 2
    assert error in capsys.readouterr().err


def test_the_event_of_a_pod_that_fits(capsys: pytest.CaptureFixture[str], cluster: str) -> None:
    assert main(["explain", "pod", "new", "--event", "--snapshot", cluster]) == 0
    assert capsys.readouterr().out == "Successfully assigned default/new to b\n"


def test_the_event_of_a_pod_that_preempts_on_one_of_several_nodes(capsys: pytest.CaptureFixture[str]) -> None:
    demo = str(Path(__file__).parents[2] / "kplan" / "data" / "demo.yaml")
    assert main(["explain", "pod", "billing-0", "-n", "ops", "--event", "--snapshot", demo]) == 0
    assert capsys.readouterr().out == (
        "0/6 nodes are available: 1 node(s) had untolerated taint(s), 5 Insufficient cpu. "
        "preemption: found a potential placement for pod on node node-a, preempting 1 victims\n"
    )


def test_a_close_name_is_asked_for_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explai"]) == 2
    assert capsys.readouterr().err == "kplan: error: no such command 'explai'\nhint: did you mean 'explain'?\n"


def test_a_format_that_there_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nodes", "-o", "jsn"]) == 2
    assert capsys.readouterr().err == (
        "kplan: error: -o jsn: no such format\n"
        "hint: one of: text, wide, json, yaml, csv, markdown, html, name, prometheus, jsonpath, custom-columns; "
        "kplan check also has junit, sarif, github, codeclimate\n"
    )


@pytest.mark.parametrize("words", [["explain", "-A"], ["schema"], ["demo"]], ids=["a document", "a schema", "the demo"])
def test_a_full_disk_is_no_bug(cluster: str, words: list[str]) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(
            [sys.executable, "-m", "kplan", *words],
            env={**os.environ, "KPLAN_SNAPSHOT": cluster},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.endswith("kplan: error: standard output cannot be written: No space left on device\n")


def test_a_snapshot_goes_to_standard_output(capsys: pytest.CaptureFixture[str], cluster: str) -> None:
    assert main(["snapshot", "-", "--snapshot", cluster]) == 0
    assert len(json.loads(capsys.readouterr().out)["items"]) == 5


@pytest.mark.parametrize("command", EXAMPLES)
def test_help_fits_a_screen_and_has_examples(command: str) -> None:
    text = CliRunner().invoke(kplan, [*command.split(), "--help"]).stdout
    assert len(text.splitlines()) <= 50
    assert max(map(len, text.splitlines())) <= 80
    assert f"  kplan {command}" in text[text.index("\nExamples:\n") : text.index("\nOptions:\n")]


def test_help_all_tells_what_every_option_does() -> None:
    short = CliRunner().invoke(kplan, ["drain", "--help"]).stdout
    whole = CliRunner().invoke(kplan, ["drain", "--help-all"]).stdout
    assert "--delete-emptydir-data, --grace-period" in short.replace("\n  ", " ")
    assert "Nodes are lost with everything that runs there." not in short
    assert "Nodes are lost with everything that runs there." in whole
    assert short.rstrip().endswith(" drain --help-all shows what each of these does.")
