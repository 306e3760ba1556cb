"""``kplan moves``: what it says, what it refuses, and that its scenario is replayed as it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kplan.cli.main import main
from tests.cli.snapshots import node, owned, pod, write

DEMO = ["--snapshot", "kplan/data/demo.yaml"]


def asked(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict[str, Any]:
    assert main([*words, "-o", "json"]) == code
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["moves", "shop/search-0", *DEMO]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "FITS     shop/search-0 fits on node-a once 1 pod moves",
        "Because  3900m cpu are free, but in pieces: it wants 1300m, no node has more",
        "         than 1220m; infra-1: taint dedicated=infra:NoSchedule, not tolerated",
        "Try      move shop/web-7d4b9-2k9dl node-a -> node-b",
        "",
        "Moves    #  pod                   from    to      budget          note",
        "         1  shop/web-7d4b9-2k9dl  node-a  node-b  web-pdb 1 of 1  -",
        "Boxes    node-a, 3920m cpu",
        "           before  [-shop/web-7d4b9-2k9dl 1000m] [shop/db-0 2400m]",
        "             [kube-system/log-a 100m] free 420m",
        "           after   [*shop/search-0 1300m] [shop/db-0 2400m] [kube-system/log-a",
        "             100m] free 120m",
        "         node-b, 3920m cpu",
        "           before  [ops/report-run-0 1400m] [shop/cart-0 1200m]",
        "             [kube-system/log-b 100m] free 1220m",
        "           after   [+shop/web-7d4b9-2k9dl 1000m] [ops/report-run-0 1400m]",
        "             [shop/cart-0 1200m] [kube-system/log-b 100m] free 220m",
        "Or       no pod that a budget covers: 4 moves or fewer are not enough: every",
        "         move that could help was tried",
        "Steps    kubectl cordon node-a",
        "         kubectl create --raw /api/v1/namespaces/shop/pods/web-7d4b9-2k9dl/eviction -f - <<< "
        """'{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"web-7d4b9-2k9dl","namespace":"shop"}}'""",
        "         kubectl get pods -n shop -o wide --field-selector spec.nodeName=node-b  # until it is ready",
        "         kubectl uncordon node-a",
        "Stay     6 DaemonSet pods",
        "Note     it finds no place after others that wait, too, and are tried first:",
        "         ops/billing-0, shop/web-7d4b9-x2v8q",
        "From     demo.yaml, 6 nodes, 21 pods; rules of 1.37.2 (newest kubelet)",
    ]


def test_the_document(capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, "moves", "shop/search-0", *DEMO)
    assert (found["kind"], found["verdict"], found["bound"], found["fewest"]) == ("MovesPlan", "FITS", 1, True)
    [move] = found["moves"]
    assert (move["pod"], move["from"], move["to"]) == ("shop/web-7d4b9-2k9dl", "node-a", "node-b")
    assert found["lands"] == [{"pod": "shop/search-0", "node": "node-a"}]
    assert found["steps"] == ["--cordon node-a", "--evict pod/shop/web-7d4b9-2k9dl", "--uncordon node-a"]
    assert [way["code"] for way in found["ways"]] == ["no-budget"]


def test_a_plan_is_a_scenario_that_simulate_replays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "plan.yaml")
    asked(capsys, "moves", "shop/search-0", "--save", file, *DEMO)
    steps = asked(capsys, "simulate", "--scenario", file, *DEMO, code=1)["whatIf"]
    assert [step["step"] for step in steps] == [
        "--cordon node-a",
        "--evict pod/shop/web-7d4b9-2k9dl",
        "--uncordon node-a",
    ]
    assert not any(step.get("unmet") for step in steps)
    assert [(move["insteadOf"], move["was"], move["node"]) for step in steps for move in step.get("moves", ())] == [
        ("shop/web-7d4b9-2k9dl", "node-a", "node-b")
    ]
    answer = asked(capsys, "explain", "pod", "shop/search-0", "--scenario", file, *DEMO)
    assert (answer["verdict"], answer["node"]) == ("FITS", "node-a")


@pytest.fixture
def two_nodes(tmp_path: Path) -> str:
    """A pod that runs, and room for one of two cpus after one move."""
    return write(
        tmp_path,
        node("a", cpu="4"),
        node("b", cpu="3"),
        owned(pod("web-1", on="a", cpu="2"), "ReplicaSet", "web"),
        pod("bare", on="b"),
    )


MANIFEST = """\
apiVersion: v1
kind: Pod
metadata: {name: trainer}
spec:
  containers: [{name: main, image: x, resources: {requests: {cpu: "3"}}}]
"""


def test_a_manifest(tmp_path: Path, two_nodes: str, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = tmp_path / "trainer.yaml"
    manifest.write_text(MANIFEST)
    found = asked(capsys, "moves", "-f", str(manifest), "--snapshot", two_nodes)
    assert [(move["pod"], move["from"], move["to"]) for move in found["moves"]] == [("default/web-1", "a", "b")]


def test_pods_that_are_spared(tmp_path: Path, two_nodes: str, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = tmp_path / "trainer.yaml"
    manifest.write_text(MANIFEST)
    words = ["moves", "-f", str(manifest), "--spare", "default", "--snapshot", two_nodes]
    [way] = asked(capsys, *words)["ways"]
    assert (way["code"], way["text"], way["bound"]) == ("spared", "none of default", 5)
    assert way["because"]["code"] == "no-moves"


def test_a_pod_larger_than_any_node_is_not_told_that_moves_were_tried(
    tmp_path: Path, two_nodes: str, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = tmp_path / "trainer.yaml"
    manifest.write_text(MANIFEST.replace('"3"', '"30"'))
    found = asked(capsys, "moves", "-f", str(manifest), "--snapshot", two_nodes, code=1)
    assert found["sentence"] == "default/trainer fits nowhere, and no move of other pods makes room"
    assert found["because"]["code"] == "insufficient-cpu"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "nothing to fit is named"),
        (["web-1", "-f", "x.yaml"], "nothing to fit is named"),
        (["web-1"], "web-1: no pod of it waits"),
        (["nosuch"], "no pod nosuch"),
    ],
    ids=" ".join,
)
def test_refusals(two_nodes: str, capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    assert main(["moves", *words, "--snapshot", two_nodes]) == 2
    assert message in capsys.readouterr().err


def test_explain_offers_moves_where_no_eviction_is_enough(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cluster = write(
        tmp_path,
        node("a", cpu="4"),
        node("b", cpu="3"),
        node("c", cpu="2"),
        owned(pod("x", on="a", cpu="3"), "ReplicaSet", "x"),
        owned(pod("y", on="b", cpu="2"), "ReplicaSet", "y"),
        pod("wanted", cpu="4"),
    )
    fixes = asked(capsys, "explain", "pod", "wanted", "--snapshot", cluster)["fixes"]
    [moves] = [fix for fix in fixes if fix["code"] == "move-pods"]
    assert moves["text"] == "move 2 pods: default/y from b to c and default/x from a to b"
    assert moves["nodes"] == ["a"]
    assert [line.partition(" -f")[0] for line in moves["commands"]] == [
        "kubectl cordon a",
        "kubectl cordon b",
        "kubectl create --raw /api/v1/namespaces/default/pods/y/eviction",
        "kubectl get pods -n default -o wide --field-selector spec.nodeName=c  # until it is ready",
        "kubectl uncordon b",
        "kubectl create --raw /api/v1/namespaces/default/pods/x/eviction",
        "kubectl get pods -n default -o wide --field-selector spec.nodeName=b  # until it is ready",
        "kubectl uncordon a",
    ]
