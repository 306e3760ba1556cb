"""SchedulingGates: texts are those of kube-scheduler 1.37.2."""

import pytest

from kplan.config.versions import features
from kplan.framework.findings import Refused
from kplan.objects.models import Pod
from kplan.plugins.scheduling_gates import SchedulingGates
from tests.builders import pod
from tests.plugins.ask import cluster_of

CASES = {
    "a pod without gates may be queued": (pod("new"), None),
    "an empty list of gates keeps nothing out": (pod("new", schedulingGates=[]), None),
    "one gate is named": (
        pod("new", schedulingGates=[{"name": "example.com/wait"}]),
        Refused(("waiting for scheduling gates: [example.com/wait]",), unresolvable=True),
    ),
    "several gates are listed in the order of the spec, parted by blanks": (
        pod("new", schedulingGates=[{"name": "b"}, {"name": "a"}]),
        Refused(("waiting for scheduling gates: [b a]",), unresolvable=True),
    ),
}


@pytest.mark.parametrize(("new", "wanted"), CASES.values(), ids=CASES)
def test_pre_enqueue(new: Pod, wanted: Refused | None) -> None:
    cluster = cluster_of(new, ())
    plugin = SchedulingGates(None, features("1.37").features)
    assert plugin.pre_enqueue(cluster.pods[0], cluster) == wanted
