"""Sentences that strangers stumbled over: what was said is gone, and what is said instead is what commands print."""

import ast
import re
from pathlib import Path

import pytest

from kplan.cli.main import main
from tests.cli.snapshots import node, owned, pod, write

ROOT = Path(__file__).parents[2]
DEMO = str(ROOT / "kplan" / "data" / "demo.yaml")
SAID = (
    "are borne",
    "leaves nothing behind",
    "looked at alone",
    "of its 1 pod",
    "break no budget",
    "break none",
    "counts nowhere",
    "all that come back",
    "is nearest, and",
    "what it seems to",
    "what is multiplied",
    "do no better",
    "not looked at 3",
    "; the most first",
    "more than the node is",
    "is not in this state",
    "no node is one that",
    "nodes that are not in it",
    "no such value",
    "is meant)",
    "what is not there of",
    "nobody knows",
    "says nothing where",
    "by now",
    "is there already",
    "not there any more",
    "if it stays",
    "goes here, with",
)
"""Parts of sentences as they were."""
HEADERS = ("fragm", "again", "spread")
"""Headers of tables as they were."""


def texts(path: Path) -> list[str]:
    """Strings of a module that are no docstrings: what may be shown."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    apart = {
        id(item.value) for item in ast.walk(tree) if isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant)
    }
    found = (item for item in ast.walk(tree) if isinstance(item, ast.Constant) and id(item) not in apart)
    return [item.value for item in found if isinstance(item.value, str)]


@pytest.mark.parametrize("part", SAID)
def test_no_text_says_it_any_more(part: str) -> None:
    files = sorted((ROOT / "kplan").rglob("*.py"))
    assert [path.name for path in files for text in texts(path) if part in text] == []
    scripts = sorted((ROOT / "kplan" / "data" / "html").rglob("*.js"))
    lines = [line for path in scripts for line in path.read_text(encoding="utf-8").splitlines()]
    assert [line for line in lines if part in re.sub(r"/\*.*|^ \*.*|//.*", "", line)] == []


ASKED = [
    ("drain node-a node-b -q", "BLOCKED  node-a, node-b: 3 of their 4 pods would have nowhere to go, shop/db-0"),
    ("simulate --drain node-b --queue manifests -q", "PARTLY   2 pods stay Pending after 1 step"),
    ("fail --each zone -q", "BLOCKED  survives 0 of 3 single zone failures"),
    ("sweep --drain-each node -q -j 1", "PARTLY   5 of 6 drains leave pods Pending"),
    ("nodes", "Note     not counted: 5 waiting pods"),
    ("nodes", "Total            0     100%  used  requested    of    free  largest  unusable  imbalance"),
    ("diff " + DEMO, "Packing              used    free  largest  unusable  imbalance"),
]


@pytest.mark.parametrize(("words", "line"), ASKED, ids=[f"{words}: {line[:30]}" for words, line in ASKED])
def test_this_is_said_instead(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: str, line: str
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    asked = [*words.split(), DEMO] if words.startswith("diff") else [*words.split(), "--snapshot", DEMO]
    assert main(asked) in (0, 1)
    assert line in capsys.readouterr().out.splitlines()


REFUSED = [
    (["capacity"], "name a workload, a manifest or --shapes"),
    (["check", "fixtures/examples/checkout.yaml", "--max-age", "1"], "--max-age: '1' needs a unit"),
]


@pytest.mark.parametrize(("words", "message"), REFUSED)
def test_this_is_said_of_what_cannot_be_asked(
    capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert main([*words, "--snapshot", DEMO]) == 2
    assert capsys.readouterr().err.splitlines()[0] == f"kplan: error: {message}"


def test_both_are_said_of_two_and_all_of_more(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    items = [owned(pod(f"w-{number}", cpu="1"), "ReplicaSet", "w") for number in range(2)]
    source = write(tmp_path, node("a", cpu="4"), *items)
    assert main(["simulate", "-q", "--snapshot", source]) == 0
    assert capsys.readouterr().out == "FITS     both pods are placed\n"


@pytest.mark.parametrize(
    ("pods", "line"),
    [(1, "FITS     the waiting pod fits, tried alone"), (3, "FITS     all 3 waiting pods fit, each tried alone")],
)
def test_pods_that_fit_are_counted_once(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, pods: int, line: str
) -> None:
    source = write(tmp_path, node("a"), *(pod(f"w-{number}") for number in range(pods)))
    assert main(["explain", "pod", "-A", "-q", "--snapshot", source]) == 0
    assert capsys.readouterr().out.splitlines()[0] == line


def test_several_ports_are_ports(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    items = [pod("holds", on="a"), pod("wants")]
    for item in items:
        item["spec"]["containers"][0]["ports"] = [
            {"containerPort": port, "hostPort": port, "protocol": "TCP"} for port in (80, 443)
        ]
    assert main(["explain", "pod", "wants", "-q", "--snapshot", write(tmp_path, node("a"), *items)]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "host ports 443/TCP, 80/TCP taken" in told
