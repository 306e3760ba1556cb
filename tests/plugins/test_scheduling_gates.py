"""SchedulingGates: texts are those of kube-scheduler 1.37.2."""

import pytest

from kplan.config.versions import features
from kplan.framework.findings import About, Refused
from kplan.framework.reason_codes import AboutKind, ReasonCode
from kplan.objects.models import Pod
from kplan.plugins.scheduling_gates import SchedulingGates
from tests.builders import pod
from tests.plugins.ask import cluster_of

CODE, GATE = ReasonCode.SCHEDULING_GATES, AboutKind.GATE

CASES = {
    "a pod without gates may be queued": (pod("new"), None),
    "an empty list of gates keeps nothing out": (pod("new", schedulingGates=[]), None),
    "one gate is named": (
        pod("new", schedulingGates=[{"name": "example.com/wait"}]),
        Refused.of(CODE, "waiting for scheduling gates: [example.com/wait]", About(GATE, "example.com/wait")),
    ),
    "several gates are listed in the order of the spec, parted by blanks": (
        pod("new", schedulingGates=[{"name": "b"}, {"name": "a"}]),
        Refused.of(CODE, "waiting for scheduling gates: [b a]", About(GATE, "b"), About(GATE, "a")),
    ),
}


@pytest.mark.parametrize(("new", "wanted"), CASES.values(), ids=CASES)
def test_pre_enqueue(new: Pod, wanted: Refused | None) -> None:
    cluster = cluster_of(new, ())
    plugin = SchedulingGates(None, features("1.37").features)
    assert plugin.pre_enqueue(cluster.pods[0], cluster) == wanted
