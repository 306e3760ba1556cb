"""Orders of moves by amounts: by hand, and never refused where the scheduler carries an order out."""

from __future__ import annotations

from itertools import product

import pytest

from kplan.course.moving import WantedPods
from kplan.course.moving.journey import travel
from kplan.course.moving.orders import in_some_order
from tests.builders import node
from tests.course.moving.test_search import owned, planner_of

NODES = ("a", "b", "c")


@pytest.mark.parametrize(
    ("spare", "possible"),
    [("1", False), ("2", True)],
    ids=["two that swap need a place for one of them", "with one they go round"],
)
def test_by_hand(spare: str, possible: bool) -> None:
    planner = planner_of(
        node("a", cpu="2"), node("b", cpu="2"), node("c", cpu=spare), owned("x", "a", "2"), owned("y", "b", "2")
    )
    assert not in_some_order(planner, [0, 1], {0: 1, 1: 0})
    assert in_some_order(planner, [0, 1], {0: 2, 1: 0}) is possible


@pytest.mark.parametrize("sizes", list(product("123", repeat=3)), ids="".join)
def test_what_is_refused_the_scheduler_refuses_too(sizes: tuple[str, ...]) -> None:
    pods = [owned(f"p{at}", on, cpu) for at, (cpu, on) in enumerate(zip(sizes, NODES, strict=True))]
    planner = planner_of(*(node(name, cpu="4") for name in NODES), *pods)
    for to in product(range(3), repeat=3):
        if all(home != there for home, there in enumerate(to)):
            way = dict(enumerate(to))
            carried = travel(planner, WantedPods(()), [0, 1, 2], way, steered=True)
            assert (carried is not None) == in_some_order(planner, [0, 1, 2], way)
