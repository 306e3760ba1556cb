"""NodeResourceLimits: answers worked out by hand from the rules of kube-scheduler 1.16.15."""

from typing import Any

import pytest

from kplan.config.versions import features
from kplan.plugins.node_resource_limits import NodeResourceLimits
from tests.builders import node, pod
from tests.plugins.ask import scores


def limited(**limits: str) -> dict[str, Any]:
    return {"name": "c", "resources": {"limits": limits}}


NODES = (node("small", cpu="2", memory="4Gi"), node("large", cpu="8", memory="16Gi"))

SCORES: dict[str, tuple[dict[str, Any], dict[str, int]]] = {
    "no limits": ({"containers": [limited()]}, {"small": 0, "large": 0}),
    "cpu fits on one": ({"containers": [limited(cpu="4")]}, {"small": 0, "large": 1}),
    "equal fits": ({"containers": [limited(cpu="2")]}, {"small": 1, "large": 1}),
    "one of two is enough": ({"containers": [limited(cpu="4", memory="1Gi")]}, {"small": 1, "large": 1}),
    "containers add up": ({"containers": [limited(cpu="1500m"), limited(cpu="1500m")]}, {"small": 0, "large": 1}),
    "the largest init container counts": (
        {"containers": [limited(cpu="1")], "initContainers": [limited(cpu="4"), limited(cpu="1")]},
        {"small": 0, "large": 1},
    ),
    "neither fits anywhere": ({"containers": [limited(cpu="9", memory="17Gi")]}, {"small": 0, "large": 0}),
}


@pytest.mark.parametrize(("spec", "wanted"), SCORES.values(), ids=SCORES)
def test_scores(spec: dict[str, Any], wanted: dict[str, int]) -> None:
    assert scores(NodeResourceLimits(None, features("1.37").features), pod("new", **spec), *NODES) == wanted
