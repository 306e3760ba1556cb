"""SchedulingGates: a pod with scheduling gates stays out of the queue until they are removed.

What it checks:  spec.schedulingGates is empty.
Rejects with:    "waiting for scheduling gates: [a b]" (UnschedulableAndUnresolvable), before the pod is queued
Not modelled:    nothing.
Source:          kubernetes v1.37.2 and v1.34.4
                 pkg/scheduler/framework/plugins/schedulinggates/scheduling_gates.go
"""

from typing import ClassVar

from kplan.cluster import Cluster, PodInfo
from kplan.framework.codes import Reads
from kplan.framework.events import Action, Interest, Resource
from kplan.framework.findings import About, Refused
from kplan.framework.plugin import ColumnPlugin
from kplan.framework.reason_codes import AboutKind, ReasonCode


class SchedulingGates(ColumnPlugin[None]):
    """Keeps gated pods out of the queue."""

    name: ClassVar[str] = "SchedulingGates"
    needs: ClassVar[Reads] = Reads(0)

    def interests(self) -> tuple[Interest, ...]:
        """The last gate of the pod taken away."""
        return (Interest(Resource.TARGET_POD, Action.POD_GATES_GONE),)

    def pre_enqueue(self, pod: PodInfo, cluster: Cluster) -> Refused | None:
        """Refuse a pod that has gates; they are listed in the order of the spec."""
        gates = pod.pod.spec.scheduling_gates
        if not gates:
            return None
        names = [gate.name for gate in gates]
        text = f"waiting for scheduling gates: [{' '.join(names)}]"
        return Refused.of(ReasonCode.SCHEDULING_GATES, text, *(About(AboutKind.GATE, name) for name in names))
