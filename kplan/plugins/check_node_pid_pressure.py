"""CheckNodePIDPressure: a pod fits only nodes without process ID pressure.

What it checks:  the condition PIDPressure of a node is not True. A predicate of the first releases:
                 from 1.12 on, a taint says the same.
Rejects with:    "node(s) had pid pressure" (UnschedulableAndUnresolvable)
Not modelled:    nothing.
Source:          kubernetes v1.16.15 pkg/scheduler/algorithm/predicates/predicates.go CheckNodePIDPressurePredicate;
                 core/generic_scheduler.go unresolvablePredicateFailureErrors
"""

from dataclasses import dataclass
from typing import ClassVar

from kplan.cluster import Cluster, PodInfo
from kplan.framework.codes import Cost, Point, Reads
from kplan.framework.features import Features
from kplan.framework.findings import Findings, refused
from kplan.framework.reason_codes import ReasonCode
from kplan.framework.worlds import Worlds
from kplan.plugins.shared.node_conditions import is_true, nodes_with

REASON = "node(s) had pid pressure"


@dataclass(frozen=True, slots=True)
class CheckNodePIDPressure:
    """Refuses nodes under process ID pressure."""

    name: ClassVar[str] = "CheckNodePIDPressure"
    cost: ClassVar[Cost] = Cost.COLUMNS

    args: None
    features: Features

    def reads(self, point: Point, pod: PodInfo) -> Reads:
        """Read conditions of nodes."""
        return Reads.NODE

    def filter(self, pod: PodInfo, state: None, cluster: Cluster, worlds: Worlds) -> Findings[None]:
        """Refuse nodes whose condition is True."""
        pressed = nodes_with(cluster, "PIDPressure", is_true)
        return refused(ReasonCode.NODE_CONDITION, REASON, pressed[worlds.rows], unresolvable=True)
