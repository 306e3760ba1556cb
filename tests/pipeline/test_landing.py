"""Where pods land, held against the real scheduler's own code over all nodes at which its walk can start."""

import gzip
import json
import math
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import kplan
from kplan.framework.codes import Compares
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from kplan.pipeline.landing import drawn, eviction_landing, pod_landing
from kplan.pipeline.sampling import Windows, nodes_to_find, scheduler_order
from kplan.result.landing import LandingShares
from tests.builders import node, pod
from tests.oracle.landing_cases import NAMES, case
from tests.pipeline.landed import planner_for

ANSWERS = Path(__file__).parents[2] / "fixtures" / "landing" / "answers.jsonl.gz"


@cache
def answers() -> dict[str, list[dict[str, Any]]]:
    with gzip.open(ANSWERS, "rt") as lines:
        return {one["name"]: one["pods"] for one in map(json.loads, lines)}


def landings(asked: dict[str, Any]) -> Iterator[tuple[dict[str, Any], LandingShares, dict[str, float]]]:
    """For each pod, the real answer, kplan's, and kplan's shares by name."""
    planner = planner_for(asked)
    cluster = planner.cluster
    for answer in answers()[asked["name"]]:
        one = cluster.pods[cluster.pod_index[answer["pod"]]]
        cycle = planner.cycle(one)
        outcome = cycle.explain()
        landing = pod_landing(cycle, outcome) if "shares" in answer else eviction_landing(cycle, outcome)
        assert landing is not None
        shares = landing.shares.tolist()
        yield answer, landing, dict(zip(map(cluster.node_name, landing.rows.tolist()), shares, strict=True))


def plausible(times: int, draws: int, share: float) -> bool:
    """Whether it is not too odd, by one in a million, to draw something as often or as seldom as that."""
    if share >= 1 - 1e-12:
        return times == draws
    if share <= 0:
        return times == 0

    def chance(k: int) -> float:
        return math.comb(draws, k) * share**k * (1 - share) ** (draws - k)

    return min(math.fsum(map(chance, range(times + 1))), math.fsum(map(chance, range(times, draws + 1)))) > 1e-6


def test_every_case_has_been_answered() -> None:
    assert sorted(answers()) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_shares_are_those_of_the_real_scheduler(name: str) -> None:
    for answer, landing, shares in landings(case(name)):
        if "evicting" in answer:
            draws, drawn_on = answer["draws"], answer["evicting"]
            assert sum(drawn_on.values()) == draws
            assert drawn_on.keys() <= shares.keys()
            times, expected = 0, 0.0
            for name, share in shares.items():
                assert plausible(drawn_on.get(name, 0), draws, share), name
                times, expected = times + drawn_on.get(name, 0), expected + share
                assert plausible(times, draws, min(expected, 1.0)), f"down to {name}"
        else:
            assert landing.of >= len(shares)
            real = {name: share / answer["starts"] for name, share in answer["shares"].items()}
            assert shares == pytest.approx(real, abs=1e-9)


@pytest.mark.parametrize(
    ("percentage", "nodes", "enough"),
    [
        (0, 99, 99),
        (1, 99, 99),
        (0, 100, 100),
        (0, 300, 144),  # 50 - 300 / 125 = 48 %
        (0, 5000, 500),  # 50 - 40 = 10 %
        (0, 8000, 400),  # never below 5 %
        (1, 5000, 100),
        (70, 1200, 840),
        (100, 1200, 1200),
    ],
)
def test_how_many_nodes_are_enough(percentage: int, nodes: int, enough: int) -> None:
    assert nodes_to_find(percentage, nodes) == enough


def test_nodes_are_walked_one_of_each_zone_in_turn() -> None:
    zone, old = "topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"
    zones = {"n1": {zone: "b"}, "n2": {zone: "b"}, "n3": {}, "n4": {zone: "a"}, "n5": {zone: "x", old: "b"}, "n6": {}}
    cluster = kplan.Scheduler.of("1.37").cluster(ClusterState.of([node(name, labels=z) for name, z in zones.items()]))
    walked = [cluster.node_name(row) for row in scheduler_order(cluster).tolist()]
    assert walked == ["n1", "n3", "n4", "n2", "n6", "n5"]


def test_windows_of_three_of_five() -> None:
    order, fits = np.array([4, 0, 2, 5, 1, 3]), np.array([True, True, True, True, True, False])
    rows, windows = Windows.of(order, fits, 3)
    assert rows.tolist() == [4, 0, 2, 1, 3]
    # the walk that starts at row 5, which does not fit, meets row 1 first
    assert (windows.weight * 6).round(9).tolist() == [1, 1, 1, 2, 1]
    assert windows.highest(np.array([5, 1, 2, 9, 3])).tolist() == [5, 9, 9, 9, 5]
    assert windows.count(np.array([True, False, True, True, False])).tolist() == [2, 2, 2, 2, 1]
    assert windows.distinct(np.array([7, 7, 8, -1, 7])).tolist() == [2, 2, 2, 1, 1]
    # ties: rows 4 and 0 share the first window and the last; the second to the fourth are won by row 1
    shares = windows.shares(np.array([5, 5, 2, 9, 3]))
    assert (shares * 12).round(9).tolist() == [2, 2, 0, 8, 0]


def test_random_orders_of_four() -> None:
    """Two of four are looked at; the two best are alike: one of them is missed once in six."""
    assert drawn(np.array([0, 2, 0, 1]), 2).tolist() == pytest.approx([5 / 12, 0, 5 / 12, 1 / 6])


def test_those_that_break_budgets_are_chosen_only_if_all_do() -> None:
    place, breaks = np.array([2, 1, 0, 2]), np.array([True, True, False, True])
    assert drawn(place, 2, breaks).tolist() == [0, 0, 1, 0]
    assert drawn(place, 2, np.ones(4, dtype=np.bool_)).tolist() == pytest.approx([1 / 12, 1 / 3, 1 / 2, 1 / 12])


def test_a_plugin_that_does_not_tell_is_asked_about_every_window(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = case("fits-230")
    known = [shares for _, _, shares in landings(asked)]
    for plugin in planner_for(asked).pipelines["default-scheduler"].plugins.values():
        if hasattr(plugin, "compares"):
            monkeypatch.setattr(type(plugin), "compares", Compares.SET)
    for (_, _, shares), same in zip(landings(asked), known, strict=True):
        assert shares == pytest.approx(same, abs=1e-9)


def test_a_nominated_node_is_certain() -> None:
    waiting = msgspec.structs.replace(
        pod("web"), status=msgspec.structs.replace(pod("x").status, nominated_node_name="b")
    )
    scheduler = kplan.Scheduler.of("1.37")
    planner = Planner(scheduler.cluster(ClusterState.of([node("a"), node("b"), waiting])), scheduler.pipelines)
    cycle = planner.cycle(planner.cluster.pods[0])
    assert pod_landing(cycle, cycle.explain()) is None
