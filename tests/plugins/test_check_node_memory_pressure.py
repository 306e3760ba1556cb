"""CheckNodeMemoryPressure: answers worked out by hand from the rules of kube-scheduler 1.16.15."""

from typing import Any

import pytest

from kplan.config.versions import features
from kplan.plugins.check_node_memory_pressure import REASON, CheckNodeMemoryPressure
from tests.builders import node, pod
from tests.plugins.ask import rejected


def container(**resources: dict[str, str]) -> dict[str, Any]:
    return {"name": "c", "resources": resources}


REJECTED: dict[str, tuple[dict[str, Any], str, bool]] = {
    "best effort under pressure": ({}, "True", True),
    "no pressure": ({}, "False", False),
    "pressure unknown": ({}, "Unknown", False),
    "a request": ({"containers": [container(requests={"cpu": "1m"})]}, "True", False),
    "a limit": ({"containers": [container(limits={"memory": "1Mi"})]}, "True", False),
    "a request of 0 is none": ({"containers": [container(requests={"cpu": "0"})]}, "True", True),
    "other resources do not count": ({"containers": [container(requests={"example.com/gpu": "1"})]}, "True", True),
    "init containers do not count": ({"initContainers": [container(requests={"cpu": "1"})]}, "True", True),
}


@pytest.mark.parametrize(("spec", "status", "wanted"), REJECTED.values(), ids=REJECTED)
def test_rejected(spec: dict[str, Any], status: str, wanted: bool) -> None:
    plugin = CheckNodeMemoryPressure(None, features("1.37").features)
    there = node("a", conditions=[{"type": "MemoryPressure", "status": status}])
    assert rejected(plugin, pod("new", **spec), there, node("b")) == ({"a": [REASON]} if wanted else {})
