"""NodeResourcesMostAllocated: answers worked out by hand from the rules of kube-scheduler 1.20.15."""

import pytest

from kplan.config.versions import features
from kplan.plugins.node_resources_most_allocated import NodeResourcesMostAllocated
from tests.builders import node, pod
from tests.plugins.ask import scores

SCORES = {
    # (50 + 25) // 2
    "the mean of cpu and memory": ({"cpu": "2", "memory": "4Gi"}, 37),
    "more than all is all": ({"cpu": "5", "memory": "16Gi"}, 100),
    # 100m of 4 = 2, 200Mi of 16Gi = 1
    "a container without requests counts for 100m and 200Mi": ({}, 1),
}


@pytest.mark.parametrize(("requests", "wanted"), SCORES.values(), ids=SCORES)
def test_scores(requests: dict[str, str], wanted: int) -> None:
    plugin = NodeResourcesMostAllocated(None, features("1.37").features)
    assert scores(plugin, pod("new", requests=requests), node("a", cpu="4", memory="16Gi")) == {"a": wanted}
