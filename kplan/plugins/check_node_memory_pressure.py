"""CheckNodeMemoryPressure: a pod fits only nodes without memory pressure.

What it checks:  the condition MemoryPressure of a node is not True; asked of
                 pods of best effort alone, whose containers request and limit neither cpu nor memory. A
                 predicate of the first releases: from 1.12 on, a taint says the same.
Rejects with:    "node(s) had memory pressure" (UnschedulableAndUnresolvable)
Not modelled:    nothing.
Source:          kubernetes v1.16.15 pkg/scheduler/algorithm/predicates/predicates.go CheckNodeMemoryPressurePredicate;
                 core/generic_scheduler.go unresolvablePredicateFailureErrors; pkg/apis/core/v1/helper/qos/qos.go
"""

from typing import ClassVar

from kplan.cluster import Cluster, PodInfo
from kplan.framework.findings import Findings, passed
from kplan.framework.worlds import Worlds
from kplan.objects.models import Pod
from kplan.objects.quantity import nanos
from kplan.plugins.shared.node_conditions import PressureCheck

REASON = "node(s) had memory pressure"


class CheckNodeMemoryPressure(PressureCheck):
    """Refuses nodes under memory pressure."""

    name: ClassVar[str] = "CheckNodeMemoryPressure"
    condition: ClassVar[str] = "MemoryPressure"
    reason: ClassVar[str] = REASON

    def filter(self, pod: PodInfo, state: None, cluster: Cluster, worlds: Worlds) -> Findings[None]:
        """Refuse nodes whose condition is True to a pod of best effort."""
        if not is_best_effort(pod.pod):
            return passed(len(worlds))
        return PressureCheck.filter(self, pod, state, cluster, worlds)


def is_best_effort(pod: Pod) -> bool:
    """Tell whether no container asks for cpu or memory, be it by a request or a limit.

    Source: v1.16.15 qos.go GetPodQOS, which looks at no init containers.
    """
    lists = (
        amounts
        for container in pod.spec.containers or ()
        if container.resources is not None
        for amounts in (container.resources.requests, container.resources.limits)
    )
    return not any(nanos((amounts or {}).get(name, 0)) > 0 for amounts in lists for name in ("cpu", "memory"))
