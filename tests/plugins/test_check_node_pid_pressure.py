"""CheckNodePIDPressure: answers worked out by hand from the rules of kube-scheduler 1.16.15."""

import pytest

from kplan.config.versions import features
from kplan.plugins.check_node_pid_pressure import REASON, CheckNodePIDPressure
from tests.builders import node, pod
from tests.plugins.ask import rejected

REJECTED = {
    "the condition holds": ("PIDPressure", "True", True),
    "it does not": ("PIDPressure", "False", False),
    "it is unknown": ("PIDPressure", "Unknown", False),
    "another holds": ("Ready", "True", False),
}


@pytest.mark.parametrize(("kind", "status", "wanted"), REJECTED.values(), ids=REJECTED)
def test_rejected(kind: str, status: str, wanted: bool) -> None:
    plugin = CheckNodePIDPressure(None, features("1.37").features)
    there = node("a", conditions=[{"type": kind, "status": status}])
    new = pod("new", requests={"cpu": "1"})
    assert rejected(plugin, new, there, node("b")) == ({"a": [REASON]} if wanted else {})
