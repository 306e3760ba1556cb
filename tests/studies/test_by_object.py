"""Pods that left for an object of a manifest are its business, whatever they are called when they come back."""

import pytest

from kplan.result.document_plan import Expanded, PlanStep
from kplan.studies.by_object import steps_by_object

NEW = Expanded(object="deploy/default/new", verdict="new", pods=1)


@pytest.mark.parametrize(
    ("evicted", "back"),
    [
        pytest.param("default/web-1", "default/web-1-r1", id="a pod of the cluster"),
        pytest.param("default/web-1-r1", "default/web-1-r2", id="one that a what-if made again before"),
        pytest.param("default/web-r1", "default/web-r1-r1", id="one whose own name looks made"),
        pytest.param("default/db-0", "default/db-0", id="one that keeps its name"),
    ],
)
def test_what_comes_back_and_finds_no_place_is_left_by_who_evicted_it(evicted: str, back: str) -> None:
    first = PlanStep(pod="default/new-1", result="preempted", node="a", owner=NEW.object, evicts=(evicted,))
    then = PlanStep(pod=back, result="pending", returned=True)
    [mine] = steps_by_object([NEW], [], [first, then])
    assert ([step.pod for step in mine.left], mine.evicted) == ([back], [evicted])


def test_a_pod_of_the_same_stem_is_blamed_on_who_evicted_it() -> None:
    other = Expanded(object="deploy/default/old", verdict="new", pods=1)
    steps = [
        PlanStep(pod="default/old-1", result="preempted", node="a", owner=other.object, evicts=("default/web",)),
        PlanStep(pod="default/new-1", result="preempted", node="b", owner=NEW.object, evicts=("default/web-r1",)),
        PlanStep(pod="default/web-r1", result="pending", returned=True),
    ]
    new, old = steps_by_object([NEW, other], [], steps)
    assert ([step.pod for step in new.left], [step.pod for step in old.left]) == ([], ["default/web-r1"])
