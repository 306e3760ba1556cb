"""``kplan diff``."""

import json
from pathlib import Path
from textwrap import dedent

import jsonschema
import pytest

from kplan.cli.diff_sides import detect
from kplan.cli.main import main
from kplan.render.data import json_schema
from tests.cli.snapshots import node, pod, write

MOST = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}, {name: memory, weight: 1}]}}
"""
BATCH = """\
apiVersion: v1
kind: Pod
metadata: {name: batch}
spec:
  containers: [{name: main, image: x, resources: {requests: {cpu: "3"}}}]
"""


@pytest.fixture
def cluster(tmp_path: Path) -> str:
    (tmp_path / "most.yaml").write_text(MOST)
    (tmp_path / "batch.yaml").write_text(BATCH)
    write(tmp_path, node("n-1"), node("n-3"), pod("busy", on="n-1", cpu="2"), pod("new"), name="later.json")
    return write(tmp_path, node("n-1"), node("n-2"), pod("busy", on="n-1", cpu="2"), pod("new"), name="now.json")


def test_a_configuration_against_the_one_in_use(
    capsys: pytest.CaptureFixture[str], cluster: str, tmp_path: Path
) -> None:
    assert main(["diff", str(tmp_path / "most.yaml"), "--snapshot", cluster]) == 1
    assert capsys.readouterr().out == dedent(
        """\
        DIFFERS  configurations, the one in use (A) and most.yaml (B): 1 pod elsewhere
                 (1 on another node), 1 in the same place
        Because  default/new: NodeResourcesFit favours n-2 by 25 in A, n-1 by 25 in B

        Rules    NodeResourcesFit.scoringStrategy.type: LeastAllocated -> MostAllocated
        Moves    pod          A    B    moved by
                 default/new  n-2  n-1  NodeResourcesFit
        Packing           used  free  largest  unusable  imbalance
                 cpu  A  37.5%     5        3      0.0%       12.5
                      B  37.5%     5        4     10.0%       37.5
                 nodes in use 2 -> 1; waiting 0 -> 0; cpu against memory within a node
                 37.5 -> 37.5 points
        From     now.json, 2 nodes, 2 pods; rules of 1.37 (no version recorded)
        """
    )


def test_two_snapshots(capsys: pytest.CaptureFixture[str], cluster: str, tmp_path: Path) -> None:
    assert main(["diff", cluster, str(tmp_path / "later.json")]) == 1
    assert capsys.readouterr().out == dedent(
        """\
        DIFFERS  snapshots, now.json (A) and later.json (B): 1 pod elsewhere (1 on
                 another node), 1 in the same place
        Because  default/new: n-2 is not in B

        Nodes    1 node only in B: n-3
                 1 node only in A: n-2
        Moves    pod          A    B    moved by
                 default/new  n-2  n-3  node
        Packing           used  free  largest  unusable  imbalance
                 cpu  A  37.5%     5        3      0.0%       12.5
                      B  37.5%     5        3      0.0%       12.5
                 nodes in use 2 -> 2; waiting 0 -> 0; cpu against memory within a node
                 37.5 -> 37.5 points
        From     now.json, 2 nodes, 2 pods; rules of 1.37 (no version recorded)
        From     later.json, 2 nodes, 2 pods; rules of 1.37 (no version recorded)
        """
    )


def test_before_and_after_a_manifest(capsys: pytest.CaptureFixture[str], cluster: str, tmp_path: Path) -> None:
    assert main(["diff", str(tmp_path / "batch.yaml"), "--snapshot", cluster, "-o", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, json.loads(json_schema("ClusterDiff")))
    assert document["compared"] == ["manifests"]
    # the pod that waits goes to n-2 first, where 3 of 4 cpu are left
    assert [(move["pod"], move["result"], move["b"]) for move in document["moves"]] == [("default/batch", "new", "n-2")]
    assert document["a"]["packing"]["resources"]["cpu"]["free"] == 5000
    assert document["b"]["packing"]["resources"]["cpu"]["free"] == 2000


SAME = [
    ("two versions as arguments", ["1.36", "1.37"], "SAME     versions, 1.36.3 (A) and 1.37.2 (B): "),
    ("two versions in one flag", ["--k8s-version", "1.35,1.37"], "SAME     versions, 1.35.4 (A) and 1.37.2 (B): "),
    ("a version against that of the source", ["1.37"], "SAME     versions, 1.37.2 (A) and 1.37.2 (B): "),
    ("an override alone", ["--b", "version=1.36"], "SAME     versions, 1.37.2 (A) and 1.36.3 (B): "),
    ("gates", ["--b", "gates=StorageCapacityScoring=false"], "SAME     gates, the default gates (A) and "),
]


@pytest.mark.parametrize(("words", "told"), [row[1:] for row in SAME], ids=[row[0] for row in SAME])
def test_what_moves_no_pod(capsys: pytest.CaptureFixture[str], cluster: str, words: list[str], told: str) -> None:
    assert main(["diff", *words, "--snapshot", cluster]) == 0
    assert capsys.readouterr().out.startswith(told)


def test_an_override_wins_over_what_was_detected(
    capsys: pytest.CaptureFixture[str], cluster: str, tmp_path: Path
) -> None:
    words = ["diff", "1.36", "--b", f"config={tmp_path / 'most.yaml'},version=1.37", "--snapshot", cluster]
    assert main(words) == 1
    first = capsys.readouterr().out.replace("\n         ", " ")
    assert first.startswith("DIFFERS  configurations, the one in use (A) and most.yaml (B): 1 pod elsewhere")


def test_a_side_against_itself(capsys: pytest.CaptureFixture[str], cluster: str) -> None:
    assert main(["diff", cluster, cluster]) == 0
    assert capsys.readouterr().out.startswith("SAME     both sides are the same: no waiting pod is elsewhere; ")


WRONG = [
    ("nothing", [], "nothing to compare"),
    ("three", ["1.35", "1.36", "1.37"], "more than two to compare"),
    ("no file and no version", ["nope.yaml"], "no such file, and no version"),
    ("an override of nothing known", ["--b", "colour=red"], "'colour=red' is not understood"),
    ("half a pair of versions", ["--k8s-version", "1.35,"], "--k8s-version 1.35,"),
    ("pods that are no choice", ["1.36", "--pods", "some"], "--pods some"),
]


@pytest.mark.parametrize(("words", "told"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_what_is_refused(capsys: pytest.CaptureFixture[str], cluster: str, words: list[str], told: str) -> None:
    assert main(["diff", *words, "--snapshot", cluster]) == 2
    assert told in capsys.readouterr().err


def test_arguments_are_told_apart_by_their_content(cluster: str, tmp_path: Path) -> None:
    held = tmp_path / "held.yaml"
    held.write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  c.yaml: |\n"
        + "".join(f"    {line}\n" for line in MOST.splitlines())
    )
    names = [cluster, str(tmp_path / "most.yaml"), str(tmp_path / "batch.yaml"), str(held), "v1.36"]
    assert [detect(name).keys for name in names] == [
        ("snapshot",),
        ("config",),
        ("manifest",),
        ("manifest",),
        ("version",),
    ]
