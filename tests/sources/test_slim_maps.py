"""Small maps that hold their keys together are maps as any other, of half the weight."""

import copy
import sys
import tracemalloc
from collections.abc import Callable, Iterator

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kplan.sources import slim_maps
from kplan.sources.slim_maps import slim

MANY = 2_000
KEYS = ["cpu", "memory", "nvidia.com/gpu", "", "mro", "__dict__", "__class__", "__weakref__", "__doc__", "é", "\ud800"]


@pytest.fixture(autouse=True)
def _anew() -> Iterator[None]:
    slim_maps.forget()
    yield
    slim_maps.forget()


@given(st.lists(st.dictionaries(st.sampled_from(KEYS), st.integers(), max_size=10), max_size=8))
def test_it_is_equal_in_the_same_order_and_may_be_changed(maps: list[dict[str, int]]) -> None:
    for value in maps:
        given_map = dict(value)
        slim_map = slim(value)
        assert type(slim_map) is dict
        assert list(slim_map.items()) == list(given_map.items())
        assert copy.deepcopy(slim_map) == slim_map.copy() == {**slim_map} == given_map
        if not any("\ud800" in key for key in given_map):
            assert msgspec.json.encode(slim_map) == msgspec.json.encode(given_map)
        slim_map["more"] = 1
        for key in given_map:
            del slim_map[key]
        assert slim_map == {"more": 1}


def test_a_change_of_one_is_no_change_of_another() -> None:
    one, other = slim({"cpu": "1", "memory": "2"}), slim({"cpu": "3", "memory": "4"})
    one["pods"] = "5"
    del one["cpu"]
    other["cpu"] = "6"
    assert (one, other) == ({"memory": "2", "pods": "5"}, {"cpu": "6", "memory": "4"})
    assert slim({"cpu": "7", "memory": "8"}) == {"cpu": "7", "memory": "8"}


def held(make: Callable[[int], dict[str, int]]) -> int:
    tracemalloc.start()
    try:
        kept = [make(number) for number in range(MANY)]
        return tracemalloc.get_traced_memory()[0] // len(kept)
    finally:
        tracemalloc.stop()


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="who holds keys together is CPython")
def test_two_amounts_take_two_thirds_at_most() -> None:
    plain = held(lambda number: {"cpu": 1, "memory": 2})
    assert held(lambda number: slim({"cpu": 1, "memory": 2})) <= plain * 2 / 3


def test_maps_of_keys_of_their_own_stay_as_they_are() -> None:
    for number in range(MANY):
        slim({f"k{number}": 1})
    assert len(slim_maps._kinds) == 64
    alone = {"another": 1}
    assert slim(alone) is alone
    many = {str(number): number for number in range(9)}
    assert slim(many) is many
