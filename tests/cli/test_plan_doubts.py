"""What a dump lacks is said by every command whose answer depends on it, not by explain alone."""

import json
from pathlib import Path

import pytest

from kplan.cli.main import main
from tests.cli.snapshots import node, owned, pod, write

POD, BUDGET = "user namespaces are not in it: free space is overstated", "budgets of some namespaces only"
PARTIAL = {"Pod": POD, "PodDisruptionBudget": BUDGET}


def dump(folder: Path, *objects: object) -> str:
    """A dump that says of itself that it holds only some pods and budgets."""
    file = write(folder, *objects)
    text = json.loads(Path(file).read_text())
    notes = {
        "kplan.dev/kinds": "Node,Pod,PodDisruptionBudget,Namespace",
        "kplan.dev/completeness": json.dumps({"partial": PARTIAL}),
    }
    text.setdefault("metadata", {})["annotations"] = notes
    Path(file).write_text(json.dumps(text))
    return file


@pytest.fixture
def two(tmp_path: Path) -> str:
    return dump(tmp_path, node("a"), node("b"), owned(pod("web-1", on="a"), "ReplicaSet", "web"), pod("new", cpu="1"))


@pytest.mark.parametrize(
    ("words", "doubts"),
    [
        (["explain", "pod", "new"], [POD]),
        (["simulate"], [POD]),
        (["drain", "a"], [POD, BUDGET]),
        (["drain", "--find"], [POD, BUDGET]),
        (["fail", "a"], [POD]),
        (["fail", "--each", "node"], [POD]),
        (["capacity", "rs/web"], [POD]),
        (["sweep", "-j", "1"], [POD, BUDGET]),
        (["sweep", "-j", "1", "--fail-each", "node"], [POD]),
    ],
    ids=lambda value: " ".join(value[:2]) if value and value[0] not in PARTIAL.values() else "",
)
def test_a_fit_that_depends_on_what_is_not_there_is_in_doubt(
    capsys: pytest.CaptureFixture[str], two: str, words: list[str], doubts: list[str]
) -> None:
    assert main([*words, "--snapshot", two, "--strict", "-q"]) == 4
    first, *rest = capsys.readouterr().out.splitlines()
    assert first.split()[0] == "FITS?"
    assert [line.removeprefix("Doubt    ") for line in rest if line.startswith("Doubt")] == doubts


@pytest.mark.parametrize(
    "words",
    [
        ["explain", "pod", "new"],
        ["simulate"],
        ["drain", "a"],
        ["drain", "--find"],
        ["fail", "a"],
        ["fail", "--each", "node"],
        ["capacity", "rs/web"],
        ["capacity", "rs/web", "--replicas", "99"],
        ["sweep", "-j", "1"],
    ],
    ids=" ".join,
)
def test_nodes_that_pods_run_on_and_the_dump_lacks_are_a_doubt_of_every_plan(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: list[str]
) -> None:
    on_a = owned(pod("web-1", on="a"), "ReplicaSet", "web")
    file = write(tmp_path, node("a"), node("b"), on_a, pod("new"), pod("old", on="gone"))
    assert main([*words, "--snapshot", file, "--strict", "-q"]) == 4
    out = " ".join(capsys.readouterr().out.split())
    assert "Doubt 1 pod runs on a node that the source lacks (gone): what fits there is unknown" in out


def test_a_node_that_is_imagined_away_is_none_that_the_dump_lacks(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    on_a = owned(pod("web-1", on="a"), "ReplicaSet", "web")
    file = write(tmp_path, node("a"), node("b"), on_a, pod("alone", on="a"), pod("new"))
    assert main(["simulate", "--remove-node", "a", "--snapshot", file, "-q"]) == 0
    assert "Doubt" not in capsys.readouterr().out


def test_nodes_say_that_pods_are_missing(capsys: pytest.CaptureFixture[str], two: str) -> None:
    assert main(["nodes", "--snapshot", two]) == 0
    assert f"Doubt    {POD}\n" in capsys.readouterr().out


def test_what_does_not_fit_anyway_is_in_no_doubt(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = dump(tmp_path, node("a"), owned(pod("web-1", on="a"), "ReplicaSet", "web"))
    assert main(["drain", "a", "--snapshot", file, "--strict", "-q"]) == 1
    assert capsys.readouterr().out.startswith("BLOCKED  ")


@pytest.mark.parametrize(
    ("words", "verdict"),
    [(["simulate"], "FITS?    "), (["explain", "pod", "-A"], "NOTHING? ")],
    ids=["simulate", "explain"],
)
def test_that_no_pod_waits_is_in_doubt_where_no_pod_is_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: list[str], verdict: str
) -> None:
    assert main([*words, "--snapshot", write(tmp_path, node("a")), "-q"]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == [
        f"{verdict}no pod waits",
        "Doubt    the source holds no pods: every node counts as empty",
    ]


@pytest.mark.parametrize("words", [["simulate"], ["explain", "pod", "new"]], ids=["simulate", "explain"])
def test_nodes_that_a_what_if_adds_are_there(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: list[str]
) -> None:
    snapshot = write(tmp_path, pod("new", cpu="1"))
    main([*words, "-q", "--snapshot", snapshot])
    assert "Doubt    the source holds no nodes: there is nothing to schedule onto" in capsys.readouterr().out
    assert main([*words, "-q", "--add-node", "cpu=4,memory=4Gi", "--snapshot", snapshot]) == 0
    out = capsys.readouterr().out
    assert out.startswith("FITS     ")
    assert "Doubt" not in out
