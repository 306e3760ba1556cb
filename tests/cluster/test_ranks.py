"""Ranks: the order of pods that come and go at the end is that of sorting them anew."""

from dataclasses import dataclass
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from kplan.cluster import build, ranks
from kplan.cluster.ranks import PickedPods, Ranks, by_name
from kplan.objects.state import ClusterState
from tests.builders import node, pod


@dataclass(eq=False)
class Thing:
    name: str


@dataclass(eq=False)
class Named:
    namespace: str
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


def test_what_a_rule_picks_follows_pods_that_come_and_go_at_the_end() -> None:
    asked: list[str] = []

    def short(pod: Any) -> bool:
        asked.append(pod.name)
        return len(pod.name) == 1

    picked = PickedPods(short)
    pods: list[Any] = [Thing("a"), Thing("bb"), Thing("c")]
    assert list(picked.of(pods, 1)) == [0, 2]
    pods[2:] = [Thing("dd"), Thing("e")]
    assert list(picked.of(pods, 2)) == [0, 3]
    assert asked == ["a", "bb", "c", "dd", "e"]


def test_pods_are_ordered_by_namespace_then_name() -> None:
    pods: list[Any] = [Named("b", "a"), Named("a-b", "a"), Named("a", "b"), Named("a", "a.b"), Named("a", "a")]
    assert by_name(pods).tolist() == [4, 3, 2, 1, 0]


def test_the_importance_of_many_pods_is_their_priority_then_their_start_then_their_name() -> None:
    late, early = "2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z"
    given = [("d", 0, early), ("c", 0, late), ("b", 5, late), ("a", 0, early), ("e", 5, early)]
    pods = [
        pod(name, node="n", priority=priority, status={"phase": "Running", "startTime": start})
        for name, priority, start in given
    ]
    cluster = build(ClusterState.of([node("n"), *pods]))
    kept = ranks._FEW
    ranks._FEW = 0
    try:
        order = cluster.pods_by_importance.tolist()
    finally:
        ranks._FEW = kept
    assert [cluster.pods[row].key for row in order] == [f"default/{name}" for name in "ebadc"]
