"""The order in which objects come never matters."""

from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import kplan
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from tests.conformance.answer import pod_answer
from tests.reference.clusters import random_budget, random_cluster, random_pod

SCHEDULER = kplan.Scheduler.of("1.37")


def random_case(random: Random) -> list[Object]:
    waiting = [random_pod(random, f"new-{i}", priority=random.choice((0, 3, 10))) for i in range(4)]
    waiting[0].status.nominated_node_name = "n0"
    budgets = [random_budget(random, f"b{i}") for i in range(2)]
    return [*random_cluster(random, priorities=(0, 1, 5)), *waiting, *budgets]


@pytest.mark.parametrize("mode", ["explain", "simulate"])
@settings(
    derandomize=True, deadline=None, max_examples=40, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
)
@given(st.integers(0, 2**40))
def test_any_order_of_the_objects_gives_the_same_answers(mode: str, seed: int) -> None:
    random = Random(seed)
    objects = random_case(random)
    answers = []
    for _ in range(3):
        planner = SCHEDULER.planner(ClusterState.of(objects))
        waiting = planner.waiting()
        outcomes = [planner.step(pod).outcome if mode == "simulate" else planner.explain(pod) for pod in waiting]
        answers.append([pod_answer(outcome, planner.cluster) for outcome in outcomes])
        random.shuffle(objects)
    assert answers[0] == answers[1] == answers[2]
