"""One run of a live scheduler: where the walk goes on, and how often each node is drawn."""

import math
from collections import Counter

import pytest

import kplan
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from kplan.pipeline.landing import eviction_landing, pod_landing
from kplan.pipeline.walk import Walk
from tests.builders import node, pod
from tests.oracle.landing_cases import case
from tests.pipeline.landed import configuration, planner_for


def planner(objects: list[Object], percent: int, seed: int) -> Planner:
    scheduler = kplan.Scheduler.of("1.37", config=configuration(percent, {}))
    return Planner(scheduler.cluster(ClusterState.of(objects)), scheduler.pipelines, walk=Walk(seed))


@pytest.mark.parametrize("name", ["fits-230", "full-180"])
def test_nodes_are_drawn_as_often_as_they_are_told(name: str) -> None:
    planned = planner_for(case(name))
    cluster = planned.cluster
    cycle = planned.cycle(next(one for one in planned.waiting() if one.name in ("prefers", "high")))
    outcome = cycle.explain()
    landing = pod_landing(cycle, outcome) or eviction_landing(cycle, outcome)
    assert landing is not None
    draws, drawn = 2000, Counter[int]()
    for seed in range(draws):
        made = Walk(seed).draw(cycle, outcome)
        row = made.choice if made.choice >= 0 else made.preemption.picks[0] if made.preemption else -1
        drawn[row] += 1
    assert drawn.keys() <= set(landing.rows.tolist()), cluster
    for row, share in zip(landing.rows.tolist(), landing.shares.tolist(), strict=True):
        assert abs(drawn[row] - draws * share) <= 5 * math.sqrt(draws * share * (1 - share)) + 1, row


def test_the_walk_goes_on_where_it_ended() -> None:
    """Of 400 nodes 200 fit and 100 are enough: the second walk meets the others, the third those of the first."""
    nodes = [node(f"n-{i:03d}", labels={"fits": str(i % 2)}) for i in range(400)]
    plan = planner([*nodes, pod("web", nodeSelector={"fits": "1"})], 25, seed=7)
    cycle = plan.cycle(plan.cluster.pods[0])
    outcome = cycle.explain()
    met = [scores.rows.tolist() for _ in range(3) if (scores := plan.draw(cycle, outcome).scores) is not None]
    assert [len(rows) for rows in met] == [100, 100, 100]
    assert sorted(met[0] + met[1]) == list(range(1, 400, 2))
    assert met[2] == met[0]


def test_the_same_seed_draws_the_same() -> None:
    objects: list[Object] = [node(f"n-{i}") for i in range(5)] + [pod(f"p-{i}") for i in range(5)]

    def places(seed: int) -> list[int]:
        plan = planner(objects, 0, seed)
        plan.simulate()
        return list(plan.cluster.pod_node.tolist())

    assert places(3) == places(3)
    assert len({tuple(places(seed)) for seed in range(8)}) > 1


def test_trials_do_not_walk() -> None:
    plan = planner([node("a"), node("b"), pod("web")], 0, seed=1)
    with plan.trial() as trial:
        assert trial.walk is None
