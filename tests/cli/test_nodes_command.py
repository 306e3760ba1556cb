"""``kplan nodes``."""

import json
from pathlib import Path

import jsonschema
import pytest

from kplan.cli.main import main
from kplan.render.data import json_schema
from tests.cli.snapshots import node, pod, write


@pytest.fixture
def cluster(tmp_path: Path) -> str:
    return write(tmp_path, node("n-1"), node("n-2", unschedulable=True), pod("web", on="n-1", cpu="3"), pod("waits"))


def test_text_json_and_schema(capsys: pytest.CaptureFixture[str], cluster: str) -> None:
    assert main(["nodes", "--snapshot", cluster]) == 0
    text = capsys.readouterr().out
    assert text.startswith("NODES    2 nodes, 1 takes pods (1 cordoned); 1 pod on them\n")
    assert "n-1   ########..  75%     1" in text
    assert main(["nodes", "--snapshot", cluster, "-o", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, json.loads(json_schema("NodeList")))
    assert document["kind"] == "NodeList"
    cpu = document["nodes"][0]["resources"]["cpu"]
    assert cpu == {"requested": 3000, "allocatable": 4000, "free": 1000, "terminating": 0}


def test_quiet_gives_the_lines_that_answer(capsys: pytest.CaptureFixture[str], cluster: str) -> None:
    assert main(["nodes", "-q", "--snapshot", cluster]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_names_labels_columns_and_rows(capsys: pytest.CaptureFixture[str], cluster: str) -> None:
    assert main(["nodes", "n-2", "--snapshot", cluster]) == 0
    assert "\n         n-1 " not in capsys.readouterr().out
    assert main(["nodes", "-l", "kubernetes.io/hostname=n-1", "--snapshot", cluster, "-o", "json"]) == 0
    assert [row["node"] for row in json.loads(capsys.readouterr().out)["nodes"]] == ["n-1"]
    assert main(["nodes", "--resource", "memory", "--rows", "1", "--snapshot", cluster]) == 0
    text = capsys.readouterr().out
    assert "+1, by name (--rows all)" in text
    assert "Nodes    node  memory" in text


def test_nodes_are_named_as_in_what_ifs(capsys: pytest.CaptureFixture[str], cluster: str) -> None:
    assert main(["nodes", "node/n-1", "kubernetes.io/hostname=n-2", "--snapshot", cluster, "-o", "json"]) == 0
    assert [row["node"] for row in json.loads(capsys.readouterr().out)["nodes"]] == ["n-1", "n-2"]


def test_pools_that_are_asked_for_are_shown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    nodes = [node("n-1"), node("n-2")]
    for one, zone in zip(nodes, ("east", "west"), strict=True):
        one["metadata"]["labels"]["topology.kubernetes.io/zone"] = zone
    file = write(tmp_path, *nodes)
    assert main(["nodes", "--snapshot", file]) == 0
    assert "Pools" not in capsys.readouterr().out
    assert main(["nodes", "--by", "zone", "--snapshot", file]) == 0
    assert "Pools    zone  nodes  open  cpu" in capsys.readouterr().out


WRONG = [
    ("a node that is not there", ["n-3"], "no node n-3"),
    ("a resource nobody has", ["--resource", "tpu"], "no node has tpu"),
    ("pools by a label that no node has", ["--by", "moon"], "--by moon: no node has that label"),
    ("rows that are no number", ["--rows", "many"], "neither a number nor all"),
    ("an unknown order", ["--sort-by", "age"], "nothing to sort by"),
]


@pytest.mark.parametrize(("words", "told"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_what_is_refused(capsys: pytest.CaptureFixture[str], cluster: str, words: list[str], told: str) -> None:
    assert main(["nodes", *words, "--snapshot", cluster]) == 2
    assert told in capsys.readouterr().err
