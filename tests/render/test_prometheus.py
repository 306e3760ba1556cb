"""Metrics are read as Prometheus reads them, by the parser of its own client, and say what the document says."""

import json
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from kplan.cli.main import main
from tests.cli.snapshots import node, pod, write

DEMO = "kplan/data/demo.yaml"

Samples = dict[tuple[str, ...], float]


def read(words: list[str], snapshot: str, capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, Samples], Any]:
    """Samples of each metric by the values of its labels; and the same answer as JSON."""
    main([*words, "--snapshot", snapshot, "-o", "prometheus"])
    text = capsys.readouterr().out
    assert text.endswith("\n")  # or a textfile collector leaves the last line out
    found: dict[str, Samples] = {}
    for family in text_string_to_metric_families(text):
        assert (family.type, family.documentation[-1:]) == ("gauge", ".")
        assert {sample.name for sample in family.samples} <= {family.name}
        samples = {tuple(sample.labels.values()): sample.value for sample in family.samples}
        assert len(samples) == len(family.samples)  # no two are of the same labels
        assert family.name not in found
        found[family.name] = samples
    main([*words, "--snapshot", snapshot, "-o", "json"])
    return found, json.loads(capsys.readouterr().out)


def test_nodes(capsys: pytest.CaptureFixture[str]) -> None:
    found, answer = read(["nodes"], DEMO, capsys)
    assert set(found) == {
        "kplan_node_requested",
        "kplan_node_allocatable",
        "kplan_node_free",
        "kplan_node_pods",
        "kplan_largest_free",
    }
    assert found["kplan_node_pods"] == {(row["node"],): row["pods"] for row in answer["nodes"]}
    assert found["kplan_node_allocatable"]["node-a", "cpu"] == 3.92  # cores
    assert found["kplan_node_allocatable"]["node-a", "memory"] == 15 * 2**30
    for row in answer["nodes"]:
        for name, use in row["resources"].items():
            assert found["kplan_node_free"][row["node"], name] == use["free"] / (1000 if name == "cpu" else 1)


def test_capacity(capsys: pytest.CaptureFixture[str]) -> None:
    found, answer = read(["capacity", "deploy/shop/web", "sts/shop/db"], DEMO, capsys)
    more = {(row["workload"],): row["more"] for row in answer["workloads"]}
    assert len(more) == 2
    assert found["kplan_capacity_more"] == more
    assert found["kplan_capacity_running"] == {(row["workload"],): row["running"] for row in answer["workloads"]}


@pytest.mark.parametrize("each", ["node", "zone"])
def test_losses(each: str, capsys: pytest.CaptureFixture[str]) -> None:
    found, answer = read(["fail", "--each", each], DEMO, capsys)
    cases = answer["cases"]
    assert len(cases) >= 3
    assert found["kplan_loss_survived"] == {(case["name"],): float(case["verdict"] == "FITS") for case in cases}
    assert found["kplan_loss_pending_pods"] == {(case["name"],): case.get("pending", 0) for case in cases}
    assert found["kplan_loss_gone_pods"] == {(case["name"],): case.get("gone", 0) for case in cases}


@pytest.mark.parametrize("name", ['a"b', "a\\b", "a\\", "a\nb", 'a"} 7\nkplan_node_pods{node="b"} 9', "é", "a,b", "{}"])
@pytest.mark.parametrize("words", [["nodes"], ["fail", "--each", "node"]], ids=" ".join)
def test_a_name_is_one_value_of_a_label(
    words: list[str], name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever is in it: no other sample, and none less."""
    source = write(tmp_path, node(name), node("plain"), pod("runs", on=name))
    found, answer = read(words, source, capsys)
    of_node = [samples for samples in found.values() if ("plain",) in samples]
    assert of_node
    assert all(len(samples) == 2 for samples in of_node)
    if "\n" not in name:
        assert all((name,) in samples for samples in of_node)
    assert len(answer["nodes" if words == ["nodes"] else "cases"]) == 2
