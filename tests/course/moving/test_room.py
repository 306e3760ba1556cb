"""Room that no order of moves makes: refused before anything is tried, and never where there is a way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kplan.course.moving import Movable
from kplan.course.moving.places import Places
from kplan.course.moving.room import Room, StepsLeft
from kplan.course.moving.room_rules import Apart, AtMost, RoomRules
from kplan.objects.models import Object
from tests.builders import node
from tests.course.moving.test_search import owned, planner_of

HOST = "kubernetes.io/hostname"


def room(
    asked: list[list[int]],
    *,
    limits: tuple[AtMost, ...] = (),
    apart: tuple[Apart, ...] = (),
    allowed: list[list[int]] | None = None,
    nodes: int = 2,
    steps: int = 1000,
) -> Room:
    may = np.array(allowed, dtype=np.bool_) if allowed else np.ones((len(asked), nodes), dtype=np.bool_)
    return Room(np.array(asked), RoomRules(may, limits, apart), StepsLeft(steps))


def ints(*values: int) -> Any:
    return np.array(values, dtype=np.int64)


ZONE = ints(0, 0)
"""Two nodes of one zone."""


@pytest.mark.parametrize(
    ("asks", "free", "left", "fits"),
    [
        ([[3, 1]], [[4, 4], [9, 9]], (2,), True),
        # six of eight are free in all, but no node has room for a second pod of three
        ([[3, 1]], [[4, 4], [9, 9]], (3,), False),
        ([[3, 1], [1, 1]], [[4, 4], [9, 9]], (2, 2), True),
        ([[3, 1], [2, 1]], [[4, 5], [9, 9]], (1, 2), True),
        ([[3, 1], [2, 1]], [[4, 4], [9, 9]], (1, 2), True),
        ([[3, 1], [2, 1]], [[4, 4], [9, 9]], (1, 3), False),
        # a node takes no more pods
        ([[1, 1]], [[4, 4], [1, 0]], (2,), False),
    ],
)
def test_amounts(asks: list[list[int]], free: list[list[int]], left: tuple[int, ...], fits: bool) -> None:
    assert room(asks).possible(ints(*free[0], *free[1]).reshape(2, 2), left, {}) is fits


def test_pods_may_be_on_some_nodes_only() -> None:
    free = ints(4, 4, 9, 9).reshape(2, 2)
    assert not room([[3, 1]], allowed=[[1, 0]]).possible(free, (2,), {})
    assert room([[3, 1]], allowed=[[1, 0]]).possible(free, (1,), {})


def test_at_most_one_in_a_zone() -> None:
    rule = AtMost("zone", ZONE, frozenset((0,)), ints(1, 1), ints(0, 0))
    free = ints(4, 4, 9, 9).reshape(2, 2)
    assert room([[1, 1]], limits=(rule,)).possible(free, (1,), {})
    assert not room([[1, 1]], limits=(rule,)).possible(free, (2,), {})
    # one landed already, on the other node of the zone
    assert not room([[1, 1]], limits=(rule,)).possible(free, (1,), {(0, 1): 1})


def test_two_kinds_that_keep_apart() -> None:
    free = ints(4, 4, 9, 9).reshape(2, 2)
    near, far = Apart("zone", ZONE, (0, 1)), Apart(HOST, ints(0, 1), (0, 1))
    assert not room([[1, 1], [1, 1]], apart=(near,)).possible(free, (1, 1), {})
    assert room([[1, 1], [1, 1]], apart=(far,)).possible(free, (2, 2), {})
    assert not room([[1, 1], [1, 1]], apart=(far,)).possible(free, (1, 1), {(0, 0): 1, (1, 1): 1, (1, 0): 1})


def test_only_some_may_land_above_a_height() -> None:
    """Each node has one; only one pod may be the second of its node."""
    rule = AtMost(HOST, ints(0, 1), frozenset((0,)), ints(1, 1, 1), ints(1, 1, 0), tiers=((1, 1),))
    free = ints(4, 4, 9, 9).reshape(2, 2)
    assert room([[1, 1]], limits=(rule,)).possible(free, (1,), {})
    assert not room([[1, 1]], limits=(rule,)).possible(free, (2,), {})


def test_where_too_much_would_have_to_be_looked_at_there_may_be_room() -> None:
    free = ints(4, 4, 9, 9).reshape(2, 2)
    assert room([[3, 1], [2, 1]], steps=0).possible(free, (2, 1), {})
    assert not room([[3, 1], [2, 1]]).possible(free, (2, 1), {})


def spread(name: str, on: str, key: str = HOST, **more: Any) -> Object:
    constraint = {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule"}
    labels = {"app": "q"}
    constraints = [{**constraint, "labelSelector": {"matchLabels": labels}}]
    return owned(name, on, "1", labels=labels, topologySpreadConstraints=constraints, **more)


def places(*objects: Object) -> Places:
    planner = planner_of(*objects)
    planner.preempt = False
    return Places(planner, Movable(planner))


def test_spread_over_nodes_leaves_none_of_them_empty() -> None:
    """The node that a pod leaves counts with none, so that no other may take a second one: nothing has to be tried."""
    found = places(*(node(name) for name in "abcd"), *(spread(f"q-{name}", name) for name in "abcd"))
    assert found.of(["a"]) is None
    assert found.of(["a", "b"]) is None
    assert not found.cut
    assert found.effort.left == 20_000 - 3  # each of one and two is asked once for its rules


def test_the_last_pods_to_leave_do_not_stand_above_the_emptiest_node() -> None:
    """Three are on a: while one more is there, another may be the second of its node; the last finds a with none."""
    names = ("b", "c")
    found = places(
        node("a"),
        *(node(name) for name in names),
        *(spread(f"q-{n}", "a") for n in range(3)),
        *(spread(n, n) for n in names),
    )
    assert found.of(["a"]) is None
    assert not found.cut


def test_a_pod_that_landed_is_no_reason_against_itself() -> None:
    found = places(node("a"), node("b"), node("c"), spread("x", "a"), spread("y", "b"))
    moves = found.of(["a"])
    assert moves is not None
    assert [(move.pod, move.to) for move in moves] == [("default/x", "c")]
