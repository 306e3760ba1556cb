"""Worlds: sums over moved pods, against summing them one by one."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kplan.framework.worlds import Worlds, plain

PODS, WORLDS = 6, 5
Move = tuple[int, int, int]
moves = st.lists(st.tuples(st.integers(0, PODS - 1), st.integers(0, WORLDS - 1), st.sampled_from((1, -1))), max_size=12)
weights = st.lists(st.integers(-(2**40), 2**40), min_size=2 * PODS, max_size=2 * PODS).map(
    lambda numbers: np.array(numbers, dtype=np.int64).reshape(2, PODS)
)


def rows(*numbers: int) -> np.ndarray:
    return np.array(numbers, dtype=np.intp)


def worlds_of(moved: Sequence[Move]) -> Worlds:
    pod, world, sign = zip(*moved, strict=True) if moved else ((), (), ())
    return Worlds(rows(0, 3, 3, 1, 2), rows(*pod), rows(*world), np.array(sign, dtype=np.int64))


def summed(moved: Sequence[Move], weights: np.ndarray) -> list[list[int]]:
    """The definition: for each row of weights and each world, signed weights of the pods moved there."""
    return [
        [sum(sign * int(line[pod]) for pod, at, sign in moved if at == world) for world in range(WORLDS)]
        for line in weights
    ]


def test_nothing_moved_sums_to_zero_in_the_shape_of_the_weights() -> None:
    worlds = plain(rows(4, 2, 9))
    total = worlds.total(np.ones((7, 2, 10), dtype=np.int64))
    assert (total.shape, total.any(), worlds.moved, len(worlds)) == ((7, 2, 3), False, False, 3)


def test_one_weight_a_pod_gives_one_sum_a_world() -> None:
    worlds = worlds_of([(1, 0, 1), (2, 0, -1), (2, 4, 1), (2, 4, 1)])
    assert worlds.total(np.array([1, 10, 100, 0, 0, 0], dtype=np.int64)).tolist() == [-90, 0, 0, 0, 200]


def test_a_pod_that_moved_on_another_node_counts_only_where_that_is_asked_for() -> None:
    weights = np.array([1, 10, 100, 1000, 0, 0], dtype=np.int64)
    away = np.array([False, True])
    worlds = Worlds(rows(0, 3), rows(0, 1), rows(0, 0), np.array([1, 1], dtype=np.int64), away)
    assert (worlds.total(weights).tolist(), worlds.total(weights, local=False).tolist()) == ([1, 0], [11, 0])
    worlds.shift(rows(1), rows(2), -1, away=True)
    worlds.shift(rows(1), rows(3), 1)
    assert (worlds.total(weights).tolist(), worlds.total(weights, local=False).tolist()) == ([1, 1000], [11, 900])
    assert worlds.at(rows(1)).total(weights, local=False).tolist() == [900]
    assert worlds.plus(rows(3), rows(0)).total(weights).tolist() == [1001, 1000]


@settings(derandomize=True, deadline=None, max_examples=100)
@given(moves, weights)
def test_total_is_the_sum_over_the_moved_pods(moved: list[Move], weights: np.ndarray) -> None:
    assert worlds_of(moved).total(weights).tolist() == summed(moved, weights)


@settings(derandomize=True, deadline=None, max_examples=100)
@given(moves, st.lists(st.tuples(st.sets(st.integers(0, WORLDS - 1)), st.sampled_from((1, -1))), max_size=5), weights)
def test_totals_asked_before_a_shift_follow_it(
    moved: list[Move], shifts: list[tuple[set[int], int]], weights: np.ndarray
) -> None:
    worlds = worlds_of(moved)
    worlds.total(weights)
    for step, (at, sign) in enumerate(shifts):
        worlds.shift(rows(*sorted(at)), np.full(len(at), step, dtype=np.intp), sign)
        moved = [*moved, *((step, world, sign) for world in sorted(at))]
        assert worlds.total(weights).tolist() == summed(moved, weights)
        # and so do weights that are first asked for now
        assert worlds.total(weights.copy()).tolist() == summed(moved, weights)


@settings(derandomize=True, deadline=None, max_examples=50)
@given(moves, weights)
def test_a_shift_taken_back_restores_every_total(moved: list[Move], weights: np.ndarray) -> None:
    worlds = worlds_of(moved)
    before = worlds.total(weights).copy()
    worlds.shift(rows(1, 4), rows(5, 0), 1)
    worlds.shift(rows(1, 4), rows(5, 0), -1)
    assert worlds.total(weights).tolist() == before.tolist()
    assert worlds.moves(1) == worlds_of(moved).moves(1)


@settings(derandomize=True, deadline=None, max_examples=50)
@given(moves, weights, st.lists(st.integers(0, WORLDS - 1), max_size=6), st.data())
def test_a_view_holds_the_worlds_at_its_index(
    moved: list[Move], weights: np.ndarray, index: list[int], data: st.DataObject
) -> None:
    worlds = worlds_of(moved)
    view = worlds.at(rows(*index))
    want = summed(moved, weights)
    assert view.rows.tolist() == [(0, 3, 3, 1, 2)[i] for i in index]
    assert view.total(weights).tolist() == [[line[i] for i in index] for line in want]
    assert [view.moves(i) for i in range(len(view))] == [worlds.moves(i) for i in index]
    if index:
        inner = data.draw(st.lists(st.integers(0, len(index) - 1), max_size=4))
        nested = view.at(rows(*inner))
        assert nested.total(weights).tolist() == [[line[index[i]] for i in inner] for line in want]


@settings(derandomize=True, deadline=None, max_examples=50)
@given(moves, moves, weights)
def test_plus_adds_pods_and_leaves_the_worlds_it_started_from(
    moved: list[Move], more: list[Move], weights: np.ndarray
) -> None:
    worlds = worlds_of(moved)
    added = [(pod, world, 1) for pod, world, _ in more]
    wider = worlds.plus(rows(*(pod for pod, _, _ in added)), rows(*(world for _, world, _ in added)))
    assert wider.total(weights).tolist() == summed(moved + added, weights)
    assert worlds.total(weights).tolist() == summed(moved, weights)


def test_moves_tell_what_differs_from_the_cluster() -> None:
    worlds = worlds_of([(4, 2, -1), (1, 2, -1), (4, 2, 1), (3, 2, 1), (0, 1, -1)])
    assert worlds.moves(2) == [(1, -1), (3, 1)]
    assert worlds.moves(1) == [(0, -1)]
    assert worlds.moves(0) == []


def test_a_view_of_a_world_with_moved_pods_says_so() -> None:
    worlds = worlds_of([(0, 0, 1)])
    assert worlds.at(rows(2)).moved
    worlds.shift(rows(0), rows(0), -1)
    assert worlds.total(np.ones(PODS, dtype=np.int64)).tolist() == [0] * WORLDS


@pytest.mark.parametrize("change", ["plus", "shift"])
def test_views_are_changed_through_their_base(change: str) -> None:
    view = worlds_of([]).at(rows(0))
    with pytest.raises(NotImplementedError):
        getattr(view, change)(*([rows(0), rows(0)] if change == "plus" else [rows(0), rows(0), 1]))
