"""Where a pod lands, in words."""

import numpy as np
import pytest

import kplan
from kplan.objects.state import ClusterState
from kplan.result.landing import LandingShares, landing
from kplan.wording.landing import landing_part, lands_on, percent
from tests.builders import node

NODES = [node(f"n-{i:02d}", labels={"pool": "big" if i == 0 else "pool-a"}) for i in range(20)]
CLUSTER = kplan.Scheduler.of("1.37").cluster(ClusterState.of(NODES))
ROWS = np.arange(20, dtype=np.intp)


def shared(examined: int, *shares: float) -> LandingShares:
    return landing(examined, ROWS, np.array([*shares, *[0.0] * (20 - len(shares))]))


@pytest.mark.parametrize(
    ("share", "told"),
    [(0.478, "48 %"), (0.001, "<1 %"), (0.999, ">99 %"), (1.0, "100 %"), (0.005, "<1 %"), (0.0051, "1 %")],
)
def test_percent(share: float, told: str) -> None:
    assert percent(share) == told


def test_a_favourite_and_the_rest() -> None:
    one = shared(10, 0.48, *[0.52 / 19] * 19)
    assert lands_on(one, CLUSTER, 0, "goes") == "goes to n-00 in 48 % of cases, else to one of 19 nodes"
    part = landing_part(one, CLUSTER)
    assert part is not None
    assert part.text == "n-00 48 %, else one of 19 others (pool-a): 10 of 20 nodes that fit are looked at"
    assert [one.node for one in part.nodes] == [f"n-{i:02d}" for i in range(10)]
    assert part.others is not None
    assert (part.others.count, part.others.share) == (10, round(0.52 * 10 / 19, 6))


def test_two_nodes_and_no_more() -> None:
    one = shared(10, 0.75, 0.25)
    assert lands_on(one, CLUSTER, 0, "runs", "on") == "runs on n-00 in 75 % of cases, else on n-01"
    part = landing_part(one, CLUSTER, evicts=True)
    assert part is not None
    assert part.text == "n-00 75 %, n-01 25 %: 10 of 20 nodes where evictions help are looked at"
    assert part.others is None


def test_none_is_likely() -> None:
    one = shared(10, 0.07, 0.03, *[0.05] * 18)
    assert lands_on(one, CLUSTER, 7, "goes") == "goes to one of 20 nodes, most often n-00 (7 %)"


def test_each_is_as_likely() -> None:
    one = shared(10, *[0.05] * 20)
    assert lands_on(one, CLUSTER, 7, "goes") == "goes to one of 20 nodes, each equally often"
    part = landing_part(one, CLUSTER)
    assert part is not None
    assert part.text == "one of 20 nodes, each equally often: 10 of 20 nodes that fit are looked at"


def test_a_tie_of_all_has_shares_and_no_text() -> None:
    part = landing_part(shared(20, 0.5, 0.5), CLUSTER)
    assert part is not None
    assert (part.text, [(one.node, one.share) for one in part.nodes]) == ("", [("n-00", 0.5), ("n-01", 0.5)])


def test_what_is_certain_is_not_told() -> None:
    assert landing_part(shared(10, 1.0), CLUSTER) is None
    assert landing_part(None, CLUSTER) is None
