"""BalancedResourceAllocation: answers worked out by hand from the rules of kube-scheduler 1.20.15."""

from typing import Any

import pytest

from kplan.config.versions import features
from kplan.plugins.balanced_resource_allocation import BalancedResourceAllocation
from tests.builders import node, pod
from tests.plugins.ask import scores

SCORES: dict[str, tuple[dict[str, str], tuple[Any, ...], int]] = {
    # 1/4 and 4/16
    "even use": ({"cpu": "1", "memory": "4Gi"}, (), 100),
    # 2/4 and 4/16: 100 * (1 - 0.25)
    "a difference counts in full": ({"cpu": "2", "memory": "4Gi"}, (), 75),
    # 3/4 and 1/16: 100 * (1 - 0.6875) = 31.25
    "cut to a whole number": ({"cpu": "3", "memory": "1Gi"}, (), 31),
    "a full node is never preferred": ({"cpu": "4", "memory": "8Gi"}, (), 0),
    "nor is one that would be more than full": ({"cpu": "1", "memory": "17Gi"}, (), 0),
    # (1 + 1)/4 and (4 + 8)/16: 100 * (1 - 0.25)
    "pods of the node count": (
        {"cpu": "1", "memory": "4Gi"},
        (pod("old", node="a", requests={"cpu": "1", "memory": "8Gi"}),),
        75,
    ),
    # 100m/4 = 0.025 and 200Mi/16Gi = 0.01220703125: 100 * (1 - 0.01279296875) = 98.7
    "a container without requests counts for 100m and 200Mi": ({}, (), 98),
}


@pytest.mark.parametrize(("requests", "others", "wanted"), SCORES.values(), ids=SCORES)
def test_scores(requests: dict[str, str], others: tuple[Any, ...], wanted: int) -> None:
    plugin = BalancedResourceAllocation(None, features("1.37").features)
    assert scores(plugin, pod("new", requests=requests), node("a", cpu="4", memory="16Gi"), *others) == {"a": wanted}


def test_a_node_without_memory_is_full() -> None:
    plugin = BalancedResourceAllocation(None, features("1.37").features)
    assert scores(plugin, pod("new"), node("a", memory="0")) == {"a": 0}
