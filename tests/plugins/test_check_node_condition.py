"""CheckNodeCondition: answers worked out by hand from the rules of kube-scheduler 1.16.15."""

from typing import Any

import pytest

from kplan.config.versions import features
from kplan.plugins.check_node_condition import CORDONED, NO_NETWORK, NOT_READY, CheckNodeCondition
from tests.builders import node, pod
from tests.plugins.ask import rejected


def reporting(*conditions: tuple[str, str], **spec: Any) -> Any:
    return node("a", conditions=[{"type": kind, "status": status} for kind, status in conditions], **spec)


REJECTED = {
    "nothing reported": (reporting(), []),
    "ready": (reporting(("Ready", "True"), ("NetworkUnavailable", "False")), []),
    "not ready": (reporting(("Ready", "False")), [NOT_READY]),
    "readiness unknown": (reporting(("Ready", "Unknown")), [NOT_READY]),
    "no network": (reporting(("NetworkUnavailable", "True")), [NO_NETWORK]),
    "network unknown": (reporting(("NetworkUnavailable", "Unknown")), [NO_NETWORK]),
    "other conditions do not matter": (reporting(("MemoryPressure", "True")), []),
    "cordoned, whatever is tolerated": (reporting(unschedulable=True), [CORDONED]),
    "all reasons are told": (
        reporting(("Ready", "False"), ("NetworkUnavailable", "True"), unschedulable=True),
        [NOT_READY, NO_NETWORK, CORDONED],
    ),
}


@pytest.mark.parametrize(("there", "wanted"), REJECTED.values(), ids=REJECTED)
def test_rejected(there: Any, wanted: list[str]) -> None:
    plugin = CheckNodeCondition(None, features("1.37").features)
    assert rejected(plugin, pod("new"), there) == ({"a": wanted} if wanted else {})
