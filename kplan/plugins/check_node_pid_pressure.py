"""CheckNodePIDPressure: a pod fits only nodes without process ID pressure.

What it checks:  the condition PIDPressure of a node is not True. A predicate of the first releases:
                 from 1.12 on, a taint says the same.
Rejects with:    "node(s) had pid pressure" (UnschedulableAndUnresolvable)
Not modelled:    nothing.
Source:          kubernetes v1.16.15 pkg/scheduler/algorithm/predicates/predicates.go CheckNodePIDPressurePredicate;
                 core/generic_scheduler.go unresolvablePredicateFailureErrors
"""

from typing import ClassVar

from kplan.plugins.shared.node_conditions import PressureCheck

REASON = "node(s) had pid pressure"


class CheckNodePIDPressure(PressureCheck):
    """Refuses nodes under process ID pressure."""

    name: ClassVar[str] = "CheckNodePIDPressure"
    condition: ClassVar[str] = "PIDPressure"
    reason: ClassVar[str] = REASON
