"""Ranks: the order of pods that come and go at the end is that of sorting them anew."""

from dataclasses import dataclass
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from kplan.cluster import ranks
from kplan.cluster.ranks import Ranks


@dataclass(eq=False)
class Thing:
    name: str


def sorted_anew(pods: list[Any]) -> list[int]:
    order = sorted(range(len(pods)), key=lambda row: (pods[row].name, row))
    return [order.index(row) for row in range(len(pods))]


@settings(derandomize=True, max_examples=60, deadline=None)
@given(
    few=st.integers(0, 3),
    moves=st.lists(st.tuples(st.integers(0, 6), st.lists(st.sampled_from("abcdefgh"), max_size=5)), max_size=8),
)
def test_after_each_change_at_the_end_every_pod_has_its_place(few: int, moves: list[tuple[int, list[str]]]) -> None:
    kept = ranks._FEW
    ranks._FEW = few
    try:
        made = Ranks(lambda pod: pod.name)
        pods: list[Any] = []
        for generation, (gone, names) in enumerate(moves):
            del pods[max(0, len(pods) - gone) :]
            pods += map(Thing, names)
            assert made.of(pods, generation).tolist() == sorted_anew(pods)
    finally:
        ranks._FEW = kept


def test_nothing_is_looked_at_while_no_row_has_changed() -> None:
    made = Ranks(lambda pod: pod.name)
    first = made.of([Thing("b"), Thing("a")], 1)
    assert made.of([], 1) is first
    assert first.tolist() == [1, 0]
