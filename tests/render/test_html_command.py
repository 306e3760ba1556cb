"""``-o html=FILE``: the commands give the page the nodes as they are, and as a plan or a what-if leaves them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from kplan.cli.main import main
from kplan.render.html import FOLDER
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


def full(number: int) -> list[dict[str, Any]]:
    """Nodes that a pod of low priority fills, one each."""
    names = [f"n-{i}" for i in range(number)]
    return [*map(node, names), *(pod(f"low-{name}", cpu="3", on=name, priority=0) for name in names)]


def test_a_page_has_the_victims_on_every_node_where_the_text_has_those_on_four(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster = write(tmp_path, *full(6), pod("urgent", cpu="3", priority=1000))
    data = page_data(tmp_path, "explain", "pod", "urgent", "--snapshot", cluster)
    assert len(set(re.findall(r"low-n-\d", json.dumps([data["document"], data["shared"]])))) == 6
    assert "moreNodes" not in json.dumps(data["document"])
    capsys.readouterr()
    main(["explain", "pod", "urgent", "--snapshot", cluster, "-o", f"html={tmp_path / 'page.html'}", "-o", "text"])
    beside = capsys.readouterr().out
    main(["explain", "pod", "urgent", "--snapshot", cluster])
    assert beside == capsys.readouterr().out
    assert "2 more nodes where evictions help (--victims all)" in beside


def test_a_page_of_a_drain_has_every_group_that_refuses_the_pod_that_is_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    web = owned(pod("web", cpu="3", on="n-0"), "ReplicaSet", "web")
    closed = node("closed", unschedulable=True)
    tainted = node("tainted", taints=[{"key": "a", "value": "b", "effect": "NoSchedule"}])
    cluster = write(tmp_path, node("n-0"), node("n-1", cpu="2"), closed, tainted, web)
    main(["drain", "n-0", "--snapshot", cluster, "-o", "json"])
    document = json.loads(capsys.readouterr().out)
    assert (document["groups"], len(document["moreGroups"])) == (3, 2)
    main(["drain", "n-0", "--snapshot", cluster, "-o", "wide"])
    told = capsys.readouterr().out
    assert all(group["text"].split(",")[0] in told for group in document["moreGroups"])
    assert "more group" not in told


SENDS = re.compile(r"kplan (?!shows|does|is|kept)[a-z]+ |-o wide|--(?:victims|scores|group|all-fixes)\b")


def test_no_script_of_the_page_sends_its_reader_to_a_terminal() -> None:
    for file in sorted((FOLDER / "script").rglob("*.js")):
        lines = [line for line in file.read_text().splitlines() if not re.match(r"\s*(//|/?\*)", line)]
        assert [line for line in lines if SENDS.search(line)] == [], file


def test_numbers_that_are_keys_are_texts_in_the_page_and_in_yaml_as_they_are_in_json(tmp_path: Path) -> None:
    """How many nodes have how many devices free: JSON has no other keys than texts."""
    dra = "resource.k8s.io/v1"
    devices = {"devices": [{"name": "gpu-0"}, {"name": "gpu-1"}], "driver": "gpu.example.com", "nodeName": "n-1"}
    pool = {"name": "n-1", "generation": 1, "resourceSliceCount": 1}
    made: list[dict[str, Any]] = [
        {"apiVersion": dra, "kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {}},
        {"apiVersion": dra, "kind": "ResourceSlice", "metadata": {"name": "s"}, "spec": {**devices, "pool": pool}},
    ]
    cluster = write(tmp_path, node("n-1"), pod("waits"), *made)
    told = page_data(tmp_path, "diff", cluster, cluster, "-o", f"json={tmp_path / 'd'}", "-o", f"yaml={tmp_path / 'y'}")
    as_json, as_yaml = json.loads((tmp_path / "d").read_text()), yaml.safe_load((tmp_path / "y").read_text())
    assert as_json["a"]["packing"]["devices"]["gpu"]["pieces"] == {"2": 1}
    assert as_yaml == as_json
    assert told["document"]["verdict"] == "SAME"
