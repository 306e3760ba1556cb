"""Two plans side by side: which pods are elsewhere, and which filter or score moved them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import kplan
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.result.document_diff import ClusterDiff
from kplan.studies.diff import DiffAsked, diff
from kplan.studies.diff.rules import GATES
from kplan.studies.diff.sides import Side
from kplan.studies.origin import origin, version_of
from tests.builders import node, pod

ROOT = Path(__file__).parents[2]

MOST = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "profiles": [
        {
            "schedulerName": "default-scheduler",
            "pluginConfig": [
                {
                    "name": "NodeResourcesFit",
                    "args": {
                        "scoringStrategy": {
                            "type": "MostAllocated",
                            "resources": [{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 1}],
                        }
                    },
                }
            ],
        }
    ],
}


def without(plugin: str) -> dict[str, Any]:
    disabled = {"multiPoint": {"disabled": [{"name": plugin}]}}
    return {**MOST, "profiles": [{"schedulerName": "default-scheduler", "plugins": disabled}]}


def side(name: str, objects: Sequence[Object], version: str = "1.37", config: dict[str, Any] | None = None) -> Side:
    state = ClusterState.of(objects, source=f"{name}.json")
    scheduler = kplan.Scheduler.of(version, config=config)
    return Side(
        name=name,
        label=name.lower(),
        planner=lambda: scheduler.planner(state, everything=False),
        pipelines=scheduler.pipelines,
        origin=origin(state, scheduler.features, *version_of(state, version)),
    )


def compare(a: Side, b: Side, what: str = "configurations", every: bool | None = False) -> ClusterDiff:
    return diff(a, b, DiffAsked((what,), every))


BUSY = (node("n-1"), node("n-2"), pod("busy", node="n-1", requests={"cpu": "2"}), pod("new", requests={"cpu": "1"}))


def test_a_strategy_that_packs_moves_the_pod_and_the_plugin_is_named() -> None:
    # least allocated: 61 on n-1, 86 on n-2; most allocated: cpu 75 and 25, memory 1: (75+1)//2 = 38, (25+1)//2 = 13
    found = compare(side("A", BUSY), side("B", BUSY, config=MOST))
    [move] = found.moves
    assert (found.verdict, move.pod, move.result, move.a, move.b) == ("DIFFERS", "default/new", "moves", "n-2", "n-1")
    assert (move.cause, move.plugin, move.itself) == ("score", "NodeResourcesFit", True)
    assert move.text.startswith("NodeResourcesFit favours n-2 by 25 in A, n-1 by 25 in B")
    assert found.rules == ("NodeResourcesFit.scoringStrategy.type: LeastAllocated -> MostAllocated",)
    assert found.unchanged == 1


def test_a_filter_that_is_off_places_a_pod() -> None:
    objects = (node("n-1", taints=["gpu=yes:NoSchedule"]), pod("new", requests={"cpu": "1"}))
    found = compare(side("A", objects), side("B", objects, config=without("TaintToleration")))
    [move] = found.moves
    assert (move.result, move.a, move.b, move.cause, move.plugin) == ("placed", "", "n-1", "room", "TaintToleration")
    assert move.text.startswith("in A: taint gpu=yes:NoSchedule")
    assert found.rules == ("TaintToleration is off in B",)


def test_a_filter_that_is_off_opens_a_better_node() -> None:
    objects = (
        node("n-1"),
        node("n-2", taints=["gpu=yes:NoSchedule"]),
        pod("busy", node="n-1", requests={"cpu": "2"}),
        pod("new", requests={"cpu": "1"}),
    )
    [move] = compare(side("A", objects), side("B", objects, config=without("TaintToleration"))).moves
    assert (move.a, move.b, move.cause, move.plugin) == ("n-1", "n-2", "filter", "TaintToleration")
    assert move.text == "n-2 is refused in A: taint gpu=yes:NoSchedule, not tolerated"


def test_pods_that_only_follow_are_told_apart() -> None:
    # B packs: first goes to n-1 of itself. Second is drawn after it; the rules alone would move it too.
    # Third fits n-2 alone once n-1 is full on B: on the state of A the rules of B would send it elsewhere or not.
    objects = (
        node("n-1", cpu="4"),
        node("n-2", cpu="4"),
        pod("busy", node="n-1", requests={"cpu": "2"}),
        pod("one", requests={"cpu": "2"}, priority=10),
        pod("two", requests={"cpu": "2"}),
    )
    found = compare(side("A", objects), side("B", objects, config=MOST))
    places = {move.pod: (move.a, move.b, move.itself) for move in found.moves}
    assert places["default/one"] == ("n-2", "n-1", True)
    # in A n-1 and n-2 are alike when two comes (2 of 4 used on both); in B n-1 is full
    assert places["default/two"][:2] == ("n-1", "n-2")
    assert places["default/two"][2] is False
    assert [move.cause for move in found.moves if move.pod == "default/two"] == ["filter"]


def test_the_same_rules_differ_in_nothing() -> None:
    found = compare(side("A", BUSY), side("B", BUSY))
    assert (found.verdict, found.moves, found.rules, found.because) == ("SAME", (), (), None)
    assert found.sentence == ("configurations, a (A) and b (B): no waiting pod is elsewhere; 2 pods in the same place")


def test_where_no_pod_waits_those_that_run_are_placed_afresh() -> None:
    objects = (
        node("n-1"),
        node("n-2"),
        pod("a", node="n-1", requests={"cpu": "1"}),
        pod("b", node="n-2", requests={"cpu": "1"}),
    )
    found = compare(side("A", objects), side("B", objects, config=MOST), every=None)
    assert found.pods == "all"
    assert {move.pod: (move.a, move.b) for move in found.moves} == {"default/b": ("n-2", "n-1")}
    assert (found.a.packing.used_nodes, found.b.packing.used_nodes) == (2, 1)
    assert (found.a.tried, found.a.placed) == (2, 2)


def test_packing_before_and_after() -> None:
    # A: 1 of 4 and 1 of 4: mean 25, deviation 0; pieces of 3 and 3 serve pods of 1.
    # B: 2 of 4 and 0 of 4: mean 25, deviation 25
    objects = (
        node("n-1"),
        node("n-2"),
        pod("a", node="n-1", requests={"cpu": "1"}),
        pod("b", requests={"cpu": "1"}),
    )
    found = compare(side("A", objects), side("B", objects, config=MOST))
    a, b = found.a.packing.resources["cpu"], found.b.packing.resources["cpu"]
    assert (a.free, a.largest, a.fullness, a.spread, a.fragmented) == (6000, 3000, 25.0, 0.0, 0.0)
    assert (b.free, b.largest, b.fullness, b.spread, b.fragmented) == (6000, 4000, 25.0, 25.0, 0.0)


def owned(name: str, on: str = "", **more: Any) -> Object:
    owner = {"ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "controller": True}]}
    return pod(name, node=on, metadata=owner, **more)


def test_snapshots_pair_pods_that_an_owner_made_again() -> None:
    a = (node("n-1"), node("n-2"), owned("web-a", "n-1"), owned("web-b", "n-2"))
    b = (node("n-1", unschedulable=True), node("n-2"), node("n-3"), owned("web-c", "n-3"), owned("web-d", "n-2"))
    found = compare(side("A", a), side("B", b), "snapshots", None)
    [move] = found.moves
    assert (move.pod, move.pod_b, move.a, move.b) == ("default/web-a", "default/web-c", "n-1", "n-3")
    assert (move.cause, move.plugin) == ("filter", "NodeUnschedulable")
    assert move.text == "n-1 is refused in B: cordoned (spec.unschedulable)"
    assert found.unchanged == 1
    assert found.objects == ("1 node only in B: n-3", "1 node cordoned in B: n-1")


def test_snapshots_that_differ_in_nodes_alone_differ() -> None:
    found = compare(side("A", (node("n-1"),)), side("B", (node("n-1", cpu="8"),)), "snapshots", None)
    assert (found.verdict, found.objects) == ("DIFFERS", ("1 node other allocatable: n-1",))


def test_new_and_gone_pods_and_missing_nodes() -> None:
    a = (node("n-1"), node("n-2"), pod("old", node="n-1"), pod("db", node="n-2"))
    b = (node("n-1"), pod("young", node="n-1"), pod("db", node="n-1"))
    found = compare(side("A", a), side("B", b), "snapshots", None)
    assert {move.pod: (move.result, move.cause, move.text) for move in found.moves} == {
        "default/db": ("moves", "node", "n-2 is not in B"),
        "default/old": ("gone", "", ""),
        "default/young": ("new", "", ""),
    }


def test_an_eviction_on_one_side_is_the_reason() -> None:
    objects = (
        node("n-1", cpu="2"),
        pod("low", node="n-1", requests={"cpu": "2"}),
        pod("high", requests={"cpu": "2"}, priority=1000),
    )
    found = compare(side("A", objects, config=without("DefaultPreemption")), side("B", objects))
    reasons = {move.pod: (move.result, move.cause) for move in found.moves}
    assert reasons == {"default/high": ("placed", "room"), "default/low": ("gone", "evicted")}


def test_versions_say_which_gates_that_matter_differ() -> None:
    objects = (node("n-1"), pod("new"))
    found = compare(side("A", objects, "1.34"), side("B", objects, "1.37"), "versions")
    assert found.rules[0] == "Kubernetes 1.34.4 -> 1.37.2"
    assert any("NodeDeclaredFeatures" in line for line in found.rules)
    assert not any("APIServerTracing" in line for line in found.rules)


def test_every_gate_that_a_rule_asks_about_is_among_those_told() -> None:
    import re

    from kplan.config.versions import _DEFAULT_PLUGINS

    asked = {row.gate for row in _DEFAULT_PLUGINS if row.gate}
    for folder in ("plugins", "pipeline"):
        for path in (ROOT / "kplan" / folder).rglob("*.py"):
            asked |= set(re.findall(r'(?:enabled\(\s*|^GATE = )"(\w+)"', path.read_text(), re.MULTILINE))
    asked |= set(re.findall(r'enabled\(\s*"(\w+)"', (ROOT / "kplan" / "api.py").read_text()))
    assert asked <= GATES


@pytest.mark.parametrize("every", [False, True])
def test_both_sides_begin_from_the_same_state(every: bool) -> None:
    first, second = side("A", BUSY), side("B", BUSY, config=MOST)
    assert compare(first, second, every=every) == compare(first, second, every=every)


def sampled(percent: int, absolute: int = 100) -> dict[str, Any]:
    args = {"minCandidateNodesPercentage": 0, "minCandidateNodesAbsolute": absolute}
    profile = {"schedulerName": "default-scheduler", "pluginConfig": [{"name": "DefaultPreemption", "args": args}]}
    return {**MOST, "percentageOfNodesToScore": percent, "profiles": [profile]}


def test_how_many_nodes_are_looked_at_moves_pods_in_some_cases() -> None:
    nodes = [node(f"n-{i:03d}", cpu="64" if i == 399 else "8") for i in range(400)]
    waits = [pod("web", requests={"cpu": "1"}), pod("web-2", requests={"cpu": "1"})]
    sides = (side("A", [*nodes, *waits], config=sampled(100)), side("B", [*nodes, *waits], config=sampled(25)))
    found = compare(*sides)
    [landing] = found.landings
    assert (found.verdict, found.moves) == ("DIFFERS", ())
    assert (landing.pod, landing.alike, landing.evicts) == ("default/web", 2, False)
    assert (landing.a.node, landing.a.share, landing.a.examined) == ("n-399", 1.0, 400)
    assert (landing.b.node, landing.b.share, landing.b.examined) == ("n-399", 0.25, 100)
    assert landing.moved == 0.75
    assert "no waiting pod is elsewhere, but 2 pods in some cases" in found.sentence
    assert landing.text == ("goes elsewhere in 75 % of cases: n-399 100 % -> 25 %, 400 -> 100 of 400 nodes looked at")


def test_how_many_candidates_are_looked_at_moves_evictions() -> None:
    """Each of ten nodes holds one pod; the lowest is found by half of the walks over five candidates."""
    nodes = [node(f"n-{i}", cpu="4") for i in range(10)]
    low = [pod(f"low-{i}", node=f"n-{i}", requests={"cpu": "4"}, priority=0 if i == 7 else 10) for i in range(10)]
    objects = [*nodes, *low, pod("high", requests={"cpu": "4"}, priority=100)]
    found = compare(side("A", objects, config=sampled(0, 10)), side("B", objects, config=sampled(0, 5)))
    [landing] = found.landings
    assert (landing.evicts, landing.a.share, landing.b.share, landing.moved) == (True, 1.0, 0.5, 0.5)


def test_the_same_fields_move_nothing() -> None:
    objects = [node("a"), node("b"), pod("web")]
    assert compare(side("A", objects, config=sampled(50)), side("B", objects, config=sampled(50))).landings == ()


def test_the_pods_that_a_change_wakes_are_told() -> None:
    waits = [pod("large", requests={"cpu": "8"}), pod("picky", nodeSelector={"zone": "b"})]
    a, b = side("A", [node("small"), *waits]), side("B", [node("small"), node("big", cpu="16"), *waits])
    assert "B wakes 1 of 2 waiting pods: default/large" in compare(a, b, "snapshots").notes
    assert not any("wakes" in note for note in compare(b, b, "snapshots").notes)
