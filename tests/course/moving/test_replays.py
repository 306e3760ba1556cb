"""Plans carried out step by step: the real scheduler lets each pod land where the plan says, and none is left."""

from __future__ import annotations

import gzip
import json

import pytest

from tests.course.moving.replays import PLANS, REPLAYS, landings, planned


def recorded() -> list[dict[str, object]]:
    with gzip.open(REPLAYS, "rt") as lines:
        return [json.loads(line) for line in lines]


ALL = recorded()


def test_there_are_enough_plans_with_moves_of_several_pods() -> None:
    assert len(ALL) == PLANS
    assert sum(len(one["landings"]) > 2 for one in ALL) > 2  # type: ignore[arg-type]


@pytest.mark.parametrize("first", range(0, PLANS, 10))
def test_each_pod_lands_where_the_real_scheduler_may_put_it(first: int) -> None:
    for one in ALL[first : first + 10]:
        planner, journey = planned(int(str(one["seed"])))
        assert journey is not None
        steps = list(landings(planner, journey))
        assert [{"pod": step.pod, "best": sorted(step.best)} for step in steps] == one["landings"], one["seed"]
        assert all(step.node in step.best for step in steps), one["seed"]
        assert all(move.permission.allowed for move in journey.moves)
