"""Statuses of refused nodes: what is counted at once is what asking node by node gives."""

from collections import Counter
from random import Random
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kplan.framework.codes import Code
from kplan.framework.findings import Findings, Refusal, RowError, failed_everywhere, refused
from kplan.framework.reason_codes import ReasonCode
from kplan.framework.worlds import plain
from kplan.pipeline.filters import Filters
from kplan.pipeline.statuses import FilterPass, Statuses
from tests.builders import node, pod
from tests.pipeline.stand import planner_of, stand

REASONS = ("one", "two", "three")


def random_filter(random: Random) -> Any:
    """A filter that refuses and fails at random, the same for the same number of worlds."""
    masks = {name: [random.random() < 0.3 for _ in range(12)] for name in random.sample(REASONS, random.randint(0, 3))}
    unresolvable = [random.random() < 0.5 for _ in range(12)]
    errors = [row for row in range(12) if random.random() < 0.1]

    def filter(pod: Any, state: Any, cluster: Any, worlds: Any) -> Findings[Any]:
        count = len(worlds)
        refusals = tuple(
            Refusal(ReasonCode.PORT_TAKEN, (), name, np.array(mask[:count], dtype=np.bool_))
            for name, mask in masks.items()
        )
        failures = tuple(RowError(row, "boom") for row in errors if row < count)
        return Findings(refusals, np.array(unresolvable[:count], dtype=np.bool_), failures)

    return filter


def run(random: Random, count: int) -> FilterPass:
    plugins = tuple(stand(f"P{i}", filter=random_filter(random)) for i in range(random.randint(1, 4)))
    planner = planner_of([node("a"), pod("p")], *plugins)
    filters = Filters(planner.cluster.pods[0], planner.cluster, plugins, {}, {})
    return filters.run(plain(np.zeros(count, dtype=np.intp)), everything=True)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(st.integers(0, 2**32))
def test_counts_and_masks_agree_with_each_status(seed: int) -> None:
    random = Random(seed)
    count = random.randint(0, 12)
    positions = np.array(sorted(random.sample(range(count), random.randint(0, count))), dtype=np.intp)
    first, second = run(random, count), run(random, len(positions))
    statuses = Statuses(first, second, positions) if random.random() < 0.7 else Statuses(first)
    every = [statuses.status(position) for position in range(count)]
    assert statuses.feasible.tolist() == [status.code is Code.SUCCESS for status in every]
    assert statuses.unschedulable.tolist() == [status.code is Code.UNSCHEDULABLE for status in every]
    assert dict(statuses) == {i: status for i, status in enumerate(every) if status.code is not Code.SUCCESS}
    assert len(statuses) == len(dict(statuses))
    assert statuses.histogram() == Counter(
        reason for status in every if status.code is not Code.ERROR for reason in status.reasons
    )
    assert statuses.first_error() == next((status for status in every if status.code is Code.ERROR), None)


def test_the_pass_with_nominated_pods_decides_where_it_fails() -> None:
    def filter(pod: Any, state: Any, cluster: Any, worlds: Any) -> Findings[Any]:
        reason = "crowded" if worlds.moved else "small"
        return refused(
            ReasonCode.PORT_TAKEN,
            reason,
            np.array([worlds.moved or row == 2 for row in worlds.rows]),
            unresolvable=False,
        )

    plugin = stand("P", filter=filter)
    planner = planner_of([node("a"), node("b"), node("c"), pod("p"), pod("q"), pod("r")], plugin)
    filters = Filters(planner.cluster.pods[0], planner.cluster, (plugin,), {}, {1: [1, 2]})
    statuses = filters.statuses(plain(planner.cluster.all_rows))
    assert {position: status.reasons for position, status in statuses.items()} == {1: ("crowded",), 2: ("small",)}
    verdicts = filters.verdicts(plain(planner.cluster.all_rows))
    assert (verdicts.feasible.tolist(), verdicts.unschedulable.tolist()) == ([True, False, False], [False, True, True])


def test_nominated_pods_are_added_to_worlds_in_which_others_moved() -> None:
    planner = planner_of([node("a"), node("b"), pod("p", node="b"), pod("q")])
    filters = Filters(planner.cluster.pods[1], planner.cluster, (), {}, {1: [1]})
    rows = planner.cluster.all_rows
    gone = plain(rows)
    gone.shift(np.array([1], dtype=np.intp), np.array([0], dtype=np.intp), -1)
    added, positions = filters.with_nominated(gone)
    assert (positions.tolist(), added.rows.tolist(), added.moves(0)) == ([1], [1], [(0, -1), (1, 1)])


def test_a_filter_that_fails_everywhere_names_the_first_node() -> None:
    plugin = stand("P", filter=lambda pod, state, cluster, worlds: failed_everywhere("boom", len(worlds)))
    planner = planner_of([node("b"), node("a"), pod("p")], plugin)
    outcome = planner.explain(planner.cluster.pods[0])
    assert outcome.error == 'running "P" filter plugin: boom'
