"""``-o html=FILE``: the commands give the page the nodes as they are, and as a plan or a what-if leaves them."""

import json
from pathlib import Path
from typing import Any

import pytest

from kplan.cli.main import main
from tests.cli.snapshots import node, owned, pod, write


@pytest.fixture
def cluster(tmp_path: Path) -> str:
    """Two nodes, one of them with a pod; one pod waits."""
    return write(tmp_path, node("n-1"), node("n-2"), pod("old", cpu="1", on="n-1"), pod("waits", cpu="3500m"))


def page_data(tmp_path: Path, *command: str) -> dict[str, Any]:
    """What the script of the page reads."""
    file = tmp_path / "page.html"
    main([*command, "-o", f"html={file}"])
    text = file.read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text.partition('id="data">')[2].partition("</script>")[0])
    return found


def rows(tmp_path: Path, *command: str) -> dict[str, tuple[Any, Any]]:
    """Cpu before (0 where nothing changed) and after, by node."""
    data = page_data(tmp_path, *command)
    assert data["nodes"]["resources"][0] == "cpu"
    return {row[0]: (row[10] and row[10][0], (row[9] or [0])[0]) for row in data["nodes"]["rows"]}


def test_explain_gives_nodes_as_they_are(tmp_path: Path, cluster: str) -> None:
    assert rows(tmp_path, "explain", "pod", "waits", "--snapshot", cluster) == {"n-1": (0, 1000), "n-2": (0, 0)}


def test_simulate_gives_nodes_before_and_after(tmp_path: Path, cluster: str) -> None:
    found = rows(tmp_path, "simulate", "--snapshot", cluster)
    assert found == {"n-1": (0, 1000), "n-2": ([], 3500)}


def test_a_what_if_changes_nodes_before_the_question(tmp_path: Path, cluster: str) -> None:
    found = rows(tmp_path, "explain", "pod", "waits", "--snapshot", cluster, "--delete", "old")
    assert found == {"n-1": (1000, 0), "n-2": (0, 0)}


def test_a_drain_gives_nodes_before_and_after(tmp_path: Path) -> None:
    cluster = write(tmp_path, node("n-1"), node("n-2"), owned(pod("web", cpu="1", on="n-1"), "ReplicaSet", "web"))
    assert rows(tmp_path, "drain", "n-1", "--snapshot", cluster) == {"n-1": (1000, 0), "n-2": ([], 1000)}


def test_nodes_that_could_be_drained_are_drawn_without_their_pods(tmp_path: Path) -> None:
    cluster = write(tmp_path, node("n-1"), node("n-2"), owned(pod("web", cpu="1", on="n-1"), "ReplicaSet", "web"))
    assert rows(tmp_path, "drain", "--find", "n-1", "--snapshot", cluster) == {"n-1": (1000, 0), "n-2": ([], 1000)}


def test_a_diff_gives_the_nodes_of_both_sides(tmp_path: Path, cluster: str) -> None:
    other = write(tmp_path, node("n-1"), node("n-3"), pod("old", cpu="1", on="n-1"), name="other.json")
    found = rows(tmp_path, "diff", cluster, other)
    # in A the pod that waits is placed on n-2
    assert found == {"n-1": (0, 1000), "n-2": (3500, 0), "n-3": ([], 0)}


def test_bind_gives_nodes_before_and_after(tmp_path: Path, cluster: str) -> None:
    assert rows(tmp_path, "bind", "-A", "--snapshot", cluster) == {"n-1": (0, 1000), "n-2": ([], 3500)}


def test_many_pods_come_with_what_every_node_says_to_each(tmp_path: Path, cluster: str) -> None:
    found = page_data(tmp_path, "explain", "pod", "-A", "--snapshot", cluster)
    assert found["verdicts"] == {"pods": {"default/waits": 0}, "letters": ["10"], "leftOut": 0}


def test_the_document_of_one_pod_tells_every_node_itself(tmp_path: Path, cluster: str) -> None:
    assert "verdicts" not in page_data(tmp_path, "explain", "pod", "waits", "--snapshot", cluster)


def test_the_page_can_go_to_standard_output(capsys: pytest.CaptureFixture[str], cluster: str) -> None:
    assert main(["explain", "pod", "waits", "--snapshot", cluster, "-o", "html"]) == 0
    assert capsys.readouterr().out.startswith("<!doctype html>")
