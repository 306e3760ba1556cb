"""Why a pod waits for its group, in words."""

import pytest

from kplan.framework.codes import Code
from kplan.framework.findings import Why
from kplan.framework.preemption import NodeStatus
from kplan.framework.reason_codes import ReasonCode
from kplan.wording.pod_groups import kept_cause


@pytest.mark.parametrize(
    ("key", "name"),
    [
        pytest.param("shop/w/g/", "shop/w/g", id="of a workload, without a replica"),
        pytest.param("shop/w/g/r1", "shop/w/g/r1", id="of a workload, with one"),
        pytest.param("shop/g", "shop/g", id="a PodGroup"),
    ],
)
def test_a_group_has_its_name(key: str, name: str) -> None:
    small = NodeStatus(Code.UNSCHEDULABLE, "GangScheduling", (Why(ReasonCode.GROUP_TOO_SMALL, (), "waits"),))
    cause = kept_cause(small, key, 2, 3)
    assert cause is not None
    assert cause.text == f"its group {name} has 2 of the 3 pods that it needs at one time"
    missing = NodeStatus(Code.UNSCHEDULABLE, "GangScheduling", (Why(ReasonCode.GROUP_MISSING, (), "waits"),))
    cause = kept_cause(missing, key, 0, 0)
    assert cause is not None
    assert cause.text == f"its group {name} is not there"
