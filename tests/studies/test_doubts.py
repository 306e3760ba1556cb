"""What a source lacks is a doubt where the verdict depends on it, in the words of the source."""

import pytest

from kplan.objects.state import Completeness
from tests.builders import node, pod
from tests.studies.ask import document

GATHERED = Completeness(
    counts={"Node": 1, "Pod": 1},
    partial={"Pod": "a must-gather holds no user namespaces: free space of the nodes is overstated"},
    absences={"CSINode": "no access to csinodes: volume limits of nodes are unknown and count as none"},
)


def doubts(cpu: str, completeness: Completeness) -> list[tuple[str, str]]:
    objects = [node("n", cpu="4"), pod("p", requests={"cpu": cpu})]
    return [(one.code, one.text) for one in document(objects, "default/p", completeness=completeness).doubts]


def test_free_space_is_doubted_where_only_some_pods_are_there() -> None:
    assert doubts("1", GATHERED) == [("partial-pods", GATHERED.partial["Pod"])]


def test_a_pod_that_does_not_fit_would_not_fit_with_more_pods_either() -> None:
    assert doubts("9", GATHERED) == []


@pytest.mark.parametrize(
    ("absences", "told"),
    [
        pytest.param({}, "the source holds no pods: every node counts as empty", id="in general words"),
        pytest.param({"Pod": "no access to pods: ..."}, "no access to pods: ...", id="in those of the source"),
    ],
)
def test_pods_that_are_absent(absences: dict[str, str], told: str) -> None:
    assert doubts("1", Completeness(counts={"Node": 1}, absences=absences)) == [("no-pods", told)]
