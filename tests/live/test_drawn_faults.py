"""Ten of the drawn faults of each kind, some minutes; make test-faults goes through a hundred of each."""

from collections.abc import Iterator

import pytest

from tests.live.controlplane import ControlPlane
from tests.live.drawn_faults import KINDS, runs_of, serving
from tests.live.drawn_worlds import Drawn

RUNS = 10


@pytest.fixture(scope="module")
def server() -> Iterator[ControlPlane]:
    with serving() as running:
        yield running


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_bound_twice_or_left_half_and_what_is_said_is_true(server: ControlPlane, kind: str) -> None:
    told = runs_of(server, kind, range(1001, 1001 + RUNS))
    assert told.failures == []
    assert told.hit > 0


def test_the_runs_of_a_kind_differ_and_those_of_a_number_do_not() -> None:
    def drawn() -> list[tuple[int, bool, bool, float]]:
        every = [Drawn.of("409", number) for number in range(30)]
        return [(len(one.names), one.volume, one.victim, one.random.random()) for one in every]

    assert len({world[:3] for world in drawn()}) > 5
    assert drawn() == drawn()
