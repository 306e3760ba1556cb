"""The engine: what is tried, what is not, which is the best; pairs, and numbers of nodes."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from msgspec.structs import replace

from kplan.remedies.about import Named, NewNode
from kplan.remedies.candidate import Candidate, Further, RemedyCost, both
from kplan.remedies.engine import Measure, Tried, best, by_steps, sift
from kplan.remedies.more_nodes import SpreadDomains, added, least, one_more, several
from kplan.scenario.add_node import AddNode
from kplan.scenario.nodes import Cordon
from kplan.wording.remedies import text_of

ZONE = "topology.kubernetes.io/zone"


def uncordon(name: str, code: str = "uncordon", unless: tuple[str, ...] = ()) -> Candidate:
    return Candidate(code, RemedyCost.UNCORDON, Named(node=name), steps=(Cordon(name, on=False),), unless=unless)


@dataclass
class Known:
    """A measure that knows what comes of each candidate, by its node; those it does not know cannot be carried out."""

    worth: dict[str, int]
    bound: int = 99
    asked: list[str] = field(default_factory=list)

    @property
    def measure(self) -> Measure[int]:
        return Measure(self.of, lambda found: found >= 10, lambda: len(self.asked) >= self.bound)

    def of(self, candidate: Candidate) -> Tried[int] | None:
        assert isinstance(candidate.about, Named)
        name = candidate.about.node
        self.asked.append(name)
        return Tried(candidate, self.worth[name]) if name in self.worth else None


def test_what_helps_is_parted_from_what_does_not_and_from_what_cannot_be_done() -> None:
    known = Known({"a": 1, "b": 10, "c": 11})
    found = sift([uncordon(name) for name in "abxc"], known.measure)
    assert [text_of(one.candidate) for one in found.helps] == ["uncordon b", "uncordon c"]
    assert [text_of(one) for one in found.fails] == ["uncordon a", "uncordon x"]
    assert [(text_of(one.candidate), one.found) for one in found.found] == [("uncordon a", 1)]


def test_the_same_change_is_tried_once() -> None:
    known = Known({"a": 1})
    sift([uncordon("a"), uncordon("a")], known.measure)
    assert known.asked == ["a"]


def test_what_a_smaller_change_makes_pointless_is_not_tried() -> None:
    known = Known({"a": 10, "b": 10})
    sift([uncordon("a"), uncordon("b", "larger", unless=("uncordon",))], known.measure)
    assert known.asked == ["a"]
    fails = Known({"a": 1, "b": 10})
    sift([uncordon("a"), uncordon("b", "larger", unless=("uncordon",))], fails.measure)
    assert fails.asked == ["a", "b"]


@pytest.mark.parametrize(("most", "bound", "asked"), [(1, 99, "ab"), (None, 3, "abc"), (None, 99, "abcd")])
def test_enough_and_the_bound_end_it(most: int | None, bound: int, asked: str) -> None:
    known = Known({"a": 1, "b": 10, "c": 1, "d": 10}, bound)
    sift([uncordon(name) for name in "abcd"], known.measure, most=most)
    assert "".join(known.asked) == asked


def test_a_change_that_is_only_named_is_not_carried_out() -> None:
    known = Known({})
    named = Candidate("evict-pod", RemedyCost.EVICT, Named(node="a"), named=True)
    assert (sift([named], known.measure).fails, known.asked) == ([named], [])


def test_the_best_is_chosen_and_of_equals_the_first() -> None:
    known = Known({"a": 3, "b": 5, "c": 5, "d": 2})
    found = best([uncordon(name) for name in "abcd"], known.measure, lambda worth: (worth,), (2,))
    assert found is not None
    assert text_of(found.candidate) == "uncordon b"
    assert best([uncordon("d")], known.measure, lambda worth: (worth,), (2,)) is None


def test_one_that_does_all_ends_the_search_for_the_best() -> None:
    known = Known({"a": 10, "b": 99})
    best([uncordon("a"), uncordon("b")], known.measure, lambda worth: (worth,), (0,))
    assert known.asked == ["a"]


def test_both_at_once_are_told_one_after_the_other_and_are_pointless_where_a_smaller_pair_helps() -> None:
    pair = both(uncordon("a"), uncordon("b", "remove-node", unless=("smaller",)))
    assert (pair.code, text_of(pair), pair.flags) == (
        "uncordon+remove-node",
        "uncordon a, and remove node b",
        ("--uncordon a", "--uncordon b"),
    )
    assert pair.unless == ("uncordon+smaller",)


def test_a_node_is_added_several_times_and_once_in_each_zone() -> None:
    one = one_more(NewNode("a", place=(("zone", "z-1"),)), AddNode(like="a", labels={ZONE: "z-1"}))
    three = several(one, 3)
    assert (text_of(three), three.flags) == (
        "3 more nodes like a, zone z-1",
        (f"--add-node like=a,{ZONE}=z-1,count=3",),
    )
    each = several(one, 2, SpreadDomains(ZONE, ("z-1", "z-2")))
    assert text_of(each) == "2 more nodes like a in each of 2 zones"
    assert each.flags == (f"--add-node like=a,{ZONE}=z-1,count=2", f"--add-node like=a,{ZONE}=z-2,count=2")
    assert text_of(both(several(one, 2), uncordon("b"))) == "2 more nodes like a, zone z-1, and uncordon b"


def test_a_node_with_something_else_is_not_a_node_alone() -> None:
    one = one_more(NewNode("a"))
    assert added(one) == AddNode(like="a")
    assert added(both(one, uncordon("b"))) is None
    assert added(uncordon("b")) is None


@pytest.mark.parametrize("enough", [1, 7, 16])
def test_the_least_number_that_is_enough(enough: int) -> None:
    assert least(0, 16, lambda number: number >= enough) == enough


def test_a_search_that_may_not_go_on_ends_with_what_is_known_to_be_enough() -> None:
    assert least(0, 16, lambda number: None) == 16


def numbered(number: int, most: int = 8) -> Candidate:
    """A change of a number, which goes on up to the most."""
    one = Candidate("one-more-node", RemedyCost.ADD_NODE, NewNode("a", number=number), steps=(AddNode(like="a"),))
    return replace(one, further=Further(numbered, most)) if number == 1 else one


@dataclass
class Counted:
    """A measure by which a number helps from some number on."""

    enough: int
    asked: list[int] = field(default_factory=list)

    def of(self, candidate: Candidate) -> Tried[int] | None:
        numbers = [part.about.number for part in candidate.parts or (candidate,) if isinstance(part.about, NewNode)]
        self.asked.append(sum(numbers))
        return Tried(candidate, sum(numbers))

    @property
    def measure(self) -> Measure[int]:
        return by_steps(Measure(self.of, lambda found: found >= self.enough))


@pytest.mark.parametrize(
    ("enough", "asked", "found"),
    [
        pytest.param(1, [1], 1, id="one is enough"),
        pytest.param(2, [1, 2], 2, id="two are"),
        pytest.param(3, [1, 2, 4, 3], 3, id="three are, found from above"),
        pytest.param(5, [1, 2, 4, 8, 6, 5], 5, id="five are"),
        pytest.param(8, [1, 2, 4, 8, 6, 7], 8, id="as many as may be tried"),
    ],
)
def test_the_least_number_that_helps_is_found(enough: int, asked: list[int], found: int) -> None:
    counted = Counted(enough)
    tried = sift([numbered(1)], counted.measure).helps
    assert ([one.found for one in tried], counted.asked) == ([found], asked)


def test_where_no_number_helps_that_of_one_is_told() -> None:
    counted = Counted(9)
    tried = sift([numbered(1)], counted.measure)
    assert ([one.found for one in tried.helps], [one.found for one in tried.found]) == ([], [1])
    assert counted.asked == [1, 2, 4, 8]


def test_a_pair_goes_on_together() -> None:
    counted = Counted(6)
    (tried,) = sift([both(numbered(1), numbered(1, 4))], counted.measure).helps
    assert (tried.found, counted.asked) == (6, [2, 4, 8, 6])
