"""Plans carried out step by step: the real scheduler lets each pod land where the plan says, and none is left."""

from __future__ import annotations

import gzip
import json

import pytest

from kplan.course.moving.replay import replay
from tests.course.moving.replays import PLANS, REPLAYS, landings, planned
from tests.course.moving.small_worlds import larger_world


def recorded() -> list[dict[str, object]]:
    with gzip.open(REPLAYS, "rt") as lines:
        return [json.loads(line) for line in lines]


ALL = recorded()


def test_there_are_enough_plans_with_moves_of_several_pods() -> None:
    assert len(ALL) == PLANS
    assert sum(len(one["landings"]) > 2 for one in ALL) > 2  # type: ignore[arg-type]


@pytest.mark.parametrize("first", range(0, PLANS, 20))
def test_each_pod_lands_where_the_real_scheduler_may_put_it(first: int) -> None:
    """Move by move, and once more as the what-ifs that ``simulate`` takes; budgets as the drawn cluster has them."""
    for one in ALL[first : first + 20]:
        seed = int(str(one["seed"]))
        planner, journey = planned(seed)
        assert journey is not None
        steps = list(landings(planner, journey))
        assert [{"pod": step.pod, "best": sorted(step.best)} for step in steps] == one["landings"], seed
        assert all(step.node in step.best for step in steps), seed
        assert replay(planner, journey).same, seed
        world = larger_world(seed)
        moved = [world.apps[world.pods[move.pod.partition("/")[2]][0]] for move in journey.moves]
        assert all(app.budget != 0 and not app.bare for app in moved), seed
        assert all(move.permission.allowed for move in journey.moves)
