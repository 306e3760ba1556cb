"""Drain: pod by pod in order, budgets asked, where each lands, what is in the way and what would help."""

from typing import Any

import pytest
from msgspec.structs import replace

import kplan
from kplan.cluster import AddPods, PodInfo, to_state
from kplan.objects.models import Object, Pod
from kplan.objects.selector_text import parse_selector
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from kplan.render.text import drain as render
from kplan.render.text.style import Style
from kplan.result import PlanEvent
from kplan.result.document_drain import DrainPlan
from kplan.scenario import parse_step
from kplan.scenario.budgets import status_of
from kplan.scenario.drain import DrainOptions
from kplan.studies.drain import DrainAsked, drain, find_nodes_to_drain
from kplan.studies.origin import origin, version_of
from kplan.studies.what_ifs import run
from kplan.wording.drain import GREEDY
from tests.builders import make, node, pod
from tests.scenario.worlds import owned, shop

SCHEDULER = kplan.Scheduler.of("1.37")
READY = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
PLAIN = DrainOptions(ignore_daemon_sets=True, delete_empty_dir=True)


def web(name: str, on: str, cpu: str = "1", **more: Any) -> Pod:
    return owned(name, "ReplicaSet", "web", on=on, cpu=cpu, **more)


def budget(**spec: Any) -> Object:
    return make(
        "PodDisruptionBudget", "web-pdb", namespace="shop", spec={"selector": {"matchLabels": {"app": "web"}}, **spec}
    )


def recorded(allowed: int) -> Object:
    """Budget of 2 at least whose status says what it allows."""
    return make(
        "PodDisruptionBudget",
        "web-pdb",
        namespace="shop",
        spec={"selector": {"matchLabels": {"app": "web"}}, "minAvailable": 2},
        status={"disruptionsAllowed": allowed, "currentHealthy": 2, "desiredHealthy": 2, "expectedPods": 2},
    )


def planned(objects: list[Object], *nodes: str, options: DrainOptions = PLAIN, **asked: Any) -> DrainPlan:
    state = ClusterState.of(objects, source="made-up.json")
    planner = SCHEDULER.planner(state, everything=False)
    before = planner.cluster.requested.copy()
    about = origin(state, SCHEDULER.features, *version_of(state, "1.37"))
    plan = drain(planner, DrainAsked(list(nodes), options, **asked), about)
    assert (planner.cluster.requested == before).all()
    return plan


def fates(plan: DrainPlan) -> dict[str, tuple[str, str]]:
    return {one.pod.partition("/")[2]: (one.fate, one.lands_on) for one in plan.pods}


def test_owned_pods_land_elsewhere_daemons_stay_and_the_command_names_the_flags_it_takes() -> None:
    plan = planned(shop(), "node-a")
    assert plan.verdict == "FITS"
    assert plan.sentence == "node-a can be drained: 2 pods evicted, 2 placed again"
    assert fates(plan) == {
        "db-0": ("evicted", "node-c"),
        "web-7d-1": ("evicted", "node-d"),
        "log-a": ("stays", ""),
    }
    assert plan.needs == "kubectl drain node-a --ignore-daemonsets"


def test_a_pod_that_nothing_makes_again_stops_the_drain_unless_forced() -> None:
    plan = planned(shop(), "node-d")
    assert (plan.verdict, fates(plan)["bare"]) == ("BLOCKED", ("refused", ""))
    assert plan.because is not None
    assert plan.because.text == "shop/bare: nothing owns it: it would be GONE (--force)"
    assert plan.fixes[0].text == "--force: shop/bare GONE"
    forced = planned(shop(), "node-d", options=DrainOptions(True, True, force=True))
    assert (forced.verdict, fates(forced)["bare"]) == ("FITS", ("evicted", ""))
    assert forced.needs == "kubectl drain node-d --ignore-daemonsets --force"


def test_a_budget_is_asked_pod_by_pod_and_pods_that_are_ready_again_count() -> None:
    pods = [web("w-1", "a", status=READY), web("w-2", "a", status=READY), web("w-3", "b", status=READY)]
    plan = planned([node("a"), node("b"), node("c"), *pods, budget(minAvailable=2)], "a")
    assert [(one.number, one.pod, one.budget) for one in plan.pods] == [
        (1, "shop/w-1", "web-pdb 1 of 1"),
        (2, "shop/w-2", "web-pdb 1 of 1"),
    ]
    assert [(one.healthy, one.expected, one.allows) for one in plan.after] == [(3, 3, 1)]


def test_a_budget_that_allows_none_blocks_and_what_lifts_it_was_tried() -> None:
    pods = [web("w-1", "a", status=READY), web("w-2", "b", status=READY)]
    plan = planned([node("a"), node("b"), node("c"), *pods, budget(minAvailable=2)], "a")
    assert (plan.verdict, plan.pods[0].fate) == ("BLOCKED", "waits")
    assert plan.because is not None
    assert plan.because.text == "shop/w-1: budget web-pdb: 2 ready, 2 must stay"
    assert [fix.text for fix in plan.fixes] == ["one more replica of rs/shop/web", "web-pdb minAvailable 1 (now 2)"]
    assert plan.fixes[0].flags == "--scale rs/shop/web=3"
    without = planned(
        [node("a"), node("b"), node("c"), *pods, budget(minAvailable=2)],
        "a",
        options=DrainOptions(True, True, disable_eviction=True),
    )
    assert (without.verdict, without.needs) == ("FITS", "kubectl drain a --disable-eviction")


def test_a_replica_that_was_added_counts_as_ready_whatever_the_recorded_status_says() -> None:
    pods = [web("w-1", "a", status=READY), web("w-2", "b", status=READY)]
    objects = [node("a"), node("b"), node("c"), *pods, recorded(0)]
    plan = planned(objects, "a")
    assert [fix.text for fix in plan.fixes] == ["one more replica of rs/shop/web", "web-pdb minAvailable 1 (now 2)"]
    planner = SCHEDULER.planner(ClusterState.of(objects), everything=False)
    run(planner, [parse_step("scale", "rs/shop/web=3")])
    then = planned(list(to_state(planner.cluster).objects()), "a")
    assert (then.verdict, [one.budget for one in then.pods]) == ("FITS", ["web-pdb 1 of 1"])
    assert [(one.healthy, one.expected, one.allows) for one in then.after] == [(3, 3, 1)]


def test_evictions_under_way_hold_a_budget_also_after_a_what_if() -> None:
    """Three are ready where two must stay, and the status allows none yet: a fourth allows one, not two."""
    pods = [web(f"w-{n}", on, status=READY) for n, on in enumerate("abc")]
    planner = SCHEDULER.planner(ClusterState.of([node("a"), node("b"), node("c"), *pods, recorded(0)]))
    run(planner, [parse_step("scale", "rs/shop/web=4")])
    (budget_now,) = planner.cluster.objects.table("pod_disruption_budgets").values()
    assert (budget_now.status.disruptions_allowed, budget_now.status.current_healthy) == (1, 4)


def test_pods_of_a_dump_without_statuses_are_ready_for_a_budget() -> None:
    pods = [web("w-1", "a", status={}), web("w-2", "b", status={})]
    plan = planned([node("a"), node("b"), node("c"), *pods, budget(minAvailable=1)], "a")
    assert (plan.verdict, [one.budget for one in plan.pods]) == ("FITS", ["web-pdb 1 of 1"])


def test_a_budget_over_its_whole_namespace_holds_pods_without_labels() -> None:
    """As the Eviction API has it; the scheduler's preemption would not count them."""
    bare = replace(web("w-1", "a", status=READY), metadata=replace(web("w-1", "a").metadata, labels=None))
    everyone = make("PodDisruptionBudget", "all", namespace="shop", spec={"selector": {}, "minAvailable": 1})
    plan = planned([node("a"), node("b"), bare, everyone], "a")
    assert plan.because is not None
    assert plan.because.text == "shop/w-1: budget all: 1 ready, 1 must stay"


def test_an_owner_that_is_no_controller_is_named_and_the_pod_may_be_gone() -> None:
    reference = {"apiVersion": "v1", "kind": "CatalogSource", "name": "certified", "uid": "1", "controller": False}
    left = pod("catalog", namespace="shop", node="a", metadata={"ownerReferences": [reference]})
    plan = planned([node("a"), node("b"), left], "a")
    assert plan.because is not None
    assert plan.because.text == "shop/catalog: no controller (owner CatalogSource/certified): it may be GONE (--force)"
    forced = planned([node("a"), node("b"), left], "a", options=DrainOptions(True, True, force=True))
    assert [one.note for one in forced.pods] == ["may be GONE: no controller (owner CatalogSource/certified)"]


def test_two_things_in_the_way_are_both_named_and_lifted_together() -> None:
    pods = [web("w-1", "a", status=READY), web("w-2", "b", status=READY)]
    bare = pod("bare", namespace="shop", node="a")
    plan = planned([node("a"), node("b"), node("c"), *pods, bare, budget(minAvailable=2)], "a")
    assert plan.because is not None
    assert plan.because.text == (
        "shop/bare: nothing owns it: it would be GONE (--force); shop/w-1: budget web-pdb: 2 ready, 2 must stay"
    )
    assert [(fix.text, fix.flags) for fix in plan.fixes] == [
        ("--force: shop/bare GONE + one more replica of rs/shop/web", "--force --scale rs/shop/web=3"),
        ("--force: shop/bare GONE + web-pdb minAvailable 1 (now 2)", "--force --set-pdb shop/web-pdb:minAvailable=1"),
    ]
    assert plan.no_help == (
        "--force: shop/bare GONE (1 pod left)",
        "one more replica of rs/shop/web (1 pod left)",
        "web-pdb minAvailable 1 (now 2) (1 pod left)",
    )


def test_a_long_sentence_loses_what_is_in_brackets_and_not_its_end() -> None:
    apart = {
        "podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "x" * 63}}}
            ]
        }
    }
    pods = [owned(f"w-{n}", "ReplicaSet", "x" * 63, on=on * 63, affinity=apart) for n, on in enumerate("ab")]
    plan = planned([node("a" * 63), node("b" * 63), *pods], "a" * 63, fixes=False)
    assert plan.because is not None
    assert plan.because.text == f"pod anti-affinity: {'b' * 63} has a pod app={'x' * 63} by hostname"


def test_a_replacement_that_stays_pending_uses_the_budget_up() -> None:
    pods = [web(f"w-{n}", "a", cpu="2", status=READY) for n in (1, 2)] + [web("w-3", "b", cpu="2", status=READY)]
    plan = planned([node("a"), node("b", cpu="3"), *pods, budget(maxUnavailable=1)], "a")
    assert [(one.fate, one.lands_on) for one in plan.pods] == [("evicted", ""), ("waits", "")]
    assert plan.sentence == (
        "a: 1 of its 2 pods would have nowhere to go, shop/w-1; 1 of its 2 pods cannot be evicted, shop/w-2"
    )


def test_two_budgets_over_one_pod_let_nothing_go() -> None:
    other = make("PodDisruptionBudget", "all", namespace="shop", spec={"minAvailable": 0, "selector": {}})
    plan = planned([node("a"), node("b"), web("w-1", "a", status=READY), budget(minAvailable=0), other], "a")
    assert plan.because is not None
    assert plan.because.text == "shop/w-1: 2 budgets cover it (all, web-pdb): no eviction works"


def test_several_nodes_one_after_the_other_are_all_cordoned_first_unless_rolling() -> None:
    pods = [web("w-1", "a", cpu="3"), web("w-2", "b", cpu="3")]
    objects = [node("a"), node("b"), node("c"), *pods]
    plan = planned(objects, "a", "b", fixes=False)
    assert [(one.node, one.lands_on) for one in plan.pods] == [("a", "c"), ("b", "")]
    rolling = planned(objects, "a", "b", rolling=True)
    assert [(one.node, one.lands_on) for one in rolling.pods] == [("a", "c"), ("b", "a")]
    assert rolling.needs == "kubectl drain NODE && kubectl uncordon NODE, for a, then b"
    assert [(turn.node, turn.evicted, turn.lands_on, turn.pending) for turn in rolling.turns] == [
        ("a", 1, {"c": 1}, 0),
        ("b", 1, {"a": 1}, 0),
    ]
    assert [(one.node, one.before["cpu"], one.after["cpu"]) for one in rolling.fullness] == [
        ("a", 75.0, 75.0),
        ("c", 0.0, 75.0),
        ("b", 75.0, 0.0),
    ]
    assert (plan.turns, plan.fullness) == ((), ())


def test_a_rolling_drain_is_a_line_for_each_run_of_nodes_that_go_alike_and_says_how_full_they_are_then() -> None:
    pods = [web(f"w-{number}", f"n-{number}", cpu="1") for number in range(1, 5)]
    bare = pod("bare", namespace="shop", node="n-5", requests={"cpu": "3"})
    objects = [*(node(f"n-{number}") for number in range(1, 6)), *pods, bare]
    forced = DrainOptions(ignore_daemon_sets=True, delete_empty_dir=True, force=True)
    plan = planned(objects, "n-1", "n-2", "n-3", "n-4", "n-5", options=forced, rolling=True)
    lines = render.drain(plan, Style()).splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("Turns"))
    assert [line.split() for line in lines[first : first + 6]] == [
        ["Turns", "#", "node", "evicts", "lands", "on", "left"],
        ["1", "n-1", "1", "pod", "n-2"],
        ["2", "n-2", "2", "pods", "n-1", "x2"],
        ["3-4", "n-3,", "n-4", "1", "pod", "each", "n-2,", "n-3"],
        ["5", "n-5", "1", "pod", "-", "1", "GONE"],
        ["Pods", "#", "pod", "node", "budget", "lands", "on", "note"],
    ]
    assert "         +5 pods, each with its place (-o wide)" in lines
    full = next(number for number, line in enumerate(lines) if line.startswith("Full"))
    assert lines[full] == "Full     n-1  cpu 50% (was 25%), memory 0%"
    assert lines[full + 4] == "         n-5  cpu 0% (was 75%), memory 0%"


def test_what_would_help_is_tried_by_draining_in_the_same_way() -> None:
    pods = [web("w-1", "a", cpu="3"), web("w-2", "b", cpu="3"), web("w-3", "c", cpu="3")]
    objects = [node("a"), node("b"), node("c"), *pods]
    # one after the other, each waits until its node is back; all at once, it takes two new nodes
    rolling = planned(objects, "a", "b", rolling=True)
    assert (rolling.verdict, [(one.lands_on, one.waits_from, one.waits_for) for one in rolling.pods]) == (
        "FITS",
        [("a", 1, "a"), ("b", 2, "b")],
    )
    assert rolling.sentence == (
        "a, b can be drained: 2 pods evicted, 2 placed again, 2 of them only once a node is back"
    )
    # deleted, they are not back: the new node takes the first pod, and what is missing is tried in the same way
    gone = planned(objects, "a", "b", rolling=True, delete=True)
    assert (gone.verdict, gone.fixes[0].text) == ("BLOCKED", "2 more nodes like a")
    # two pods that a budget lets go one by one: the first waits for the node that the second is on
    two = [web("w-1", "a", cpu="2", status=READY), web("w-2", "a", cpu="2", status=READY), web("w-3", "b", cpu="3")]
    kept = planned([node("a"), node("b"), *two, budget(minAvailable=2)], "a", "b", rolling=True)
    assert (kept.verdict, [fix.text for fix in kept.fixes]) == (
        "BLOCKED",
        ["one more node like a", "web-pdb minAvailable 1 (now 2)"],
    )
    for way in ({}, {"together": True}):
        assert planned(objects, "a", "b", **way).fixes[0].text == "2 more nodes like a"


def test_a_drain_that_is_blocked_tells_what_kubectl_does_and_offers_no_flag_that_loses_a_pod() -> None:
    both = pod("both", namespace="shop", node="a", volumes=[{"name": "tmp", "emptyDir": {}}])
    plan = planned([node("a"), node("b"), both], "a")
    assert plan.because is not None
    assert plan.because.text == "shop/both: nothing owns it: it would be GONE (--force)"
    assert (plan.needs, plan.kubectl) == (
        "",
        "drain a stops before the first eviction: shop/both (nothing owns it: it would be GONE)",
    )


def test_the_command_names_the_selector_of_pods() -> None:
    chosen = DrainOptions(True, True, selector=parse_selector("app=web"), selector_text="app=web")
    plan = planned([node("a"), node("b"), web("w-1", "a")], "a", options=chosen)
    assert plan.needs == "kubectl drain a --pod-selector 'app=web'"


def test_room_is_made_by_moving_one_pod_when_no_node_is_added() -> None:
    big = owned("big", "StatefulSet", "big", on="a", cpu="3")
    small = owned("small", "ReplicaSet", "small", on="b", cpu="2")
    plan = planned([node("a"), node("b"), node("c", cpu="2"), big, small], "a")
    assert [(fix.text, fix.effect) for fix in plan.fixes] == [
        ("one more node like a", "all placed, 0 ready of sts/shop/big meanwhile"),
        (
            "make room on b: --cordon b --evict shop/small --uncordon b",
            "all placed, 0 ready of rs/shop/small, sts/shop/big meanwhile",
        ),
    ]


def test_which_nodes_could_go_is_found_greedily_with_a_reason_for_each_that_stays() -> None:
    pods = [web("w-1", "a", cpu="1"), web("w-2", "b", cpu="2"), web("w-3", "c", cpu="3")]
    state = ClusterState.of([node("a"), node("b"), node("c"), *pods])
    planner = SCHEDULER.planner(state, everything=False)
    about = origin(state, SCHEDULER.features, *version_of(state, "1.37"))
    plan = find_nodes_to_drain(planner, PLAIN, about)
    assert [(one.node, one.goes) for one in plan.found] == [("a", True), ("b", False), ("c", False)]
    assert plan.sentence == "1 of 3 nodes could go: a"
    assert plan.found[1].because.startswith("shop/w-2: ")


@pytest.mark.parametrize(
    ("objects", "sentence", "note"),
    [
        pytest.param(
            [node("a"), node("b"), web("waits", "")],
            "2 of 2 nodes could go together: a, b; no pod on them has to move",
            "no node would be left: 1 pod that waits could run nowhere",
            id="nothing runs",
        ),
        pytest.param(
            [node("a")], "1 of 1 node could go: a; no pod on it has to move", "no node would be left", id="one"
        ),
        pytest.param([node("a"), web("x", "a")], "the one node cannot go", GREEDY, id="the one node is needed"),
        pytest.param(
            [node("a", cpu="1"), node("b", cpu="1"), web("x", "a"), web("y", "b")],
            "none of 2 nodes can go",
            GREEDY,
            id="all are needed",
        ),
    ],
)
def test_that_all_or_no_nodes_could_go_says_what_it_means(objects: list[Object], sentence: str, note: str) -> None:
    state = ClusterState.of(objects)
    about = origin(state, SCHEDULER.features, *version_of(state, "1.37"))
    plan = find_nodes_to_drain(SCHEDULER.planner(state, everything=False), PLAIN, about)
    assert (plan.sentence, plan.notes) == (sentence, (note,))


def searched(monkeypatch: pytest.MonkeyPatch, *objects: Object) -> tuple[DrainPlan, list[str]]:
    """Which nodes could go, and the pods for which a place was looked for on the way."""
    tried: list[str] = []
    step = Planner.step

    def counted(planner: Planner, info: PodInfo) -> PlanEvent:
        tried.append(info.name)
        return step(planner, info)

    monkeypatch.setattr(Planner, "step", counted)
    state = ClusterState.of(list(objects))
    planner = SCHEDULER.planner(state, everything=False)
    about = origin(state, SCHEDULER.features, *version_of(state, "1.37"))
    return find_nodes_to_drain(planner, PLAIN, about), tried


TWO_FULL = (node("a"), node("b"), web("w-1", "a", cpu="3"), web("w-2", "a", cpu="1"))
"""Node a is full, and its pods find no place on b where another pod wants half of it."""
HALF = owned("x", "ReplicaSet", "x", on="b", cpu="2")
BARE = pod("a-bare", namespace="shop", node="a")


@pytest.mark.parametrize(
    ("more", "tried", "pods"),
    [
        pytest.param([], ["x-r1", "w-1-r1"], 2, id="nothing can hold the other back, so it would go, too"),
        pytest.param([budget(maxUnavailable=1)], ["x-r1", "w-1-r1"], 1, id="the budget holds the other back"),
        pytest.param([budget(maxUnavailable=2)], ["x-r1", "w-1-r1", "w-2-r1"], 2, id="a budget has to be asked again"),
        pytest.param([BARE], ["x-r1"], 2, id="what is refused first needs no place looked for"),
    ],
)
def test_a_node_that_stays_is_left_once_the_first_reason_is_known(
    monkeypatch: pytest.MonkeyPatch, more: list[Object], tried: list[str], pods: int
) -> None:
    plan, asked = searched(monkeypatch, *TWO_FULL, HALF, *more)
    assert asked == tried
    assert [(one.node, one.goes) for one in plan.found] == [("b", False), ("a", False)]
    assert plan.found[1].pods == pods


def test_the_reason_of_a_node_that_stays_is_that_of_its_first_pod_in_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    plan, _ = searched(monkeypatch, *TWO_FULL, HALF)
    assert plan.found[1].because == "shop/w-1: cpu: it wants 3, b has 2 free"
    plan, _ = searched(monkeypatch, *TWO_FULL, HALF, BARE)
    assert plan.found[1].because == "shop/a-bare: nothing owns it: it would be GONE"


def test_pods_of_the_only_node_have_no_other() -> None:
    plan = planned([node("a"), web("w-1", "a"), web("w-2", "a")], "a")
    assert plan.because is not None
    assert (plan.because.code, plan.because.text) == ("no-other-node", "there is no other node")
    assert [fix.text for fix in plan.fixes] == ["one more node like a"]


def test_two_more_nodes_are_told_of_only_where_one_is_not_enough() -> None:
    plan = planned([node("a"), web("w-1", "a", cpu="3"), web("w-2", "a", cpu="1")], "a")
    assert [fix.text for fix in plan.fixes] == ["one more node like a"]
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [ALONE]}}
    both = [web(name, "a", affinity=apart) for name in ("w-1", "w-2")]
    plan = planned([node("a"), *both], "a")
    assert [fix.text for fix in plan.fixes] == ["2 more nodes like a"]
    assert plan.no_help == ()


ALONE = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "web"}}}


def test_a_budget_counts_pods_that_came_after_it_was_first_asked() -> None:
    state = ClusterState.of([node("a"), budget(minAvailable=1), web("w-1", "a", status=READY)])
    cluster = SCHEDULER.planner(state).cluster
    (first,) = cluster.objects.table("pod_disruption_budgets").values()
    assert status_of(cluster, first).disruptions_allowed == 0
    other = owned("w-2", "ReplicaSet", "web", on="a", status=READY)
    labelled = replace(other, metadata=replace(other.metadata, labels={"app": "web", "tier": "new"}))
    cluster.apply([AddPods((labelled,))])
    assert status_of(cluster, first).disruptions_allowed == 1
