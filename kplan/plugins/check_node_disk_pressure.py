"""CheckNodeDiskPressure: a pod fits only nodes without disk pressure.

What it checks:  the condition DiskPressure of a node is not True. A predicate of the first releases:
                 from 1.12 on, a taint says the same.
Rejects with:    "node(s) had disk pressure" (UnschedulableAndUnresolvable)
Not modelled:    nothing.
Source:          kubernetes v1.16.15 pkg/scheduler/algorithm/predicates/predicates.go CheckNodeDiskPressurePredicate;
                 core/generic_scheduler.go unresolvablePredicateFailureErrors
"""

from typing import ClassVar

from kplan.plugins.shared.node_conditions import PressureCheck

REASON = "node(s) had disk pressure"


class CheckNodeDiskPressure(PressureCheck):
    """Refuses nodes under disk pressure."""

    name: ClassVar[str] = "CheckNodeDiskPressure"
    condition: ClassVar[str] = "DiskPressure"
    reason: ClassVar[str] = REASON
