"""CheckNodeMemoryPressure: a pod fits only nodes without memory pressure.

What it checks:  the condition MemoryPressure of a node is not True; asked of
                 pods of best effort alone, whose containers request and limit neither cpu nor memory. A
                 predicate of the first releases: from 1.12 on, a taint says the same.
Rejects with:    "node(s) had memory pressure" (UnschedulableAndUnresolvable)
Not modelled:    nothing.
Source:          kubernetes v1.16.15 pkg/scheduler/algorithm/predicates/predicates.go CheckNodeMemoryPressurePredicate;
                 core/generic_scheduler.go unresolvablePredicateFailureErrors; pkg/apis/core/v1/helper/qos/qos.go
"""

from dataclasses import dataclass
from typing import ClassVar

from kplan.cluster import Cluster, PodInfo
from kplan.framework.codes import Cost, Point, Reads
from kplan.framework.features import Features
from kplan.framework.findings import Findings, passed, refused
from kplan.framework.reason_codes import ReasonCode
from kplan.framework.worlds import Worlds
from kplan.objects.models import Pod
from kplan.objects.quantity import nanos
from kplan.plugins.shared.node_conditions import is_true, nodes_with

REASON = "node(s) had memory pressure"


@dataclass(frozen=True, slots=True)
class CheckNodeMemoryPressure:
    """Refuses nodes under memory pressure."""

    name: ClassVar[str] = "CheckNodeMemoryPressure"
    cost: ClassVar[Cost] = Cost.COLUMNS

    args: None
    features: Features

    def reads(self, point: Point, pod: PodInfo) -> Reads:
        """Read conditions of nodes."""
        return Reads.NODE

    def filter(self, pod: PodInfo, state: None, cluster: Cluster, worlds: Worlds) -> Findings[None]:
        """Refuse nodes whose condition is True to a pod of best effort."""
        if not is_best_effort(pod.pod):
            return passed(len(worlds))
        pressed = nodes_with(cluster, "MemoryPressure", is_true)
        return refused(ReasonCode.NODE_CONDITION, REASON, pressed[worlds.rows], unresolvable=True)


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
