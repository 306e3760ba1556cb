"""PowerShell's completion: its script is PowerShell, and what it asks is answered as its loop reads it.

No PowerShell can be had where the tests run: the script is parsed by a grammar of the language, and its protocol is
followed step by step, as the script sets it: the words of the command without what is blank behind them, the number of
the word, and answers in threes.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import tree_sitter
import tree_sitter_powershell

from tests.cli.snapshots import node, pod, write

LANGUAGE = tree_sitter.Language(tree_sitter_powershell.language())


def script() -> str:
    words = [sys.executable, "-m", "kplan", "completion", "powershell"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def parsed(text: str) -> tree_sitter.Node:
    return tree_sitter.Parser(LANGUAGE).parse(text.encode()).root_node


def nodes_of(root: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    yield root
    for child in root.children:
        yield from nodes_of(child)


def texts(root: tree_sitter.Node, kind: str) -> set[str]:
    return {found.text.decode() for found in nodes_of(root) if found.type == kind and found.text is not None}


def test_the_script_is_powershell() -> None:
    root = parsed(script())
    assert not root.has_error
    assert parsed("if ($x { return").has_error  # the grammar finds what is none
    assert "Register-ArgumentCompleter" in texts(root, "command_name")
    assert {"-Native", "-CommandName", "-ScriptBlock"} <= texts(root, "command_parameter")
    assert {"$wordToComplete", "$commandAst", "$cursorPosition"} <= texts(root, "variable")
    assert {"$env:_KPLAN_COMPLETE", "$env:COMP_WORDS", "$env:COMP_CWORD"} <= texts(root, "variable")


def test_the_script_asks_as_the_answers_below_are_asked() -> None:
    text = script()
    assert "$env:_KPLAN_COMPLETE = 'powershell_complete'" in text
    assert "$env:COMP_WORDS = $commandAst.ToString()" in text
    assert "$env:COMP_CWORD = $commandAst.CommandElements.Count - 1" in text
    assert "& kplan 2>$null" in text
    assert "$i += 3" in text


def offered(line: str, snapshot: str) -> list[tuple[str, str]]:
    """Values and tips that the script makes of the answer, for a cursor at the end of a line."""
    elements = line.split()
    word = "" if line.endswith(" ") else elements[-1]
    environment = {
        **os.environ,
        "_KPLAN_COMPLETE": "powershell_complete",
        "COMP_WORDS": line.rstrip(),  # the text of a command ends with its last element
        "COMP_CWORD": str(len(elements) - 1 if word else len(elements)),
        "KPLAN_SNAPSHOT": snapshot,
    }
    words = [sys.executable, "-m", "kplan"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.split("\n")
    threes = [lines[at : at + 3] for at in range(0, len(lines) - 2, 3)]
    assert all(kind in ("plain", "file", "dir") for kind, _, _ in threes if kind)
    return [(value, value if tip in ("", "_") else tip) for kind, value, tip in threes if kind == "plain"]


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> str:
    items = [node("a-1"), node("a-2"), node("b-1"), pod("web-1", namespace="shop"), pod("db-1", namespace="data")]
    return write(tmp_path_factory.mktemp("powershell"), *items)


@pytest.mark.parametrize(
    ("line", "values"),
    [
        pytest.param("kplan dra", ["drain"], id="a command"),
        pytest.param("kplan explain n", ["node"], id="a command of a command"),
        pytest.param("kplan drain --roll", ["--rolling"], id="a flag"),
        pytest.param("kplan drain a-", ["a-1", "a-2"], id="nodes"),
        pytest.param("kplan drain ", ["a-1", "a-2", "b-1"], id="nodes, nothing written yet"),
        pytest.param("kplan drain a-1 b", ["b-1"], id="a second node"),
        pytest.param("kplan explain pod -n ", ["data", "shop"], id="namespaces"),
        pytest.param("kplan explain pod -n shop ", ["web-1"], id="pods of a namespace"),
        pytest.param("kplan explain pod s", ["shop/web-1"], id="pods"),
        pytest.param("kplan fail x", [], id="none of that name"),
    ],
)
def test_what_is_offered(line: str, values: list[str], snapshot: str) -> None:
    assert [value for value, _ in offered(line, snapshot)] == values


def test_every_command_is_offered_with_what_it_is_for(snapshot: str) -> None:
    told = dict(offered("kplan ", snapshot))
    assert told["drain"] == "Can these nodes go, pod by pod."
    assert {"explain", "simulate", "capacity", "fail", "nodes", "check", "bind"} <= told.keys()
    assert all(tip != value for value, tip in told.items())


def test_values_are_one_line_each(tmp_path: Path) -> None:
    """A name with a line break would shift all threes behind it."""
    state = write(tmp_path, node("good"), node("a\nb"), node("a b"))
    assert offered("kplan drain ", state) == [("good", "good")]
