"""``kplan pack``: what it says, with prices and without, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kplan.cli.main import main
from tests.cli.snapshots import node, owned, pod, write

PRICES = "Instance Type,Zone,Capacity Type,Price per hour\nsmall,,on-demand,0.10\nlarge,,,0.50\nlarge,,spot,0.20\n"


@pytest.fixture
def three(tmp_path: Path) -> str:
    """Three nodes of four cpus, with a pod of one cpu each."""
    items = [node(name) for name in ("a", "b", "c")]
    for item, kind in zip(items, ("small", "large", "large"), strict=True):
        item["metadata"]["labels"]["node.kubernetes.io/instance-type"] = kind
    items[2]["metadata"]["labels"]["karpenter.sh/capacity-type"] = "spot"
    pods = [owned(pod(f"web-{name}", on=name), "ReplicaSet", "web") for name in ("a", "b", "c")]
    return write(tmp_path, *items, *pods)


def asked(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict[str, Any]:
    assert main([*words, "-o", "json"]) == code
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_document(three: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, "pack", "--snapshot", three)
    assert (found["kind"], found["verdict"], found["left"], found["bound"], found["proved"]) == (
        "PackPlan",
        "FITS",
        1,
        1.0,
        True,
    )
    assert found["sentence"] == "1 of 3 nodes is enough: 2 could go, 2 moves; no more can go"
    assert found["frees"] == {"cpu": 8000, "memory": 34359738368}
    assert found["commands"][0] == f"kubectl cordon {' '.join(found['going'])}"


def test_a_drain_takes_the_flags_that_its_pods_need(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a flag destroys stands beside it; where no pod needs a flag there is none."""
    pods = [owned(pod(f"web-{name}", on=name), "ReplicaSet", "web") for name in ("a", "b")]
    pods[1]["spec"]["volumes"] = [{"name": "cache", "emptyDir": {}}]
    agent = owned(pod("agent-c", on="c"), "DaemonSet", "agent")
    state = write(tmp_path, *(node(name) for name in ("a", "b", "c", "d")), *pods, agent)
    for name, flags in (
        ("a", ""),
        ("b", " --delete-emptydir-data  # --delete-emptydir-data: default/web-b loses what is in its emptyDirs"),
        ("c", " --ignore-daemonsets"),
    ):
        found = asked(capsys, "pack", name, "--snapshot", state)
        assert found["commands"] == [f"kubectl cordon {name}", f"kubectl drain {name}{flags}"]


def test_prices_decide_which_nodes_go(three: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A month has 730 hours: the small node costs 73, the large one 365, the large one on spot 146."""
    prices = tmp_path / "prices.csv"
    prices.write_text(PRICES)
    found = asked(capsys, "pack", "--prices", str(prices), "--snapshot", three)
    assert sorted(found["going"]) == ["b", "c"]
    assert (round(found["saves"]), round(found["costs"])) == (511, 584)
    assert {one["node"]: round(one["worth"]) for one in found["found"]} == {"a": 73, "b": 365, "c": 146}


def test_a_plan_is_a_scenario_that_simulate_replays(
    three: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(tmp_path / "plan.yaml")
    found = asked(capsys, "pack", "--save", file, "--snapshot", three)
    steps = asked(capsys, "simulate", "--scenario", file, "--snapshot", three)["whatIf"]
    assert not any(step.get("unmet") for step in steps)
    landed = [(move["was"], move["node"]) for step in steps for move in step.get("moves", ())]
    assert landed == [(move["from"], move["to"]) for move in found["moves"]]


def test_check_and_drain_replay_a_plan(three: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The nodes that were emptied stay cordoned: the one that is left has room for one more pod, not for two."""
    file, manifest = str(tmp_path / "plan.yaml"), tmp_path / "two.yaml"
    found = asked(capsys, "pack", "--save", file, "--snapshot", three)
    [left] = {"a", "b", "c"} - set(found["going"])
    spec = pod("w", cpu="1")["spec"]
    spec["containers"][0]["image"] = "w:1"
    meta = {"metadata": {"labels": {"app": "w"}}, "spec": spec}
    workload = {"replicas": 2, "selector": {"matchLabels": {"app": "w"}}, "template": meta}
    document = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "w"}, "spec": workload}
    manifest.write_text(json.dumps(document))
    report = asked(capsys, "check", str(manifest), "--scenario", file, "--snapshot", three, code=1)
    assert report["objects"][0]["on"] == {left: 1}
    assert [step["step"] for step in report["plan"]["whatIf"]] == found["steps"]
    drained = asked(capsys, "drain", left, "--scenario", file, "--snapshot", three, code=1)
    assert drained["because"] == {"code": "node-cordoned", "text": "a and b are cordoned"}


def test_nodes_that_are_empty_already_are_cordoned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cluster = write(tmp_path, node("a"), node("b"), owned(pod("x", on="a"), "ReplicaSet", "x"))
    assert asked(capsys, "pack", "--snapshot", cluster)["steps"] == ["--cordon b"]


def test_the_last_node_is_not_kept_by_what_the_plan_itself_cordons(
    three: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = asked(capsys, "pack", "--snapshot", three)
    [kept] = [one["because"] for one in found["found"] if not one["goes"]]
    assert kept["code"] == "no-room"
    assert kept["text"].endswith(": no place is left for it but on nodes that go or are cordoned")
    assert found["try"] == f"drain {found['going'][0]}, {found['going'][1]} in this order, 2 pods in all"


def test_a_pod_that_finds_no_place_is_told_why_by_the_nodes_that_stay(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its own node is cordoned by the plan, which says nothing: it is the taint of the other that keeps it."""
    master = {"node-role.kubernetes.io/control-plane": ""}
    taint = [{"key": "role", "value": "main", "effect": "NoSchedule"}]
    main_node = node("a", taints=taint)
    main_node["metadata"]["labels"] |= master
    cluster = write(tmp_path, main_node, node("b"), owned(pod("x", on="b"), "ReplicaSet", "x"))
    found = asked(capsys, "pack", "--snapshot", cluster, code=1)
    assert [(one["node"], one["because"]["text"]) for one in found["found"]] == [
        ("a", "it runs the cluster itself"),
        ("b", "default/x: a would do but for taint role=main:NoSchedule, which the pod does not tolerate"),
    ]
    assert found["because"]["text"] == f"b stays: {found['found'][1]['because']['text']}"


def test_one_node_has_no_order(three: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(capsys, "pack", "b", "--snapshot", three)["try"] == "drain b, 1 pod in all"


def test_only_nodes_that_are_named_go(three: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, "pack", "b", "--snapshot", three)
    assert found["going"] == ["b"]
    kept = {one["node"]: one["because"]["code"] for one in found["found"] if not one["goes"]}
    assert kept == {"a": "not-asked", "c": "not-asked"}


def test_a_loss_that_has_to_be_borne_keeps_nodes(three: str, capsys: pytest.CaptureFixture[str]) -> None:
    """On one node alone its loss leaves no place; of two, the other takes all three pods."""
    assert asked(capsys, "pack", "--survive", "node", "--snapshot", three)["left"] == 2


def test_what_is_in_the_way_is_told_node_by_node(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cluster = write(tmp_path, node("a"), node("b"), pod("bare-a", on="a"), pod("bare-b", on="b"))
    found = asked(capsys, "pack", "--snapshot", cluster, code=1)
    assert [(one["node"], one["obstacles"], one["because"]["text"]) for one in found["found"]] == [
        ("a", {"bare-pod": 1}, "default/bare-a: nothing recreates it"),
        ("b", {"bare-pod": 1}, "default/bare-b: nothing recreates it"),
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--keep-free", "much"], "--keep-free much: not a share"),
        (["--survive", "rack"], "--survive rack: no such choice"),
        (["--prices", "nosuch.csv"], "nosuch.csv: cannot be read"),
        (["nosuch"], "nosuch"),
    ],
    ids=" ".join,
)
def test_refusals(three: str, capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    assert main(["pack", *words, "--snapshot", three]) == 2
    assert message in capsys.readouterr().err
