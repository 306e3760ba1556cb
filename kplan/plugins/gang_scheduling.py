"""GangScheduling: pods of a gang are scheduled all together or not at all.

What it checks:  nothing yet.
Rejects with:    nothing yet; the scheduler says "waiting for minCount pods from a gang to appear in scheduling queue"
                 and the like.
Not modelled:    all of it: who waits for its pod group, the group's own cycle, the wait at Permit. The plugin is behind
                 gates that are off by default (GangScheduling in 1.35 and 1.36, GenericWorkload in 1.37).
Source:          kubernetes v1.37.2 pkg/scheduler/framework/plugins/gangscheduling/gangscheduling.go
"""

from dataclasses import dataclass
from typing import ClassVar

from kplan.cluster import PodInfo
from kplan.framework.codes import Cost, Point, Reads
from kplan.framework.features import Features


@dataclass(frozen=True, slots=True)
class GangScheduling:
    """Has no point yet."""

    name: ClassVar[str] = "GangScheduling"
    cost: ClassVar[Cost] = Cost.COLUMNS

    args: None
    features: Features

    def reads(self, point: Point, pod: PodInfo) -> Reads:
        """Read nothing."""
        return Reads(0)
